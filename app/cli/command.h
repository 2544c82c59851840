#pragma once

#include "engine/base/result.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <concepts>
#include <format>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// inglenook-cli: the engine for scripts, tests and terminals. JSON on stdout where asked, messages
/// on stderr; exit 0 ok, 1 failed, 2 wrong usage.
namespace cli {

inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongUsage = 2;

using Arguments = std::span<const std::string>;

/// Parses into the variables the program's options are bound to. A value means: stop with that exit
/// code (help was shown, or the usage was wrong).
std::optional<int> parse(CLI::App& program, Arguments arguments);
/// Says on stderr what is wrong with the arguments, all of them together; returns kWrongUsage.
int refused(const CLI::App& program, const std::string& sentence);

/// Prints "error: message" on stderr; returns kFailed.
int failed(const engine::Error& error);
int failed(const std::string& message);

/// The whole of a text file. Errors: FileUnreadable, also where it is longer than any text a model
/// reads (a device may have no end).
engine::Result<std::string> readFile(const std::string& path);
/// The same for a text that somebody wrote. Errors: also FileUnreadable where it holds what is no
/// text: a byte that is not UTF-8, or NUL.
engine::Result<std::string> readPrompt(const std::string& path);

/// Takes finite numbers of that range only.
CLI::Validator within(double least, double most);
/// Takes whole numbers of that range only.
template <std::integral T>
CLI::Validator wholeWithin(T least, T most)
{
    const std::string range = std::format("{} to {}", least, most);
    return {[=](std::string& text) {
                T value = 0;
                const char* end = text.data() + text.size();
                const auto [next, error] = std::from_chars(text.data(), end, value);
                if (error == std::errc() && next == end && value >= least && value <= most)
                    return std::string();
                return std::format("expected a whole number from {}, found {}", range,
                                   text.empty() ? "nothing" : text);
            },
            range};
}
/// Positions or tokens, as many as a context can hold.
CLI::Validator tokenCount(int least);
/// Threads a computation may be asked to run on; 0 stands for as many as decode fastest.
CLI::Validator threadCount();

/// One line of JSON. Text that is not UTF-8 is replaced, never refused.
std::string toLine(const nlohmann::ordered_json& value);
void printLine(const std::string& line);
inline void print(const nlohmann::ordered_json& value)
{
    printLine(toLine(value));
}

/// --lora, checked to be something parseAdapter() takes.
void addAdapters(CLI::App& program, std::vector<std::string>& adapters);
/// "F.gguf" or "F.gguf=0.5": a LoRA adapter and how much of it is added, all of it by default.
std::pair<std::string, float> parseAdapter(const std::string& text);

/// Takes any text but an empty one, which stands for no file.
CLI::Validator someText(const std::string& what);

/// --tokens 1,2,3, into `ids`.
CLI::Option* addTokens(CLI::App& program, std::vector<int>& ids);

int runInspect(Arguments arguments);
int runGenerate(Arguments arguments);
int runLogits(Arguments arguments);
int runTokenize(Arguments arguments);
int runDetokenize(Arguments arguments);
int runTrace(Arguments arguments);
int runChat(Arguments arguments);
int runBench(Arguments arguments);
int runRender(Arguments arguments);
int runEmbed(Arguments arguments);

} // namespace cli
