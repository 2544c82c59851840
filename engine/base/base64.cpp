#include "engine/base/base64.h"

namespace engine {

namespace {

int sextet(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    return c == '/' ? 63 : -1;
}

} // namespace

std::vector<std::byte> decodeBase64(std::string_view text)
{
    std::vector<std::byte> bytes;
    bytes.reserve(text.size() / 4 * 3);
    unsigned pending = 0;
    unsigned bits = 0;
    for (const char c : text) {
        const int value = sextet(c);
        if (value < 0) continue;
        pending = (pending << 6U | static_cast<unsigned>(value)) & 0xFFFFU;
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes.push_back(static_cast<std::byte>(pending >> bits & 0xFFU));
    }
    return bytes;
}

} // namespace engine
