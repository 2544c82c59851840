#include "engine/tokenizer/byte_level.h"

#include "engine/tokenizer/unicode.h"

#include <array>
#include <cstdint>

namespace engine::byte_level {

namespace {

constexpr bool isPrintable(unsigned byte)
{
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

/// By character, the byte it stands for, -1 for none: printable Latin-1 stands for itself, the
/// other bytes are numbered from 256 on.
constexpr auto kByteOf = [] {
    std::array<std::int16_t, 256 + 68> bytes{};
    bytes.fill(-1);
    std::size_t next = 256;
    for (unsigned byte = 0; byte < 256; ++byte)
        bytes[isPrintable(byte) ? byte : next++] = static_cast<std::int16_t>(byte);
    return bytes;
}();

struct Decoded {
    int byte; ///< -1: none
    std::size_t bytes;
};

Decoded decodeAt(std::string_view text, std::size_t offset)
{
    const unicode::Decoded c = unicode::decode(text, offset);
    return {c.valid && c.value < kByteOf.size() ? kByteOf[c.value] : -1, c.bytes};
}

} // namespace

bool append(std::string_view text, std::string& out)
{
    const std::size_t before = out.size();
    for (std::size_t i = 0; i < text.size();) {
        const Decoded c = decodeAt(text, i);
        if (c.byte < 0) {
            out.resize(before);
            return false;
        }
        out.push_back(static_cast<char>(c.byte));
        i += c.bytes;
    }
    return true;
}

std::string encode(std::string_view bytes)
{
    static constexpr auto kCharacterOf = [] {
        std::array<std::uint16_t, 256> characters{};
        for (std::size_t c = 0; c < kByteOf.size(); ++c)
            if (kByteOf[c] >= 0)
                characters[static_cast<std::size_t>(kByteOf[c])] = static_cast<std::uint16_t>(c);
        return characters;
    }();
    std::string out;
    out.reserve(bytes.size() + bytes.size() / 4);
    for (const char byte : bytes)
        unicode::append(out, kCharacterOf[static_cast<unsigned char>(byte)]);
    return out;
}

std::string decode(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const Decoded c = decodeAt(text, i);
        if (c.byte >= 0)
            out.push_back(static_cast<char>(c.byte));
        else
            out += text.substr(i, c.bytes);
        i += c.bytes;
    }
    return out;
}

} // namespace engine::byte_level
