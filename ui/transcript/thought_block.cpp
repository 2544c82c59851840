#include "ui/transcript/thought_block.h"

#include "app/inference/count_text.h"
#include "ui/theme/icon_cache.h"
#include "ui/widgets/paint.h"

#include <QFontMetricsF>

#include <cmath>

namespace ui {

using Token = Theme::Token;

namespace {

constexpr int kIconSize = 14;
constexpr int kGap = 6;

} // namespace

ThoughtButton::ThoughtButton(const TranscriptStyle& style, bool headOfCard, QWidget* parent)
    : QAbstractButton(parent)
    , m_style(style)
    , m_headOfCard(headOfCard)
{
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::TabFocus);
    setAccessibleName(words());
}

void ThoughtButton::setFacts(const ThoughtFacts& facts)
{
    if (facts == m_facts) return;
    m_facts = facts;
    setAccessibleName(words());
    setAccessibleDescription(m_headOfCard ? tr("Folds the thought") : tr("Opens the thought"));
    updateGeometry();
    update();
}

QString ThoughtButton::words() const
{
    if (m_facts.thinking && m_facts.seconds > 0) return tr("Thinking, %1 s").arg(m_facts.seconds);
    if (m_facts.thinking) return tr("Thinking");
    if (m_facts.seconds >= 0) return tr("Thought for %1 s").arg(m_facts.seconds);
    return tr("Thought");
}

QString ThoughtButton::tokenWords() const
{
    if (!m_headOfCard || m_facts.tokens <= 0) return {};
    return app::tokensText(m_facts.tokens);
}

QSize ThoughtButton::sizeHint() const
{
    const QFontMetricsF metrics(m_style.theme().font(Theme::TextStyle::Caption));
    const int wordsWidth = static_cast<int>(std::ceil(metrics.horizontalAdvance(words())));
    return {8 + kIconSize + kGap + wordsWidth + kGap + kIconSize + 8,
            m_style.px(m_headOfCard ? 30 : 24)};
}

void ThoughtButton::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const bool lit = underMouse() || isDown();
    const bool ember = m_facts.thinking;
    const QRectF frame = rect();
    if (!m_headOfCard) {
        drawRounded(painter, frame, radius::kControl,
                    lit ? m_style.theme().hovered(Token::Surface) : m_style.color(Token::Surface),
                    m_style.color(ember ? Token::Ember : Token::Line));
    } else if (lit) {
        fillRounded(painter, frame, radius::kControl, m_style.theme().color(Token::Text, 0.06));
    }
    const Token ink = ember ? Token::Ember : lit ? Token::Text : Token::Text2;
    const IconCache& icons = m_style.theme().icons();
    const qreal dpr = devicePixelRatioF();
    const double iconTop = (height() - kIconSize) / 2.0;
    double x = m_headOfCard ? 10 : 8;
    painter.drawPixmap(QPointF(x, iconTop),
                       icons.pixmap(QStringLiteral("thought"), kIconSize, ink, dpr));
    x += kIconSize + kGap;
    const QFont font = m_style.theme().font(Theme::TextStyle::Caption);
    painter.setFont(font);
    painter.setPen(m_style.color(ink));
    painter.drawText(QRectF(x, 0, width() - x, height()), Qt::AlignVCenter | Qt::AlignLeft,
                     words());
    x += QFontMetricsF(font).horizontalAdvance(words()) + 10;
    painter.setFont(m_style.theme().font(Theme::TextStyle::MonoMicro));
    painter.setPen(m_style.color(Token::Text3));
    painter.drawText(QRectF(x, 0, width() - x, height()), Qt::AlignVCenter | Qt::AlignLeft,
                     tokenWords());
    const QPixmap arrow = icons.pixmap(QStringLiteral("chevron-down"), kIconSize, ink, dpr);
    const QPointF place(width() - 8 - kIconSize, iconTop);
    if (!m_headOfCard) {
        painter.drawPixmap(place, arrow);
        return;
    }
    painter.translate(place + QPointF(0, kIconSize));
    painter.scale(1, -1);
    painter.drawPixmap(QPointF(0, 0), arrow);
}

ThoughtBlock::ThoughtBlock(const TranscriptParts& parts, QWidget* parent)
    : QWidget(parent)
    , m_style(parts.style)
    , m_head(new ThoughtButton(parts.style, true, this))
    , m_stack(new BlockStack(parts, TextRole::Thought, this))
{
}

int ThoughtBlock::stackTop() const
{
    return 1 + m_head->sizeHint().height() + 1 + m_style.px(8);
}

void ThoughtBlock::setCardWidth(int width)
{
    m_stack->setColumnWidth(width - 2 - 2 * kBleed);
}

int ThoughtBlock::cardHeight() const
{
    return stackTop() + m_stack->stackHeight() + m_style.px(9) + 1;
}

void ThoughtBlock::resizeEvent(QResizeEvent*)
{
    m_head->setGeometry(1, 1, width() - 2, m_head->sizeHint().height());
    m_stack->setGeometry(1, stackTop(), width() - 2, m_stack->stackHeight());
}

void ThoughtBlock::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QColor line = m_style.color(Token::Line);
    drawRounded(painter, rect(), radius::kCard, m_style.color(Token::Panel), line);
    const int headBottom = 1 + m_head->sizeHint().height();
    painter.setClipRect(0, 0, width(), headBottom);
    drawRounded(painter, rect(), radius::kCard, m_style.color(Token::Surface), line);
    painter.setClipping(false);
    painter.fillRect(QRect(1, headBottom, width() - 2, 1), line);
}

} // namespace ui
