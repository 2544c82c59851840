#include "app/settings/stop_text.h"

#include "app/settings/settings_keys.h"

#include <algorithm>
#include <array>

namespace app {

namespace {

constexpr qsizetype kMostCharacters = 200;
constexpr qsizetype kHexDigits = 4;

struct Escape {
    QChar letter;
    QChar meaning;
};
constexpr std::array kEscapes{Escape{u'n', u'\n'}, Escape{u't', u'\t'}, Escape{u'r', u'\r'},
                              Escape{u'\\', u'\\'}};

} // namespace

QString stopStringOf(const QString& written)
{
    QString text;
    for (qsizetype i = 0; i < written.size(); ++i) {
        if (written[i] != u'\\' || i + 1 == written.size()) {
            text += written[i];
            continue;
        }
        const QChar letter = written[i + 1];
        const auto* known = std::ranges::find(kEscapes, letter, &Escape::letter);
        bool isHex = false;
        const ushort unit = QStringView(written)
                                .sliced(i + 2)
                                .first(std::min(kHexDigits, written.size() - i - 2))
                                .toUShort(&isHex, 16);
        if (known != kEscapes.end()) {
            text += known->meaning;
            ++i;
        } else if (letter == u'u' && isHex && i + 2 + kHexDigits <= written.size()) {
            text += QChar(unit);
            i += 1 + kHexDigits;
        } else {
            text += written[i];
        }
    }
    return text;
}

QString writtenStopString(const QString& text)
{
    QString written;
    for (const QChar unit : text) {
        const auto* known = std::ranges::find(kEscapes, unit, &Escape::meaning);
        if (known != kEscapes.end())
            written += QStringLiteral("\\") % known->letter;
        else if (!unit.isPrint() && !unit.isSurrogate())
            written +=
                QStringLiteral("\\u%1").arg(unit.unicode(), kHexDigits, 16, QLatin1Char('0'));
        else
            written += unit;
    }
    return written;
}

QStringList usableStopStrings(const QStringList& texts)
{
    QStringList usable;
    for (const QString& text : texts)
        if (!text.isEmpty() && text.size() <= kMostCharacters && !usable.contains(text))
            usable += text;
    return usable.mid(0, settings::kStopStrings.maximumCount);
}

} // namespace app
