#include "ui/transcript/error_card.h"

#include "ui/theme/icon_cache.h"
#include "ui/widgets/button.h"
#include "ui/widgets/paint.h"

namespace ui {

using Token = Theme::Token;

namespace {

constexpr int kPadding = 16;
constexpr int kTile = 36;
constexpr int kIconSize = 18;

/// Behind the first sentence.
qsizetype titleEnd(const QString& sentence)
{
    const qsizetype end = sentence.indexOf(QLatin1String(". "));
    return end < 0 ? sentence.size() : end + 1;
}

TextLook titleLook(const TranscriptStyle& style)
{
    TextLook look = style.look(TextRole::Thought);
    look.font = style.theme().font(Theme::TextStyle::Title, QFont::DemiBold);
    look.color = style.color(Token::Text);
    return look;
}

InlineText plain(const QString& text)
{
    return {.text = displayable(text), .spans = {}, .links = {}};
}

} // namespace

ErrorCard::ErrorCard(const TranscriptStyle& style, const QString& sentence, QWidget* parent)
    : QWidget(parent)
    , m_style(style)
    , m_title(plain(sentence.first(titleEnd(sentence))), titleLook(style), style)
    , m_text(plain(sentence.sliced(titleEnd(sentence)).trimmed()), style.look(TextRole::Thought),
             style)
    , m_retry(new Button(style.theme(), tr("Try again"), Button::Kind::Secondary, this))
{
    setAccessibleName(sentence);
    connect(m_retry, &QAbstractButton::clicked, this, &ErrorCard::retryRequested);
}

int ErrorCard::layOut(int width)
{
    const int left = kPadding + kTile + 14;
    const double room = width - left - 18;
    m_title.layOut(room);
    m_text.layOut(room);
    double y = 14 + m_title.height();
    if (!m_text.text().isEmpty()) y += 3 + m_text.height();
    const QSize button = m_retry->sizeHint();
    m_retry->setGeometry(left, qRound(y) + 12, button.width(), button.height());
    return qRound(y) + 12 + button.height() + kPadding;
}

void ErrorCard::paintEvent(QPaintEvent* event)
{
    QPainter painter(this);
    drawRounded(painter, rect(), radius::kCard, m_style.color(Token::Raised),
                m_style.color(Token::Line));
    const QRectF tile(kPadding, kPadding, kTile, kTile);
    fillRounded(painter, tile, radius::kCard, m_style.color(Token::BadSoft));
    const double inset = (kTile - kIconSize) / 2.0;
    painter.drawPixmap(tile.topLeft() + QPointF(inset, inset),
                       m_style.theme().icons().pixmap(QStringLiteral("error"), kIconSize,
                                                      Token::Bad, devicePixelRatioF()));
    const QPointF origin(kPadding + kTile + 14, 14);
    m_title.draw(painter, origin, event->rect());
    m_text.draw(painter, origin + QPointF(0, m_title.height() + 3), event->rect());
}

} // namespace ui
