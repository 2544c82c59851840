#pragma once

#include "app/conversation/message.h"
#include "ui/theme/theme.h"

#include <QList>
#include <QTimer>
#include <QWidget>

class QStackedWidget;

namespace ui {

class Button;
class ConversationList;
class ConversationListModel;
class EmptyState;
class IconButton;
class LineField;
class MemoryMeter;
class UndoStrip;

/// New chat, search, the list of conversations, memory. Shows values; what the user asks for leaves
/// as a signal.
class Sidebar : public QWidget {
    Q_OBJECT
public:
    explicit Sidebar(const Theme& theme, QWidget* parent = nullptr);

    void setConversations(const QList<app::ConversationSummary>& conversations);
    void setOpenConversation(qint64 conversationId);
    void setWritingConversation(qint64 conversationId);
    /// The answer to `searchRequested`; one that is for other words is ignored.
    void setSearchHits(const QString& text, const QList<app::SearchHit>& hits);
    /// Deletes as the Del key does: at once, with an offer to undo.
    void removeConversation(qint64 conversationId);
    void renameConversation(qint64 conversationId);

    ConversationListModel* model() const { return m_model; }
    ConversationList* list() const { return m_list; }
    LineField* searchField() const { return m_search; }
    Button* newChatButton() const { return m_newChat; }
    IconButton* toggleButton() const { return m_toggle; }
    UndoStrip* undoStrip() const { return m_undo; }

Q_SIGNALS:
    void newChatRequested();
    /// `messageId`: it was found by this message's words; 0: as it was left.
    void openRequested(qint64 conversationId, qint64 messageId);
    void renameRequested(qint64 conversationId, const QString& title);
    void pinRequested(qint64 conversationId, bool pinned);
    void deleteRequested(qint64 conversationId);
    void restoreRequested(qint64 conversationId);
    void stopRequested(); ///< of the answer being written
    void toggleRequested();
    /// Words to look for in messages, too; a moment after the last key.
    void searchRequested(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    QWidget* buildHead();
    QWidget* buildList();
    QWidget* buildFoot();
    void connectList();
    void filter(const QString& text);
    void showMenu(qint64 conversationId, const QPoint& globalPosition);
    void updateEmptyState();
    void selectOpen();

    const Theme& m_theme;
    ConversationListModel* m_model;
    ConversationList* m_list = nullptr;
    LineField* m_search = nullptr;
    Button* m_newChat = nullptr;
    IconButton* m_toggle = nullptr;
    UndoStrip* m_undo = nullptr;
    EmptyState* m_empty = nullptr;
    QStackedWidget* m_pages = nullptr;
    QTimer m_searchTimer;
    qint64 m_open = 0;
    qint64 m_deleted = 0;
};

} // namespace ui
