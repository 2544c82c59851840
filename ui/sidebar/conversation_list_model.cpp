#include "ui/sidebar/conversation_list_model.h"

#include <QLocale>

#include <algorithm>

namespace ui {

ConversationListModel::ConversationListModel(QObject* parent)
    : QAbstractListModel(parent)
    , m_today(QDate::currentDate())
{
}

void ConversationListModel::setConversations(const QList<app::ConversationSummary>& conversations)
{
    if (conversations == m_conversations) return;
    m_conversations = conversations;
    // Pinned first, then the newest: groups follow each other without sorting by name.
    std::ranges::stable_sort(m_conversations, [](const auto& a, const auto& b) {
        return a.pinned != b.pinned ? a.pinned : a.updatedAt > b.updatedAt;
    });
    rebuild();
}

void ConversationListModel::setFilter(const QString& text)
{
    if (m_filter == text.trimmed()) return;
    m_filter = text.trimmed();
    m_hits.clear();
    rebuild();
}

void ConversationListModel::setMessageHits(const QList<app::SearchHit>& hits)
{
    m_hits.clear();
    for (const app::SearchHit& hit : hits)
        if (hit.messageId != 0 && !m_hits.contains(hit.conversationId))
            m_hits.insert(hit.conversationId, hit);
    rebuild();
}

void ConversationListModel::setToday(QDate today)
{
    if (m_today == today) return;
    m_today = today;
    rebuild();
}

void ConversationListModel::setWriting(qint64 conversationId)
{
    const qint64 before = std::exchange(m_writing, conversationId);
    if (before == conversationId) return;
    if (before != 0 && before != m_open) m_unseen.insert(before);
    repaint(before);
    repaint(conversationId);
}

void ConversationListModel::setOpen(qint64 conversationId)
{
    m_open = conversationId;
    m_unseen.remove(conversationId);
    repaint(conversationId);
}

void ConversationListModel::setHidden(qint64 conversationId, bool hidden)
{
    if (hidden)
        m_hidden.insert(conversationId);
    else
        m_hidden.remove(conversationId);
    rebuild();
}

QModelIndex ConversationListModel::indexOf(qint64 conversationId) const
{
    for (int i = 0; i < m_rows.size(); ++i)
        if (m_rows[i].conversation >= 0 &&
            m_conversations[m_rows[i].conversation].id == conversationId)
            return index(i);
    return {};
}

void ConversationListModel::repaint(qint64 conversationId)
{
    if (const QModelIndex row = indexOf(conversationId); row.isValid())
        Q_EMIT dataChanged(row, row);
}

QString ConversationListModel::groupOf(const app::ConversationSummary& conversation) const
{
    if (conversation.pinned) return tr("Pinned");
    const QDate day = conversation.updatedAt.toLocalTime().date();
    if (!day.isValid()) return tr("Earlier");
    const qint64 days = day.daysTo(m_today);
    if (days <= 0) return tr("Today");
    if (days == 1) return tr("Yesterday");
    if (days <= 7) return tr("Previous 7 days");
    const QString month = QLocale().standaloneMonthName(day.month());
    return day.year() == m_today.year() ? month
                                        : month % QLatin1Char(' ') % QString::number(day.year());
}

void ConversationListModel::rebuild()
{
    beginResetModel();
    m_rows.clear();
    QList<qsizetype> byTitle;
    QList<qsizetype> byMessage;
    for (qsizetype i = 0; i < m_conversations.size(); ++i) {
        const app::ConversationSummary& conversation = m_conversations[i];
        if (m_hidden.contains(conversation.id)) continue;
        if (m_filter.isEmpty() || conversation.title.contains(m_filter, Qt::CaseInsensitive))
            byTitle += i;
        else if (m_hits.contains(conversation.id))
            byMessage += i;
    }
    addGrouped(byTitle);
    if (!byMessage.isEmpty()) m_rows += Row{.heading = tr("In messages")};
    for (const qsizetype i : std::as_const(byMessage))
        m_rows += Row{.conversation = i, .found = m_hits.value(m_conversations[i].id).messageId};
    m_shownCount = static_cast<int>(byTitle.size() + byMessage.size());
    endResetModel();
}

void ConversationListModel::addGrouped(const QList<qsizetype>& conversations)
{
    QString group;
    for (const qsizetype i : conversations) {
        if (const QString name = groupOf(m_conversations[i]); name != group) {
            group = name;
            m_rows += Row{.heading = name};
        }
        m_rows += Row{.conversation = i};
    }
}

int ConversationListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant ConversationListModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= m_rows.size()) return {};
    const Row& row = m_rows[index.row()];
    if (row.conversation < 0) {
        if (role == Qt::DisplayRole) return row.heading;
        if (role == HeadingRole) return true;
        return role == IdRole ? QVariant(qint64(0)) : QVariant();
    }
    const app::ConversationSummary& conversation = m_conversations[row.conversation];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
        return conversation.title;
    case Qt::ToolTipRole:
        return m_hits.contains(conversation.id) ? m_hits.value(conversation.id).excerpt
                                                : conversation.title;
    case Qt::AccessibleTextRole:
        return conversation.id == m_writing ? tr("%1, being written").arg(conversation.title)
               : m_unseen.contains(conversation.id) ? tr("%1, new answer").arg(conversation.title)
                                                    : conversation.title;
    case IdRole:
        return conversation.id;
    case HeadingRole:
        return false;
    case PinnedRole:
        return conversation.pinned;
    case WritingRole:
        return conversation.id == m_writing;
    case UnseenRole:
        return m_unseen.contains(conversation.id);
    case FoundRole:
        return row.found;
    default:
        return {};
    }
}

bool ConversationListModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    const qint64 id = data(index, IdRole).toLongLong();
    const QString title = value.toString().simplified();
    if (role != Qt::EditRole || id == 0 || title.isEmpty()) return false;
    if (title != data(index, Qt::DisplayRole).toString()) Q_EMIT titleEdited(id, title);
    return true;
}

Qt::ItemFlags ConversationListModel::flags(const QModelIndex& index) const
{
    if (!index.isValid() || m_rows[index.row()].conversation < 0) return Qt::NoItemFlags;
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsEditable;
}

} // namespace ui
