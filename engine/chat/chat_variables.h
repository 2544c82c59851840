#pragma once

#include "engine/chat/chat_message.h"
#include "engine/chat/chat_template.h"
#include "engine/chat/control_token_guard.h"
#include "engine/chat/jinja/value.h"
#include "engine/gguf/metadata.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace engine {

class Tokenizer;

/// The texts of special tokens that templates name as variables: bos_token, eos_token, ...
using SpecialTokens = std::vector<std::pair<std::string, std::string>>;

SpecialTokens specialTokens(const Metadata& metadata, const Tokenizer& tokenizer);

/// How a message's text is passed: most templates take a text, some nothing but a list of parts.
enum class ContentForm : unsigned char { Text, Parts };

/// What goes into the variables besides the conversation.
struct TemplateSetting {
    const SpecialTokens& tokens;
    ContentForm form = ContentForm::Text;
    const ControlTokenGuard& guard;
    std::string mark; ///< what `guard` marks the conversation's texts with
};

/// The variables Transformers gives a chat template: messages, add_generation_prompt, tools and
/// documents (None where there are none), the special tokens, and those of `options`. They live in
/// `heap`. Errors: InvalidArgument where `options` holds no valid JSON.
Result<const jinja::Dict*> chatVariables(jinja::Heap& heap, std::span<const ChatMessage> messages,
                                         const ChatRenderOptions& options,
                                         const TemplateSetting& setting);

} // namespace engine
