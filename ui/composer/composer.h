#pragma once

#include "ui/theme/theme.h"

#include <QList>
#include <QUrl>
#include <QWidget>

namespace ui {

class Button;
class ContextRing;
class Label;
class MessageEdit;
class QuietButton;
class SendButton;

/// Where the next message is written. Knows whether a model is there and writing; what the user
/// asks for leaves as a signal.
class Composer : public QWidget {
    Q_OBJECT
public:
    enum class State : quint8 { NoModel, Loading, Ready, Asked, Writing };
    /// A reply that waits: to be written once more, or on.
    enum class WaitingReply : quint8 { None, Again, On };

    explicit Composer(const Theme& theme, QWidget* parent = nullptr);

    /// Asked: a card above it has a question that comes before the next message.
    void setState(State state, const QString& modelName);
    State state() const { return m_state; }
    void setContextUse(int used, int total);
    /// Messages waiting to be sent, newest last.
    void setQueued(const QStringList& texts);
    void setWaitingReply(WaitingReply reply);
    /// The title of another chat, where an answer is being written; empty: there is none.
    void setOtherChat(const QString& title);
    /// Only the model's icon in the button row.
    void setNarrow(bool narrow);
    /// Beyond this the text scrolls, px.
    void setMostHeight(int px);

    QString text() const;
    /// Replaces the text without announcing it as typed (drafts).
    void setText(const QString& text);

    MessageEdit* edit() const { return m_edit; }
    SendButton* sendButton() const { return m_send; }
    ContextRing* contextRing() const { return m_ring; }
    QWidget* modelButton() const;
    /// Stands above the card while something waits, or another chat is being answered.
    QString waitingText() const;
    Button* stopOtherButton() const { return m_stopOther; }
    Button* takeBackButton() const { return m_take; }

Q_SIGNALS:
    void sendRequested(const QString& text);
    void stopRequested(); ///< of the answer being written, here or in the other chat
    void textEdited(const QString& text);
    void takeQueuedRequested();
    void modelMenuRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    QWidget* buildQueueLine();
    void showWaiting();
    QString queuedText(const QString& title) const;
    QString waitingReplyText(const QString& title) const;
    void send();
    void updateSend();
    void showHint();

    const Theme& m_theme;
    QString m_modelName;
    bool m_narrow = false;
    State m_state = State::NoModel;
    bool m_settingText = false;
    QStringList m_queued;
    WaitingReply m_waitingReply = WaitingReply::None;
    QString m_otherChat;
    MessageEdit* m_edit;
    QuietButton* m_model;
    ContextRing* m_ring;
    SendButton* m_send;
    QWidget* m_card;
    QWidget* m_queueLine = nullptr;
    Label* m_queueText = nullptr;
    Button* m_take = nullptr;
    Button* m_stopOther = nullptr;
};

} // namespace ui
