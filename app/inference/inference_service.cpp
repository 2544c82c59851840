#include "app/inference/inference_service.h"

#include "app/inference/error_text.h"
#include "app/inference/inference_worker.h"
#include "app/inference/live_settings.h"
#include "app/inference/memory_estimate.h"

#include <QThread>

#include <map>
#include <stop_token>
#include <utility>

namespace app {

struct InferenceService::Private {
    QThread thread;
    InferenceWorker* worker = nullptr; // lives in `thread`, deleted as it ends
    std::shared_ptr<LiveSettings> settings = std::make_shared<LiveSettings>();
    ModelOptions options;

    quint64 lastId = 0; // of loads and generations alike
    quint64 loadId = 0; // of the load under way; 0: none
    std::stop_source loadStop;
    bool lastLoadFailed = false;
    std::map<quint64, std::stop_source> generations; // not answered yet

    template <typename Call>
    void post(Call call)
    {
        QMetaObject::invokeMethod(
            worker, [worker = worker, call = std::move(call)] { call(*worker); },
            Qt::QueuedConnection);
    }

    void cancelLoad() const
    {
        if (loadId != 0) loadStop.request_stop();
    }

    void cancelGenerations()
    {
        for (auto& [id, stop] : generations)
            stop.request_stop();
    }
};

InferenceService::InferenceService(EngineFactory engine, QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>())
{
    d->worker = new InferenceWorker(std::move(engine), d->settings);
    d->worker->moveToThread(&d->thread);
    connect(&d->thread, &QThread::finished, d->worker, &QObject::deleteLater);
    connectWorker();
    d->thread.setObjectName(QStringLiteral("inference"));
    d->thread.start();
}

InferenceService::~InferenceService()
{
    d->cancelLoad();
    d->cancelGenerations();
    d->thread.quit();
    d->thread.wait();
}

void InferenceService::connectWorker()
{
    // Connected to the service, the worker's signals arrive in its thread, in order. Those of a
    // load or a generation that is no longer awaited are dropped here.
    connect(d->worker, &InferenceWorker::loadProgressed, this, [this](quint64 id, double share) {
        if (id == d->loadId) Q_EMIT loadProgressed(share);
    });
    connect(d->worker, &InferenceWorker::modelDropped, this, [this] {
        if (m_model.path.isEmpty()) return;
        m_model = {};
        settle();
        Q_EMIT modelUnloaded();
    });
    connect(d->worker, &InferenceWorker::modelLoaded, this,
            [this](quint64 id, const LoadedModel& model) {
                if (id == d->loadId) endLoad(model);
            });
    connect(d->worker, &InferenceWorker::loadFailed, this,
            [this](quint64 id, const UserError& error) {
                if (id == d->loadId) failLoad(error);
            });
    connect(d->worker, &InferenceWorker::prefillProgressed, this,
            [this](quint64 id, int done, int total) {
                if (d->generations.contains(id)) Q_EMIT prefillProgressed(id, done, total);
            });
    connect(d->worker, &InferenceWorker::tokenDecoded, this,
            [this](quint64 id, const engine::TokenEvent& event) {
                if (d->generations.contains(id)) Q_EMIT tokenDecoded(id, event);
            });
    connect(d->worker, &InferenceWorker::finished, this,
            [this](quint64 id, const GenerationSummary& summary) {
                if (d->generations.erase(id) == 0) return;
                settle();
                Q_EMIT finished(id, summary);
            });
    connect(d->worker, &InferenceWorker::failed, this, [this](quint64 id, const UserError& error) {
        if (d->generations.erase(id) == 0) return;
        settle();
        Q_EMIT failed(id, error);
    });
    connect(d->worker, &InferenceWorker::counted, this, &InferenceService::contextCounted);
}

void InferenceService::endLoad(const LoadedModel& model)
{
    d->loadId = 0;
    if (d->loadStop.stop_requested()) { // cancelled after the worker was done
        d->post([](InferenceWorker& worker) { worker.unload(); });
        const auto cancelled = engine::fail(engine::ErrorCode::Cancelled, "the load was cancelled");
        failLoad(loadError(cancelled.error(), model.path, model.name));
        return;
    }
    d->lastLoadFailed = false;
    m_model = model;
    settle();
    Q_EMIT modelLoaded(model);
}

void InferenceService::failLoad(const UserError& error)
{
    d->loadId = 0;
    d->lastLoadFailed = error.code != engine::ErrorCode::Cancelled;
    settle();
    Q_EMIT loadFailed(error);
}

void InferenceService::loadModel(const QString& path, Force force)
{
    d->cancelLoad();
    d->cancelGenerations();
    d->loadStop = std::stop_source();
    d->loadId = ++d->lastId;
    settle();
    d->post([request = LoadRequest{.id = d->loadId,
                                   .path = path,
                                   .force = force == Force::LoadAnyway,
                                   .threads = d->options.threads,
                                   .stop = d->loadStop.get_token()}](InferenceWorker& worker) {
        worker.load(request);
    });
}

void InferenceService::cancelLoad()
{
    d->cancelLoad();
}

void InferenceService::unloadModel()
{
    d->cancelLoad();
    d->cancelGenerations();
    d->loadId = 0;
    d->lastLoadFailed = false;
    d->post([](InferenceWorker& worker) { worker.unload(); });
    settle();
}

void InferenceService::setModelOptions(const ModelOptions& options)
{
    d->options = options;
    d->post([contextLength = options.contextLength](InferenceWorker& worker) {
        worker.setContextLength(contextLength);
    });
    if (m_model.path.isEmpty()) return;
    const int contextLength =
        effectiveContextLength(options.contextLength, m_model.trainedContextLength);
    if (contextLength == m_model.contextLength) return;
    m_model.contextLength = contextLength;
    Q_EMIT contextLengthChanged(contextLength);
}

quint64 InferenceService::countContext(GenerationRequest request)
{
    if (m_model.path.isEmpty()) return 0;
    const quint64 id = ++d->lastId;
    d->post(
        [id, request = std::move(request)](InferenceWorker& worker) { worker.count(id, request); });
    return id;
}

quint64 InferenceService::generate(GenerationRequest request)
{
    const quint64 id = ++d->lastId;
    const std::stop_token stop = d->generations[id].get_token();
    settle();
    d->post([id, request = std::move(request), stop](InferenceWorker& worker) {
        worker.generate(id, request, stop);
    });
    return id;
}

void InferenceService::cancel()
{
    d->cancelGenerations();
}

void InferenceService::setSettings(const engine::SamplingSettings& settings)
{
    d->settings->set(settings);
}

engine::SamplingSettings InferenceService::settings() const
{
    return d->settings->get();
}

// The state follows from what is awaited and what is there.
void InferenceService::settle()
{
    if (d->loadId != 0) return setModelState(ModelState::Loading);
    if (!m_model.path.isEmpty())
        return setModelState(d->generations.empty() ? ModelState::Ready : ModelState::Writing);
    setModelState(d->lastLoadFailed ? ModelState::Failed : ModelState::None);
}

void InferenceService::setModelState(ModelState state)
{
    if (m_modelState == state) return;
    m_modelState = state;
    Q_EMIT modelStateChanged(state);
}

} // namespace app
