#pragma once

#include "engine/base/json_view.h"

#include <optional>
#include <string>

namespace engine {

/// What GGUF calls the pre-tokenizer of a byte-level tokenizer.json, known by its steps and their
/// patterns; nothing where it is one of nobody else's, or a step or the model has a rule that the
/// name does not imply. `cleanSpaces`: decoding removes spaces before punctuation, which the names
/// imply too.
std::optional<std::string> knownPretokenizer(const JsonView& tokenizer, bool cleanSpaces);

} // namespace engine
