#include "ui/widgets/icon_button.h"

#include "ui/theme/icon_cache.h"
#include "ui/widgets/paint.h"

#include <QCursor>

namespace ui {

using Token = Theme::Token;

IconButton::IconButton(const Theme& theme, const QString& iconName, const QString& label,
                       QWidget* parent)
    : QAbstractButton(parent)
    , m_theme(theme)
    , m_iconName(iconName)
    , m_label(label)
{
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    updateToolTip();
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void IconButton::setLabel(const QString& label)
{
    m_label = label;
    updateToolTip();
}

void IconButton::setIconName(const QString& iconName)
{
    m_iconName = iconName;
    update();
}

void IconButton::setShortcutHint(const QKeySequence& keys)
{
    m_keys = keys;
    updateToolTip();
}

void IconButton::setSide(int px)
{
    m_side = px;
    updateGeometry();
}

void IconButton::setToken(Token token)
{
    m_token = token;
    update();
}

void IconButton::updateToolTip()
{
    setAccessibleName(m_label);
    setToolTip(m_keys.isEmpty()
                   ? m_label
                   : m_label % QLatin1Char(' ') % m_keys.toString(QKeySequence::NativeText));
}

// Qt tells that the mouse is elsewhere when it moves next, not when the button does.
void IconButton::forgetMouse()
{
    if (!underMouse() || (isVisible() && rect().contains(mapFromGlobal(QCursor::pos())))) return;
    setAttribute(Qt::WA_UnderMouse, false);
    update();
}

void IconButton::hideEvent(QHideEvent* event)
{
    QAbstractButton::hideEvent(event);
    forgetMouse();
}

void IconButton::moveEvent(QMoveEvent* event)
{
    QAbstractButton::moveEvent(event);
    forgetMouse();
}

void IconButton::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const bool lit = isEnabled() && (underMouse() || isDown() || isChecked());
    if (lit)
        fillRounded(painter, rect(), radius::kControl,
                    m_theme.color(Token::Text, isDown() || isChecked() ? 0.09 : 0.06));
    const Token token = !isEnabled()                     ? Token::Disabled
                        : lit && m_token == Token::Text2 ? Token::Text
                                                         : m_token;
    constexpr int kIconSize = 16;
    painter.drawPixmap(QPoint((width() - kIconSize) / 2, (height() - kIconSize) / 2),
                       m_theme.icons().pixmap(m_iconName, kIconSize, token, devicePixelRatioF()));
}

} // namespace ui
