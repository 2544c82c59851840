#include "engine/tokenizer/charsmap.h"

#include <algorithm>
#include <format>
#include <optional>

namespace engine {

namespace {

constexpr std::string_view kKey = "tokenizer.ggml.precompiled_charsmap";

// A unit of the array: bits 0-7 the byte that leads to it, bit 8 whether a string ends here, bits
// 10-30 the offset to its children, in 256s where bit 9 is set; bit 31 marks a value.
constexpr std::uint32_t kValueBit = 1U << 31U;

constexpr std::uint32_t offsetOf(std::uint32_t unit)
{
    return (unit >> 10U) << ((unit & 1U << 9U) >> 6U);
}

constexpr std::uint32_t labelOf(std::uint32_t unit)
{
    return unit & (kValueBit | 0xFFU);
}

constexpr bool endsString(std::uint32_t unit)
{
    return (unit & 1U << 8U) != 0;
}

std::uint32_t littleEndian(std::string_view bytes, std::size_t offset)
{
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;)
        value = value << 8U | static_cast<unsigned char>(bytes[offset + i]);
    return value;
}

std::unexpected<Error> bad(std::string_view what)
{
    return fail(ErrorCode::BadMetadata, std::format("{}: {}", kKey, what), std::string(kKey));
}

} // namespace

Result<Charsmap> Charsmap::read(const Metadata& metadata)
{
    if (!metadata.contains(kKey)) return Charsmap{};
    const auto values = metadata.integers(kKey);
    if (!values) return bad("expected bytes, found another type");
    std::string bytes;
    bytes.reserve(values->size());
    for (const std::int64_t value : *values) {
        if (value < -128 || value > 255) return bad("expected bytes, found larger numbers");
        bytes.push_back(static_cast<char>(value));
    }
    return parseText(bytes);
}

Result<Charsmap> Charsmap::parse(std::span<const std::byte> bytes)
{
    return parseText(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

Result<Charsmap> Charsmap::parseText(const std::string& bytes)
{
    Charsmap map;
    if (bytes.empty()) return map;
    if (bytes.size() < 4)
        return bad(std::format("expected 4 bytes or more, found {}", bytes.size()));
    const std::size_t arrayBytes = littleEndian(bytes, 0);
    if (arrayBytes % 4 != 0 || arrayBytes + 4 >= bytes.size())
        return bad(std::format("expected an array of {} bytes and texts behind it, found {} bytes",
                               arrayBytes, bytes.size() - 4));
    map.m_units.reserve(arrayBytes / 4);
    for (std::size_t i = 0; i < arrayBytes; i += 4)
        map.m_units.push_back(littleEndian(bytes, 4 + i));
    map.m_replacements = bytes.substr(4 + arrayBytes);
    if (map.m_replacements.back() != '\0') return bad("the last text has no end");
    return map;
}

Charsmap::Match Charsmap::match(std::string_view text, bool shortest) const
{
    if (m_units.empty()) return {};
    std::size_t bytes = 0;
    std::optional<std::uint32_t> value;
    std::size_t node = offsetOf(m_units.front());
    for (std::size_t i = 0; i < text.size() && text[i] != '\0'; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        node ^= byte;
        if (node >= m_units.size() || labelOf(m_units[node]) != byte) break;
        const std::uint32_t unit = m_units[node];
        node ^= offsetOf(unit);
        if (!endsString(unit)) continue;
        if (node >= m_units.size()) break;
        bytes = i + 1;
        value = m_units[node] & ~kValueBit;
        if (shortest) break;
    }
    if (!value || *value >= m_replacements.size()) return {};
    const std::size_t length = m_replacements.find('\0', *value) - *value;
    if (length > kMaxReplacement) return {};
    return {bytes, std::string_view(m_replacements).substr(*value, length)};
}

} // namespace engine
