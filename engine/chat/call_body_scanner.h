#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace engine {

/// Finds where a call of a tool ends while it arrives: at its closing mark, unless that is part of
/// a string in JSON or of a value between tags. One call, one thread. Linear.
class CallBodyScanner {
public:
    /// `close` must outlive the scanner and is not empty. `namedFirst`: something comes before the
    /// JSON, if there is any.
    CallBodyScanner(std::string_view close, bool namedFirst)
        : m_close(close)
        , m_place(namedFirst ? Place::Tags : Place::Start)
        , m_namedFirst(namedFirst)
    {
    }

    /// `body`: all that has arrived, what was there before at its beginning. Where the closing mark
    /// begins, if that is sure.
    std::optional<std::size_t> find(std::string_view body);

private:
    enum class Place : std::uint8_t { Start, Tags, Value, Json, String };

    /// Bytes of `rest` that are decided; 0 where more must arrive.
    std::size_t step(std::string_view rest);
    std::size_t stepTags(std::string_view rest);
    std::size_t stepValue(std::string_view rest);
    std::size_t stepString(std::string_view rest);

    std::string_view m_close;
    std::string_view m_valueClose; // within a value
    std::size_t m_done = 0;        // bytes that are decided
    Place m_place;
    bool m_namedFirst;
};

/// What stands before the closing mark of a call that has arrived whole; the mark is taken too.
/// Nothing where there is none.
std::optional<std::string_view> takeCallBody(std::string_view& text, std::string_view close,
                                             bool namedFirst);

} // namespace engine
