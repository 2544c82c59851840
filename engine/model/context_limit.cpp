#include "engine/model/context_limit.h"

#include "engine/model/architecture.h"

#include <algorithm>
#include <string>

namespace engine {

std::int64_t contextLimit(const Metadata& metadata)
{
    const std::string name = metadata.stringOr("general.architecture", "");
    const Architecture* row = findArchitecture(name);
    if (row == nullptr || !row->choosesKeys) return 0;
    constexpr std::int64_t kMost = 1 << 24;
    const auto number = [&](std::string_view key) {
        return std::clamp<std::int64_t>(
            metadata.integerOr(name + ".attention.indexer." + std::string(key), 1), 1, kMost);
    };
    return std::min(number("top_k") * number("block_size"), kMost);
}

} // namespace engine
