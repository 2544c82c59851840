#include "engine/chat/chat_template.h"

#include "engine/chat/chat_variables.h"
#include "engine/chat/control_token_guard.h"
#include "engine/chat/fallback_templates.h"
#include "engine/chat/jinja/template.h"
#include "engine/tokenizer/tokenizer.h"

#include <algorithm>
#include <array>
#include <format>
#include <string_view>
#include <vector>

namespace engine {

namespace {

constexpr std::string_view kBlank = " \t\r\n";

/// The model a template belongs to.
struct Origin {
    const Metadata& metadata;
    const Tokenizer& tokenizer;
};

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

/// What a mark must not occur in.
std::vector<std::string_view> textsOf(std::span<const ChatMessage> messages,
                                      const ChatRenderOptions& options)
{
    std::vector<std::string_view> texts = {options.tools, options.variables};
    for (const ChatMessage& message : messages) {
        texts.insert(texts.end(), {message.role, message.content, message.reasoning,
                                   message.toolCallId, message.toolName});
        for (const ToolCall& call : message.toolCalls)
            texts.insert(texts.end(), {call.id, call.name, call.arguments});
    }
    return texts;
}

class JinjaChatTemplate final : public ChatTemplate {
public:
    JinjaChatTemplate(jinja::Template parsed, std::string text, const Origin& origin)
        : m_template(std::move(parsed))
        , m_text(std::move(text))
        , m_tokens(specialTokens(origin.metadata, origin.tokenizer))
        , m_guard(origin.metadata, origin.tokenizer, m_text)
    {
    }

    Result<RenderedChat> render(std::span<const ChatMessage> messages,
                                const ChatRenderOptions& options) const override
    {
        Result<RenderedChat> asIs = renderOnce(messages, options);
        const bool system = hasSystem(messages);
        if (asIs && !(system && leavesOutSystem(asIs->text, messages))) return asIs;
        std::vector<ChatMessage> repaired(messages.begin(), messages.end());
        if (system) {
            repaired = withSystemInUserTurn(messages);
            if (Result<RenderedChat> chat = renderOnce(repaired, options)) return chat;
        }
        if (asIs) return asIs;
        // Refused for another reason: perhaps two turns of one role follow each other.
        for (const auto& turns : {withTurnsAlternating(messages), withTurnsAlternating(repaired)})
            if (Result<RenderedChat> chat = renderOnce(turns, options)) return chat;
        return asIs;
    }

    ChatTemplateSource source() const override { return m_source; }
    const std::string& notice() const override { return m_notice; }
    const std::string& text() const override { return m_text; }

    void setContentForm(ContentForm form) { m_form = form; }
    void setFallback(ChatTemplateSource source, std::string notice)
    {
        m_source = source;
        m_notice = std::move(notice);
    }

private:
    Result<RenderedChat> renderOnce(std::span<const ChatMessage> messages,
                                    const ChatRenderOptions& options) const
    {
        std::vector<std::string_view> texts = textsOf(messages, options);
        texts.emplace_back(m_text);
        const TemplateSetting setting{m_tokens, m_form, m_guard,
                                      ControlTokenGuard::unusedMark(texts)};
        jinja::Heap heap;
        TRY_ASSIGN(const jinja::Dict* variables, chatVariables(heap, messages, options, setting));
        jinja::RenderOptions renderOptions;
        renderOptions.clock = options.clock;
        const auto text = m_template.render(heap, *variables, renderOptions);
        if (!text) return std::unexpected(jinja::toError(text.error()));
        return ControlTokenGuard::unmarked(*text, setting.mark);
    }

    jinja::Template m_template;
    std::string m_text;
    SpecialTokens m_tokens;
    ControlTokenGuard m_guard;
    ContentForm m_form = ContentForm::Text;
    ChatTemplateSource m_source = ChatTemplateSource::Model;
    std::string m_notice;
};

Result<std::unique_ptr<JinjaChatTemplate>> parseTemplate(std::string text, const Origin& origin)
{
    auto parsed = jinja::Template::parse(text);
    if (!parsed) return std::unexpected(jinja::toError(parsed.error()));
    return std::make_unique<JinjaChatTemplate>(std::move(*parsed), std::move(text), origin);
}

/// Whether the template takes the simplest conversations.
Result<void> tryOutTurns(const ChatTemplate& candidate)
{
    const std::array<ChatMessage, 3> messages = {
        ChatMessage{.role = "user", .content = "Hello"},
        ChatMessage{.role = "assistant", .content = "Good day"},
        ChatMessage{.role = "user", .content = "How are you?"}};
    TRY_ASSIGN(const RenderedChat first, candidate.render(std::span(messages).first(1)));
    if (first.text.find(messages[0].content) == std::string::npos)
        return fail(ErrorCode::BadTemplate, "it leaves out what the user says");
    // Some are made for one turn and say so themselves.
    const Result<RenderedChat> more = candidate.render(messages);
    if (!more && more.error().subject != jinja::kRaised) return std::unexpected(more.error());
    return {};
}

/// The same, in whichever form of its texts.
Result<void> tryOut(JinjaChatTemplate& candidate)
{
    Result<void> works = tryOutTurns(candidate);
    if (works) return works;
    candidate.setContentForm(ContentForm::Parts);
    return tryOutTurns(candidate) ? Result<void>() : works;
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

std::unique_ptr<const ChatTemplate> makeFallback(const Origin& origin, const std::string& reason)
{
    const FallbackTemplate& fallback = fallbackTemplateFor(origin.metadata);
    auto parsed = parseTemplate(std::string(fallback.source), origin);
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
    const Origin origin{metadata, tokenizer};
    std::string text = ownTemplate(metadata);
    if (text.empty()) return makeFallback(origin, {});
    auto parsed = parseTemplate(std::move(text), origin);
    if (!parsed) return makeFallback(origin, parsed.error().message);
    if (const auto works = tryOut(**parsed); !works)
        return makeFallback(origin, works.error().message);
    return std::move(*parsed);
}

} // namespace engine
