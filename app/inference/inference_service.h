#pragma once

#include "app/inference/engine_factory.h"
#include "app/inference/generation_types.h"

#include <QObject>
#include <QString>

#include <memory>

namespace app {

struct LoadRequest;

/// The window's face of inference: lives in the GUI thread, owns the worker and its QThread, hands
/// values over by queued signals. Requests are answered in order; each generation ends with exactly
/// one `finished` or `failed` carrying its id. Nothing here blocks.
class InferenceService : public QObject {
    Q_OBJECT
public:
    enum class ModelState : quint8 { None, Loading, Ready, Writing, Failed };
    Q_ENUM(ModelState)
    enum class Force : quint8 { No, LoadAnyway };

    explicit InferenceService(EngineFactory engine, QObject* parent = nullptr);
    ~InferenceService() override; ///< cancels, then joins the worker

    /// Loads a model in place of the present one; the answer is `modelLoaded` or `loadFailed`. A
    /// reply and a load under way end once the new file was found to be a model. One that needs
    /// more memory than there is is refused with OutOfMemory before anything is read, unless
    /// forced. A file that cannot be loaded leaves the present model in place (the state is Ready
    /// again), unless memory for it had to be made.
    void loadModel(const QString& path, Force force = Force::No);
    /// Ends a load under way; the answer is `loadFailed` with Cancelled.
    void cancelLoad();
    void unloadModel();
    void setModelOptions(const ModelOptions& options);

    /// Returns the request's id at once.
    quint64 generate(GenerationRequest request);
    /// Stops the running generation and those queued, seen before the next token or prefill chunk:
    /// each ends with `finished` and StopReason::Cancelled.
    void cancel();
    /// Counts the tokens of a request's turns as the model would be given them. Returns the id that
    /// `contextCounted` answers with, when the worker comes to it; 0 without a model.
    quint64 countContext(GenerationRequest request);

    /// Read by the worker before every token; the version in it is set here.
    void setSettings(const engine::SamplingSettings& settings);
    engine::SamplingSettings settings() const;

    ModelState modelState() const { return m_modelState; }
    const LoadedModel& model() const { return m_model; }

Q_SIGNALS:
    void modelStateChanged(app::InferenceService::ModelState state);
    void loadProgressed(double share);
    void modelLoaded(const app::LoadedModel& model);
    void loadFailed(const app::UserError& error);
    void modelUnloaded();

    void prefillProgressed(quint64 requestId, int done, int total);
    /// One for every decoded token.
    void tokenDecoded(quint64 requestId, const engine::TokenEvent& event);
    void finished(quint64 requestId, const app::GenerationSummary& summary);
    void failed(quint64 requestId, const app::UserError& error);
    void contextCounted(quint64 requestId, int tokens);
    /// Of the loaded model, by the options; its next reply has it.
    void contextLengthChanged(int contextLength);

private:
    void connectWorker();
    void refuse(const UserError& error);
    void loadInspected(const LoadRequest& request);
    void endLoad(const LoadedModel& model);
    void failLoad(const UserError& error);
    void setModelState(ModelState state);
    void settle();

    ModelState m_modelState = ModelState::None;
    LoadedModel m_model;
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace app
