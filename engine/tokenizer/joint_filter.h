#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace engine {

/// Which two characters stand side by side in any token. Between two that do not, merging never
/// joins anything, so a long text falls into parts that are merged one by one. Two that do not may
/// be taken for some that do, never the other way. Immutable once built.
class JointFilter {
public:
    enum class Unit : unsigned char { Character, Byte };
    /// `unit`: what merging begins with.
    explicit JointFilter(Unit unit = Unit::Character)
        : m_bits(kBits / 64)
        , m_unit(unit)
    {
    }

    /// Notes every two neighbours in what a merge gives.
    void add(std::string_view token);
    bool mayJoin(std::string_view left, std::string_view right) const
    {
        const std::uint32_t bit = bitOf(left, right);
        return (m_bits[bit / 64] >> (bit % 64) & 1U) != 0;
    }
    /// Where the part of `text` that begins at `begin` ends.
    std::size_t partEnd(std::string_view text, std::size_t begin) const;

private:
    static constexpr std::uint32_t kBits = 1U << 20U;

    static std::uint32_t number(std::string_view character)
    {
        std::uint32_t value = 0;
        for (const char c : character)
            value = value << 8U | static_cast<unsigned char>(c);
        return value;
    }
    static std::uint32_t bitOf(std::string_view left, std::string_view right)
    {
        const std::uint64_t both = std::uint64_t{number(left)} << 32U | number(right);
        return static_cast<std::uint32_t>(both * 0x9E3779B97F4A7C15U >> 44U);
    }

    std::string_view unitAt(std::string_view text, std::size_t begin) const;

    std::vector<std::uint64_t> m_bits;
    Unit m_unit;
};

} // namespace engine
