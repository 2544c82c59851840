#include "engine/tokenizer/steps/foreign_pattern.h"

#include "engine/tokenizer/regex.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace engine {

namespace {

// As they stand inside brackets. The last is a range or a property, so that a hyphen behind it
// begins none.
constexpr std::string_view kSpace =
    R"( \x{85}\x{A0}\x{1680}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\t-\r\x{2000}-\x{200A})";
constexpr std::string_view kWord = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc})";
constexpr std::string_view kHex = "0-9A-Fa-f";
constexpr int kMostDepth = 16;

struct ClassName {
    char letter;
    bool negated;
    std::string_view set;
};
constexpr std::array<ClassName, 6> kClassNames = {{{'s', false, kSpace},
                                                   {'S', true, kSpace},
                                                   {'w', false, kWord},
                                                   {'W', true, kWord},
                                                   {'h', false, kHex},
                                                   {'H', true, kHex}}};

std::string bracketed(std::string_view set, bool negated)
{
    std::string out = negated ? "[^" : "[";
    out += set;
    return out + ']';
}

/// One of several characters: those of `items`, or what one of `others` matches.
struct Set {
    std::string items;
    std::vector<std::string> others;

    std::string pattern() const
    {
        if (others.empty()) return items.empty() ? "(?!)" : bracketed(items, false);
        if (others.size() == 1 && items.empty()) return others.front();
        std::string out = "(?:";
        if (!items.empty()) out += bracketed(items, false) + '|';
        for (std::size_t i = 0; i < others.size(); ++i)
            out += (i > 0 ? "|" : "") + others[i];
        return out + ')';
    }
};

/// "{Han}" is the script itself, where ours would take the signs that several scripts share too.
std::string property(std::string_view braced)
{
    std::string_view name = braced.substr(1, braced.size() - 2);
    const bool isNegated = name.starts_with('^');
    if (isNegated) name.remove_prefix(1);
    const std::string script = "sc:" + std::string(name);
    if (!Regex::compileForScanner("\\p{" + script + '}')) return std::string(braced);
    return (isNegated ? "{^" : "{") + script + '}';
}

class Translator {
public:
    explicit Translator(std::string_view pattern)
        : m_rest(pattern)
    {
    }

    std::string run()
    {
        while (!m_rest.empty()) {
            if (m_rest.front() == '\\')
                escape(nullptr);
            else if (m_rest.front() == '[')
                m_out += set(0).pattern();
            else if (m_rest.starts_with("(?"))
                options();
            else
                m_out += take(1);
        }
        return std::move(m_out);
    }

private:
    std::string_view take(std::size_t bytes)
    {
        const std::string_view taken = m_rest.substr(0, bytes);
        m_rest.remove_prefix(taken.size());
        return taken;
    }

    /// Where `(?m)` lets the dot match line breaks, ours is `(?s)`.
    void options()
    {
        m_out += take(2);
        const std::size_t letters = std::min(m_rest.find_first_not_of("imx-"), m_rest.size());
        const bool isOptions =
            letters < m_rest.size() && (m_rest[letters] == ')' || m_rest[letters] == ':');
        if (!isOptions) return;
        for (const char c : take(letters))
            m_out += c == 'm' ? 's' : c;
    }

    /// Takes an escape into the set, or outside of any into the pattern.
    void escape(Set* set)
    {
        const std::string_view two = take(2);
        const auto* const name = std::ranges::find_if(
            kClassNames, [&](const ClassName& c) { return two.size() == 2 && c.letter == two[1]; });
        if (name != kClassNames.end()) {
            if (!set)
                m_out += bracketed(name->set, name->negated);
            else if (name->negated)
                set->others.push_back(bracketed(name->set, true));
            else
                set->items += name->set;
            return;
        }
        std::string& out = set ? set->items : m_out;
        if (two == "\\u" && m_rest.size() >= 4) {
            out += "\\x{" + std::string(take(4)) + '}';
            return;
        }
        out += two;
        if (m_rest.empty() || m_rest.front() != '{' || two.size() < 2) return;
        const bool isProperty = two[1] == 'p' || two[1] == 'P';
        if (!isProperty && two[1] != 'x' && two[1] != 'o') return;
        const std::string_view braced = take(std::min(m_rest.find('}'), m_rest.size() - 1) + 1);
        out += isProperty && braced.ends_with('}') ? property(braced) : std::string(braced);
    }

    /// From one bracket to the other.
    Set set(int depth)
    {
        take(1);
        const bool negated = m_rest.starts_with('^');
        if (negated) take(1);
        std::vector<Set> sets(1); // their intersection is meant
        bool first = true;
        while (!m_rest.empty() && (m_rest.front() != ']' || first)) {
            first = false;
            element(sets, depth);
        }
        take(1);
        return joined(sets, negated);
    }

    void element(std::vector<Set>& sets, int depth)
    {
        Set& current = sets.back();
        if (m_rest.starts_with("&&")) {
            take(2);
            sets.emplace_back();
        } else if (m_rest.starts_with("[:") && m_rest.contains(":]")) {
            current.items += take(m_rest.find(":]") + 2);
        } else if (m_rest.front() == '[' && depth < kMostDepth) {
            Set inner = set(depth + 1);
            current.items += inner.items;
            std::ranges::move(inner.others, std::back_inserter(current.others));
        } else if (m_rest.front() == '\\') {
            escape(&current);
        } else if (m_rest.front() == '[' || m_rest.front() == ']') {
            current.items += '\\';
            current.items += take(1);
        } else {
            current.items += take(1);
        }
    }

    static Set joined(const std::vector<Set>& sets, bool negated)
    {
        if (sets.size() == 1 && !negated) return sets.front();
        if (sets.size() == 1 && sets.front().others.empty() && !sets.front().items.empty())
            return {{}, {bracketed(sets.front().items, true)}};
        std::string all = "(?:";
        for (std::size_t i = 0; i + 1 < sets.size(); ++i)
            all += "(?=" + sets[i].pattern() + ')';
        all += sets.back().pattern() + ')';
        if (negated) all = "(?:(?!" + all + ")(?s:.))";
        return {{}, {std::move(all)}};
    }

    std::string_view m_rest;
    std::string m_out;
};

} // namespace

std::string translatedPattern(std::string_view pattern)
{
    return Translator(pattern).run();
}

} // namespace engine
