#pragma once

#include "engine/base/result.h"
#include "engine/huggingface/json_view.h"

#include <string>

namespace engine {

/// What GGUF calls the pre-tokenizer of a byte-level tokenizer.json, known by its steps and their
/// patterns. `cleanSpaces`: decoding removes spaces before punctuation, which the names imply too.
/// Errors: UnsupportedTokenizer that names the pattern.
Result<std::string> pretokenizerName(const JsonView& tokenizer, bool cleanSpaces);

} // namespace engine
