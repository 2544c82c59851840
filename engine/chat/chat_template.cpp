#include "engine/chat/chat_template.h"

#include "engine/chat/chat_variables.h"
#include "engine/chat/fallback_templates.h"
#include "engine/chat/jinja/template.h"
#include "engine/tokenizer/tokenizer.h"

#include <algorithm>
#include <array>
#include <format>

namespace engine {

namespace {

constexpr std::string_view kBlank = " \t\r\n";

/// The model's default template; empty where it has none.
std::string ownTemplate(const Metadata& metadata)
{
    constexpr std::string_view kKey = "tokenizer.chat_template";
    std::string text = metadata.stringOr(kKey, "");
    if (!text.empty()) return text;
    text = metadata.stringOr("tokenizer.chat_template.default", "");
    if (!text.empty()) return text;
    // Several, none of them the default one: any is better than none.
    for (const auto& [key, value] : metadata.entries())
        if (const auto* named = std::get_if<std::string>(&value);
            named && key.starts_with(kKey) && !named->empty())
            return *named;
    return {};
}

std::string trimmed(const std::string& text)
{
    const std::size_t first = text.find_first_not_of(kBlank);
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<ChatMessage> withSystemInUserTurn(std::span<const ChatMessage> messages)
{
    std::string system;
    std::vector<ChatMessage> merged;
    for (const ChatMessage& message : messages) {
        if (message.role == "system") {
            if (!system.empty()) system += "\n\n";
            system += message.content;
            continue;
        }
        merged.push_back(message);
    }
    const auto user = std::ranges::find(merged, "user", &ChatMessage::role);
    if (user == merged.end())
        merged.insert(merged.begin(), ChatMessage{.role = "user", .content = system});
    else if (!system.empty())
        user->content = user->content.empty() ? system : system + "\n\n" + user->content;
    return merged;
}

std::vector<ChatMessage> withTurnsAlternating(std::span<const ChatMessage> messages)
{
    std::vector<ChatMessage> merged;
    for (const ChatMessage& message : messages) {
        const bool joins = !merged.empty() && merged.back().role == message.role &&
                           message.role != "tool" && message.toolCalls.empty() &&
                           merged.back().toolCalls.empty();
        if (joins)
            merged.back().content += "\n\n" + message.content;
        else
            merged.push_back(message);
    }
    return merged;
}

bool hasSystem(std::span<const ChatMessage> messages)
{
    return std::ranges::contains(messages, "system", &ChatMessage::role);
}

/// A template that takes a system message and leaves it out has not done what was asked.
bool leavesOutSystem(const std::string& text, std::span<const ChatMessage> messages)
{
    return std::ranges::any_of(messages, [&](const ChatMessage& message) {
        return message.role == "system" && text.find(trimmed(message.content)) == std::string::npos;
    });
}

class JinjaChatTemplate final : public ChatTemplate {
public:
    JinjaChatTemplate(jinja::Template parsed, std::string text, SpecialTokens tokens)
        : m_template(std::move(parsed))
        , m_text(std::move(text))
        , m_tokens(std::move(tokens))
    {
    }

    Result<std::string> render(std::span<const ChatMessage> messages,
                               const ChatRenderOptions& options) const override
    {
        Result<std::string> asIs = renderOnce(messages, options);
        const bool system = hasSystem(messages);
        if (asIs && !(system && leavesOutSystem(*asIs, messages))) return asIs;
        std::vector<ChatMessage> repaired(messages.begin(), messages.end());
        if (system) {
            repaired = withSystemInUserTurn(messages);
            if (Result<std::string> text = renderOnce(repaired, options)) return text;
        }
        if (asIs) return asIs;
        // Refused for another reason: perhaps two turns of one role follow each other.
        for (const auto& turns : {withTurnsAlternating(messages), withTurnsAlternating(repaired)})
            if (Result<std::string> text = renderOnce(turns, options)) return text;
        return asIs;
    }

    ChatTemplateSource source() const override { return m_source; }
    const std::string& notice() const override { return m_notice; }
    const std::string& text() const override { return m_text; }

    void setFallback(ChatTemplateSource source, std::string notice)
    {
        m_source = source;
        m_notice = std::move(notice);
    }

private:
    Result<std::string> renderOnce(std::span<const ChatMessage> messages,
                                   const ChatRenderOptions& options) const
    {
        jinja::Heap heap;
        TRY_ASSIGN(const jinja::Dict* variables, chatVariables(heap, messages, options, m_tokens));
        jinja::RenderOptions renderOptions;
        renderOptions.clock = options.clock;
        auto text = m_template.render(heap, *variables, renderOptions);
        if (!text) return std::unexpected(jinja::toError(text.error()));
        return std::move(*text);
    }

    jinja::Template m_template;
    std::string m_text;
    SpecialTokens m_tokens;
    ChatTemplateSource m_source = ChatTemplateSource::Model;
    std::string m_notice;
};

Result<std::unique_ptr<JinjaChatTemplate>> parseTemplate(std::string text,
                                                         const SpecialTokens& tokens)
{
    auto parsed = jinja::Template::parse(text);
    if (!parsed) return std::unexpected(jinja::toError(parsed.error()));
    return std::make_unique<JinjaChatTemplate>(std::move(*parsed), std::move(text), tokens);
}

/// Whether the template takes the simplest conversation.
Result<void> tryOut(const ChatTemplate& candidate)
{
    const std::array messages = {ChatMessage{.role = "user", .content = "Hello"}};
    TRY_ASSIGN(const std::string text, candidate.render(messages));
    if (text.find(messages[0].content) == std::string::npos)
        return fail(ErrorCode::BadTemplate, "it leaves out what the user says");
    return {};
}

std::string fallbackNotice(const FallbackTemplate& fallback, const std::string& reason)
{
    const std::string cause =
        reason.empty() ? "This model has no chat template."
                       : std::format("This model's own chat template does not work ({}).", reason);
    if (fallback.family.empty())
        return cause + " Its text is continued as it stands, without marks between the turns; a "
                       "model that was not made for chat may not answer well.";
    return std::format("{} The format of {} models is used instead, as its special tokens suggest; "
                       "if the replies look wrong, that may be why.",
                       cause, fallback.family);
}

std::unique_ptr<const ChatTemplate>
makeFallback(const Metadata& metadata, const SpecialTokens& tokens, const std::string& reason)
{
    const FallbackTemplate& fallback = fallbackTemplateFor(metadata);
    auto parsed = parseTemplate(std::string(fallback.source), tokens);
    if (!parsed) return nullptr; // the tests parse every one of them
    (*parsed)->setFallback(fallback.family.empty() ? ChatTemplateSource::PlainFallback
                                                   : ChatTemplateSource::FamilyFallback,
                           fallbackNotice(fallback, reason));
    return std::move(*parsed);
}

} // namespace

std::unique_ptr<const ChatTemplate> ChatTemplate::create(const Metadata& metadata,
                                                         const Tokenizer& tokenizer)
{
    const SpecialTokens tokens = specialTokens(metadata, tokenizer);
    std::string text = ownTemplate(metadata);
    if (text.empty()) return makeFallback(metadata, tokens, {});
    auto parsed = parseTemplate(std::move(text), tokens);
    if (!parsed) return makeFallback(metadata, tokens, parsed.error().message);
    if (const auto works = tryOut(**parsed); !works)
        return makeFallback(metadata, tokens, works.error().message);
    return std::move(*parsed);
}

} // namespace engine
