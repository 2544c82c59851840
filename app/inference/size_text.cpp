#include "app/inference/size_text.h"

#include <QCoreApplication>
#include <QLocale>

#include <array>

namespace app {

namespace {

constexpr std::array kUnits{
    QT_TRANSLATE_NOOP("SizeText", "bytes"), QT_TRANSLATE_NOOP("SizeText", "KB"),
    QT_TRANSLATE_NOOP("SizeText", "MB"),    QT_TRANSLATE_NOOP("SizeText", "GB"),
    QT_TRANSLATE_NOOP("SizeText", "TB"),    QT_TRANSLATE_NOOP("SizeText", "PB"),
};

double unitBytes(std::size_t unit, SizeKind kind)
{
    double bytes = 1;
    for (std::size_t i = 0; i < unit; ++i)
        bytes *= kind == SizeKind::Memory ? 1024 : 1000;
    return bytes;
}

// The largest unit in which the number is at least 1 as it is written.
std::size_t unitFor(quint64 bytes, SizeKind kind)
{
    std::size_t unit = 0;
    while (unit + 1 < kUnits.size() && static_cast<double>(bytes) >= unitBytes(unit + 1, kind))
        ++unit;
    return unit;
}

QString number(quint64 bytes, std::size_t unit, SizeKind kind)
{
    const double value = static_cast<double>(bytes) / unitBytes(unit, kind);
    const bool tenths = unit > 0 && value < (kind == SizeKind::File ? 99.95 : 9.95);
    return QLocale().toString(value, 'f', tenths ? 1 : 0);
}

QString unitName(std::size_t unit)
{
    return QCoreApplication::translate("SizeText", kUnits[unit]);
}

} // namespace

QString sizeText(quint64 bytes, SizeKind kind)
{
    const std::size_t unit = unitFor(bytes, kind);
    return number(bytes, unit, kind) % u' ' % unitName(unit);
}

QString shareText(quint64 part, quint64 whole, SizeKind kind)
{
    std::size_t unit = unitFor(whole, kind);
    while (unit > 0 && part != whole && number(part, unit, kind) == number(whole, unit, kind))
        --unit;
    if (part > 0 && unitFor(part, kind) < unit)
        return QCoreApplication::translate("SizeText", "%1 of %2")
            .arg(sizeText(part, kind), sizeText(whole, kind));
    return QCoreApplication::translate("SizeText", "%1 of %2 %3")
        .arg(number(part, unit, kind), number(whole, unit, kind), unitName(unit));
}

} // namespace app
