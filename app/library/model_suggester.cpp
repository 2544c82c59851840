#include "app/library/model_suggester.h"

#include "app/library/read_bandwidth.h"

#include <QThread>

#include <algorithm>

namespace app {

namespace {

constexpr std::size_t kMeasured = std::size_t{1} << 27U; // larger than a usual cache
constexpr int kPasses = 3;
constexpr int kMostThreads = 4;          // these saturate a usual memory bus
constexpr double kUsedByDecoding = 0.75; // of the plain read bandwidth

} // namespace

ModelSuggester::ModelSuggester(QObject* parent)
    : QObject(parent)
{
}

ModelSuggester::~ModelSuggester()
{
    if (m_thread) m_thread->wait();
}

void ModelSuggester::start()
{
    if (m_thread) return;
    suggest(0);
    m_thread.reset(QThread::create([this] {
        const int threads = std::clamp(QThread::idealThreadCount(), 1, kMostThreads);
        const double speed = measureReadBandwidth(threads, kMeasured, kPasses);
        QMetaObject::invokeMethod(
            this, [this, speed] { suggest(speed * 1e9 * kUsedByDecoding); }, Qt::QueuedConnection);
    }));
    m_thread->setObjectName(QStringLiteral("measure"));
    m_thread->start(QThread::LowPriority);
}

void ModelSuggester::suggest(double bytesPerSecond)
{
    if (const auto memory = systemMemory())
        Q_EMIT suggested(suggestModels(*memory, bytesPerSecond));
}

} // namespace app
