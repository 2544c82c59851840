#pragma once

#include "app/conversation/message.h"

#include <QAbstractListModel>
#include <QDate>
#include <QList>
#include <QSet>

#include <cstdint>

namespace ui {

/// The sidebar's rows: headings (Pinned, Today, Yesterday, Previous 7 days, months) and under each
/// its conversations. A filter by title works at once.
class ConversationListModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role : std::uint16_t {
        IdRole = Qt::UserRole, ///< qint64; 0 for a heading
        HeadingRole,           ///< bool
        PinnedRole,            ///< bool
        WritingRole,           ///< bool: a reply is being written in it
        UnseenRole,            ///< bool: an answer came while it was not open
        FoundRole,             ///< qint64: the message it is listed for; 0: its title
    };

    explicit ConversationListModel(QObject* parent = nullptr);

    void setConversations(const QList<app::ConversationSummary>& conversations);
    void setFilter(const QString& text);
    /// Conversations whose messages hold the filter's words; shown below those found by title.
    void setMessageHits(const QList<app::SearchHit>& hits);
    /// Groups are named as seen from this day.
    void setToday(QDate today);
    void setWriting(qint64 conversationId); ///< 0: none
    void setOpen(qint64 conversationId);
    /// Keeps a conversation out of the list at once, before the store answers.
    void setHidden(qint64 conversationId, bool hidden);

    int conversationCount() const { return m_shownCount; }
    bool isEmptyWithoutFilter() const { return m_conversations.isEmpty(); }
    /// Invalid where it is not shown.
    QModelIndex indexOf(qint64 conversationId) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    /// Emits titleEdited; the title shown changes when the store has it.
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    void titleEdited(qint64 conversationId, const QString& title);

private:
    struct Row {
        QString heading = {}; // empty: a conversation
        qsizetype conversation = -1;
        qint64 found = 0; // the message it is listed for
    };

    void rebuild();
    void addGrouped(const QList<qsizetype>& conversations);
    QString groupOf(const app::ConversationSummary& conversation) const;
    void repaint(qint64 conversationId);

    QList<app::ConversationSummary> m_conversations;
    QList<Row> m_rows;
    QHash<qint64, app::SearchHit> m_hits; ///< in messages, the newest of each conversation
    QString m_filter;
    QDate m_today;
    QSet<qint64> m_unseen;
    QSet<qint64> m_hidden;
    qint64 m_writing = 0;
    qint64 m_open = 0;
    int m_shownCount = 0;
};

} // namespace ui
