#include "app/cli/base64.h"
#include "app/cli/command.h"
#include "app/cli/model_argument.h"
#include "engine/engine.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <format>
#include <functional>
#include <iostream>

namespace cli {

namespace {

using nlohmann::ordered_json;

/// A request to a line of JSON.
using Answer = std::function<engine::Result<std::string>(const ordered_json&)>;

engine::Result<std::string> answerLine(const std::string& line, const Answer& answer)
{
    const ordered_json request = ordered_json::parse(line, nullptr, false);
    if (request.is_object()) return answer(request);
    return engine::fail(engine::ErrorCode::InvalidArgument, "expected a JSON object a line");
}

/// Answers every line of stdin with a line of JSON; a line that fails gives {"error": ...} and the
/// next goes on. kFailed where one did.
int answerLines(const Answer& answer)
{
    std::size_t lines = 0;
    std::size_t failures = 0;
    for (std::string line; std::getline(std::cin, line); ++lines) {
        const auto reply = answerLine(line, answer);
        printLine(reply ? *reply : toLine({{"error", reply.error().message}}));
        failures += reply ? 0 : 1;
    }
    if (std::ferror(stdin) != 0) return failed("the input could not be read");
    if (failures == 0) return kOk;
    return failed(std::format("{} of {} lines could not be answered; the output says why in their "
                              "places",
                              failures, lines));
}

engine::Result<bool> flag(const ordered_json& request, const char* key, bool fallback)
{
    const auto entry = request.find(key);
    if (entry == request.end()) return fallback;
    if (!entry->is_boolean())
        return engine::fail(engine::ErrorCode::InvalidArgument,
                            std::string(key) + ": expected true or false");
    return entry->get<bool>();
}

/// {"ids": [...]}, without a value in memory for each of what may be millions.
std::string idsLine(const std::vector<engine::TokenId>& ids)
{
    std::string line = R"({"ids":[)";
    line.reserve(line.size() + ids.size() * 6);
    std::array<char, 12> digits{};
    for (const engine::TokenId id : ids) {
        const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), id);
        line.append(digits.data(), written.ptr);
        line += ',';
    }
    if (!ids.empty()) line.pop_back();
    return line + "]}";
}

engine::Result<std::string> tokenize(const engine::Tokenizer& tokenizer,
                                     const ordered_json& request)
{
    const auto text = request.find("text_b64");
    const auto bytes = text != request.end() && text->is_string()
                           ? fromBase64(text->get_ref<const std::string&>())
                           : std::nullopt;
    if (!bytes)
        return engine::fail(engine::ErrorCode::InvalidArgument, "text_b64: expected base64");
    TRY_ASSIGN(const bool addSpecial, flag(request, "add_special", true));
    TRY_ASSIGN(const bool parseSpecial, flag(request, "parse_special", false));
    return idsLine(
        tokenizer.encode(*bytes, {.addSpecial = addSpecial, .parseSpecial = parseSpecial}));
}

engine::Result<std::string> detokenize(const engine::Tokenizer& tokenizer,
                                       const ordered_json& request)
{
    const auto list = request.find("ids");
    std::vector<engine::TokenId> ids;
    if (list == request.end() || !list->is_array())
        return engine::fail(engine::ErrorCode::InvalidArgument,
                            "ids: expected a list of token ids");
    for (const ordered_json& id : *list) {
        if (!id.is_number_integer() || id.get<std::int64_t>() < 0 ||
            id.get<std::int64_t>() >= tokenizer.size())
            return engine::fail(engine::ErrorCode::InvalidArgument,
                                "ids: expected whole numbers from 0 to " +
                                    std::to_string(tokenizer.size() - 1) + ", found " + id.dump());
        ids.push_back(id.get<engine::TokenId>());
    }
    TRY_ASSIGN(const bool removeSpecial, flag(request, "remove_special", false));
    TRY_ASSIGN(const bool unparseSpecial, flag(request, "unparse_special", false));
    return R"({"text_b64":")" +
           toBase64(tokenizer.decode(
               ids, {.removeSpecial = removeSpecial, .unparseSpecial = unparseSpecial})) +
           "\"}";
}

int run(Arguments arguments, CLI::App& program,
        engine::Result<std::string> (*answer)(const engine::Tokenizer&, const ordered_json&))
{
    std::string model;
    addModel(program, model, "a GGUF file (a vocabulary alone will do) or a folder");
    if (const auto exit = parse(program, arguments)) return *exit;
    const auto tokenizer = engine::openTokenizer(model);
    if (!tokenizer) return failed(tokenizer.error());
    return answerLines([&](const ordered_json& request) { return answer(**tokenizer, request); });
}

} // namespace

int runTokenize(Arguments arguments)
{
    CLI::App program(
        "Reads JSON lines {\"text_b64\", \"add_special\", \"parse_special\"} from stdin, "
        "writes {\"ids\"} a line.",
        "inglenook-cli tokenize");
    return run(arguments, program, tokenize);
}

int runDetokenize(Arguments arguments)
{
    CLI::App program(
        "Reads JSON lines {\"ids\", \"remove_special\", \"unparse_special\"} from stdin, "
        "writes {\"text_b64\"} a line.",
        "inglenook-cli detokenize");
    return run(arguments, program, detokenize);
}

} // namespace cli
