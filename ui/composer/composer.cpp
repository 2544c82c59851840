#include "ui/composer/composer.h"

#include "ui/composer/context_ring.h"
#include "ui/composer/message_edit.h"
#include "ui/composer/send_button.h"
#include "ui/theme/icon_cache.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/paint.h"
#include "ui/widgets/quiet_button.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace ui {

using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

namespace {

constexpr int kIcon = 12;

/// "🔒 Runs on this computer. Nothing leaves it."
class PlaceLine : public QWidget {
public:
    PlaceLine(const Theme& theme, const QString& text, QWidget* parent)
        : QWidget(parent)
        , m_theme(theme)
    {
        auto* icon = new QLabel(this);
        auto* label = new Label(theme, text, TextStyle::Micro, Token::Text3, this);
        const auto tint = [this, icon] {
            icon->setPixmap(m_theme.icons().pixmap(QStringLiteral("lock"), kIcon, Token::Text3,
                                                   devicePixelRatioF()));
        };
        tint();
        connect(&theme, &Theme::changed, icon, tint);
        auto* line = new QHBoxLayout(this);
        line->setContentsMargins(0, 6, 0, 6);
        line->setSpacing(6);
        line->addStretch();
        line->addWidget(icon);
        line->addWidget(label);
        line->addStretch();
    }

private:
    const Theme& m_theme;
};

} // namespace

Composer::Composer(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_edit(new MessageEdit(theme, this))
    , m_model(new QuietButton(theme, QStringLiteral("models"), tr("No model"), this))
    , m_ring(new ContextRing(theme, this))
    , m_send(new SendButton(theme, this))
    , m_card(new QWidget(this))
{
    m_model->setChevron(true);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    row->addWidget(m_model);
    row->addStretch();
    row->addWidget(m_ring);
    row->addSpacing(2);
    row->addWidget(m_send);
    auto* card = new QVBoxLayout(m_card);
    card->setContentsMargins(9, 11, 9, 9);
    card->setSpacing(6);
    auto* textLine = new QHBoxLayout;
    textLine->setContentsMargins(4, 0, 4, 0);
    textLine->addWidget(m_edit);
    card->addLayout(textLine);
    card->addLayout(row);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(buildQueueLine());
    column->addWidget(m_card);
    column->addWidget(new PlaceLine(theme, tr("Runs on this computer. Nothing leaves it."), this));

    connect(m_edit, &MessageEdit::sendRequested, this, &Composer::send);
    connect(m_edit, &MessageEdit::focusChanged, this, qOverload<>(&QWidget::update));
    connect(m_edit, &QPlainTextEdit::textChanged, this, [this] {
        updateSend();
        if (!m_settingText) Q_EMIT textEdited(text());
    });
    connect(m_send, &QAbstractButton::clicked, this, [this] {
        if (m_send->isWriting())
            Q_EMIT stopRequested();
        else
            send();
    });
    connect(m_model, &QAbstractButton::clicked, this, &Composer::modelMenuRequested);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
    setState(State::NoModel, {});
}

QWidget* Composer::buildQueueLine()
{
    m_queueLine = new QWidget(this);
    m_queueText = new Label(m_theme, {}, TextStyle::Caption, Token::Text3, m_queueLine);
    m_queueText->setElided(true);
    m_take = new Button(m_theme, tr("Take back"), Button::Kind::Ghost, m_queueLine);
    m_stopOther = new Button(m_theme, tr("Stop"), Button::Kind::Ghost, m_queueLine);
    m_stopOther->setToolTip(tr("Stop the answer in the other chat"));
    auto* line = new QHBoxLayout(m_queueLine);
    line->setContentsMargins(4, 0, 0, 4);
    line->setSpacing(4);
    line->addWidget(m_queueText, 1);
    for (Button* button : {m_take, m_stopOther}) {
        button->setSmall(true);
        line->addWidget(button);
    }
    m_queueLine->hide();
    connect(m_take, &QPushButton::clicked, this, &Composer::takeQueuedRequested);
    connect(m_stopOther, &QPushButton::clicked, this, &Composer::stopRequested);
    return m_queueLine;
}

QWidget* Composer::modelButton() const
{
    return m_model;
}

void Composer::setState(State state, const QString& modelName)
{
    m_state = state;
    m_send->setWriting(state == State::Writing);
    m_model->setText(modelName.isEmpty() ? tr("No model") : modelName);
    m_model->setAccessibleName(tr("Model: %1").arg(m_model->text()));
    m_model->setToolTip(tr("Choose a model"));
    m_model->updateGeometry();
    m_modelName = modelName;
    showHint();
    updateSend();
}

void Composer::showHint()
{
    const auto hint = [this] {
        switch (m_state) {
        case State::Loading:
        case State::Ready:
            return tr("Message %1").arg(m_modelName);
        case State::Asked:
            return m_narrow ? tr("Choose how to go on")
                            : tr("Choose how to go on, or write the next message");
        case State::Writing:
            return m_narrow ? tr("Write the next message")
                            : tr("Write the next message while this one finishes");
        case State::NoModel:
            break;
        }
        return tr("Load a model to send a message");
    };
    m_edit->setPlaceholderText(hint());
    m_edit->viewport()->update(); // Qt repaints a hint only when it comes or goes
}

void Composer::setContextUse(int used, int total)
{
    m_ring->setUse(used, total);
}

void Composer::setQueued(const QStringList& texts)
{
    m_queued = texts;
    showWaiting();
}

void Composer::setOtherChat(const QString& title)
{
    m_otherChat = title;
    showWaiting();
}

QString Composer::waitingText() const
{
    return m_queueLine->isHidden() ? QString() : m_queueText->text();
}

void Composer::setWaitingReply(WaitingReply reply)
{
    m_waitingReply = reply;
    showWaiting();
}

void Composer::showWaiting()
{
    constexpr int kMostTitle = 200; // px before the text size; what waits is to be read, too
    const bool waits = !m_queued.isEmpty() || m_waitingReply != WaitingReply::None;
    const bool other = !m_otherChat.isEmpty();
    const QString title = m_queueText->fontMetrics().elidedText(
        m_otherChat, Qt::ElideRight, qRound(kMostTitle * m_theme.textScale()));
    m_queueText->setText(!m_queued.isEmpty() ? queuedText(title)
                         : waits             ? waitingReplyText(title)
                                 : tr("The answer in “%1” is being written.").arg(title));
    m_take->setVisible(waits);
    m_stopOther->setVisible(other);
    m_queueLine->setVisible(waits || other);
}

QString Composer::queuedText(const QString& title) const
{
    constexpr qsizetype kMostWords = 300; // more is not seen, and a book takes long to measure
    QString words;
    for (const QString& text : m_queued) {
        if (!words.isEmpty()) words += QStringLiteral(" · ");
        words += QStringView(text).left(kMostWords).toString().simplified();
        if (words.size() > kMostWords) break;
    }
    // What waits is to be read, too.
    if (m_narrow && (m_state == State::Writing || !title.isEmpty()))
        return tr("Next: %1").arg(words);
    return !title.isEmpty() ? tr("Sent when the answer in “%1” is finished: %2").arg(title, words)
           : m_state == State::Writing
               ? tr("Sent when this answer is finished: %1").arg(words)
               : tr("Your message is kept. It is sent as soon as a model is ready: %1").arg(words);
}

QString Composer::waitingReplyText(const QString& title) const
{
    const bool again = m_waitingReply == WaitingReply::Again;
    if (!title.isEmpty())
        return (again ? tr("Written again when the answer in “%1” is finished.")
                      : tr("Written on when the answer in “%1” is finished."))
            .arg(title);
    if (m_state == State::Writing)
        return again ? tr("Written again when this answer is finished.")
                     : tr("Written on when this answer is finished.");
    return again ? tr("Written again as soon as a model is ready.")
                 : tr("Written on as soon as a model is ready.");
}

void Composer::setNarrow(bool narrow)
{
    m_model->setCompact(narrow);
    m_narrow = narrow;
    showHint();
    showWaiting();
}

void Composer::setMostHeight(int px)
{
    const int rest = sizeHint().height() - m_edit->sizeHint().height();
    m_edit->setMostHeight(px - rest);
}

QString Composer::text() const
{
    return m_edit->text();
}

void Composer::setText(const QString& text)
{
    if (text == this->text()) return;
    m_settingText = true;
    m_edit->setText(text);
    m_settingText = false;
    updateSend();
}

void Composer::send()
{
    const QString words = text().trimmed();
    if (words.isEmpty()) return;
    m_edit->clear();
    Q_EMIT sendRequested(words);
}

void Composer::updateSend()
{
    m_send->setEnabled(m_state == State::Writing || m_edit->hasWords());
}

void Composer::mousePressEvent(QMouseEvent*)
{
    m_edit->setFocus();
}

void Composer::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const bool focused = m_edit->hasFocus();
    drawRounded(painter, m_card->geometry(), radius::kBubble, m_theme.color(Token::Raised),
                m_theme.color(focused ? Token::Focus : Token::Edge), focused ? 2 : 1);
}

} // namespace ui
