#include "ui/composer/context_ring.h"

#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui {

using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

namespace {

constexpr double kRing = 18;
constexpr double kStroke = 3;
constexpr int kPad = 6;

/// Contexts are powers of two, and so is the k they are counted in: 212, 1,000, 3.1k, 8k, 128k. A
/// small one is told in full, with what is used of it.
QString shortCount(int count, int total)
{
    constexpr int kThousand = 1024;
    constexpr int kSmall = 4 * kThousand;
    const QLocale locale;
    if (count < kThousand || total <= kSmall) return locale.toString(count);
    const double thousands = static_cast<double>(count) / kThousand;
    const double rounded = std::round(thousands * 10) / 10;
    const bool whole = rounded >= 100 || rounded == std::round(rounded);
    return locale.toString(rounded, 'f', whole ? 0 : 1) % QLatin1Char('k');
}

} // namespace

ContextRing::ContextRing(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    hide();
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void ContextRing::setUse(int used, int total)
{
    if (used == m_used && total == m_total) return;
    m_used = used;
    m_total = total;
    const QLocale locale;
    setAccessibleName(
        used < 0
            ? tr("Context: of %1 tokens, not counted yet").arg(locale.toString(total))
            : tr("Context: %1 of %2 tokens").arg(locale.toString(used), locale.toString(total)));
    setToolTip(accessibleName());
    setVisible(total > 0);
    updateGeometry();
    update();
}

QString ContextRing::text() const
{
    return tr("%1 / %2").arg(m_used < 0 ? QStringLiteral("–") : shortCount(m_used, m_total),
                             shortCount(m_total, m_total));
}

Token ContextRing::token() const
{
    const double share = m_total > 0 ? static_cast<double>(m_used) / m_total : 0;
    return share < 0.75 ? Token::Accent : share < 0.95 ? Token::Warn : Token::Bad;
}

QSize ContextRing::sizeHint() const
{
    const QFontMetricsF metrics(m_theme.font(TextStyle::MonoSmall));
    return {static_cast<int>(std::ceil(kRing + 6 + metrics.horizontalAdvance(text()))) + 2 * kPad,
            std::max(28, static_cast<int>(std::ceil(metrics.height())))};
}

void ContextRing::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF ring =
        QRectF(kPad, (height() - kRing) / 2, kRing, kRing)
            .adjusted(kStroke / 2 + 0.5, kStroke / 2 + 0.5, -kStroke / 2 - 0.5, -kStroke / 2 - 0.5);
    painter.setPen(QPen(m_theme.color(Token::Pressed), kStroke));
    painter.drawEllipse(ring);
    const double share = m_total > 0 ? std::min(1.0, static_cast<double>(m_used) / m_total) : 0;
    if (share > 0) {
        painter.setPen(QPen(m_theme.color(token()), kStroke, Qt::SolidLine, Qt::FlatCap));
        painter.drawArc(ring, 90 * 16, -qRound(share * 360 * 16));
    }
    painter.setFont(m_theme.font(TextStyle::MonoSmall));
    painter.setPen(m_theme.color(Token::Text2));
    painter.drawText(QRectF(kPad + kRing + 6, 0, width(), height()),
                     Qt::AlignLeft | Qt::AlignVCenter, text());
}

} // namespace ui
