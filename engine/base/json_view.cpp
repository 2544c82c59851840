#include "engine/base/json_view.h"

#include "engine/base/mapped_file.h"

#include <cmath>
#include <format>

namespace engine {

namespace {

// A value is copied and looked at by recursion, so its depth must be bounded before it exists.
constexpr int kMostDepth = 128;

bool isTooDeep(std::string_view text)
{
    int depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') inString = !inString;
        if (inString && c == '\\') ++i;
        if (inString) continue;
        if (c == '[' || c == '{') ++depth;
        if (c == ']' || c == '}') --depth;
        if (depth > kMostDepth) return true;
    }
    return false;
}

/// How many bytes of a text were read until it was seen to be no JSON, its end counted as one.
class ErrorPosition : public nlohmann::detail::json_sax_acceptor<nlohmann::json> {
public:
    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&)
    {
        m_position = position;
        return false;
    }
    std::size_t position() const { return m_position; }

private:
    std::size_t m_position = 0;
};

/// Why parseJson() gave nothing.
std::string problemOf(std::string_view text)
{
    if (text.empty()) return "the file is empty";
    if (isTooDeep(text)) return std::format("expected JSON of at most {} levels", kMostDepth);
    ErrorPosition error;
    nlohmann::json::sax_parse(text, &error);
    if (error.position() > text.size())
        return std::format("the JSON ends too early, after {} bytes; the file is incomplete",
                           text.size());
    return std::format("expected JSON, found something else at byte {}", error.position());
}

} // namespace

std::optional<nlohmann::json> parseJson(std::string_view text)
{
    if (isTooDeep(text)) return std::nullopt;
    nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
    if (value.is_discarded()) return std::nullopt;
    return value;
}

Result<nlohmann::json> readJsonFile(const std::filesystem::path& path, std::uint64_t mostBytes)
{
    TRY_ASSIGN(const MappedFile file, MappedFile::open(path));
    const std::string name = path.filename().string();
    if (file.bytes().size() > mostBytes)
        return fail(ErrorCode::FileCorrupt,
                    std::format("{}: expected at most {} bytes, found {}", name, mostBytes,
                                file.bytes().size()),
                    name, mostBytes, file.bytes().size());
    const auto* begin = reinterpret_cast<const char*>(file.bytes().data());
    const std::string_view text(begin, file.bytes().size());
    auto value = parseJson(text);
    if (!value)
        return fail(ErrorCode::FileCorrupt, std::format("{}: {}", name, problemOf(text)), name);
    return std::move(*value);
}

JsonView JsonView::operator[](std::string_view key) const
{
    const auto* members = object();
    if (members == nullptr) return {};
    const auto member = members->find(key);
    if (member == members->end() || member->second.is_null()) return {};
    return JsonView(member->second);
}

JsonView JsonView::any(std::initializer_list<std::string_view> keys) const
{
    for (const std::string_view key : keys) {
        if (const JsonView value = (*this)[key]) return value;
    }
    return {};
}

std::optional<std::int64_t> JsonView::integer() const
{
    if (m_value == nullptr) return std::nullopt;
    if (m_value->is_number_unsigned()) {
        const auto value = m_value->get<std::uint64_t>();
        return value <= INT64_MAX ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
    }
    if (m_value->is_number_integer()) return m_value->get<std::int64_t>();
    const auto value = number();
    if (!value || !(std::fabs(*value) < 0x1p62) || *value != std::trunc(*value))
        return std::nullopt;
    return static_cast<std::int64_t>(*value);
}

std::optional<double> JsonView::number() const
{
    if (m_value == nullptr || !m_value->is_number()) return std::nullopt;
    return m_value->get<double>();
}

std::optional<bool> JsonView::boolean() const
{
    if (m_value == nullptr || !m_value->is_boolean()) return std::nullopt;
    return m_value->get<bool>();
}

const std::string* JsonView::string() const
{
    return m_value ? m_value->get_ptr<const std::string*>() : nullptr;
}

std::string JsonView::stringOr(std::string_view fallback) const
{
    const std::string* text = string();
    return text ? *text : std::string(fallback);
}

const nlohmann::json::array_t* JsonView::array() const
{
    return m_value ? m_value->get_ptr<const nlohmann::json::array_t*>() : nullptr;
}

const nlohmann::json::object_t* JsonView::object() const
{
    return m_value ? m_value->get_ptr<const nlohmann::json::object_t*>() : nullptr;
}

std::optional<std::vector<double>> JsonView::numbers() const
{
    const auto* elements = array();
    if (elements == nullptr) return std::nullopt;
    std::vector<double> values;
    values.reserve(elements->size());
    for (const nlohmann::json& element : *elements) {
        const auto value = JsonView(element).number();
        if (!value) return std::nullopt;
        values.push_back(*value);
    }
    return values;
}

} // namespace engine
