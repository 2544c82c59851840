#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace engine {

/// Sums and products of numbers that come from a file: nothing where the result does not fit.
constexpr std::optional<std::uint64_t> checkedAdd(std::uint64_t a, std::uint64_t b)
{
    if (b > std::numeric_limits<std::uint64_t>::max() - a) return std::nullopt;
    return a + b;
}

constexpr std::optional<std::uint64_t> checkedMultiply(std::uint64_t a, std::uint64_t b)
{
    if (a != 0 && b > std::numeric_limits<std::uint64_t>::max() / a) return std::nullopt;
    return a * b;
}

/// `value` rounded up to a multiple of `unit`. REQUIRES: unit > 0.
constexpr std::optional<std::uint64_t> checkedRoundUp(std::uint64_t value, std::uint64_t unit)
{
    const std::uint64_t over = value % unit;
    return over == 0 ? value : checkedAdd(value, unit - over);
}

} // namespace engine
