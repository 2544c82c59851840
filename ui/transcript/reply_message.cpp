#include "ui/transcript/reply_message.h"

#include "app/inference/count_text.h"
#include "ui/theme/icon_cache.h"
#include "ui/transcript/error_card.h"

#include <QLocale>

#include <algorithm>
#include <utility>

namespace ui {

using Token = Theme::Token;
using Action = ActionRow::Action;
using app::MessageState;

namespace {

constexpr int kHead = 24;      ///< height of the head row
constexpr int kBelowHead = 3;  ///< before the answer
constexpr int kAboveCard = 6;  ///< before the open thought
constexpr int kBelowCard = 10; ///< behind it
constexpr int kAboveError = 8;
constexpr int kAboveActions = 8;
constexpr int kOutset = 6; ///< the actions' icons are flush with the text
constexpr int kFlame = 16;

/// Those there are.
QString joined(QStringList facts)
{
    facts.removeAll(QString());
    return facts.join(QStringLiteral(" \u00B7 "));
}

} // namespace

ReplyMessage::ReplyMessage(const TranscriptParts& parts, const app::Message& message,
                           ReplyMemory memory, QWidget* parent)
    : MessageWidget(parts, message,
                    {Action::Copy, Action::Regenerate, Action::Delete, Action::Continue}, parent)
    , m_memory(std::move(memory))
    , m_chip(new ThoughtButton(parts.style, false, this))
    , m_answer(new BlockStack(parts, TextRole::Body, this))
{
    m_live = {.tokensPerSecond = message.stats.tokensPerSecond,
              .tokens = message.stats.tokens,
              .seconds = message.stats.seconds};
    connect(m_answer, &BlockStack::surfaceAdded, this, &MessageWidget::surfaceAdded);
    connect(m_chip, &QAbstractButton::clicked, this, [this] { setThoughtOpen(true); });
    connect(m_answer, &BlockStack::readThrough, this, &ReplyMessage::showReadText);
    if (!isWriting() && !message.text.isEmpty() && m_memory.longText == message.text)
        m_answer->setBlocks(m_memory.blocks);
    else
        m_answer->setText(message.text, !isWriting());
    m_memory.longText.clear();
    m_memory.blocks.clear();
    followThinking();
    showState();
    if (m_memory.thoughtOpen && hasThought()) setThoughtOpen(true);
}

ReplyMemory ReplyMessage::memory() const
{
    constexpr qsizetype kLong = 50'000;
    ReplyMemory memory = m_memory;
    const bool kept = m_message.text.size() > kLong && !isWriting() && !m_answer->isReading();
    memory.longText = kept ? m_message.text : QString();
    memory.blocks = kept ? m_answer->markdown() : MarkdownBlocks();
    return memory;
}

void ReplyMessage::showReadText()
{
    if (m_columnWidth == 0) return;
    arrange();
    Q_EMIT heightChanged();
}

void ReplyMessage::setMessage(const app::Message& message)
{
    const bool sameText =
        message.text == m_message.text && message.reasoning == m_message.reasoning;
    const bool ended = !isWriting();
    m_message = message;
    setAccessibleName(title());
    // A text that ended and is written on is open again.
    const bool resumed = ended && isWriting();
    if (resumed) m_live = {};
    if (!sameText || resumed) {
        m_answer->setText(message.text, !isWriting());
        if (m_card) m_card->stack().setText(message.reasoning, isThoughtWhole());
    } else if (!isWriting()) {
        m_answer->finish();
        if (m_card) m_card->stack().finish();
    }
    followThinking();
    showState();
    if (m_columnWidth > 0) arrange();
}

void ReplyMessage::grow(const app::ReplyGrowth& growth)
{
    MessageWidget::grow(growth);
    if (m_card && !growth.reasoning.isEmpty()) m_card->stack().appendText(growth.reasoning);
    if (!growth.text.isEmpty()) m_answer->appendText(growth.text);
    followThinking();
    if (m_columnWidth > 0) arrange();
}

/// Times the thought while it is being written.
void ReplyMessage::followThinking()
{
    const bool thinking = isThinking();
    if (thinking && !m_thinking.isValid()) m_thinking.start();
    if (thinking) {
        m_memory.thoughtSeconds = static_cast<int>(m_thinking.elapsed() / 1000);
        m_memory.thoughtTokens = m_live.tokens;
    } else if (m_thinking.isValid()) {
        m_memory.thoughtSeconds =
            std::max(1, static_cast<int>((m_thinking.elapsed() + 500) / 1000));
        m_thinking.invalidate();
    }
    showThought();
}

void ReplyMessage::showThought()
{
    const bool thinking = isThinking();
    const ThoughtFacts facts{.thinking = thinking,
                             .seconds = m_memory.thoughtSeconds,
                             .tokens = thinking ? 0 : m_memory.thoughtTokens};
    m_chip->setFacts(facts);
    m_chip->setVisible(hasThought() && !m_card);
    if (m_card) m_card->head().setFacts(facts);
    const bool inThought = thinking && m_card;
    m_answer->setCaret(isWriting() && !thinking);
    if (m_card) m_card->stack().setCaret(inThought);
    const QSize size = m_chip->sizeHint();
    m_chip->setGeometry(kBleed + m_columnWidth - size.width(), 0, size.width(), size.height());
}

void ReplyMessage::showState()
{
    const bool failed = m_message.state == MessageState::Failed;
    if (m_error) m_error->deleteLater();
    m_error = nullptr;
    // Where the context is full the window asks how to go on.
    if (failed && !app::isContextFull(m_message)) {
        m_error = new ErrorCard(m_parts.style, m_message.error, this);
        connect(m_error, &ErrorCard::retryRequested, this, &MessageWidget::regenerateRequested);
        m_error->show();
    }
    m_actions->setNumbers(numbers());
    m_actions->setLiveLine(isWriting() ? liveLine() : QString());
    updateActions();
}

void ReplyMessage::setLive(const LiveNumbers& numbers)
{
    m_live = numbers;
    if (!isWriting()) return;
    m_actions->setLiveLine(liveLine());
    followThinking();
}

QString ReplyMessage::liveLine() const
{
    const QLocale locale;
    if (m_live.toRead > 0)
        return joined({tr("Reading"),
                       tr("%1 of %2 tokens")
                           .arg(locale.toString(m_live.read), locale.toString(m_live.toRead))});
    if (m_live.tokens <= 0) return tr("Reading the message");
    return joined({tr("%1 tok/s").arg(locale.toString(m_live.tokensPerSecond, 'f', 1)),
                   app::tokensText(m_live.tokens),
                   tr("%1 s").arg(locale.toString(m_live.seconds, 'f', 1))});
}

/// Why it ends where it does; nothing where the model had said all.
QStringList ReplyMessage::endWords() const
{
    const QString& reason = m_message.stats.stopReason;
    QStringList words;
    if (app::isContextFull(m_message)) words += tr("context full");
    if (reason == QLatin1StringView("max-tokens")) words += tr("most tokens reached");
    if (reason == QLatin1StringView("stop-string")) words += tr("stop string");
    if (m_message.state == MessageState::Stopped) words += tr("stopped");
    if (m_message.state == MessageState::Interrupted) words += tr("interrupted");
    return words;
}

/// All there is to say, then ever less of it, for rows with less room.
QStringList ReplyMessage::numbers() const
{
    const QLocale locale;
    const app::MessageStats& stats = m_message.stats;
    QString speed, tokens, first;
    if (stats.tokensPerSecond > 0)
        speed = tr("%1 tok/s").arg(locale.toString(stats.tokensPerSecond, 'f', 1));
    if (stats.tokens > 0) tokens = app::tokensText(stats.tokens);
    if (stats.secondsToFirstToken > 0) first = app::firstTokenText(stats.secondsToFirstToken);
    const QStringList end = endWords();
    QStringList wordings{joined(QStringList{speed, tokens, first} + end),
                         joined(QStringList{speed, tokens} + end)};
    // How an answer ended, and how long it got, says more than how fast that was.
    if (end.isEmpty())
        wordings += speed;
    else
        wordings += {joined(QStringList{tokens} + end), joined(end)};
    return wordings;
}

void ReplyMessage::setThoughtOpen(bool open)
{
    m_memory.thoughtOpen = open;
    if (open && !m_card) {
        m_card = new ThoughtBlock(m_parts, this);
        connect(&m_card->stack(), &BlockStack::surfaceAdded, this, &MessageWidget::surfaceAdded);
        connect(&m_card->stack(), &BlockStack::readThrough, this, &ReplyMessage::showReadText);
        connect(&m_card->head(), &QAbstractButton::clicked, this,
                [this] { setThoughtOpen(false); });
        m_card->stack().setText(m_message.reasoning, isThoughtWhole());
        m_card->show();
        if (m_chip->hasFocus()) m_card->head().setFocus();
    } else if (!open && m_card) {
        const bool focused = m_card->head().hasFocus();
        m_card->hide();
        m_card->deleteLater();
        m_card = nullptr;
        showThought();
        if (focused) m_chip->setFocus();
    }
    showThought();
    if (m_columnWidth == 0) return;
    arrange();
    Q_EMIT heightChanged();
}

void ReplyMessage::setColumnWidth(int width)
{
    m_columnWidth = width;
    arrange();
}

void ReplyMessage::arrange()
{
    const TranscriptStyle& style = m_parts.style;
    showThought();
    int y = style.px(kHead);
    if (m_card) {
        m_card->setCardWidth(m_columnWidth);
        y += kAboveCard;
        m_card->setGeometry(kBleed, y, m_columnWidth, m_card->cardHeight());
        y += m_card->height() + kBelowCard;
    } else {
        y += kBelowHead;
    }
    m_answer->setColumnWidth(m_columnWidth);
    m_answer->setGeometry(0, y, m_columnWidth + 2 * kBleed, m_answer->stackHeight());
    y += m_answer->stackHeight();
    if (m_error) {
        if (m_answer->stackHeight() > 0) y += kAboveError;
        const int height = m_error->layOut(m_columnWidth);
        m_error->setGeometry(kBleed, y, m_columnWidth, height);
        y += height;
    }
    y += kAboveActions;
    const int actions = m_actions->sizeHint().height();
    m_actions->setGeometry(kBleed - kOutset, y, m_columnWidth + kOutset, actions);
    setMessageHeight(y + actions);
}

bool ReplyMessage::realize(int top, int bottom)
{
    const int before = messageHeight();
    bool changed = false;
    if (m_card) {
        const int offset = stackTop(MessageAnchor::Part::Thought);
        changed = m_card->stack().realize(top - offset, bottom - offset);
    }
    if (changed) arrange();
    const int offset = m_answer->y();
    if (m_answer->realize(top - offset, bottom - offset)) changed = true;
    if (changed) arrange();
    return messageHeight() != before;
}

MessageAnchor ReplyMessage::anchorAt(int y) const
{
    if (m_card && y >= m_card->y() && y < m_card->geometry().bottom()) {
        const int offset = stackTop(MessageAnchor::Part::Thought);
        const BlockStack::Anchor anchor = m_card->stack().anchorAt(y - offset);
        return {.part = MessageAnchor::Part::Thought,
                .block = anchor.block,
                .top = anchor.top + offset};
    }
    const int bodyEnd = m_answer->y() + m_answer->stackHeight();
    if (y >= bodyEnd) return {.part = MessageAnchor::Part::Foot, .top = bodyEnd};
    if (y < m_answer->y() && !m_card) return {.part = MessageAnchor::Part::Top};
    const BlockStack::Anchor anchor = m_answer->anchorAt(y - m_answer->y());
    return {.part = MessageAnchor::Part::Body,
            .block = anchor.block,
            .top = anchor.top + m_answer->y()};
}

int ReplyMessage::topOf(const MessageAnchor& anchor) const
{
    switch (anchor.part) {
    case MessageAnchor::Part::Thought:
        if (!m_card) return m_answer->y();
        return m_card->stack().topOf(anchor.block) + stackTop(anchor.part);
    case MessageAnchor::Part::Body:
        return m_answer->topOf(anchor.block) + m_answer->y();
    case MessageAnchor::Part::Foot:
        return m_answer->y() + m_answer->stackHeight();
    case MessageAnchor::Part::Top:
        break;
    }
    return 0;
}

BlockStack* ReplyMessage::stackOf(MessageAnchor::Part part)
{
    if (part == MessageAnchor::Part::Thought) return m_card ? &m_card->stack() : nullptr;
    return part == MessageAnchor::Part::Body ? m_answer : nullptr;
}

int ReplyMessage::stackTop(MessageAnchor::Part part) const
{
    if (part == MessageAnchor::Part::Thought && m_card) return m_card->y() + m_card->stackTop();
    return m_answer->y();
}

void ReplyMessage::reveal(MessageAnchor::Part part)
{
    if (part == MessageAnchor::Part::Thought) setThoughtOpen(true);
}

void ReplyMessage::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const TranscriptStyle& style = m_parts.style;
    const int head = style.px(kHead);
    painter.drawPixmap(QPoint(kBleed, (head - kFlame) / 2),
                       style.theme().icons().pixmap(QStringLiteral("flame"), kFlame, Token::Ember,
                                                    devicePixelRatioF()));
    const QFont nameFont = style.theme().font(Theme::TextStyle::Caption, QFont::DemiBold);
    int x = kBleed + kFlame + 8;
    const int room = m_columnWidth - x - (m_chip->isVisibleTo(this) ? m_chip->width() + 60 : 60);
    const QString name = QFontMetrics(nameFont).elidedText(displayableCode(m_message.modelName),
                                                           Qt::ElideRight, room);
    painter.setFont(nameFont);
    painter.setPen(style.color(Token::Text));
    painter.drawText(QRect(x, 0, room, head), Qt::AlignVCenter | Qt::AlignLeft, name);
    x += QFontMetrics(nameFont).horizontalAdvance(name) + 8;
    painter.setFont(style.theme().font(Theme::TextStyle::Micro));
    painter.setPen(style.color(Token::Text3));
    painter.drawText(QRect(x, 0, 80, head), Qt::AlignVCenter | Qt::AlignLeft, timeText());
    paintFocus(painter);
}

} // namespace ui
