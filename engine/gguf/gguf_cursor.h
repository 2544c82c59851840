#pragma once

#include "engine/base/byte_order.h"
#include "engine/base/checked_math.h"
#include "engine/base/result.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <format>
#include <span>
#include <string>
#include <string_view>

namespace engine {

/// Reads numbers and strings of a GGUF file one after another and never beyond its end. `subject`
/// names what is being read, for errors.
class GgufCursor {
public:
    explicit GgufCursor(std::span<const std::byte> file)
        : m_file(file)
    {
    }

    void setBigEndian(bool bigEndian) { m_bigEndian = bigEndian; }
    void setWideLengths(bool wide) { m_wideLengths = wide; }
    void setSubject(std::string_view subject) { m_subject = subject; }

    std::uint64_t position() const { return m_position; }
    void seek(std::uint64_t position)
    {
        m_position = std::min<std::uint64_t>(position, m_file.size());
    }
    std::uint64_t bytesLeft() const { return m_file.size() - m_position; }
    std::string_view subject() const { return m_subject; }

    Result<std::span<const std::byte>> take(std::uint64_t count)
    {
        if (count > bytesLeft()) return truncated(count);
        const auto taken = m_file.subspan(m_position, count);
        m_position += count;
        return taken;
    }

    template <typename T>
    Result<T> number()
    {
        TRY_ASSIGN(const auto bytes, take(sizeof(T)));
        return decode<T>(bytes.data());
    }

    /// A number at an address that was checked.
    template <typename T>
    T decode(const std::byte* bytes) const
    {
        if (!m_bigEndian) return loadLittle<T>(bytes);
        std::array<std::byte, sizeof(T)> reversed;
        std::reverse_copy(bytes, bytes + sizeof(T), reversed.begin());
        return loadLittle<T>(reversed.data());
    }

    std::uint64_t lengthBytes() const { return m_wideLengths ? 8 : 4; }

    Result<std::uint64_t> length()
    {
        if (m_wideLengths) return number<std::uint64_t>();
        return number<std::uint32_t>();
    }

    /// The text stays in the file.
    Result<std::string_view> text(std::uint64_t mostBytes)
    {
        TRY_ASSIGN(const std::uint64_t count, length());
        if (count > bytesLeft()) return truncated(count);
        if (count > mostBytes)
            return fail(ErrorCode::FileCorrupt,
                        std::format("{}: expected a string of at most {} bytes, found {}",
                                    m_subject, mostBytes, count),
                        std::string(m_subject), mostBytes, count);
        TRY_ASSIGN(const auto bytes, take(count));
        return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }

    std::unexpected<Error> truncated(std::uint64_t count) const
    {
        const std::uint64_t needed = checkedAdd(m_position, count).value_or(UINT64_MAX);
        return fail(ErrorCode::FileTruncated,
                    std::format("{}: expected {} more bytes at byte {}, found {}", m_subject, count,
                                m_position, bytesLeft()),
                    std::string(m_subject), needed, m_file.size());
    }

private:
    std::span<const std::byte> m_file;
    std::uint64_t m_position = 0;
    bool m_bigEndian = false;
    bool m_wideLengths = true;
    std::string_view m_subject = "the header";
};

} // namespace engine
