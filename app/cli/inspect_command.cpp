#include "app/cli/command.h"
#include "app/cli/model_argument.h"
#include "engine/engine.h"

#include <cstdio>
#include <format>

namespace cli {

namespace {

nlohmann::ordered_json toJson(const engine::ModelInfo& info)
{
    nlohmann::ordered_json dtypes = nlohmann::ordered_json::object();
    for (const auto& [name, count] : info.dtypes)
        dtypes[name] = count;
    return {{"name", info.name},
            {"architecture", info.architecture},
            {"quantization", info.quantization},
            {"parameters", info.parameters},
            {"dtypes", dtypes},
            {"context_length", info.contextLength},
            {"vocabulary_size", info.vocabularySize},
            {"tokenizer", info.tokenizer},
            {"pre_tokenizer", info.preTokenizer},
            {"has_chat_template", info.hasChatTemplate},
            {"chat_template", info.chatTemplate},
            {"file_bytes", info.fileBytes},
            {"tensor_bytes", info.tensorBytes},
            {"kv_bytes_per_token_f16", info.kvBytesPerToken},
            {"multiply_adds_per_token", info.multiplyAddsPerToken},
            {"weight_bytes_per_token", info.weightBytesPerToken}};
}

void printText(const engine::ModelInfo& info)
{
    const auto line = [](std::string_view label, const std::string& value) {
        const std::string text = std::format("{:<26}{}\n", label, value);
        std::fputs(text.c_str(), stdout);
    };
    std::string dtypes;
    for (const auto& [name, count] : info.dtypes)
        dtypes += std::format("{}{} x{}", dtypes.empty() ? "" : ", ", name, count);
    line("name", info.name);
    line("architecture", info.architecture);
    line("quantization", info.quantization);
    line("parameters", std::format("{:.3g} million", static_cast<double>(info.parameters) / 1e6));
    line("dtypes", dtypes);
    line("trained context", std::format("{} tokens", info.contextLength));
    line("vocabulary", std::format("{} tokens", info.vocabularySize));
    line("tokenizer", info.preTokenizer.empty()
                          ? info.tokenizer
                          : std::format("{} / {}", info.tokenizer, info.preTokenizer));
    line("chat template", info.hasChatTemplate ? "in the file" : "none");
    line("file", std::format("{} bytes, tensors {}", info.fileBytes, info.tensorBytes));
    line("KV cache", std::format("{} bytes per token (f16)", info.kvBytesPerToken));
    line("one decoded token", std::format("{} multiply-adds, {} weight bytes",
                                          info.multiplyAddsPerToken, info.weightBytesPerToken));
}

} // namespace

int runInspect(Arguments arguments)
{
    CLI::App program("What a model file says of itself.", "inglenook-cli inspect");
    std::string model;
    bool json = false;
    addModel(program, model);
    program.add_flag("--json", json, "print one JSON object");
    if (const auto exit = parse(program, arguments)) return *exit;
    const auto info = engine::inspectModel(model);
    if (!info) return failed(info.error());
    if (json)
        print(toJson(*info));
    else
        printText(*info);
    return kOk;
}

} // namespace cli
