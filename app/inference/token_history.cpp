#include "app/inference/token_history.h"

#include <algorithm>
#include <utility>

namespace app {

void TokenHistory::append(TokenRecord record)
{
    if (m_records.size() == kCapacity) m_records.pop_front();
    m_records.push_back(std::move(record));
}

const TokenRecord* TokenHistory::find(qint64 messageId, qsizetype offset) const
{
    // Of tokens that share a character the last completed it, and the others have no text.
    const auto found = std::ranges::find_if(m_records, [=](const TokenRecord& record) {
        return record.messageId == messageId && record.textBegin <= offset &&
               offset < record.textEnd;
    });
    return found == m_records.end() ? nullptr : &*found;
}

} // namespace app
