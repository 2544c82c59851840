#pragma once

#include "app/conversation/context_guide.h"
#include "app/conversation/conversation_controller.h"
#include "app/conversation/conversation_store.h"
#include "app/inference/inference_service.h"
#include "app/settings/instance_lock.h"
#include "app/settings/paths.h"
#include "app/settings/settings.h"

#include <QDateTime>
#include <QObject>

#include <optional>

namespace app {

/// Builds the program's services and joins them: settings act on inference, loaded models on
/// settings. The window gets them from here by reference.
class ApplicationCore : public QObject {
    Q_OBJECT
public:
    explicit ApplicationCore(const Paths& paths, EngineFactory engine = EngineFactory::standard(),
                             QObject* parent = nullptr);
    ~ApplicationCore() override;

    /// Takes the data folder and opens the store. An error means that another Inglenook is running:
    /// show it and end. A folder that cannot be written is no such error; the controller says so.
    std::optional<UserError> start();
    /// As InferenceService::loadModel(), and remembers it for the next start.
    void loadModel(const QString& path,
                   InferenceService::Force force = InferenceService::Force::No);
    /// Loads the model of the last time, unless the settings say no or the program ended while it
    /// loaded it (then `noticeRaised`): where there is none to load, the starter.
    void loadLastModel();
    /// The built-in model; empty where the program has none.
    const QString& starterFile() const { return m_starterFile; }
    /// Of the load asked for last, the starter's included; empty: none yet.
    const QString& wantedModel() const { return m_wantedModel; }
    /// As the model calls itself where it was loaded before; otherwise by its file.
    QString modelName(const QString& path) const;
    bool isStarter(const QString& path) const { return !path.isEmpty() && path == m_starterFile; }

    Settings& settings() { return m_settings; }
    InferenceService& inference() { return m_inference; }
    ConversationStore& store() { return m_store; }
    ConversationController& conversations() { return m_conversations; }
    ContextGuide& contextGuide() { return m_contextGuide; }

    /// Changes the sampling settings in use and keeps them.
    void setSampling(const engine::SamplingSettings& sampling);
    /// The texts that end a reply, from the next one on; kept like the sampling settings.
    void setStopStrings(const QStringList& texts);

Q_SIGNALS:
    void noticeRaised(const QString& sentence);

private:
    void applyModelOptions();
    void connectModel();
    void remember(const LoadedModel& model);
    bool isInUse(const QString& path) const;
    void loadStarter();
    void openLastConversation();

    QString m_starterFile;
    QString m_wantedModel;
    QDateTime m_loadedFrom; // when the present model's file was written
    bool m_refused = false; // the folder, and the settings, are another program's
    InstanceLock m_lock;
    Settings m_settings;
    InferenceService m_inference;
    ConversationStore m_store;
    ConversationController m_conversations;
    ContextGuide m_contextGuide;
};

} // namespace app
