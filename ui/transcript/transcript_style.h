#pragma once

#include "ui/theme/theme.h"

#include <QColor>
#include <QFont>
#include <QFontMetricsF>

namespace ui {

/// What kind of text it is decides its size, weight and colour.
enum class TextRole : quint8 {
    Body,
    Heading1,
    Heading2,
    Heading3,
    Heading4, ///< and deeper: body size, semibold
    Bubble,
    Thought,
    TableHead,
    TableCell,
    TableNumber,
    Code,
};

/// Fonts, colours and lengths of one kind of text.
struct TextLook {
    QFont font;
    QFont codeFont; ///< of inline code
    double lineHeight = 0;
    double baseline = 0; ///< from the top of a line
    QColor color;
};

/// The theme as the transcript uses it, computed once per change. GUI thread only.
class TranscriptStyle {
public:
    explicit TranscriptStyle(const Theme& theme);

    const Theme& theme() const { return *m_theme; }
    const TextLook& look(TextRole role) const { return m_looks[static_cast<size_t>(role)]; }
    QColor color(Theme::Token token) const { return m_theme->color(token); }
    /// A length of the design at the present text size, whole px.
    int px(double length) const { return qRound(length * m_theme->textScale()); }

private:
    TextLook lookOf(TextRole role) const;

    const Theme* m_theme;
    std::array<TextLook, static_cast<size_t>(TextRole::Code) + 1> m_looks;
};

} // namespace ui
