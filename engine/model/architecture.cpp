#include "engine/model/architecture.h"

#include <algorithm>
#include <format>
#include <limits>
#include <string>

namespace engine {

const Architecture* findArchitecture(std::string_view name)
{
    const std::span<const Architecture> rows = architectures();
    const auto row = std::ranges::find(rows, name, &Architecture::name);
    return row == rows.end() ? nullptr : &*row;
}

Result<const Architecture*> requireArchitecture(std::string_view name)
{
    if (const Architecture* row = findArchitecture(name)) return row;
    constexpr std::size_t kLongestShown = 64;
    if (name.size() > kLongestShown) name = name.substr(0, kLongestShown);
    return fail(ErrorCode::UnsupportedArchitecture,
                std::format("this model is `{}`; Inglenook does not know it yet", name),
                std::string(name));
}

void hidePictureTokens(const Architecture& row, std::span<float> logits)
{
    const auto end = std::min(logits.size(), static_cast<std::size_t>(row.pictureTokensEnd));
    for (auto i = static_cast<std::size_t>(row.pictureTokensFirst); i < end; ++i)
        logits[i] = std::numeric_limits<float>::lowest();
}

} // namespace engine
