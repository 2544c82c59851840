#include "app/application_core.h"

#include "app/inference/model_path.h"
#include "app/settings/sampling_presets.h"
#include "app/settings/stop_text.h"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace app {

ApplicationCore::ApplicationCore(const Paths& paths, EngineFactory engine, QObject* parent)
    : QObject(parent)
    , m_starterFile(paths.starterFile)
    , m_lock(paths.dataFolder)
    , m_settings(paths.configFolder)
    , m_inference(std::move(engine))
    , m_store(paths.dataFolder)
    , m_conversations(m_inference, m_store)
    , m_contextGuide(m_settings, m_inference, m_conversations, m_starterFile)
{
    m_inference.setSettings(loadSampling(m_settings));
    m_conversations.setStopStrings(usableStopStrings(m_settings.get(settings::kStopStrings)));
    applyModelOptions();
    connect(&m_settings, &Settings::changed, this, [this](const QString& name) {
        const QLatin1StringView contextLength(settings::kContextLength.name);
        const QLatin1StringView threads(settings::kThreads.name);
        if (name == contextLength || name == threads) applyModelOptions();
    });
    connectModel();
    connect(&m_conversations, &ConversationController::ready, this,
            &ApplicationCore::openLastConversation);
}

ApplicationCore::~ApplicationCore()
{
    // A load that is ended with the program did not end it.
    if (!m_refused) m_settings.set(settings::kModelBeingLoaded, {});
}

std::optional<UserError> ApplicationCore::start()
{
    const InstanceLock::Outcome outcome = m_lock.take();
    m_refused = outcome == InstanceLock::Outcome::HeldByAnother;
    if (m_refused) return m_lock.error(outcome);
    m_store.open();
    return std::nullopt;
}

void ApplicationCore::openLastConversation()
{
    connect(&m_conversations, &ConversationController::currentConversationChanged, this,
            [this](qint64 conversationId) {
                m_settings.set(settings::kOpenConversation, conversationId);
            });
    if (const qint64 current = m_conversations.currentConversation(); current != 0) {
        m_settings.set(settings::kOpenConversation, current);
        return;
    }
    const qint64 last = m_settings.get(settings::kOpenConversation);
    const bool known =
        std::ranges::contains(m_conversations.conversations(), last, &ConversationSummary::id);
    if (known) m_conversations.openConversation(last);
}

void ApplicationCore::applyModelOptions()
{
    m_inference.setModelOptions({.contextLength = m_settings.get(settings::kContextLength),
                                 .threads = m_settings.get(settings::kThreads)});
}

void ApplicationCore::connectModel()
{
    connect(&m_inference, &InferenceService::modelLoaded, this, [this](const LoadedModel& model) {
        m_settings.set(settings::kModelBeingLoaded, {});
        if (!isStarter(model.path)) remember(model);
        m_loadedFrom = QFileInfo(model.path).lastModified();
    });
    connect(&m_inference, &InferenceService::loadFailed, this,
            [this] { m_settings.set(settings::kModelBeingLoaded, {}); });
}

void ApplicationCore::remember(const LoadedModel& model)
{
    const QStringList before = m_settings.get(settings::kRecentModels);
    QStringList paths{model.path};
    QStringList names{model.name};
    for (const QString& path : before) {
        if (path == model.path) continue;
        paths += path;
        names += modelName(path);
    }
    m_settings.set(settings::kRecentModels, paths);
    m_settings.set(settings::kRecentNames, names);
    m_settings.set(settings::kLastModelPath, model.path);
}

QString ApplicationCore::modelName(const QString& path) const
{
    const qsizetype at = m_settings.get(settings::kRecentModels).indexOf(path);
    const QString name =
        at < 0 ? QString() : m_settings.get(settings::kRecentNames).value(at).simplified();
    return name.isEmpty() ? modelNameOf(path) : name;
}

void ApplicationCore::loadModel(const QString& path, InferenceService::Force force)
{
    m_wantedModel = path;
    if (force == InferenceService::Force::No && isInUse(path)) return;
    if (isStarter(path)) {
        m_settings.set(settings::kLastModelPath, {}); // chosen: it comes back at the next start
        m_inference.loadModel(path, force);
        return;
    }
    // On the disk before the load begins: it is read after a crash.
    m_settings.set(settings::kModelBeingLoaded, path);
    m_settings.save();
    m_inference.loadModel(path, force);
}

// Loaded from the file as it is now: loading it again would only stop the reply.
bool ApplicationCore::isInUse(const QString& path) const
{
    using State = InferenceService::ModelState;
    const State state = m_inference.modelState();
    const QFileInfo file(path);
    return (state == State::Ready || state == State::Writing) && m_inference.model().path == path &&
           file.exists() && file.lastModified() == m_loadedFrom;
}

void ApplicationCore::loadStarter()
{
    if (m_starterFile.isEmpty()) return;
    m_wantedModel = m_starterFile;
    m_inference.loadModel(m_starterFile);
}

void ApplicationCore::loadLastModel()
{
    const QString path = m_settings.get(settings::kLastModelPath);
    if (path.isEmpty() || !m_settings.get(settings::kLoadLastModel)) {
        loadStarter();
        return;
    }
    if (m_settings.get(settings::kModelBeingLoaded) == path) {
        m_settings.set(settings::kModelBeingLoaded, {});
        Q_EMIT noticeRaised(tr("Inglenook ended while it was loading %1. It was not loaded again; "
                               "load it by hand, or choose another model.")
                                .arg(modelName(path)));
        loadStarter();
        return;
    }
    loadModel(path);
}

void ApplicationCore::setSampling(const engine::SamplingSettings& sampling)
{
    m_inference.setSettings(sampling);
    saveSampling(m_settings, sampling);
}

void ApplicationCore::setStopStrings(const QStringList& texts)
{
    const QStringList usable = usableStopStrings(texts);
    m_conversations.setStopStrings(usable);
    m_settings.set(settings::kStopStrings, usable);
}

} // namespace app
