#include "engine/chat/jinja/escape.h"

namespace engine::jinja {

std::string escapeHtml(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '\'':
            out += "&#39;";
            break;
        case '"':
            out += "&#34;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

std::string escaped(const Text& text)
{
    return text.isMarkup() ? text.utf8() : escapeHtml(text.utf8());
}

} // namespace engine::jinja
