#include "engine/tokenizer/space_cleaner.h"

#include <algorithm>
#include <array>

namespace engine {

namespace {

constexpr std::string_view kPunctuation = "?!.,";
constexpr std::array<std::string_view, 4> kContractions{"'s", "'m", "'re", "'ve"};

std::string withoutSpaceBeforePunctuation(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool drop = i > 0 && text[i - 1] == ' ' && kPunctuation.contains(text[i]);
        if (drop) out.pop_back();
        out.push_back(text[i]);
    }
    return out;
}

std::string withoutSpacesAroundApostrophe(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    char previous = '\0';
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool lone = text[i] == '\'' && previous == ' ' && text.substr(i + 1).starts_with(' ');
        if (lone) out.pop_back();
        out.push_back(text[i]);
        previous = lone ? '\0' : text[i];
        if (lone) ++i; // the space behind it, which counts for no other apostrophe
    }
    return out;
}

std::string withoutSpaceBeforeContraction(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool drop =
            i > 0 && text[i - 1] == ' ' &&
            std::ranges::any_of(kContractions, [rest = text.substr(i)](std::string_view part) {
                return rest.starts_with(part);
            });
        if (drop) out.pop_back();
        out.push_back(text[i]);
    }
    return out;
}

} // namespace

std::string cleanedSpaces(std::string_view text)
{
    return withoutSpaceBeforeContraction(
        withoutSpacesAroundApostrophe(withoutSpaceBeforePunctuation(text)));
}

} // namespace engine
