#include "engine/kernels/codebooks.h"

#include "engine/tensor/iq_grids.h"

#include <bit>

namespace engine {
namespace {

/// Fills `words` with the levels of packed entries of `kBits` an element, four elements a word.
template <unsigned kBits, std::size_t kEntries, std::size_t kWords, typename Level>
void expand(const std::array<std::uint16_t, kEntries>& grid,
            std::array<std::uint32_t, kWords>& words, Level level)
{
    constexpr std::size_t kWordsPerEntry = kWords / kEntries;
    for (std::size_t i = 0; i < kWords; ++i) {
        const unsigned entry = grid[i / kWordsPerEntry];
        const auto first = static_cast<unsigned>(i % kWordsPerEntry) * 4;
        words[i] = 0;
        for (unsigned j = 0; j < 4; ++j) {
            const unsigned code = entry >> (kBits * (first + j)) & ((1U << kBits) - 1);
            words[i] |= (static_cast<std::uint32_t>(level(code)) & 255U) << (8 * j);
        }
    }
}

Codebooks makeCodebooks()
{
    Codebooks books;
    const auto iq2 = [](unsigned code) { return static_cast<int>(kIq2Levels[code]); };
    expand<2>(kIq2XxsGrid, books.iq2Xxs, iq2);
    expand<2>(kIq2XsGrid, books.iq2Xs, iq2);
    expand<2>(kIq2SGrid, books.iq2S, iq2);
    expand<3>(kIq3XxsGrid, books.iq3Xxs,
              [](unsigned code) { return static_cast<int>(kIq3XxsLevels[code]); });
    expand<3>(kIq3SGrid, books.iq3S, [](unsigned code) { return static_cast<int>(2 * code + 1); });
    expand<2>(kIq1Grid, books.iq1, [](unsigned code) { return 8 * (static_cast<int>(code) - 1); });
    for (unsigned seven = 0; seven < 128; ++seven) {
        const unsigned eight = seven | (std::popcount(seven) % 2 != 0 ? 128U : 0U);
        for (unsigned half = 0; half < 2; ++half) {
            std::uint32_t& word = books.signs[2 * seven + half];
            word = 0;
            for (unsigned j = 0; j < 4; ++j)
                if ((eight >> (4 * half + j) & 1U) != 0) word |= 255U << (8 * j);
        }
    }
    return books;
}

} // namespace

const Codebooks& codebooks()
{
    static const Codebooks kBooks = makeCodebooks();
    return kBooks;
}

} // namespace engine
