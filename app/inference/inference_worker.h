#pragma once

#include "app/inference/engine_factory.h"
#include "app/inference/generation_types.h"
#include "app/inference/live_settings.h"
#include "app/inference/model_inspector.h"

#include <QObject>

#include <atomic>
#include <memory>
#include <stop_token>

namespace app {

/// The engine's side of inference: owns the model and its session, in a thread of its own. Each
/// call runs to its end there; its stop token, seen between tokens, prefill chunks and weights,
/// ends it early.
class InferenceWorker : public QObject {
    Q_OBJECT
public:
    InferenceWorker(EngineFactory engine, std::shared_ptr<const LiveSettings> settings);
    ~InferenceWorker() override;

    /// Of a model that was looked at.
    void load(const LoadRequest& request);
    void unload();
    /// 0: as effectiveContextLength() says. A change acts on the next reply.
    void setContextLength(int contextLength);
    void generate(quint64 requestId, const GenerationRequest& request, const std::stop_token& stop);
    /// How much context a request's turns take; answered by `counted`, or not at all.
    void count(quint64 requestId, const GenerationRequest& request);
    /// Memory that unloading gives back. Any thread.
    quint64 heldBytes() const { return m_heldBytes; }

Q_SIGNALS:
    void loadProgressed(quint64 loadId, double share);
    /// The model is gone.
    void modelDropped();
    void modelLoaded(quint64 loadId, const app::LoadedModel& model);
    void loadFailed(quint64 loadId, const app::UserError& error);

    void prefillProgressed(quint64 requestId, int done, int total);
    void tokenDecoded(quint64 requestId, const engine::TokenEvent& event);
    void finished(quint64 requestId, const app::GenerationSummary& summary);
    void failed(quint64 requestId, const app::UserError& error);
    void counted(quint64 requestId, int tokens);

private:
    bool hasRoomBeside(const engine::ModelInfo& info) const;
    engine::Result<LoadedModel> open(const LoadRequest& request);
    engine::Result<GenerationSummary> run(quint64 requestId, const GenerationRequest& request,
                                          const std::stop_token& stop);
    engine::Result<QString> summarize(quint64 requestId, QList<ChatTurn> turns,
                                      const std::stop_token& stop);
    engine::Result<void> ensureSession();
    void dropModel();
    void noteHeldBytes();

    EngineFactory m_engine;
    std::shared_ptr<const LiveSettings> m_settings;
    int m_contextLength = 0;
    std::shared_ptr<engine::Model> m_model;
    std::unique_ptr<engine::Session> m_session; // made for the first reply, kept for its prefix
    std::atomic<quint64> m_heldBytes = 0;
    std::stop_token m_loadStop; // of the load that brought the model
};

} // namespace app
