#include "engine/model/metadata_reader.h"

#include <algorithm>
#include <cmath>
#include <format>

namespace engine {

namespace {

Result<int> bounded(std::string key, std::int64_t value, MetadataReader::IntegerRange range)
{
    if (value >= range.least && value <= range.most) return static_cast<int>(value);
    std::string message =
        std::format("`{}` is {}; expected {} to {}", key, value, range.least, range.most);
    return fail(ErrorCode::BadMetadata, std::move(message), std::move(key));
}

Result<float> bounded(std::string key, double value, MetadataReader::NumberRange range)
{
    // Written so that a NaN fails too.
    if (value >= range.least && value <= range.most) return static_cast<float>(value);
    std::string message =
        std::format("`{}` is {}; expected {} to {}", key, value, range.least, range.most);
    return fail(ErrorCode::BadMetadata, std::move(message), std::move(key));
}

std::unexpected<Error> tooShort(std::string key, std::size_t found, int expected)
{
    std::string message = std::format("`{}` has {} values; {} are needed", key, found, expected);
    return fail(ErrorCode::BadMetadata, std::move(message), std::move(key),
                static_cast<std::uint64_t>(expected), found);
}

/// The common part of integers() and numbers(): `array` is what the metadata has under the key as
/// an array, `scalar` reads it as one value.
template <typename T, typename Source, typename Range, typename Scalar>
Result<std::vector<T>> spread(const std::string& key,
                              const std::optional<std::vector<Source>>& array, int count,
                              Range range, Scalar scalar)
{
    if (!array) {
        TRY_ASSIGN(T value, scalar());
        return std::vector<T>(static_cast<std::size_t>(count), value);
    }
    if (array->size() < static_cast<std::size_t>(count)) return tooShort(key, array->size(), count);
    std::vector<T> values;
    values.reserve(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        TRY_ASSIGN(T value, bounded(key, (*array)[i], range));
        values.push_back(value);
    }
    return values;
}

} // namespace

Result<int> MetadataReader::integer(std::string_view name, IntegerRange range) const
{
    TRY_ASSIGN(const std::int64_t value, m_metadata.integer(key(name)));
    return bounded(key(name), value, range);
}

Result<int> MetadataReader::integerOr(std::string_view name, int fallback, IntegerRange range) const
{
    if (!contains(name)) return fallback;
    return integer(name, range);
}

Result<float> MetadataReader::number(std::string_view name, NumberRange range) const
{
    TRY_ASSIGN(const double value, m_metadata.number(key(name)));
    return bounded(key(name), value, range);
}

Result<float> MetadataReader::numberOr(std::string_view name, float fallback,
                                       NumberRange range) const
{
    if (!contains(name)) return fallback;
    return number(name, range);
}

Result<bool> MetadataReader::booleanOr(std::string_view name, bool fallback) const
{
    if (!contains(name)) return fallback;
    return m_metadata.boolean(key(name));
}

Result<std::string> MetadataReader::stringOr(std::string_view name, std::string_view fallback) const
{
    if (!contains(name)) return std::string(fallback);
    return m_metadata.string(key(name));
}

int MetadataReader::arrayLength(std::string_view name) const
{
    const auto array = m_metadata.integers(key(name));
    return array ? static_cast<int>(array->size()) : 0;
}

Result<std::vector<int>> MetadataReader::integers(std::string_view name, int count, int fallback,
                                                  IntegerRange range) const
{
    return spread<int>(key(name), m_metadata.integers(key(name)), count, range,
                       [&] { return integerOr(name, fallback, range); });
}

Result<std::vector<float>> MetadataReader::numbers(std::string_view name, int count, float fallback,
                                                   NumberRange range) const
{
    return spread<float>(key(name), m_metadata.numbers(key(name)), count, range,
                         [&] { return numberOr(name, fallback, range); });
}

} // namespace engine
