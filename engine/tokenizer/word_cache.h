#pragma once

#include "engine/tokenizer/tokenizer.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace engine {

/// Which tokens the last words of a text became. One place for a word, so nothing is searched. For
/// one text, which stays where it is; one thread.
class WordCache {
public:
    /// `textBytes`: of the text; a short one is not worth the memory.
    explicit WordCache(std::size_t textBytes)
    {
        if (textBytes < kWorthIt) return;
        const std::size_t most = std::min(textBytes / kBytesPerEntry, kMostEntries);
        m_bits = static_cast<unsigned>(std::bit_width(most) - 1);
        m_entries.resize(std::size_t{1} << m_bits);
    }

    /// Appends the tokens of `word`, as `encode()` does, which gives the same word the same ones.
    /// REQUIRES: `out` is the same each time, and keeps what it has.
    template <typename Encode>
    void encode(std::string_view word, std::vector<TokenId>& out, const Encode& encode)
    {
        if (m_entries.empty() || word.size() > kLongestWord) return encode();
        Entry& entry = m_entries[hashOf(word) >> (64U - m_bits)];
        if (entry.word == word) {
            for (std::size_t i = 0; i < entry.count; ++i)
                out.push_back(out[entry.begin + i]);
            return;
        }
        const std::size_t begin = out.size();
        encode();
        entry = {word, begin, out.size() - begin};
    }

private:
    static constexpr std::size_t kWorthIt = 1024;
    static constexpr std::size_t kBytesPerEntry = 32;
    static constexpr std::size_t kMostEntries = 1U << 14U;
    static constexpr std::size_t kLongestWord = 64;

    struct Entry {
        std::string_view word;
        std::size_t begin = 0; // in what was appended to
        std::size_t count = 0;
    };

    static std::uint64_t hashOf(std::string_view word)
    {
        std::uint64_t hash = word.size();
        while (!word.empty()) {
            std::uint64_t block = 0;
            const std::size_t bytes = std::min(word.size(), sizeof block);
            std::memcpy(&block, word.data(), bytes);
            hash = (std::rotl(hash, 23) ^ block) * 0x9E3779B97F4A7C15U;
            word.remove_prefix(bytes);
        }
        return hash;
    }

    unsigned m_bits = 0;
    std::vector<Entry> m_entries;
};

} // namespace engine
