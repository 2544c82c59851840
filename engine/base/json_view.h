#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace engine {

/// Nothing where it is no JSON, or nested more deeply than any of a model's files.
std::optional<nlohmann::json> parseJson(std::string_view text);

/// Parses a whole file of at most `mostBytes`. Errors: those of MappedFile::open(); FileCorrupt
/// where it is too long, too deep or no JSON.
Result<nlohmann::json> readJsonFile(const std::filesystem::path& path, std::uint64_t mostBytes);

/// A look at a JSON value that expects nothing of it: every question about a value that is absent
/// or of another type is answered with "nothing". Lives no longer than the JSON.
class JsonView {
public:
    JsonView() = default;
    explicit JsonView(const nlohmann::json& value)
        : m_value(&value)
    {
    }

    /// The member of that name; nothing where it is null, absent, or this is no object.
    JsonView operator[](std::string_view key) const;
    /// The first of the names that is there.
    JsonView any(std::initializer_list<std::string_view> keys) const;
    explicit operator bool() const { return m_value != nullptr; }

    std::optional<std::int64_t> integer() const; ///< takes a float with no fraction too
    std::optional<double> number() const;
    std::optional<bool> boolean() const;
    const std::string* string() const;
    std::string stringOr(std::string_view fallback) const;
    const nlohmann::json::array_t* array() const;
    const nlohmann::json::object_t* object() const;
    /// All elements as numbers; nothing where one is none.
    std::optional<std::vector<double>> numbers() const;

private:
    const nlohmann::json* m_value = nullptr;
};

} // namespace engine
