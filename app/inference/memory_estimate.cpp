#include "app/inference/memory_estimate.h"

#include <QFile>

#include <algorithm>
#include <limits>

#if defined(Q_OS_WIN)
#include <qt_windows.h>
#elif defined(Q_OS_MACOS)
#include <mach/mach.h>
#include <sys/sysctl.h>
#endif

namespace app {

namespace {

constexpr int kDefaultContextLength = 4096;
constexpr quint64 kFixedScratchBytes = 16ULL << 20;
constexpr quint64 kMost = std::numeric_limits<quint64>::max();

quint64 saturatingAdd(quint64 a, quint64 b)
{
    return a > kMost - b ? kMost : a + b;
}

quint64 saturatingMultiply(quint64 a, quint64 b)
{
    return b != 0 && a > kMost / b ? kMost : a * b;
}

quint64 countOf(int value)
{
    return static_cast<quint64>(std::max(value, 0));
}

// "MemTotal:       32760012 kB"
std::optional<quint64> meminfoBytes(const QByteArray& text, const QByteArray& key)
{
    for (const QByteArray& line : text.split('\n')) {
        if (!line.startsWith(key)) continue;
        const QList<QByteArray> words = line.mid(key.size()).simplified().split(' ');
        bool valid = false;
        const quint64 kibibytes = words.constFirst().toULongLong(&valid);
        if (valid) return saturatingMultiply(kibibytes, 1024);
    }
    return std::nullopt;
}

} // namespace

quint64 MemoryNeed::total() const
{
    return saturatingAdd(saturatingAdd(weights, kvCache), scratch);
}

int effectiveContextLength(int requested, int trained)
{
    const int wanted = requested > 0 ? requested : kDefaultContextLength;
    return trained > 0 ? std::min(trained, wanted) : wanted;
}

MemoryNeed estimateMemory(const engine::ModelInfo& info, int requestedContextLength)
{
    const int context = effectiveContextLength(requestedContextLength, info.contextLength);
    // Packed weights take up to a twentieth more than the file's; logits and their candidates are
    // kept in f32.
    const quint64 logits = saturatingMultiply(countOf(info.vocabularySize), 2 * sizeof(float));
    return {.weights = info.tensorBytes,
            .kvCache = saturatingMultiply(info.kvBytesPerToken, countOf(context)),
            .scratch = saturatingAdd(kFixedScratchBytes + logits, info.tensorBytes / 20)};
}

std::optional<SystemMemory> parseMeminfo(const QByteArray& text)
{
    const std::optional<quint64> total = meminfoBytes(text, "MemTotal:");
    std::optional<quint64> available = meminfoBytes(text, "MemAvailable:");
    if (!available) available = meminfoBytes(text, "MemFree:"); // kernels before 3.14
    if (!total || !available) return std::nullopt;
    return SystemMemory{*total, *available};
}

#if defined(Q_OS_LINUX)

std::optional<SystemMemory> systemMemory()
{
    QFile file(QStringLiteral("/proc/meminfo"));
    if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
    return parseMeminfo(file.readAll());
}

#elif defined(Q_OS_WIN)

std::optional<SystemMemory> systemMemory()
{
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof(status);
    if (!GlobalMemoryStatusEx(&status)) return std::nullopt;
    return SystemMemory{status.ullTotalPhys, status.ullAvailPhys};
}

#elif defined(Q_OS_MACOS)

std::optional<SystemMemory> systemMemory()
{
    quint64 total = 0;
    size_t size = sizeof(total);
    if (sysctlbyname("hw.memsize", &total, &size, nullptr, 0) != 0) return std::nullopt;
    vm_statistics64_data_t statistics{};
    mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
    if (host_statistics64(mach_host_self(), HOST_VM_INFO64,
                          reinterpret_cast<host_info64_t>(&statistics), &count) != KERN_SUCCESS)
        return std::nullopt;
    const quint64 pages =
        quint64{statistics.free_count} + statistics.inactive_count + statistics.purgeable_count;
    return SystemMemory{total, pages * static_cast<quint64>(vm_kernel_page_size)};
}

#else

std::optional<SystemMemory> systemMemory()
{
    return std::nullopt;
}

#endif

} // namespace app
