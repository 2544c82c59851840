#include "app/conversation/conversation_list.h"

#include "app/conversation/folded_text.h"

#include <QCoreApplication>
#include <QTextBoundaryFinder>

#include <algorithm>

namespace app {

namespace {

bool before(const ConversationSummary& a, const ConversationSummary& b)
{
    if (a.pinned != b.pinned) return a.pinned;
    if (a.updatedAt != b.updatedAt) return a.updatedAt > b.updatedAt;
    return a.id > b.id;
}

constexpr qsizetype kTitleLength = 48;

} // namespace

void ConversationList::reset(const QList<ConversationSummary>& conversations)
{
    m_list = conversations;
    std::ranges::sort(m_list, before);
}

const ConversationSummary* ConversationList::find(qint64 id) const
{
    const auto found = std::ranges::find(m_list, id, &ConversationSummary::id);
    return found == m_list.end() ? nullptr : &*found;
}

void ConversationList::put(const ConversationSummary& conversation)
{
    remove(conversation.id);
    m_list.insert(std::ranges::upper_bound(m_list, conversation, before), conversation);
}

void ConversationList::remove(qint64 id)
{
    m_list.removeIf([id](const ConversationSummary& row) { return row.id == id; });
}

QList<SearchHit> ConversationList::withTitle(const QString& text) const
{
    QList<FoldedText> words;
    for (const QString& word : text.simplified().split(u' ', Qt::SkipEmptyParts))
        words += FoldedText(word);
    QList<SearchHit> hits;
    if (words.isEmpty()) return hits;
    for (const ConversationSummary& row : m_list) {
        const FoldedText title(row.title);
        const bool all = std::ranges::all_of(
            words, [&title](const FoldedText& word) { return title.contains(word); });
        if (all) hits += SearchHit{row.id, 0, row.title};
    }
    return hits;
}

QString automaticTitle(const QString& text)
{
    const QString trimmed = text.trimmed();
    constexpr qsizetype kRead = 20 * kTitleLength; // of a line that may be a book
    QString line = trimmed.left(trimmed.indexOf(u'\n')).left(kRead).simplified();
    if (line.isEmpty()) return QCoreApplication::translate("ConversationStore", "New chat");
    if (line.size() <= kTitleLength) return line;
    // The last place within the length where a line could break; one character is kept for "…".
    QTextBoundaryFinder finder(QTextBoundaryFinder::Line, line);
    finder.setPosition(kTitleLength - 1);
    qsizetype end = finder.isAtBoundary() ? kTitleLength - 1 : finder.toPreviousBoundary();
    if (end <= 0) { // one long word
        finder = QTextBoundaryFinder(QTextBoundaryFinder::Grapheme, line);
        finder.setPosition(kTitleLength - 1);
        end = finder.isAtBoundary() ? kTitleLength - 1 : finder.toPreviousBoundary();
    }
    return line.first(std::max<qsizetype>(end, 0)).trimmed() % u'…';
}

} // namespace app
