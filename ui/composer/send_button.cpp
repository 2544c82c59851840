#include "ui/composer/send_button.h"

#include "ui/theme/icon_cache.h"
#include "ui/widgets/paint.h"

#include <algorithm>
#include <cmath>

namespace ui {

using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

namespace {

constexpr int kIcon = 16;
constexpr double kCorner = 8;

} // namespace

SendButton::SendButton(const Theme& theme, QWidget* parent)
    : QAbstractButton(parent)
    , m_theme(theme)
{
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setWriting(false);
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void SendButton::setWriting(bool writing)
{
    m_writing = writing;
    setAccessibleName(writing ? tr("Stop") : tr("Send"));
    setToolTip(writing ? tr("Stop Esc") : tr("Send Enter"));
    updateGeometry();
    update();
}

QSize SendButton::sizeHint() const
{
    const double line = m_theme.lineHeight(TextStyle::Ui);
    const int height = std::max(32, static_cast<int>(std::ceil(line)) + 12);
    if (!m_writing) return {std::max(36, height + 4), height};
    const QFontMetricsF word(m_theme.font(TextStyle::Ui, QFont::DemiBold));
    const QFontMetricsF key(m_theme.font(TextStyle::MonoMicro));
    return {static_cast<int>(std::ceil(10 + kIcon + 6 + word.horizontalAdvance(tr("Stop")) + 6 +
                                       key.horizontalAdvance(tr("Esc")) + 12)),
            height};
}

void SendButton::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const bool lit = isEnabled() && (underMouse() || isDown());
    fillRounded(painter, rect(), kCorner,
                m_theme.color(!isEnabled() ? Token::Fill
                              : lit        ? Token::EmberHover
                                           : Token::Ember));
    const Token ink = isEnabled() ? Token::OnEmber : Token::Disabled;
    const qreal dpr = devicePixelRatioF();
    if (!m_writing) {
        painter.drawPixmap(QPoint((width() - kIcon) / 2, (height() - kIcon) / 2),
                           m_theme.icons().pixmap(QStringLiteral("send"), kIcon, ink, dpr));
        return;
    }
    painter.drawPixmap(QPoint(10, (height() - kIcon) / 2),
                       m_theme.icons().pixmap(QStringLiteral("stop"), kIcon, ink, dpr));
    QRectF text(10 + kIcon + 6, 0, width(), height());
    painter.setPen(m_theme.color(ink));
    painter.setFont(m_theme.font(TextStyle::Ui, QFont::DemiBold));
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, tr("Stop"));
    text.setLeft(text.left() + QFontMetricsF(painter.font()).horizontalAdvance(tr("Stop")) + 6);
    painter.setFont(m_theme.font(TextStyle::MonoMicro));
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, tr("Esc"));
}

} // namespace ui
