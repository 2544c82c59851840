#include "ui/sidebar/memory_meter.h"

#include "ui/widgets/paint.h"

#include <QFile>
#include <QLocale>

#include <algorithm>
#include <cmath>

#if defined(Q_OS_WIN)
#include <qt_windows.h>
#elif defined(Q_OS_MACOS)
#include <mach/mach.h>
#include <sys/sysctl.h>
#endif

namespace ui {

using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

namespace {

constexpr int kPeriodMs = 2000;
constexpr double kGigabyte = 1e9;
constexpr double kFull = 0.95;

} // namespace

#if defined(Q_OS_WIN)

MemoryUse readMemoryUse()
{
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof(status);
    if (!GlobalMemoryStatusEx(&status)) return {};
    return {status.ullTotalPhys - status.ullAvailPhys, status.ullTotalPhys};
}

#elif defined(Q_OS_MACOS)

MemoryUse readMemoryUse()
{
    quint64 total = 0;
    std::size_t size = sizeof(total);
    if (sysctlbyname("hw.memsize", &total, &size, nullptr, 0) != 0) return {};
    vm_statistics64_data_t statistics{};
    mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
    if (host_statistics64(mach_host_self(), HOST_VM_INFO64,
                          reinterpret_cast<host_info64_t>(&statistics), &count) != KERN_SUCCESS)
        return {};
    const quint64 pages =
        quint64(statistics.active_count) + statistics.wire_count + statistics.compressor_page_count;
    return {pages * vm_kernel_page_size, total};
}

#else

MemoryUse readMemoryUse()
{
    QFile file(QStringLiteral("/proc/meminfo"));
    if (!file.open(QIODevice::ReadOnly)) return {};
    quint64 total = 0;
    quint64 available = 0;
    // "MemTotal:       32768000 kB"; both stand in the first lines.
    for (const QByteArray& line : file.read(4096).split('\n')) {
        const QList<QByteArray> words = line.simplified().split(' ');
        if (words.size() < 2) continue;
        if (words[0] == "MemTotal:") total = words[1].toULongLong() * 1024;
        if (words[0] == "MemAvailable:") available = words[1].toULongLong() * 1024;
    }
    return {total > available ? total - available : 0, total};
}

#endif

MemoryMeter::MemoryMeter(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setAccessibleName(tr("Memory of this computer in use"));
    setToolTip(accessibleName());
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_timer.setInterval(kPeriodMs);
    connect(&m_timer, &QTimer::timeout, this, [this] { setUse(readMemoryUse()); });
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void MemoryMeter::setUse(MemoryUse use)
{
    m_use = use;
    update();
}

QSize MemoryMeter::sizeHint() const
{
    return {100, static_cast<int>(std::ceil(m_theme.lineHeight(TextStyle::Micro))) + 8};
}

void MemoryMeter::showEvent(QShowEvent*)
{
    setUse(readMemoryUse());
    m_timer.start();
}

void MemoryMeter::hideEvent(QHideEvent*)
{
    m_timer.stop();
}

void MemoryMeter::paintEvent(QPaintEvent*)
{
    if (m_use.total == 0) return;
    QPainter painter(this);
    const QLocale locale;
    const double used = static_cast<double>(m_use.used) / kGigabyte;
    const double total = static_cast<double>(m_use.total) / kGigabyte;
    const QRectF line(0, 0, width(), m_theme.lineHeight(TextStyle::Micro));
    painter.setFont(m_theme.font(TextStyle::Micro));
    painter.setPen(m_theme.color(Token::Text3));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, tr("Memory"));
    painter.setFont(m_theme.font(TextStyle::MonoMicro));
    painter.drawText(
        line, Qt::AlignRight | Qt::AlignVCenter,
        tr("%1 / %2 GB").arg(locale.toString(used, 'f', 1), locale.toString(total, 'f', 0)));
    const double share = std::clamp(used / total, 0.0, 1.0);
    const QRectF groove(0, height() - 4, width(), 4);
    fillRounded(painter, groove, 2, m_theme.color(Token::Pressed));
    fillRounded(painter, {0, groove.top(), std::max(4.0, share * width()), 4}, 2,
                m_theme.color(share >= kFull ? Token::Bad : Token::Text3));
}

} // namespace ui
