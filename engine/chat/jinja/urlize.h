#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine::jinja {

struct UrlizeStyle {
    std::optional<std::int64_t> shownLength; ///< longer addresses are shown cut short
    std::string rel;                         ///< of the links; empty: none
    std::string target;                      ///< of the links; empty: none
    std::vector<std::string> schemes;        ///< further ones, such as "ftp:"
};

/// The HTML of a plain text with its web and mail addresses as links, found as Jinja2 finds them.
std::string urlize(std::string_view html, const UrlizeStyle& style);
/// Whether Jinja2 takes it as one of `schemes`: "ftp:", "git+ssh://".
bool isUriScheme(std::string_view text);

} // namespace engine::jinja
