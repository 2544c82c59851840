#include "engine/chat/jinja/json.h"

#include "engine/chat/jinja/whole_number.h"

#include <format>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace engine::jinja {

namespace {

constexpr std::size_t kMostNested = 200;

/// Receives the parser's events and builds the value.
class JsonBuilder final : public nlohmann::json_sax<nlohmann::json> {
public:
    JsonBuilder(Heap& heap, std::string_view text, const TextMap& map)
        : m_heap(heap)
        , m_text(text)
        , m_map(map)
    {
    }

    bool null() override { return add(Value::none()); }
    bool boolean(bool value) override { return add(Value::boolean(value)); }
    bool number_integer(number_integer_t value) override { return add(Value::integer(value)); }
    bool number_unsigned(number_unsigned_t value) override
    {
        const auto small = static_cast<std::int64_t>(value);
        if (small >= 0) return add(Value::integer(small));
        return add(
            Value::of(m_heap.make<BigInteger>(WholeNumber::parse(std::to_string(value), 10))));
    }
    bool number_float(number_float_t value, const string_t& digits) override
    {
        // A whole number beyond 64 bits comes here too.
        constexpr std::size_t kMostDigits = 4300; // as Python
        if (digits.find_first_of(".eE") != string_t::npos) return add(Value::number(value));
        if (digits.size() > kMostDigits) return fail("a number is too long");
        const bool negative = digits.starts_with('-');
        const WholeNumber whole =
            WholeNumber::parse(std::string_view(digits).substr(negative ? 1 : 0), 10);
        return add(Value::of(m_heap.make<BigInteger>(negative ? whole.negated() : whole)));
    }
    bool string(string_t& value) override { return add(textOf(value)); }
    bool binary(binary_t&) override { return fail("JSON holds no binary values"); }
    bool start_object(std::size_t) override { return open(true); }
    bool end_object() override
    {
        const Value done = Value::of(m_open.back().dict);
        m_open.pop_back();
        return add(done);
    }
    bool start_array(std::size_t) override { return open(false); }
    bool end_array() override
    {
        const Value done = m_heap.list(std::move(m_open.back().items));
        m_open.pop_back();
        return add(done);
    }
    bool key(string_t& value) override
    {
        m_open.back().key = textOf(value);
        return true;
    }
    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::detail::exception& exception) override
    {
        std::string_view message = exception.what();
        message.remove_prefix(std::min(message.find("parse error"), message.size()));
        m_failure = {FailureKind::Syntax, std::string(message), placeOf(position)};
        return false;
    }

    Outcome<Value> take() const
    {
        if (m_failure) return std::unexpected(*m_failure);
        return m_done.value_or(Value::none());
    }

private:
    struct Open {
        Dict* dict = nullptr; // null: a list
        std::vector<Value> items;
        Value key;
    };

    Value textOf(string_t& value)
    {
        return m_heap.text(m_map ? m_map(std::move(value)) : std::move(value));
    }

    bool open(bool isObject)
    {
        if (m_open.size() >= kMostNested)
            return fail(std::format("nested deeper than {} levels", kMostNested));
        m_open.push_back({isObject ? m_heap.make<Dict>() : nullptr, {}, {}});
        return true;
    }

    bool add(Value value)
    {
        if (m_open.empty()) {
            m_done = value;
        } else if (Open& open = m_open.back(); open.dict) {
            m_heap.charge(sizeof(Dict::Entry) + 64);
            open.dict->set({DictKey::Type::Text, open.key.text().utf8()}, open.key, value);
        } else {
            open.items.push_back(value);
        }
        return true;
    }

    bool fail(std::string message)
    {
        m_failure = {FailureKind::Limit, std::move(message), {1, 1}};
        return false;
    }

    Position placeOf(std::size_t offset) const
    {
        Position place{1, 1};
        for (const char c : m_text.substr(0, offset > 0 ? offset - 1 : 0)) {
            ++place.column;
            if (c == '\n') place = {place.line + 1, 1};
        }
        return place;
    }

    Heap& m_heap;
    std::string_view m_text;
    const TextMap& m_map; // may be empty
    std::vector<Open> m_open;
    std::optional<Value> m_done;
    std::optional<Failure> m_failure;
};

} // namespace

Outcome<Value> readJson(Heap& heap, std::string_view text)
{
    return readJson(heap, text, {});
}

Outcome<Value> readJson(Heap& heap, std::string_view text, const TextMap& map)
{
    JsonBuilder builder(heap, text, map);
    nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
    return builder.take();
}

} // namespace engine::jinja
