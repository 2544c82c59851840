#pragma once

#include <string>
#include <string_view>

namespace engine {

/// Undoes the spaces that splitting into words puts before punctuation, as tokenizers with
/// `clean_up_tokenization_spaces` do: before ? ! . , and 's 'm 're 've, and on both sides of a lone
/// apostrophe.
std::string cleanedSpaces(std::string_view text);

} // namespace engine
