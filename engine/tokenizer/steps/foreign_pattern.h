#pragma once

#include <string>
#include <string_view>

namespace engine {

/// A pattern as tokenizer.json files write it, in the words of ours: their reader (Oniguruma) knows
/// sets in sets and intersections of sets ("[^a[bc]]", "[\w&&[^\d]]"), and takes some classes of
/// characters differently. What is no pattern there stays none.
std::string translatedPattern(std::string_view pattern);

} // namespace engine
