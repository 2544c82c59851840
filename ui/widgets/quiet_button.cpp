#include "ui/widgets/quiet_button.h"

#include "ui/theme/icon_cache.h"
#include "ui/widgets/paint.h"

#include <algorithm>
#include <cmath>

namespace ui {

using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

namespace {

constexpr int kIcon = 16;
constexpr int kGap = 6;
constexpr int kChevron = 12;
constexpr double kMostWords = 200; // before the text size

} // namespace

QuietButton::QuietButton(const Theme& theme, const QString& iconName, const QString& text,
                         QWidget* parent)
    : QAbstractButton(parent)
    , m_theme(theme)
    , m_iconName(iconName)
{
    setText(text);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void QuietButton::setIconName(const QString& name)
{
    m_iconName = name;
    update();
}

void QuietButton::setChevron(bool chevron)
{
    m_chevron = chevron;
    updateGeometry();
}

void QuietButton::setCompact(bool compact)
{
    m_compact = compact;
    updateGeometry();
    update();
}

QSize QuietButton::sizeHint() const
{
    const QFontMetricsF metrics(m_theme.font(TextStyle::Caption));
    double width = 2 * kPad;
    if (!m_iconName.isEmpty()) width += kIcon;
    if (!m_compact) {
        if (!m_iconName.isEmpty()) width += kGap;
        width += std::min(metrics.horizontalAdvance(text()), kMostWords * m_theme.textScale());
        if (m_chevron) width += kGap + kChevron;
    }
    return {static_cast<int>(std::ceil(width)),
            std::max(28, static_cast<int>(std::ceil(metrics.height())) + 8)};
}

void QuietButton::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const bool lit = isEnabled() && (underMouse() || isDown());
    if (lit)
        fillRounded(painter, rect(), radius::kControl,
                    m_theme.color(Token::Text, isDown() ? 0.09 : 0.06));
    const Token ink = !isEnabled() ? Token::Disabled : lit ? Token::Text : Token::Text2;
    const qreal dpr = devicePixelRatioF();
    double x = kPad;
    if (!m_iconName.isEmpty()) {
        const int top = (height() - kIcon) / 2;
        painter.drawPixmap(QPointF(x, top), m_theme.icons().pixmap(m_iconName, kIcon, ink, dpr));
        x += kIcon + kGap;
    }
    if (m_compact) return;
    const double room = width() - x - kPad - (m_chevron ? kGap + kChevron : 0);
    painter.setFont(m_theme.font(TextStyle::Caption));
    painter.setPen(m_theme.color(ink));
    const QFontMetricsF metrics(painter.font());
    const QString words = metrics.elidedText(text(), Qt::ElideRight, room + 1);
    painter.drawText(QRectF(x, 0, room + 1, height()), Qt::AlignLeft | Qt::AlignVCenter, words);
    if (m_chevron)
        painter.drawPixmap(
            QPointF(width() - kPad - kChevron, (height() - kChevron) / 2.0 + 0.5),
            m_theme.icons().pixmap(QStringLiteral("chevron-down"), kChevron, ink, dpr));
}

} // namespace ui
