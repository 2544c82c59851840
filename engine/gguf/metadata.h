#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace engine {

/// One GGUF value, widened: every signed integer to int64, every unsigned to uint64, both floats to
/// double. Arrays hold one element type; nested arrays are refused by the reader.
using MetadataValue =
    std::variant<std::int64_t, std::uint64_t, double, bool, std::string, std::vector<std::int64_t>,
                 std::vector<std::uint64_t>, std::vector<double>, std::vector<bool>,
                 std::vector<std::string>>;

/// The key-value part of a model, with look-ups that convert where nothing is lost and say
/// "expected / found" where it would be. A Hugging Face folder yields the same keys. Immutable once
/// built; reading from several threads is fine.
class Metadata {
public:
    /// False if the key is there already.
    bool insert(std::string key, MetadataValue value);
    void set(std::string key, MetadataValue value);

    /// Forgets every array (and its key): by far the most of the memory.
    void dropArrays();

    bool contains(std::string_view key) const { return find(key) != nullptr; }
    const MetadataValue* find(std::string_view key) const;
    const std::map<std::string, MetadataValue, std::less<>>& entries() const { return m_entries; }

    /// Errors: MissingMetadata, BadMetadata (another type, out of the target's range).
    Result<std::string> string(std::string_view key) const;
    Result<std::int64_t>
    integer(std::string_view key) const; ///< takes a float with no fraction too
    Result<double> number(std::string_view key) const;
    Result<bool> boolean(std::string_view key) const;

    /// The fallback where the key is absent or of another type.
    std::string stringOr(std::string_view key, std::string_view fallback) const;
    std::int64_t integerOr(std::string_view key, std::int64_t fallback) const;
    double numberOr(std::string_view key, double fallback) const;
    bool booleanOr(std::string_view key, bool fallback) const;

    /// Null where the key is absent or not an array of that kind.
    const std::vector<std::string>* strings(std::string_view key) const;
    /// Any numeric or bool array, widened; nothing where the key is absent or holds something else.
    std::optional<std::vector<std::int64_t>> integers(std::string_view key) const;
    std::optional<std::vector<double>> numbers(std::string_view key) const;

private:
    std::map<std::string, MetadataValue, std::less<>> m_entries;
};

} // namespace engine
