#include "app/cli/generation_options.h"

#include "app/cli/model_argument.h"

#include <array>
#include <limits>

namespace cli {

namespace {

constexpr std::array<std::pair<std::string_view, engine::KvType>, 4> kKvTypes{{
    {"f32", engine::KvType::F32},
    {"f16", engine::KvType::F16},
    {"bf16", engine::KvType::BF16},
    {"q8_0", engine::KvType::Q8_0},
}};

constexpr int kMostTokens = std::numeric_limits<int>::max();
constexpr double kMostSetting = 1000;
constexpr double kLeastPenalty = 1e-3; // logits are divided by it

double perSecond(int count, double seconds)
{
    return seconds > 0 ? count / seconds : 0;
}

} // namespace

std::optional<engine::KvType> parseKvType(const std::string& name)
{
    for (const auto& [known, type] : kKvTypes)
        if (known == name) return type;
    return std::nullopt;
}

CLI::IsMember kvTypeNames()
{
    std::vector<std::string> names;
    names.reserve(kKvTypes.size());
    for (const auto& [name, type] : kKvTypes)
        names.emplace_back(name);
    return CLI::IsMember(names);
}

void GenerationOptions::addTo(CLI::App& program)
{
    addModel(program, model);
    program.add_option("-n", settings.maxTokens, "most new tokens (-1: as many as fit)")
        ->check(wholeWithin(-1, kMostTokens));
    program.add_option("--temp", settings.temperature, "temperature; 0 is greedy")
        ->capture_default_str()
        ->check(within(0, kMostSetting));
    program.add_option("--top-k", settings.topK, "keep the K likeliest (0: off)")
        ->capture_default_str()
        ->check(wholeWithin(0, kMostTokens));
    program.add_option("--top-p", settings.topP, "keep the likeliest that sum to P (1: off)")
        ->capture_default_str()
        ->check(within(0, 1));
    program
        .add_option("--min-p", settings.minP, "keep what has P of the likeliest's share (0: off)")
        ->capture_default_str()
        ->check(within(0, 1));
    program.add_option("--typical", settings.typicalP, "locally typical sampling (1: off)")
        ->capture_default_str()
        ->check(within(0, 1));
    program.add_option("--repeat-penalty", settings.repeatPenalty, "1: off")
        ->capture_default_str()
        ->check(within(kLeastPenalty, kMostSetting));
    program.add_option("--presence-penalty", settings.presencePenalty, "0: off")
        ->capture_default_str()
        ->check(within(-kMostSetting, kMostSetting));
    program.add_option("--frequency-penalty", settings.frequencyPenalty, "0: off")
        ->capture_default_str()
        ->check(within(-kMostSetting, kMostSetting));
    program.add_option("--penalty-window", settings.penaltyWindow, "last tokens the penalties see")
        ->capture_default_str()
        ->check(wholeWithin(0, kMostTokens));
    program.add_option("--seed", seed, "the same seed draws the same tokens")
        ->check(wholeWithin(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()));
    program.add_option("--stop", stopStrings, "stop before this text (may be given several times)")
        ->check(someText("a text"));
    addAdapters(program, adapters);
    program
        .add_option("--draft", draft,
                    "a smaller model of the same vocabulary that guesses ahead; the reply is the "
                    "same, sooner")
        ->check(someText("a file or a folder"));
    program.add_option("--threads", threads, "0: as many as decode fastest")
        ->capture_default_str()
        ->check(threadCount());
    program.add_option("--ctx", contextLength, "context length (0: the model's, at most 4096)")
        ->check(tokenCount(0));
    program.add_option("--kv", kv, "KV cache type (f16; f32 where that is small)")
        ->check(kvTypeNames());
}

void streamReply(const std::string& text, const std::string& reasoning)
{
    std::fwrite(reasoning.data(), 1, reasoning.size(), stderr);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

engine::SamplingSettings GenerationOptions::sampling() const
{
    engine::SamplingSettings complete = settings;
    complete.seed = seed;
    return complete;
}

engine::Result<std::shared_ptr<engine::Model>> GenerationOptions::openModel() const
{
    engine::LoadOptions options;
    options.threads = threads;
    for (const std::string& adapter : adapters)
        options.adapters.emplace_back(parseAdapter(adapter));
    return engine::Model::open(model, options);
}

void sayNotice(const engine::Model& model)
{
    if (!model.notice().empty()) std::fprintf(stderr, "note: %s\n", model.notice().c_str());
}

engine::SessionOptions GenerationOptions::session() const
{
    engine::SessionOptions options;
    options.contextLength = contextLength;
    options.kv = parseKvType(kv);
    options.observe = 0;
    return options;
}

engine::Result<std::unique_ptr<engine::Session>>
GenerationOptions::createSession(std::shared_ptr<engine::Model> opened) const
{
    engine::SessionOptions options = session();
    if (!draft.empty()) {
        engine::LoadOptions small;
        small.threads = threads;
        TRY_ASSIGN(options.draft, engine::Model::open(modelPath(draft), small));
    }
    return engine::Session::create(std::move(opened), options);
}

nlohmann::ordered_json toJson(const engine::GenerationTimings& timings)
{
    return {{"prompt_tokens", timings.promptTokens},
            {"reused_tokens", timings.reusedTokens},
            {"generated_tokens", timings.generatedTokens},
            {"guessed_tokens", timings.guessedTokens},
            {"used_guesses", timings.usedGuesses},
            {"prefill_seconds", timings.prefillSeconds},
            {"decode_seconds", timings.decodeSeconds},
            {"seconds_to_first_token", timings.secondsToFirstToken},
            {"prefill_tokens_per_s",
             perSecond(timings.promptTokens - timings.reusedTokens, timings.prefillSeconds)},
            {"decode_tokens_per_s", perSecond(timings.generatedTokens, timings.decodeSeconds)}};
}

std::string_view stopReasonName(engine::StopReason reason)
{
    switch (reason) {
    case engine::StopReason::EndOfGeneration:
        return "eog";
    case engine::StopReason::StopString:
        return "stop-string";
    case engine::StopReason::MaxTokens:
        return "max-tokens";
    case engine::StopReason::ContextFull:
        return "context";
    case engine::StopReason::Cancelled:
        return "cancelled";
    }
    return "";
}

} // namespace cli
