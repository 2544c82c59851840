#pragma once

#include "engine/base/result.h"
#include "engine/chat/chat_message.h"
#include "engine/gguf/metadata.h"

#include <memory>
#include <span>
#include <string>

namespace engine {

class Tokenizer;

/// Where the template in use came from.
enum class ChatTemplateSource : unsigned char {
    Model,          ///< the model's own Jinja
    FamilyFallback, ///< the model has none; the family was recognized by its special tokens
    PlainFallback,  ///< neither: the text of the turns, one after the other
};

/// Turns a conversation into the text a model expects. Immutable; may be used from any thread.
class ChatTemplate {
public:
    /// Never fails for want of a template (see source()); a template that cannot be parsed falls
    /// back too and says so in notice().
    static std::unique_ptr<const ChatTemplate> create(const Metadata& metadata,
                                                      const Tokenizer& tokenizer);
    virtual ~ChatTemplate() = default;

    /// Ends with what opens the assistant's turn. Errors: BadTemplate with line and column, or the
    /// template's own raise_exception.
    virtual Result<std::string> render(std::span<const ChatMessage> messages) const = 0;

    virtual ChatTemplateSource source() const = 0;
    /// A sentence for the user where the model's own template is not used; empty otherwise.
    virtual const std::string& notice() const = 0;
    virtual const std::string& text() const = 0; ///< the Jinja source in use
};

} // namespace engine
