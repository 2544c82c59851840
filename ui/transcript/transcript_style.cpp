#include "ui/transcript/transcript_style.h"

#include <QFontDatabase>

#include <cmath>

namespace ui {

namespace {

using Token = Theme::Token;
using Style = Theme::TextStyle;

struct RoleRow {
    Style style;
    QFont::Weight weight;
    Token color;
    double lineHeight; ///< px at 96 dpi; 0: the style's own
};

constexpr RoleRow kRoles[] = {
    {Style::Body, QFont::Normal, Token::Text, 0},   // Body
    {Style::H1, QFont::DemiBold, Token::Text, 0},   // Heading1
    {Style::H2, QFont::DemiBold, Token::Text, 0},   // Heading2
    {Style::H3, QFont::DemiBold, Token::Text, 0},   // Heading3
    {Style::Body, QFont::DemiBold, Token::Text, 0}, // Heading4
    {Style::Body, QFont::Normal, Token::Text, 0},   // Bubble
    {Style::Ui, QFont::Normal, Token::Text2, 20},   // Thought
    {Style::Ui, QFont::DemiBold, Token::Text2, 20}, // TableHead
    {Style::Ui, QFont::Normal, Token::Text, 20},    // TableCell
    {Style::Code, QFont::Normal, Token::Text, 20},  // TableNumber
    {Style::Code, QFont::Normal, Token::Text, 0},   // Code
};

/// Character formats carry no font features: where ligatures must be off, the family does it.
QFont withoutLigatures(QFont font)
{
    const QString plain = font.family() + QStringLiteral(" NL");
    if (QFontDatabase::hasFamily(plain)) font.setFamily(plain);
    return font;
}

} // namespace

TranscriptStyle::TranscriptStyle(const Theme& theme)
    : m_theme(&theme)
{
    for (size_t role = 0; role < m_looks.size(); ++role)
        m_looks[role] = lookOf(static_cast<TextRole>(role));
}

TextLook TranscriptStyle::lookOf(TextRole role) const
{
    const RoleRow& row = kRoles[static_cast<size_t>(role)];
    TextLook look;
    look.font = m_theme->font(row.style, row.weight);
    look.codeFont = withoutLigatures(m_theme->font(Style::Code, row.weight));
    const double ratio = look.font.pointSizeF() / m_theme->font(Style::Body).pointSizeF();
    look.codeFont.setPointSizeF(look.codeFont.pointSizeF() * ratio);
    look.lineHeight = std::round(row.lineHeight > 0 ? row.lineHeight * m_theme->textScale()
                                                    : m_theme->lineHeight(row.style));
    const QFontMetricsF metrics(look.font);
    const double textHeight = metrics.ascent() + metrics.descent();
    look.lineHeight = std::max(look.lineHeight, std::ceil(textHeight));
    look.baseline = std::round((look.lineHeight - textHeight) / 2 + metrics.ascent());
    look.color = m_theme->color(row.color);
    return look;
}

} // namespace ui
