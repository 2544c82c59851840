#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

namespace engine::jinja {

/// A place in a template's source, both from 1, the column in characters. Line 0: not known.
struct Position {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
};

enum class FailureKind : std::uint8_t {
    Syntax,  ///< the template cannot be parsed
    Runtime, ///< an operation its values do not allow
    Raised,  ///< the template called raise_exception
    Limit,   ///< a budget is spent: steps, memory, nesting, size of a text
};

/// Why a template could not be parsed or rendered, worded as Jinja2 and Python word it.
struct Failure {
    FailureKind kind = FailureKind::Runtime;
    std::string message;
    Position at;
};

template <typename T>
using Outcome = std::expected<T, Failure>;

inline std::unexpected<Failure> failure(std::string message)
{
    return std::unexpected(Failure{FailureKind::Runtime, std::move(message), {}});
}

inline std::unexpected<Failure> overLimit(std::string message)
{
    return std::unexpected(Failure{FailureKind::Limit, std::move(message), {}});
}

/// Gives a failure its place, unless something nearer to the cause did.
template <typename T>
Outcome<T> located(Outcome<T> outcome, Position at)
{
    if (!outcome && outcome.error().at.line == 0) outcome.error().at = at;
    return outcome;
}

} // namespace engine::jinja
