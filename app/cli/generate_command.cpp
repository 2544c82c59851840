#include "app/cli/generation_options.h"
#include "engine/generation/local_session.h"
#include "engine/generation/reply_scheduler.h"

#include <algorithm>
#include <format>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace cli {

namespace {

struct Prompts {
    std::vector<std::string> texts;
    std::string file;
    bool raw = false;

    void addTo(CLI::App& program)
    {
        auto* group = program.add_option_group("prompt");
        group->add_option("--prompt", texts, "the text; several are answered in one pass")
            ->allow_extra_args(false);
        group->add_option("--prompt-file", file, "a file with the text")->check(someText("a file"));
        group->require_option(1);
        program.add_flag("--raw", raw, "no chat template: write on after the text as it is");
    }

    engine::Result<std::vector<engine::ChatPrompt>> encode(const engine::Model& model) const
    {
        std::vector<std::string> contents = texts;
        if (!file.empty()) {
            TRY_ASSIGN(contents.emplace_back(), readPrompt(file));
        }
        std::vector<engine::ChatPrompt> encoded;
        for (const std::string& content : contents) {
            TRY_ASSIGN(encoded.emplace_back(), encode(model, content));
        }
        return encoded;
    }

private:
    static std::unexpected<engine::Error> emptyPrompt(std::string_view advice)
    {
        return engine::fail(engine::ErrorCode::InvalidArgument,
                            std::format("expected a prompt, found an empty text; {}", advice));
    }

    engine::Result<engine::ChatPrompt> encode(const engine::Model& model,
                                              const std::string& content) const
    {
        if (raw) {
            const engine::EncodeOptions options{.addSpecial = true, .parseSpecial = true};
            engine::ChatPrompt prompt{model.tokenizer().encode(content, options), {}};
            if (prompt.tokens.empty()) return emptyPrompt("this model needs a text to write on");
            return prompt;
        }
        if (content.empty())
            return emptyPrompt("give a text, or --raw to let the model write from nothing");
        const engine::ChatMessage turn{"user", content};
        return model.encodeChat({&turn, 1});
    }
};

/// Writes the replies to prompts and prints them.
class Writer {
public:
    Writer(const GenerationOptions& options, bool raw, bool json)
        : m_options(options)
        , m_raw(raw)
        , m_json(json)
    {
    }

    engine::Result<int> answer(const std::shared_ptr<engine::Model>& model,
                               const engine::ChatPrompt& prompt) const
    {
        TRY_ASSIGN(const std::unique_ptr<engine::Session> session, m_options.createSession(model));
        engine::ReplyRequest request = requestOf(prompt);
        bool noticed = m_raw; // a reply that cannot begin has an error and nothing else
        const auto notice = [&] {
            if (!std::exchange(noticed, true)) sayNotice(*model);
        };
        if (!m_json)
            request.callbacks.token = [&notice](const engine::TokenEvent& event) {
                notice();
                streamReply(event.text, event.reasoning);
            };
        TRY_ASSIGN(const engine::GenerationResult result,
                   session->generate(prompt.tokens, request.options, request.callbacks, {}));
        notice();
        if (m_json)
            printObject(prompt, result);
        else
            streamReply(result.trailing.text + "\n", result.trailing.reasoning);
        return kOk;
    }

    /// In one pass over the weights for each token of all; printed in the order of the prompts. One
    /// that cannot be answered costs the others nothing; then kFailed.
    engine::Result<int> answerTogether(const std::shared_ptr<engine::Model>& model,
                                       const std::vector<std::string>& texts,
                                       const std::vector<engine::ChatPrompt>& prompts) const
    {
        std::vector<Part> parts(prompts.size());
        engine::ReplyScheduler scheduler(*model);
        std::size_t shown = 0; // whose reply is on the terminal
        for (std::size_t i = 0; i < prompts.size(); ++i) {
            Part& part = parts[i];
            TRY_ASSIGN(part.session, engine::LocalSession::create(model, m_options.session()));
            engine::ReplyRequest request = requestOf(prompts[i]);
            if (!m_json)
                request.callbacks.token = [&part, &shown, i](const engine::TokenEvent& event) {
                    part.held += event.text;
                    part.heldReasoning += event.reasoning;
                    if (i == shown) part.show();
                };
            const auto added = scheduler.add(
                *part.session, prompts[i].tokens, std::move(request),
                [&part](engine::Result<engine::GenerationResult> one) { part.result = one; });
            if (!added) part.result = std::unexpected(added.error());
        }
        const auto begins = [](const Part& part) { return !part.result; };
        if (!m_raw && std::ranges::any_of(parts, begins)) sayNotice(*model);
        if (!m_json) showPrompt(texts.front(), true);
        bool allAnswered = true;
        do {
            scheduler.step();
            while (shown < parts.size() && parts[shown].result) {
                allAnswered = finish(prompts[shown], parts[shown]) && allAnswered;
                if (++shown == parts.size()) break;
                if (!m_json) showPrompt(texts[shown], false);
                parts[shown].show();
            }
        } while (shown < parts.size());
        return allAnswered ? kOk : kFailed;
    }

private:
    /// One of several replies: what of it is not on the terminal yet, and what it came to.
    struct Part {
        std::unique_ptr<engine::LocalSession> session;
        std::string held;
        std::string heldReasoning;
        std::optional<engine::Result<engine::GenerationResult>> result;

        void show()
        {
            streamReply(held, heldReasoning);
            held.clear();
            heldReasoning.clear();
        }
    };

    static void showPrompt(const std::string& text, bool first)
    {
        streamReply((first ? "> " : "\n> ") + text.substr(0, text.find('\n')) + "\n", {});
    }

    /// The end of a reply, or why there is none; false then.
    bool finish(const engine::ChatPrompt& prompt, const Part& part) const
    {
        if (!*part.result) {
            if (m_json) cli::print({{"error", part.result->error().message}});
            failed(part.result->error());
            return false;
        }
        const engine::GenerationResult& result = **part.result;
        if (m_json)
            printObject(prompt, result);
        else
            streamReply(result.trailing.text + "\n", result.trailing.reasoning);
        return true;
    }

    engine::ReplyRequest requestOf(const engine::ChatPrompt& prompt) const
    {
        engine::ReplyRequest request;
        request.options.stopStrings = m_options.stopStrings;
        if (!m_raw) request.options.format = prompt.reply;
        request.callbacks.settings = [settings = m_options.sampling()] { return settings; };
        return request;
    }

    void printObject(const engine::ChatPrompt& prompt, const engine::GenerationResult& result) const
    {
        nlohmann::ordered_json object = {
            {"text", result.text},         {"ids", result.ids},
            {"prompt_ids", prompt.tokens}, {"stop_reason", stopReasonName(result.stopReason)},
            {"seed", result.seed},         {"timings", toJson(result.timings)}};
        if (!m_raw) object["reasoning"] = result.reasoning;
        cli::print(object);
    }

    const GenerationOptions& m_options;
    bool m_raw;
    bool m_json;
};

engine::Result<int> generate(const GenerationOptions& options, const Prompts& prompts, bool json)
{
    TRY_ASSIGN(const std::shared_ptr<engine::Model> model, options.openModel());
    TRY_ASSIGN(const std::vector<engine::ChatPrompt> encoded, prompts.encode(*model));
    const Writer writer(options, prompts.raw, json);
    if (encoded.size() == 1) return writer.answer(model, encoded.front());
    return writer.answerTogether(model, prompts.texts, encoded);
}

} // namespace

int runGenerate(Arguments arguments)
{
    CLI::App program("Writes on after a prompt.", "inglenook-cli generate");
    GenerationOptions options;
    Prompts prompts;
    bool json = false;
    options.addTo(program);
    prompts.addTo(program);
    program.add_flag("--json", json, "print a JSON object for each prompt instead of the text");
    if (const auto exit = parse(program, arguments)) return *exit;
    if (prompts.texts.size() > 1 && !options.draft.empty())
        return refused(program, "expected one prompt with --draft, found several: a draft model "
                                "guesses where one reply is written alone; leave out --draft");
    const auto outcome = generate(options, prompts, json);
    return outcome ? *outcome : failed(outcome.error());
}

} // namespace cli
