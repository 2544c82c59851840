#include "ui/transcript/transcript_view.h"

#include <QKeyEvent>
#include <QResizeEvent>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>

namespace ui {

struct TranscriptView::Private {
    const Theme* theme = nullptr;
    QList<app::Message> messages;
    bool following = true;

    app::Message* find(qint64 id)
    {
        const auto found = std::ranges::find(messages, id, &app::Message::id);
        return found == messages.end() ? nullptr : &*found;
    }
};

TranscriptView::TranscriptView(QWidget* parent)
    : QAbstractScrollArea(parent)
    , d(std::make_unique<Private>())
{
    setFrameShape(NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

TranscriptView::~TranscriptView() = default;

void TranscriptView::setTheme(const Theme* theme)
{
    d->theme = theme;
}

void TranscriptView::setMessages(const QList<app::Message>& messages)
{
    d->messages = messages;
    scrollToEnd();
}

void TranscriptView::appendMessage(const app::Message& message)
{
    d->messages.append(message);
    if (message.role == app::Role::User) scrollToEnd();
}

void TranscriptView::updateMessage(const app::Message& message)
{
    if (app::Message* known = d->find(message.id)) *known = message;
}

void TranscriptView::removeMessage(qint64 id)
{
    d->messages.removeIf([id](const app::Message& message) { return message.id == id; });
}

void TranscriptView::appendText(qint64 id, const QString& delta)
{
    if (app::Message* known = d->find(id)) known->text += delta;
}

void TranscriptView::setLive(qint64 id, double tokensPerSecond, int tokens, double seconds)
{
    if (app::Message* known = d->find(id)) {
        known->stats.tokensPerSecond = tokensPerSecond;
        known->stats.tokens = tokens;
        known->stats.seconds = seconds;
    }
}

void TranscriptView::setBranches(qint64, int, int) {}

void TranscriptView::clear()
{
    setMessages({});
}

app::Message TranscriptView::message(qint64 id) const
{
    const app::Message* known = d->find(id);
    return known ? *known : app::Message();
}

void TranscriptView::startEditing(qint64) {}

bool TranscriptView::isFollowing() const
{
    return d->following;
}

void TranscriptView::scrollToEnd()
{
    d->following = true;
    verticalScrollBar()->setValue(verticalScrollBar()->maximum());
}

int TranscriptView::setFindText(const QString&, Qt::CaseSensitivity)
{
    return 0;
}
int TranscriptView::findCount() const
{
    return 0;
}
int TranscriptView::findPosition() const
{
    return 0;
}
void TranscriptView::findNext() {}
void TranscriptView::findPrevious() {}

bool TranscriptView::viewportEvent(QEvent* event)
{
    return QAbstractScrollArea::viewportEvent(event);
}
void TranscriptView::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
}
void TranscriptView::scrollContentsBy(int, int)
{
    viewport()->update();
}
void TranscriptView::wheelEvent(QWheelEvent* event)
{
    QAbstractScrollArea::wheelEvent(event);
}
void TranscriptView::keyPressEvent(QKeyEvent* event)
{
    QAbstractScrollArea::keyPressEvent(event);
}

} // namespace ui
