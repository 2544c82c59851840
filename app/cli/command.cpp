#include "app/cli/command.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <format>
#include <iostream>

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
        std::fprintf(stderr, "error: %s\n%s", error.what(), program.help().c_str());
        return kWrongUsage;
    }
    return std::nullopt;
}

int failed(const engine::Error& error)
{
    return failed(error.message);
}

int failed(const std::string& message)
{
    std::fprintf(stderr, "error: %s\n", message.c_str());
    return kFailed;
}

engine::Result<std::string> readFile(const std::string& path)
{
    std::string content;
    std::FILE* file = std::fopen(path.c_str(), "rb");
    std::array<char, 65536> piece{};
    std::size_t count = 0;
    while (file != nullptr && (count = std::fread(piece.data(), 1, piece.size(), file)) > 0)
        content.append(piece.data(), count);
    const bool good = file != nullptr && std::ferror(file) == 0;
    if (file != nullptr) std::fclose(file);
    if (!good)
        return engine::fail(engine::ErrorCode::FileUnreadable, path + " cannot be read", path);
    return content;
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
                return std::format("expected a number from {}, found {}", range, text);
            },
            range};
}

CLI::Validator threadCount()
{
    return within(0, 1024);
}

void print(const nlohmann::ordered_json& value)
{
    const std::string line =
        value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
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

std::optional<std::vector<int>> parseTokenList(const std::string& text)
{
    std::vector<int> ids;
    const char* at = text.data();
    const char* end = at + text.size();
    while (at != end) {
        int id = 0;
        const auto [next, error] = std::from_chars(at, end, id);
        if (error != std::errc() || (next != end && *next != ',')) return std::nullopt;
        ids.push_back(id);
        at = next == end ? end : next + 1;
    }
    return ids;
}

} // namespace cli
