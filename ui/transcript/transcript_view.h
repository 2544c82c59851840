#pragma once

#include "app/conversation/message.h"

#include <QAbstractScrollArea>
#include <QList>
#include <QString>
#include <QUrl>

#include <memory>

namespace ui {

class Theme;

/// The conversation as one scrolling column. Shows values, changes nothing by itself: what the user
/// asks for leaves as a signal. Only messages within two screens of the viewport have widgets.
///
/// Scrolling follows the newest text only while the view ended near the bottom before it grew;
/// otherwise the first visible block keeps its place whatever happens above or below it.
/// GUI thread only; no call costs more than a frame, however long the conversation is.
class TranscriptView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit TranscriptView(QWidget* parent = nullptr);
    ~TranscriptView() override;

    /// The theme outlives the view; set it before the first message. Follows Theme::changed().
    void setTheme(const Theme* theme);

    /// One path through the conversation, oldest first, and shows its end.
    void setMessages(const QList<app::Message>& messages);
    /// Adds at the end. A message of the user's makes the view follow again.
    void appendMessage(const app::Message& message);
    /// The first message the model is still given, and what it is given for those before: a line
    /// stands above it. 0: it is given all.
    void setContextStart(qint64 id, const QString& summary);
    /// Replaces the message with the same id; unknown ids are ignored.
    void updateMessage(const app::Message& message);
    /// Takes the message out of the column.
    void removeMessage(qint64 id);
    /// What a reply grows by as it is decoded, collected and laid out at most 30 times a second.
    void grow(qint64 id, const app::ReplyGrowth& growth);
    /// The line under a reply that is being written: how far its prompt is read, in tokens, then
    /// how far it is itself.
    void setReading(qint64 id, int done, int total);
    void setLive(qint64 id, double tokensPerSecond, int tokens, double seconds);
    /// Message `id` is number `index` (from 1) of `count` branches; 1 of 1 shows nothing.
    void setBranches(qint64 id, int index, int count);
    void clear();

    /// The message as it is now, what grow() brought included; id 0 if there is none.
    app::Message message(qint64 id) const;

    /// Turns the bubble of a user's message into an editor with the focus in it.
    void startEditing(qint64 id);

    /// True while the view keeps to the newest text.
    bool isFollowing() const;
    /// Goes to the end and follows from there.
    void scrollToEnd();
    /// Brings a message to the top and stays there; unknown ids are ignored.
    void showMessage(qint64 id);
    /// Goes to where `words`, or else one of them, stand first in a message, as setFindText()
    /// would, and returns the text that is highlighted since. Empty: it shows none of them, and the
    /// message stands at the top.
    QString showInMessage(qint64 id, const QString& words);

    /// Highlights every occurrence in the shown text and goes to the first at or after the one gone
    /// to last, else at or after the top of the view; returns how many there are. Empty text ends
    /// the search.
    int setFindText(const QString& text, Qt::CaseSensitivity sensitivity = Qt::CaseInsensitive);
    int findCount() const;
    /// The occurrence gone to, from 1; 0 if there is none.
    int findPosition() const;
    void findNext();
    void findPrevious();

Q_SIGNALS:
    /// The exact source text is on the clipboard already.
    void copyRequested(qint64 id);
    void regenerateRequested(qint64 id);
    /// Of a reply that was cut off.
    void continueRequested(qint64 id);
    /// Of the message and all that follows it.
    void deleteRequested(qint64 id);
    /// The user rewrote a message of theirs.
    void editRequested(qint64 id, const QString& newText);
    /// Another branch of message `id` is wanted, from 1.
    void branchRequested(qint64 id, int index);
    /// The user saw the whole address and agreed; http, https or mailto.
    void linkActivated(const QUrl& url);
    void followingChanged(bool following);
    /// Occurrences came or went while the text grew.
    void findChanged(int position, int count);

protected:
    bool viewportEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace ui
