#include "app/cli/generation_options.h"

#include <cstdio>

namespace cli {

namespace {

struct Prompt {
    std::string text;
    std::string file;
    bool raw = false;

    void addTo(CLI::App& program)
    {
        auto* group = program.add_option_group("prompt");
        group->add_option("--prompt", text, "the text");
        group->add_option("--prompt-file", file, "a file with the text")->check(someText("a file"));
        group->require_option(1);
        program.add_flag("--raw", raw, "no chat template: write on after the text as it is");
    }

    engine::Result<std::string> read() const
    {
        if (file.empty()) return text;
        return readFile(file);
    }

    engine::Result<engine::ChatPrompt> encode(const engine::Model& model) const
    {
        TRY_ASSIGN(const std::string content, read());
        if (raw)
            return engine::ChatPrompt{
                model.tokenizer().encode(content, {.addSpecial = true, .parseSpecial = true}), {}};
        const engine::ChatMessage turn{"user", content};
        return model.encodeChat({&turn, 1});
    }
};

engine::Result<int> generate(const GenerationOptions& options, const Prompt& prompt, bool json)
{
    TRY_ASSIGN(const std::shared_ptr<engine::Model> model, options.openModel(!prompt.raw));
    TRY_ASSIGN(const engine::ChatPrompt encoded, prompt.encode(*model));
    TRY_ASSIGN(const std::unique_ptr<engine::Session> session, options.createSession(model));
    engine::GenerationCallbacks callbacks;
    const engine::SamplingSettings settings = options.sampling();
    callbacks.settings = [&settings] { return settings; };
    if (!json)
        callbacks.token = [](const engine::TokenEvent& event) {
            streamReply(event.text, event.reasoning);
        };
    engine::ReplyOptions replyOptions{.stopStrings = options.stopStrings, .format = {}};
    if (!prompt.raw) replyOptions.format = encoded.reply;
    TRY_ASSIGN(const engine::GenerationResult result,
               session->generate(encoded.tokens, replyOptions, callbacks, {}));
    if (!json) {
        streamReply(result.trailing.text + "\n", result.trailing.reasoning);
        return kOk;
    }
    nlohmann::ordered_json object = {
        {"text", result.text},          {"ids", result.ids},
        {"prompt_ids", encoded.tokens}, {"stop_reason", stopReasonName(result.stopReason)},
        {"seed", result.seed},          {"timings", toJson(result.timings)}};
    if (!prompt.raw) object["reasoning"] = result.reasoning;
    print(object);
    return kOk;
}

} // namespace

int runGenerate(Arguments arguments)
{
    CLI::App program("Writes on after a prompt.", "inglenook-cli generate");
    GenerationOptions options;
    Prompt prompt;
    bool json = false;
    options.addTo(program);
    prompt.addTo(program);
    program.add_flag("--json", json, "print one JSON object instead of streaming the text");
    if (const auto exit = parse(program, arguments)) return *exit;
    const auto outcome = generate(options, prompt, json);
    return outcome ? *outcome : failed(outcome.error());
}

} // namespace cli
