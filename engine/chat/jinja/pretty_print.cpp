#include "engine/chat/jinja/pretty_print.h"

#include "engine/chat/jinja/operators.h"
#include "engine/chat/jinja/representation.h"
#include "engine/chat/jinja/text_operations.h"
#include "engine/chat/jinja/unicode.h"

#include <algorithm>

namespace engine::jinja {

namespace {

constexpr std::int64_t kWidth = 80;

/// Where a value is written: so many columns are taken before it, so many are wanted behind it.
struct Place {
    std::int64_t indent = 0;
    std::int64_t allowance = 0;
    int level = 0;
};

std::int64_t columns(std::string_view text)
{
    return static_cast<std::int64_t>(unicode::count(text));
}

/// Runs of non-space each with the white space that follows.
std::vector<std::string> wordsWithSpace(std::string_view line)
{
    std::vector<std::string> words;
    bool afterSpace = false;
    for (std::size_t at = 0; at < line.size();) {
        const unicode::Decoded decoded = unicode::decode(line, at);
        const bool space = unicode::isSpace(decoded.character);
        if (words.empty() || (afterSpace && !space)) words.emplace_back();
        words.back() += line.substr(at, decoded.bytes);
        afterSpace = space;
        at += decoded.bytes;
    }
    return words;
}

class PrettyPrinter {
public:
    explicit PrettyPrinter(Runtime& runtime)
        : m_runtime(runtime)
        , m_out(runtime)
    {
    }

    Outcome<Value> run(Value value)
    {
        TRY_ASSIGN(const Value ordered, withSortedKeys(value));
        TRY(write(ordered, {}));
        return m_out.finish();
    }

private:
    Outcome<Value> withSortedKeys(Value value)
    {
        TRY_ASSIGN(const Nesting nesting, m_runtime.nest());
        TRY(m_runtime.spend());
        if (value.is(Kind::List) || value.is(Kind::Tuple)) {
            std::vector<Value> items;
            for (const Value item : value.sequence().items()) {
                TRY_ASSIGN(const Value sorted, withSortedKeys(item));
                items.push_back(sorted);
            }
            return value.is(Kind::List) ? m_runtime.heap().list(std::move(items))
                                        : m_runtime.heap().tuple(std::move(items));
        }
        if (!value.is(Kind::Dict)) return value;
        std::vector<Dict::Entry> entries = value.dict().entries();
        TRY(stableSort(m_runtime, entries, [this](const auto& left, const auto& right) {
            return keyBefore(left.key, right.key);
        }));
        auto* sorted = m_runtime.heap().make<Dict>();
        for (const Dict::Entry& entry : entries) {
            TRY_ASSIGN(const Value inner, withSortedKeys(entry.value));
            TRY(m_runtime.insert(*sorted, entry.key, inner));
        }
        return Value::of(sorted);
    }

    /// By value where that can be compared, else by the type's name.
    Outcome<bool> keyBefore(Value left, Value right)
    {
        const auto order = compare(m_runtime, Comparison::Less, left, right);
        if (order || order.error().kind == FailureKind::Limit) return order;
        return typeName(left) < typeName(right);
    }

    Outcome<void> write(Value value, Place place)
    {
        TRY_ASSIGN(const Nesting nesting, m_runtime.nest());
        TRY_ASSIGN(const std::string text, represent(m_runtime, value));
        if (columns(text) > kWidth - place.indent - place.allowance) {
            ++place.level;
            if (value.is(Kind::Text) && !value.text().isMarkup())
                return writeText(value.text(), place);
            if (value.is(Kind::Dict) && value.dict().size() > 0)
                return writeDict(value.dict(), place);
            if (value.is(Kind::List) || value.is(Kind::Tuple)) return writeSequence(value, place);
        }
        m_out.append(text);
        return {};
    }

    void newLine(std::int64_t indent)
    {
        m_out.append("\n");
        m_out.repeat(" ", static_cast<std::size_t>(indent));
    }

    Outcome<void> writeSequence(Value value, Place place)
    {
        const bool tuple = value.is(Kind::Tuple);
        const auto& items = value.sequence().items();
        const std::string_view end = !tuple ? "]" : items.size() == 1 ? ",)" : ")";
        m_out.append(tuple ? "(" : "[");
        const Place inner{place.indent + 1, 1, place.level};
        for (std::size_t i = 0; i < items.size() && !m_out.isFull(); ++i) {
            const bool last = i + 1 == items.size();
            if (i > 0) newLine(inner.indent);
            TRY(write(items[i],
                      {inner.indent, last ? place.allowance + columns(end) : 1, inner.level}));
            if (!last) m_out.append(",");
        }
        m_out.append(end);
        return {};
    }

    Outcome<void> writeDict(const Dict& dict, Place place)
    {
        m_out.append("{");
        const std::int64_t indent = place.indent + 1;
        for (std::size_t i = 0; i < dict.size() && !m_out.isFull(); ++i) {
            const Dict::Entry& entry = dict.entries()[i];
            const bool last = i + 1 == dict.size();
            if (i > 0) newLine(indent);
            TRY_ASSIGN(const std::string key, represent(m_runtime, entry.key));
            m_out.append(key);
            m_out.append(": ");
            TRY(write(entry.value,
                      {indent + columns(key) + 2, last ? place.allowance + 1 : 1, place.level}));
            if (!last) m_out.append(",");
        }
        m_out.append("}");
        return {};
    }

    /// A text as several literals, broken at line ends and then between words.
    Outcome<void> writeText(const Text& text, Place place)
    {
        const bool outermost = place.level == 1; // then in parentheses
        if (outermost) {
            ++place.indent;
            ++place.allowance;
        }
        const std::vector<std::string> chunks = textChunks(text, place);
        TRY(m_runtime.spendBytes(text.utf8().size()));
        if (chunks.size() <= 1) {
            m_out.append(pythonQuoted(text.utf8()));
            return {};
        }
        if (outermost) m_out.append("(");
        for (std::size_t i = 0; i < chunks.size(); ++i) {
            if (i > 0) newLine(place.indent);
            m_out.append(chunks[i]);
        }
        if (outermost) m_out.append(")");
        return {};
    }

    static std::vector<std::string> textChunks(const Text& text, const Place& place)
    {
        std::vector<std::string> chunks;
        const std::vector<std::string_view> lines = splitLines(text.utf8(), true);
        const std::int64_t width = kWidth - place.indent;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const bool lastLine = i + 1 == lines.size();
            std::string whole = pythonQuoted(lines[i]);
            if (columns(whole) <= width - (lastLine ? place.allowance : 0)) {
                chunks.push_back(std::move(whole));
                continue;
            }
            std::string current;
            const std::vector<std::string> words = wordsWithSpace(lines[i]);
            for (std::size_t j = 0; j < words.size(); ++j) {
                const bool lastWord = lastLine && j + 1 == words.size();
                const std::int64_t room = width - (lastWord ? place.allowance : 0);
                if (columns(pythonQuoted(current + words[j])) > room) {
                    if (!current.empty()) chunks.push_back(pythonQuoted(current));
                    current = words[j];
                } else {
                    current += words[j];
                }
            }
            if (!current.empty()) chunks.push_back(pythonQuoted(current));
        }
        return chunks;
    }

    Runtime& m_runtime;
    TextBuilder m_out;
};

} // namespace

Outcome<Value> prettyPrint(Runtime& runtime, Value value)
{
    return PrettyPrinter(runtime).run(value);
}

} // namespace engine::jinja
