#pragma once

#include "engine/engine.h"

#include <QtTypes>

#include <deque>

namespace app {

/// One decoded token and the place of its text in the reply.
struct TokenRecord {
    qint64 messageId = 0;
    qsizetype textBegin = 0; ///< in UTF-16 units of the reply
    qsizetype textEnd = 0;
    engine::TokenEvent event;
};

/// The last 4096 decoded tokens with their candidates, oldest first.
class TokenHistory {
public:
    static constexpr std::size_t kCapacity = 4096;

    void append(TokenRecord record);
    void clear() { m_records.clear(); }

    std::size_t size() const { return m_records.size(); }
    const TokenRecord& at(std::size_t index) const { return m_records[index]; }
    const TokenRecord* last() const { return m_records.empty() ? nullptr : &m_records.back(); }
    /// The token that wrote the character at `offset` of a reply; null where it is not kept.
    const TokenRecord* find(qint64 messageId, qsizetype offset) const;

private:
    std::deque<TokenRecord> m_records;
};

} // namespace app
