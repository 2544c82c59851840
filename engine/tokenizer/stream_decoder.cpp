#include "engine/tokenizer/stream_decoder.h"

#include <cstddef>
#include <cstdint>

namespace engine {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Scan {
    std::size_t bytes = 0; ///< looked at: a character, the start of one, or what cannot become one
    enum : std::uint8_t { Whole, Unfinished, Broken } outcome = Broken;
};

struct LeadRule {
    unsigned char first;
    unsigned char last;
    unsigned char length;
    unsigned char secondLeast;
    unsigned char secondMost;
};

// The Unicode Standard, table 3-7: well-formed UTF-8.
constexpr LeadRule kLeads[] = {
    {0x00, 0x7F, 1, 0, 0},       {0xC2, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF},
    {0xE1, 0xEC, 3, 0x80, 0xBF}, {0xED, 0xED, 3, 0x80, 0x9F}, {0xEE, 0xEF, 3, 0x80, 0xBF},
    {0xF0, 0xF0, 4, 0x90, 0xBF}, {0xF1, 0xF3, 4, 0x80, 0xBF}, {0xF4, 0xF4, 4, 0x80, 0x8F},
};

/// Looks at the character `text` begins with. What is broken is as long as the longest start of a
/// character in it, so that it becomes one U+FFFD.
Scan scan(std::string_view text)
{
    const auto lead = static_cast<unsigned char>(text.front());
    for (const LeadRule& rule : kLeads) {
        if (lead < rule.first || lead > rule.last) continue;
        for (std::size_t i = 1; i < rule.length; ++i) {
            if (i == text.size()) return {i, Scan::Unfinished};
            const auto byte = static_cast<unsigned char>(text[i]);
            const unsigned char least = i == 1 ? rule.secondLeast : 0x80;
            const unsigned char most = i == 1 ? rule.secondMost : 0xBF;
            if (byte < least || byte > most) return {i, Scan::Broken};
        }
        return {rule.length, Scan::Whole};
    }
    return {1, Scan::Broken};
}

} // namespace

std::string StreamDecoder::push(std::string_view bytes)
{
    std::string joined;
    if (!m_pending.empty()) {
        joined = m_pending.append(bytes);
        bytes = joined;
        m_pending.clear();
    }
    std::string out;
    out.reserve(bytes.size());
    while (!bytes.empty()) {
        const Scan found = scan(bytes);
        if (found.outcome == Scan::Unfinished) {
            m_pending = bytes;
            break;
        }
        out += found.outcome == Scan::Whole ? bytes.substr(0, found.bytes) : kReplacement;
        bytes.remove_prefix(found.bytes);
    }
    return out;
}

std::string StreamDecoder::finish()
{
    const bool unfinished = !m_pending.empty();
    m_pending.clear();
    return unfinished ? std::string(kReplacement) : std::string();
}

} // namespace engine
