#pragma once

#include "engine/base/result.h"
#include "engine/chat/chat_message.h"
#include "engine/chat/rendered_chat.h"
#include "engine/gguf/metadata.h"

#include <ctime>
#include <functional>
#include <memory>
#include <optional>
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

/// What a template is given beside the conversation.
struct ChatRenderOptions {
    bool addGenerationPrompt = true;    ///< end with what opens the assistant's turn
    std::optional<bool> enableThinking; ///< nothing: as the template has it
    std::string tools;              ///< a JSON array of OpenAI's function descriptions; empty: none
    std::string variables;          ///< a JSON object of further variables; empty: none
    std::function<std::tm()> clock; ///< what strftime_now shows; none: the local time
};

/// Turns a conversation into the text a model expects. Immutable; may be used from any thread.
class ChatTemplate {
public:
    /// Never fails for want of a template (see source()); one that cannot be parsed, or refuses the
    /// simplest conversation, falls back too and says so in notice().
    static std::unique_ptr<const ChatTemplate> create(const Metadata& metadata,
                                                      const Tokenizer& tokenizer);
    virtual ~ChatTemplate() = default;

    /// A system message the template does not take becomes the beginning of the first user turn;
    /// neighbouring turns of one role become one where it insists that they alternate. Nobody but
    /// the template writes control tokens: what the messages have of them is text. Errors:
    /// BadTemplate with line and column, or the template's own raise_exception; InvalidArgument
    /// where `options` holds no valid JSON.
    virtual Result<RenderedChat> render(std::span<const ChatMessage> messages,
                                        const ChatRenderOptions& options) const = 0;
    Result<RenderedChat> render(std::span<const ChatMessage> messages) const
    {
        return render(messages, ChatRenderOptions{});
    }

    virtual ChatTemplateSource source() const = 0;
    /// A sentence for the user where the model's own template is not used; empty otherwise.
    virtual const std::string& notice() const = 0;
    virtual const std::string& text() const = 0; ///< the Jinja source in use
};

} // namespace engine
