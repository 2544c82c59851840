#pragma once

#include <QFlags>
#include <QList>
#include <QString>
#include <QStringView>
#include <QUrl>

#include <optional>

namespace ui {

enum class InlineStyle : quint8 {
    Bold = 0x01,
    Italic = 0x02,
    Strike = 0x04,
    Code = 0x08,
    Math = 0x10, ///< TeX source
};
Q_DECLARE_FLAGS(InlineStyles, InlineStyle)
Q_DECLARE_OPERATORS_FOR_FLAGS(InlineStyles)

/// A stretch of text in one style.
struct InlineSpan {
    qsizetype start = 0;
    qsizetype length = 0;
    InlineStyles styles;
    int link = -1; ///< index into InlineText::links

    bool operator==(const InlineSpan&) const = default;
};

/// Text without its marks; QChar::LineSeparator breaks a line.
struct InlineText {
    QString text;            ///< as it may be laid out, see displayable()
    QList<InlineSpan> spans; ///< in order, apart; plain stretches have none
    QList<QUrl> links;
    /// As it is copied, of the same length, a broken line with its newline; empty: as the text.
    QString source = {};
};

struct InlineOptions {
    bool open = false;       ///< more text follows: open marks count as closed at the end
    bool hardBreaks = false; ///< every end of a line breaks it
    bool breakTags = false;  ///< <br> breaks a line (cells of tables know no other way)
};

/// Reads the inline part of CommonMark, strikethrough and bare addresses of GFM, and TeX between
/// \( \), \[ \] or dollars. HTML is text. A picture is the text "Picture: address", a link where
/// the address may be opened; nothing is ever fetched. The cost is linear in the source but for
/// the search of closing marks, which MarkdownBlocks::kMaxPiece bounds.
///
/// With `open` the end of the text is completed: "**bo" is bold, and what the next characters
/// decide ("[label](htt", a lone "*") is held back.
InlineText parseInline(QStringView source, InlineOptions options = {});

/// The address if it may be opened on the user's click: http and https with a host, mailto.
std::optional<QUrl> openableUrl(QStringView address);

/// Text as it may be laid out: no control characters, no overrides of the writing direction.
/// Every character keeps its position.
QString displayable(QStringView text);
/// The same for code, where every invisible mark of direction could hide something.
QString displayableCode(QStringView text);

} // namespace ui
