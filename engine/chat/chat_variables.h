#pragma once

#include "engine/base/result.h"
#include "engine/chat/chat_message.h"
#include "engine/chat/chat_template.h"
#include "engine/chat/jinja/value.h"
#include "engine/gguf/metadata.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace engine {

class Tokenizer;

/// The texts of special tokens under the names templates know: "bos_token", "eos_token", ...
using SpecialTokens = std::vector<std::pair<std::string, std::string>>;

SpecialTokens specialTokens(const Metadata& metadata, const Tokenizer& tokenizer);

/// The variables Transformers gives a chat template: messages, add_generation_prompt, tools and
/// documents (None where there are none), the special tokens, and those of `options`. They live in
/// `heap`. Errors: InvalidArgument where `options` holds no valid JSON.
Result<const jinja::Dict*> chatVariables(jinja::Heap& heap, std::span<const ChatMessage> messages,
                                         const ChatRenderOptions& options,
                                         const SpecialTokens& tokens);

} // namespace engine
