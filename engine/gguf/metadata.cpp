#include "engine/gguf/metadata.h"

#include <array>
#include <cmath>
#include <format>
#include <limits>

namespace engine {

namespace {

constexpr std::array<std::string_view, 10> kKindNames = {"a signed integer",
                                                         "an unsigned integer",
                                                         "a float",
                                                         "a bool",
                                                         "a string",
                                                         "an array of signed integers",
                                                         "an array of unsigned integers",
                                                         "an array of floats",
                                                         "an array of bools",
                                                         "an array of strings"};

std::unexpected<Error> missing(std::string_view key)
{
    return fail(ErrorCode::MissingMetadata, std::format("the key {} is missing", key),
                std::string(key));
}

std::unexpected<Error> wrongKind(std::string_view key, std::string_view expected,
                                 const MetadataValue& found)
{
    return fail(ErrorCode::BadMetadata,
                std::format("{}: expected {}, found {}", key, expected, kKindNames[found.index()]),
                std::string(key));
}

constexpr std::uint64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();

// Nothing where the value is no whole number within int64.
std::optional<std::int64_t> wholeNumber(double value)
{
    if (!(value >= -0x1p63 && value < 0x1p63) || value != std::trunc(value)) return std::nullopt;
    return static_cast<std::int64_t>(value);
}

std::optional<std::int64_t> toInteger(const MetadataValue& value)
{
    if (const auto* i = std::get_if<std::int64_t>(&value)) return *i;
    if (const auto* u = std::get_if<std::uint64_t>(&value))
        return *u <= kMaxInt64 ? std::optional(static_cast<std::int64_t>(*u)) : std::nullopt;
    if (const auto* d = std::get_if<double>(&value)) return wholeNumber(*d);
    return std::nullopt;
}

std::optional<double> toNumber(const MetadataValue& value)
{
    if (const auto* d = std::get_if<double>(&value)) return *d;
    if (const auto* i = std::get_if<std::int64_t>(&value)) return static_cast<double>(*i);
    if (const auto* u = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*u);
    return std::nullopt;
}

template <typename Target, typename Source>
std::optional<std::vector<Target>> widened(const MetadataValue& value)
{
    const auto* source = std::get_if<std::vector<Source>>(&value);
    if (source == nullptr) return std::nullopt;
    std::vector<Target> target;
    target.reserve(source->size());
    for (const Source element : *source)
        target.push_back(static_cast<Target>(element));
    return target;
}

} // namespace

bool Metadata::insert(std::string key, MetadataValue value)
{
    return m_entries.emplace(std::move(key), std::move(value)).second;
}

void Metadata::set(std::string key, MetadataValue value)
{
    m_entries.insert_or_assign(std::move(key), std::move(value));
}

const MetadataValue* Metadata::find(std::string_view key) const
{
    const auto entry = m_entries.find(key);
    return entry == m_entries.end() ? nullptr : &entry->second;
}

Result<std::string> Metadata::string(std::string_view key) const
{
    const MetadataValue* value = find(key);
    if (value == nullptr) return missing(key);
    if (const auto* text = std::get_if<std::string>(value)) return *text;
    return wrongKind(key, "a string", *value);
}

Result<std::int64_t> Metadata::integer(std::string_view key) const
{
    const MetadataValue* value = find(key);
    if (value == nullptr) return missing(key);
    if (const auto number = toInteger(*value)) return *number;
    if (const auto* u = std::get_if<std::uint64_t>(value))
        return fail(ErrorCode::BadMetadata,
                    std::format("{}: expected at most {}, found {}", key, kMaxInt64, *u),
                    std::string(key), kMaxInt64, *u);
    if (const auto* d = std::get_if<double>(value))
        return fail(ErrorCode::BadMetadata,
                    std::format("{}: expected a whole number, found {}", key, *d),
                    std::string(key));
    return wrongKind(key, "an integer", *value);
}

Result<double> Metadata::number(std::string_view key) const
{
    const MetadataValue* value = find(key);
    if (value == nullptr) return missing(key);
    if (const auto number = toNumber(*value)) return *number;
    return wrongKind(key, "a number", *value);
}

Result<bool> Metadata::boolean(std::string_view key) const
{
    const MetadataValue* value = find(key);
    if (value == nullptr) return missing(key);
    if (const auto* boolean = std::get_if<bool>(value)) return *boolean;
    return wrongKind(key, "a bool", *value);
}

std::string Metadata::stringOr(std::string_view key, std::string_view fallback) const
{
    return string(key).value_or(std::string(fallback));
}

std::int64_t Metadata::integerOr(std::string_view key, std::int64_t fallback) const
{
    return integer(key).value_or(fallback);
}

double Metadata::numberOr(std::string_view key, double fallback) const
{
    return number(key).value_or(fallback);
}

bool Metadata::booleanOr(std::string_view key, bool fallback) const
{
    return boolean(key).value_or(fallback);
}

void Metadata::dropArrays()
{
    const auto isArray = [](const auto& entry) {
        return std::visit(
            []<typename T>(const T&) {
                return requires { typename T::allocator_type; } && !std::is_same_v<T, std::string>;
            },
            entry.second);
    };
    std::erase_if(m_entries, isArray);
}

const std::vector<std::string>* Metadata::strings(std::string_view key) const
{
    const MetadataValue* value = find(key);
    return value ? std::get_if<std::vector<std::string>>(value) : nullptr;
}

std::optional<std::vector<std::int64_t>> Metadata::integers(std::string_view key) const
{
    const MetadataValue* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (const auto* signedOnes = std::get_if<std::vector<std::int64_t>>(value)) return *signedOnes;
    if (auto bools = widened<std::int64_t, bool>(*value)) return bools;
    if (const auto* unsignedOnes = std::get_if<std::vector<std::uint64_t>>(value)) {
        for (const std::uint64_t element : *unsignedOnes) {
            if (element > kMaxInt64) return std::nullopt;
        }
        return widened<std::int64_t, std::uint64_t>(*value);
    }
    const auto* floats = std::get_if<std::vector<double>>(value);
    if (floats == nullptr) return std::nullopt;
    std::vector<std::int64_t> whole;
    whole.reserve(floats->size());
    for (const double element : *floats) {
        const auto number = wholeNumber(element);
        if (!number) return std::nullopt;
        whole.push_back(*number);
    }
    return whole;
}

std::optional<std::vector<double>> Metadata::numbers(std::string_view key) const
{
    const MetadataValue* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (auto doubles = widened<double, double>(*value)) return doubles;
    if (auto signedOnes = widened<double, std::int64_t>(*value)) return signedOnes;
    if (auto unsignedOnes = widened<double, std::uint64_t>(*value)) return unsignedOnes;
    return widened<double, bool>(*value);
}

} // namespace engine
