#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace test {

/// The bytes of a base64 text. REQUIRES: well-formed, as the fixtures are.
inline std::vector<std::byte> decodeBase64(std::string_view text)
{
    const auto sextet = [](char c) -> unsigned {
        if (c >= 'A' && c <= 'Z') return static_cast<unsigned>(c - 'A');
        if (c >= 'a' && c <= 'z') return static_cast<unsigned>(c - 'a') + 26;
        if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0') + 52;
        return c == '+' ? 62 : 63;
    };
    std::vector<std::byte> bytes;
    bytes.reserve(text.size() / 4 * 3);
    unsigned pending = 0;
    int bits = 0;
    for (const char c : text) {
        if (c == '=') break;
        pending = pending << 6U | sextet(c);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes.push_back(static_cast<std::byte>(pending >> static_cast<unsigned>(bits)));
        }
    }
    return bytes;
}

} // namespace test
