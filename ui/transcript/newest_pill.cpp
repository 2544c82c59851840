#include "ui/transcript/newest_pill.h"

#include "ui/theme/icon_cache.h"
#include "ui/widgets/paint.h"

#include <QFontMetricsF>

#include <cmath>

namespace ui {

using Token = Theme::Token;

namespace {

constexpr int kIconSize = 14;
constexpr int kPadding = 11;
constexpr int kGap = 8;

QFont pillFont(const Theme& theme)
{
    return theme.font(Theme::TextStyle::Caption, QFont::Medium);
}

} // namespace

NewestPill::NewestPill(const Theme& theme, QWidget* parent)
    : QAbstractButton(parent)
    , m_theme(theme)
{
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::TabFocus);
    setText(tr("Newest"));
    setToolTip(tr("Go to the newest text (End)"));
}

QSize NewestPill::sizeHint() const
{
    const double words = QFontMetricsF(pillFont(m_theme)).horizontalAdvance(text());
    const int height = qRound(28 * m_theme.textScale());
    return {2 * kPadding + kIconSize + kGap + static_cast<int>(std::ceil(words)), height};
}

void NewestPill::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const double overlay = isDown() ? 0.09 : underMouse() ? 0.06 : 0.0;
    drawRounded(painter, rect(), height() / 2.0, m_theme.overlaid(Token::Raised, overlay),
                m_theme.color(Token::Edge));
    painter.drawPixmap(QPointF(kPadding, (height() - kIconSize) / 2.0),
                       m_theme.icons().pixmap(QStringLiteral("arrow-down"), kIconSize, Token::Text,
                                              devicePixelRatioF()));
    painter.setFont(pillFont(m_theme));
    painter.setPen(m_theme.color(Token::Text));
    painter.drawText(QRect(kPadding + kIconSize + kGap, 0, width(), height()),
                     Qt::AlignVCenter | Qt::AlignLeft, text());
}

} // namespace ui
