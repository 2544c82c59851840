#pragma once

#include "engine/base/result.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>

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

/// Prints "error: message" on stderr; returns kFailed.
int failed(const engine::Error& error);
int failed(const std::string& message);

/// The whole of a file. Errors: FileUnreadable.
engine::Result<std::string> readFile(const std::string& path);

/// Takes finite numbers of that range only.
CLI::Validator within(double least, double most);
/// Threads a computation may be asked to run on; 0 stands for as many as decode fastest.
CLI::Validator threadCount();

/// One line of JSON on stdout. Text that is not UTF-8 is replaced, never refused.
void print(const nlohmann::ordered_json& value);

/// "F.gguf" or "F.gguf=0.5": a LoRA adapter and how much of it is added, all of it by default.
std::pair<std::string, float> parseAdapter(const std::string& text);

/// "1,2,3" -> ids. Nothing where it is not a list of whole numbers.
std::optional<std::vector<int>> parseTokenList(const std::string& text);

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
