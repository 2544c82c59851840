#include "ui/transcript/inline_text.h"

#include "ui/transcript/inline_parser.h"

#include <algorithm>

namespace ui {

namespace {

bool isControl(char16_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == QChar::ObjectReplacementCharacter ||
           c == QChar::ParagraphSeparator;
}

/// Left-to-right and right-to-left override: they show text in another order than it has.
bool isOverride(char16_t c)
{
    return c == 0x202D || c == 0x202E;
}

bool isDirectionMark(char16_t c)
{
    return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
           (c >= 0x2066 && c <= 0x2069);
}

template <typename Predicate>
QString replaced(QStringView text, Predicate isBad)
{
    QString result = text.toString();
    if (std::ranges::none_of(text, [&](QChar c) { return isBad(c.unicode()); })) return result;
    for (QChar& c : result) {
        if (c == u'\t' || c == u'\n' || !isBad(c.unicode())) continue;
        c = QChar::ReplacementCharacter;
    }
    return result;
}

} // namespace

InlineText parseInline(QStringView source, InlineOptions options)
{
    return InlineParser(source, options).parse();
}

std::optional<QUrl> openableUrl(QStringView address)
{
    QUrl url(address.toString(), QUrl::StrictMode);
    if (!url.isValid()) return {};
    const QString scheme = url.scheme();
    const bool web = scheme == QLatin1String("http") || scheme == QLatin1String("https");
    if (web && !url.host().isEmpty()) return url;
    if (scheme == QLatin1String("mailto") && !url.path().isEmpty()) return url;
    return {};
}

QString displayable(QStringView text)
{
    return replaced(text, [](char16_t c) { return isControl(c) || isOverride(c); });
}

QString displayableCode(QStringView text)
{
    return replaced(text, [](char16_t c) { return isControl(c) || isDirectionMark(c); });
}

} // namespace ui
