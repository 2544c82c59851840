#pragma once

#include "app/conversation/message.h"

#include <QList>
#include <QString>

namespace app {

/// The summaries of all conversations, pinned first, then the newest.
class ConversationList {
public:
    void reset(const QList<ConversationSummary>& conversations);
    const QList<ConversationSummary>& all() const { return m_list; }
    /// Null where there is none; valid until the list changes.
    const ConversationSummary* find(qint64 id) const;
    /// Adds or replaces one, at its place.
    void put(const ConversationSummary& conversation);
    void remove(qint64 id);
    /// Those whose title has all words of `text`, in any case.
    QList<SearchHit> withTitle(const QString& text) const;

private:
    QList<ConversationSummary> m_list;
};

/// The first line of the first message as a title of at most 48 characters, cut at the end of a
/// word.
QString automaticTitle(const QString& text);

} // namespace app
