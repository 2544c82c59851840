#include "app/cli/usage.h"

#include <algorithm>
#include <format>
#include <numeric>
#include <vector>

namespace cli {

namespace {

/// Letters to insert, remove or replace (Levenshtein 1965).
std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

// "--temp=3" and "--temp" are the same option.
std::string_view nameOf(std::string_view argument)
{
    return argument.substr(0, argument.find('='));
}

bool isOption(std::string_view argument)
{
    return argument.size() > 1 && argument.front() == '-';
}

void collectOptions(const CLI::App& program, std::vector<std::string>& names)
{
    for (const CLI::Option* option : program.get_options()) {
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
        for (const std::string& name : option->get_snames())
            names.push_back("-" + name);
    }
    const auto all = [](const CLI::App*) { return true; };
    for (const CLI::App* group : program.get_subcommands(all))
        collectOptions(*group, names);
}

/// "Exactly 1 option from [--a,--b] is required", "... and 2 were given": of such a group the
/// library tells by words alone. Empty: it is another message.
std::string oneOfThese(std::string_view message)
{
    constexpr std::string_view kBegin = "Exactly 1 option from [";
    const std::size_t end = message.find(']');
    if (!message.starts_with(kBegin) || end == std::string_view::npos) return {};
    std::string names(message.substr(kBegin.size(), end - kBegin.size()));
    const std::size_t many = static_cast<std::size_t>(std::ranges::count(names, ',')) + 1;
    if (const std::size_t last = names.rfind(','); last != std::string::npos)
        names.replace(last, 1, " and ");
    for (std::size_t at = names.find(','); at != std::string::npos; at = names.find(',', at + 1))
        names.replace(at, 1, ", ");
    if (!message.contains(" were given"))
        return std::format("expected one of {}, found none; add the one you mean", names);
    return std::format("expected one of {}, found {}; leave out what you do not mean", names,
                       many == 2 ? "both" : "more");
}

std::string shortened(std::string_view text)
{
    constexpr std::size_t kMost = 80;
    return text.size() <= kMost ? std::string(text) : std::string(text.substr(0, kMost)) + "...";
}

/// Where a text of at most `most` bytes that begins `text` may end: with a character.
std::size_t cutAt(std::string_view text, std::size_t most)
{
    if (text.size() <= most) return text.size();
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U)
        --most;
    return most;
}

} // namespace

std::string printable(std::string_view message)
{
    constexpr std::size_t kLongestWord = 400; // longer ones, paths and numbers, are cut
    constexpr std::size_t kShown = 200;
    constexpr std::string_view kSpace = " \n\t";
    std::string out;
    while (!message.empty()) {
        const std::size_t space = std::min(message.find_first_of(kSpace), message.size());
        const std::string_view word = message.substr(0, std::max<std::size_t>(space, 1));
        const bool whole = word.size() <= kLongestWord;
        for (const char c : word.substr(0, whole ? word.size() : cutAt(word, kShown))) {
            const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
            if (control && !kSpace.contains(c))
                out += std::format("\\x{:02x}", static_cast<unsigned char>(c));
            else
                out += c;
        }
        if (!whole) {
            const std::size_t colon = word.ends_with(':') ? 1 : 0;
            out += "..." + std::string(word.substr(word.size() - colon));
        }
        message.remove_prefix(word.size());
    }
    return out;
}

std::string nearest(std::string_view word, std::span<const std::string> known)
{
    // A slip or two; in a short word one is already another word.
    const std::size_t most = std::min<std::size_t>(3, word.size() / 3);
    std::size_t least = most + 1;
    std::string_view found;
    for (const std::string& candidate : known) {
        // What somebody began to type may be far from its end.
        const bool begun = word.size() > 3 && candidate.starts_with(word);
        const std::size_t distance = begun ? 1 : editDistance(word, candidate);
        if (distance >= least) continue;
        least = distance;
        found = candidate;
    }
    return std::string(found);
}

std::string suggestion(std::string_view word, std::span<const std::string> known)
{
    const std::string near = nearest(word, known);
    return near.empty() ? near : std::format("; did you mean {}?", near);
}

std::string wrongUsage(const CLI::App& program, const CLI::ParseError& error)
{
    const std::vector<std::string> unknown = program.remaining();
    const auto option = std::ranges::find_if(unknown, isOption);
    if (option != unknown.end()) {
        std::vector<std::string> names;
        collectOptions(program, names);
        const std::string_view name = nameOf(*option);
        return std::format("there is no option {}{}", shortened(name), suggestion(name, names));
    }
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !unknown.empty())
        return std::format("\"{}\" is one argument too many; a text with spaces needs quotes",
                           shortened(unknown.front()));
    std::string message = error.what();
    const std::string name = message.substr(0, message.find(':'));
    if (message == name + ": At Most 1 required but received 2")
        return name + " was given twice; it takes one value";
    if (std::string one = oneOfThese(message); !one.empty()) return one;
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr &&
        message.ends_with(" missing"))
        return name + ": a value is missing";
    return message;
}

} // namespace cli
