#include "app/cli/base64.h"
#include "app/cli/command.h"
#include "app/cli/model_argument.h"
#include "engine/engine.h"

#include <cstdio>
#include <functional>
#include <iostream>

namespace cli {

namespace {

using nlohmann::ordered_json;

/// Answers every line of stdin with a line of JSON; a line that fails gives {"error": ...} and the
/// next goes on.
void answerLines(const std::function<engine::Result<ordered_json>(const ordered_json&)>& answer)
{
    std::string line;
    while (std::getline(std::cin, line)) {
        const ordered_json request = ordered_json::parse(line, nullptr, false);
        if (!request.is_object()) {
            print({{"error", "expected a JSON object a line"}});
            continue;
        }
        const auto reply = answer(request);
        print(reply ? *reply : ordered_json{{"error", reply.error().message}});
    }
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

engine::Result<ordered_json> tokenize(const engine::Tokenizer& tokenizer,
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
    return ordered_json{{"ids", tokenizer.encode(*bytes, {.addSpecial = addSpecial,
                                                          .parseSpecial = parseSpecial})}};
}

engine::Result<ordered_json> detokenize(const engine::Tokenizer& tokenizer,
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
    return ordered_json{
        {"text_b64", toBase64(tokenizer.decode(ids, {.removeSpecial = removeSpecial,
                                                     .unparseSpecial = unparseSpecial}))}};
}

int run(Arguments arguments, CLI::App& program,
        engine::Result<ordered_json> (*answer)(const engine::Tokenizer&, const ordered_json&))
{
    std::string model;
    addModel(program, model, "a GGUF file (a vocabulary alone will do) or a folder");
    if (const auto exit = parse(program, arguments)) return *exit;
    const auto tokenizer = engine::openTokenizer(model);
    if (!tokenizer) return failed(tokenizer.error());
    answerLines([&](const ordered_json& request) { return answer(**tokenizer, request); });
    return std::ferror(stdin) == 0 ? kOk : failed("the input could not be read");
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
