#include "app/cli/command.h"

#include "app/cli/usage.h"
#include "engine/model/forward_input_check.h"
#include "engine/tokenizer/unicode.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <format>
#include <iostream>
#include <system_error>

namespace cli {

std::optional<int> parse(CLI::App& program, Arguments arguments)
{
    // CLI11 wants the arguments last first.
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    try {
        program.parse(std::move(reversed));
    } catch (const CLI::CallForHelp&) {
        std::fputs(program.help().c_str(), stdout);
        return kOk;
    } catch (const CLI::ParseError& error) {
        return refused(program, wrongUsage(program, error));
    }
    return std::nullopt;
}

int refused(const CLI::App& program, const std::string& sentence)
{
    std::fprintf(stderr, "error: %s\n%s --help says what it takes.\n", printable(sentence).c_str(),
                 program.get_name().c_str());
    return kWrongUsage;
}

int failed(const engine::Error& error)
{
    return failed(error.message);
}

int failed(const std::string& message)
{
    std::fprintf(stderr, "error: %s\n", printable(message).c_str());
    return kFailed;
}

namespace {

std::unexpected<engine::Error> unreadable(const std::string& path, const std::string& why)
{
    return engine::fail(engine::ErrorCode::FileUnreadable, std::format("{}: {}", path, why), path);
}

/// What a failed system call says of a file, and what to do about it.
std::string reasonOf(int number)
{
    switch (number) {
    case ENOENT:
    case ENOTDIR:
        return "no such file; check the path";
    case EISDIR:
        return "expected a text file, found a folder; name a file in it";
    case EACCES:
        return "the file cannot be opened for reading; check its permissions";
    default:
        return std::format("the file cannot be read ({})", std::generic_category().message(number));
    }
}

} // namespace

engine::Result<std::string> readFile(const std::string& path)
{
    constexpr std::size_t kMostBytes = std::size_t{256} << 20U;
    std::string content;
    std::FILE* file = std::fopen(path.c_str(), "rb");
    std::array<char, 65536> piece{};
    std::size_t count = 0;
    while (file != nullptr && content.size() <= kMostBytes &&
           (count = std::fread(piece.data(), 1, piece.size(), file)) > 0)
        content.append(piece.data(), count);
    const bool good = file != nullptr && std::ferror(file) == 0;
    const std::string reason = good ? std::string() : reasonOf(errno);
    if (file != nullptr) std::fclose(file);
    if (!good) return unreadable(path, reason);
    if (content.size() > kMostBytes)
        return unreadable(path,
                          std::format("expected a text of at most {} bytes, found more; give a "
                                      "shorter one",
                                      kMostBytes));
    return content;
}

engine::Result<std::string> readPrompt(const std::string& path)
{
    TRY_ASSIGN(std::string text, readFile(path));
    if (const std::size_t nul = text.find('\0'); nul != std::string::npos)
        return unreadable(
            path, std::format("expected a text, found a NUL at byte {}; give a text file", nul));
    const std::string utf8 = engine::unicode::wellFormed(text);
    if (utf8 == text) return text;
    const auto place = std::ranges::mismatch(text, utf8).in1 - text.begin();
    return unreadable(path,
                      std::format("expected UTF-8, found something else at byte {}; save the text "
                                  "as UTF-8",
                                  place));
}

CLI::Validator within(double least, double most)
{
    const std::string range = std::format("{} to {}", least, most);
    return {[=](std::string& text) {
                double value = 0;
                const char* end = text.data() + text.size();
                const auto [next, error] = std::from_chars(text.data(), end, value);
                if (error == std::errc() && next == end && value >= least && value <= most)
                    return std::string();
                return std::format("expected a number from {}, found {}", range,
                                   text.empty() ? "nothing" : text);
            },
            range};
}

CLI::Validator tokenCount(int least)
{
    return wholeWithin(least, engine::kMostContextLength);
}

CLI::Validator threadCount()
{
    return wholeWithin(0, 1024);
}

CLI::Validator someText(const std::string& what)
{
    return {[what](std::string& text) {
                return text.empty() ? std::format("expected {}, found nothing", what)
                                    : std::string();
            },
            ""};
}

std::string toLine(const nlohmann::ordered_json& value)
{
    return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void printLine(const std::string& line)
{
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
}

std::pair<std::string, float> parseAdapter(const std::string& text)
{
    const std::size_t sign = text.rfind('=');
    if (sign == std::string::npos) return {text, 1.0F};
    float strength = 0;
    const char* end = text.data() + text.size();
    const auto [next, error] = std::from_chars(text.data() + sign + 1, end, strength);
    if (error != std::errc() || next != end) return {text, 1.0F}; // a sign in the file's name
    return {text.substr(0, sign), strength};
}

void addAdapters(CLI::App& program, std::vector<std::string>& adapters)
{
    static constexpr float kMostStrength = 1000;
    const auto check = [](std::string& text) {
        const auto [path, strength] = parseAdapter(text);
        if (path.empty()) return std::string("expected a file, found nothing");
        if (std::abs(strength) <= kMostStrength) return std::string();
        return std::format("expected a strength from {} to {}, found {}", -kMostStrength,
                           kMostStrength, strength);
    };
    program.add_option("--lora", adapters, "a LoRA adapter in GGUF; F=0.5 adds half of it")
        ->check(CLI::Validator(check, ""));
}

namespace {

/// Nothing where it is no list of whole numbers.
std::optional<std::vector<int>> parseTokenList(const std::string& text)
{
    std::vector<int> ids;
    const char* at = text.data();
    const char* end = at + text.size();
    for (;;) {
        int id = 0;
        const auto [next, error] = std::from_chars(at, end, id);
        if (error != std::errc() || (next != end && *next != ',')) return std::nullopt;
        ids.push_back(id);
        if (next == end) return ids;
        at = next + 1;
    }
}

std::string checkTokenList(const std::string& text)
{
    if (parseTokenList(text)) return {};
    return std::format("expected token ids like 1,2,3, found \"{}\"", text.substr(0, 80));
}

} // namespace

CLI::Option* addTokens(CLI::App& program, std::vector<int>& ids)
{
    const auto keep = [&ids](const std::string& text) {
        ids = parseTokenList(text).value_or(std::vector<int>());
    };
    return program.add_option_function<std::string>("--tokens", keep, "token ids: 1,2,3")
        ->check(CLI::Validator([](std::string& text) { return checkTokenList(text); }, ""));
}

} // namespace cli
