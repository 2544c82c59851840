#include "app/inference/inference_service.h"

#include "app/inference/error_text.h"
#include "app/inference/inference_worker.h"
#include "app/inference/live_settings.h"
#include "app/inference/memory_estimate.h"
#include "app/inference/model_inspector.h"
#include "app/inference/model_path.h"

#include <QThread>

#include <functional>
#include <limits>
#include <map>
#include <stop_token>
#include <utility>
#include <vector>

namespace app {

struct InferenceService::Private {
    QThread thread;
    InferenceWorker* worker = nullptr; // lives in `thread`, deleted as it ends
    QThread inspectorThread;
    ModelInspector* inspector = nullptr; // likewise
    std::shared_ptr<LiveSettings> settings = std::make_shared<LiveSettings>();
    ModelOptions options;

    quint64 lastId = 0;    // of loads and generations alike
    quint64 inspectId = 0; // of the file that is looked at; 0: none
    std::stop_source inspectStop;
    std::vector<std::function<void()>> afterInspection; // requests that came meanwhile
    quint64 loadId = 0;                                 // of the load under way; 0: none
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
        if (inspectId != 0) inspectStop.request_stop();
        if (loadId != 0) loadStop.request_stop();
    }

    /// Those asked for before `before`.
    void cancelGenerations(quint64 before = std::numeric_limits<quint64>::max())
    {
        for (auto& [id, stop] : generations)
            if (id < before) stop.request_stop();
    }

    /// Requests are answered in order: those after a load wait until its file was looked at.
    template <typename Call>
    void postInOrder(Call call)
    {
        if (inspectId == 0) return post(std::move(call));
        afterInspection.emplace_back([this, call = std::move(call)] { post(call); });
    }

    void endInspection()
    {
        inspectId = 0;
        for (const auto& request : std::exchange(afterInspection, {}))
            request();
    }
};

InferenceService::InferenceService(EngineFactory engine, QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>())
{
    d->inspector = new ModelInspector(engine);
    d->inspector->moveToThread(&d->inspectorThread);
    connect(&d->inspectorThread, &QThread::finished, d->inspector, &QObject::deleteLater);
    d->worker = new InferenceWorker(std::move(engine), d->settings);
    d->worker->moveToThread(&d->thread);
    connect(&d->thread, &QThread::finished, d->worker, &QObject::deleteLater);
    connectWorker();
    d->thread.setObjectName(QStringLiteral("inference"));
    d->thread.start();
    d->inspectorThread.setObjectName(QStringLiteral("model inspector"));
    d->inspectorThread.start();
}

InferenceService::~InferenceService()
{
    d->cancelLoad();
    d->cancelGenerations();
    for (QThread* thread : {&d->thread, &d->inspectorThread})
        thread->quit();
    for (QThread* thread : {&d->thread, &d->inspectorThread})
        thread->wait();
}

void InferenceService::connectWorker()
{
    connect(d->inspector, &ModelInspector::accepted, this, [this](const LoadRequest& request) {
        if (request.id == d->inspectId) loadInspected(request);
    });
    connect(d->inspector, &ModelInspector::refused, this,
            [this](quint64 id, const UserError& error) {
                if (id == d->inspectId) refuse(error);
            });
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
    d->endInspection();
    d->inspectStop = std::stop_source();
    d->inspectId = ++d->lastId;
    settle();
    LoadRequest request{.id = d->inspectId,
                        .path = path,
                        .force = force == Force::LoadAnyway,
                        .threads = d->options.threads,
                        .contextLength = d->options.contextLength,
                        .stop = d->inspectStop.get_token(),
                        .info = {}};
    QMetaObject::invokeMethod(
        d->inspector,
        [inspector = d->inspector, held = d->worker->heldBytes(), request = std::move(request)] {
            inspector->inspect(request, held);
        },
        Qt::QueuedConnection);
}

// The present model, its replies and a load under way stay as they are.
void InferenceService::refuse(const UserError& error)
{
    d->lastLoadFailed = error.code != engine::ErrorCode::Cancelled;
    d->endInspection();
    settle();
    Q_EMIT loadFailed(error);
}

void InferenceService::loadInspected(const LoadRequest& request)
{
    if (request.stop.stop_requested()) {
        const auto cancelled = engine::fail(engine::ErrorCode::Cancelled, "the load was cancelled");
        return refuse(loadError(cancelled.error(), request.path, modelNameOf(request.path)));
    }
    if (d->loadId != 0) d->loadStop.request_stop();
    d->cancelGenerations(request.id);
    d->loadId = request.id;
    d->loadStop = d->inspectStop;
    d->post([request](InferenceWorker& worker) { worker.load(request); });
    d->endInspection();
}

void InferenceService::cancelLoad()
{
    d->cancelLoad();
}

void InferenceService::unloadModel()
{
    d->cancelLoad();
    d->cancelGenerations();
    d->endInspection();
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
    d->postInOrder(
        [id, request = std::move(request)](InferenceWorker& worker) { worker.count(id, request); });
    return id;
}

quint64 InferenceService::generate(GenerationRequest request)
{
    const quint64 id = ++d->lastId;
    const std::stop_token stop = d->generations[id].get_token();
    settle();
    d->postInOrder([id, request = std::move(request), stop](InferenceWorker& worker) {
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
    if (d->loadId != 0 || d->inspectId != 0) return setModelState(ModelState::Loading);
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
