#include "ui/widgets/button.h"

#include "ui/theme/icon_cache.h"
#include "ui/widgets/paint.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui {

using Token = Theme::Token;

namespace {

constexpr int kIconSize = 16;
constexpr int kGap = 8;

ButtonColors disabledColors(const Theme& theme, Button::Kind kind)
{
    const QColor ink = theme.color(Token::Disabled);
    if (kind == Button::Kind::Primary || kind == Button::Kind::Ember)
        return {theme.color(Token::Fill), theme.color(Token::Fill), ink};
    if (kind == Button::Kind::Ghost) return {Qt::transparent, Qt::transparent, ink};
    return {theme.color(Token::Raised), theme.color(Token::Line), ink};
}

} // namespace

ButtonColors buttonColors(const Theme& theme, Button::Kind kind, ButtonState state)
{
    if (!state.enabled) return disabledColors(theme, kind);
    const bool lit = state.hovered || state.pressed;
    const double overlay = state.pressed ? 0.11 : state.hovered ? 0.06 : 0.0;
    const QColor raised = theme.overlaid(Token::Raised, overlay);
    switch (kind) {
    case Button::Kind::Primary: {
        const QColor fill = theme.color(lit ? Token::AccentHover : Token::Accent);
        return {fill, fill, theme.color(Token::OnAccent)};
    }
    case Button::Kind::Ember: {
        const QColor fill = theme.color(lit ? Token::EmberHover : Token::Ember);
        return {fill, fill, theme.color(Token::OnEmber)};
    }
    case Button::Kind::Ghost: {
        const QColor fill = lit ? theme.color(Token::Text, overlay) : QColor(Qt::transparent);
        return {fill, Qt::transparent, theme.color(Token::Accent)};
    }
    case Button::Kind::Danger:
        return {lit ? theme.color(Token::BadSoft) : raised, theme.color(Token::Line),
                theme.color(Token::Bad)};
    case Button::Kind::Secondary:
        break;
    }
    return {raised, theme.color(Token::Line), theme.color(Token::Text)};
}

Button::Button(const Theme& theme, const QString& text, Kind kind, QWidget* parent)
    : QPushButton(text, parent)
    , m_theme(theme)
    , m_kind(kind)
{
    setCursor(Qt::ArrowCursor);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    restyle();
    connect(&theme, &Theme::changed, this, &Button::restyle);
}

void Button::restyle()
{
    const bool strong = m_kind == Kind::Primary || m_kind == Kind::Ember;
    setFont(m_theme.font(m_small ? Theme::TextStyle::Caption : Theme::TextStyle::Ui,
                         strong ? QFont::DemiBold : QFont::Medium));
    updateGeometry();
    update();
}

void Button::setSmall(bool small)
{
    m_small = small;
    restyle();
}

void Button::setIconName(const QString& name)
{
    m_iconName = name;
    updateGeometry();
    update();
}

void Button::setKeyHint(const QString& keys)
{
    m_keyHint = keys;
    updateGeometry();
    update();
}

void Button::setLeftAligned(bool left)
{
    m_leftAligned = left;
    update();
}

int Button::padding() const
{
    if (m_kind == Kind::Ghost) return 8;
    return m_small || m_leftAligned ? 10 : 14;
}

QSize Button::sizeHint() const
{
    const QFontMetricsF metrics(font());
    double width = metrics.horizontalAdvance(text()) + 2 * padding();
    if (!m_iconName.isEmpty()) width += kIconSize + (text().isEmpty() ? 0 : kGap);
    if (!m_keyHint.isEmpty())
        width +=
            kGap +
            QFontMetricsF(m_theme.font(Theme::TextStyle::MonoMicro)).horizontalAdvance(m_keyHint);
    const double line =
        m_theme.lineHeight(m_small ? Theme::TextStyle::Caption : Theme::TextStyle::Ui);
    return {static_cast<int>(std::ceil(width)),
            std::max(m_small ? 28 : 32, static_cast<int>(std::ceil(line)) + 10)};
}

void Button::enterEvent(QEnterEvent* event)
{
    QPushButton::enterEvent(event);
    update();
}

Theme::Token Button::iconToken() const
{
    if (!isEnabled()) return Token::Disabled;
    switch (m_kind) {
    case Kind::Primary:
        return Token::OnAccent;
    case Kind::Ember:
        return Token::OnEmber;
    case Kind::Ghost:
        return Token::Accent;
    case Kind::Danger:
        return Token::Bad;
    case Kind::Secondary:
        break;
    }
    return Token::Text;
}

double Button::paintKeyHint(QPainter& painter, const QRectF& inner, const QColor& ink) const
{
    if (m_keyHint.isEmpty()) return 0;
    painter.setFont(m_theme.font(Theme::TextStyle::MonoMicro));
    painter.setPen(m_kind == Kind::Secondary ? m_theme.color(Token::Text3) : ink);
    painter.drawText(inner, Qt::AlignRight | Qt::AlignVCenter, m_keyHint);
    return QFontMetricsF(painter.font()).horizontalAdvance(m_keyHint) + kGap;
}

void Button::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const ButtonColors colors =
        buttonColors(m_theme, m_kind, {isEnabled(), underMouse() && isEnabled(), isDown()});
    drawRounded(painter, rect(), radius::kControl, colors.fill, colors.line);

    const QFontMetricsF metrics(font());
    QRectF inner = QRectF(rect()).adjusted(padding(), 0, -padding(), 0);
    inner.setRight(inner.right() - paintKeyHint(painter, inner, colors.ink));
    const double iconWidth = m_iconName.isEmpty() ? 0 : kIconSize + (text().isEmpty() ? 0 : kGap);
    const double content = iconWidth + metrics.horizontalAdvance(text());
    double x =
        m_leftAligned ? inner.left() : inner.left() + std::max(0.0, (inner.width() - content) / 2);
    if (!m_iconName.isEmpty()) {
        painter.drawPixmap(
            QPointF(std::round(x), std::round((height() - kIconSize) / 2.0)),
            m_theme.icons().pixmap(m_iconName, kIconSize, iconToken(), devicePixelRatioF()));
        x += iconWidth;
    }
    painter.setFont(font());
    painter.setPen(colors.ink);
    painter.drawText(QRectF(x, 0, inner.right() - x + 1, height()),
                     Qt::AlignLeft | Qt::AlignVCenter | Qt::TextShowMnemonic, text());
}

} // namespace ui
