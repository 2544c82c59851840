#pragma once

#include "engine/base/json_view.h"
#include "engine/base/result.h"

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace engine {

/// What config.json says of the rotations, whichever of its many ways it says it.
struct RopeConfig {
    JsonView
        global; ///< the object with type, factor, ...; that of full attention where two are given
    JsonView sliding; ///< that of layers with a window
    std::string type; ///< "llama3", "yarn", ...; empty: plain
};

/// config.json, a multimodal model's text part laid over the whole. Every look-up takes the names
/// that different families have for one thing. Numbers are held to what a model can have.
class ModelConfig {
public:
    /// Errors: those of readJsonFile(); NotAModelFile without config.json; FileCorrupt where it is
    /// no object.
    static Result<ModelConfig> read(const std::filesystem::path& folder);
    static ModelConfig fromJson(nlohmann::json json);

    /// What the class has where config.json says nothing; a null there says that there is nothing.
    /// A default counts only where none of a value's names is in the file.
    void setDefaults(nlohmann::json defaults) { m_defaults = std::move(defaults); }

    /// The class that the weights belong to: the first of "architectures".
    std::string architecture() const;
    /// That of the text part of a model that also sees or hears; empty where no part says one.
    const std::string& textArchitecture() const { return m_textArchitecture; }

    JsonView any(std::initializer_list<std::string_view> names) const;
    JsonView operator[](std::string_view name) const { return any({name}); }
    /// In the file itself, not only among the class's defaults.
    bool says(std::string_view name) const { return m_json.contains(name); }
    bool has(std::string_view name) const { return static_cast<bool>(any({name})); }

    /// Whole numbers of 0 to 2^40.
    std::optional<std::int64_t> integer(std::initializer_list<std::string_view> names) const;
    std::optional<std::int64_t> integer(std::string_view name) const { return integer({name}); }
    std::optional<double> number(std::initializer_list<std::string_view> names) const;
    std::optional<double> number(std::string_view name) const { return number({name}); }
    bool booleanOr(std::string_view name, bool fallback) const;
    /// Errors: BadMetadata that names the value.
    Result<std::int64_t> required(std::initializer_list<std::string_view> names) const;

    // Derived, with the families' common fallbacks; 0 where nothing says.
    std::int64_t layerCount() const;
    std::int64_t headCount() const;
    std::int64_t headCountKv() const;
    std::int64_t embeddingLength() const;
    std::int64_t headLength() const;
    std::int64_t expertCount() const;
    double partialRotaryFactor(double fallback) const;
    RopeConfig rope() const;

private:
    nlohmann::json m_json;
    nlohmann::json m_defaults;
    std::string m_textArchitecture;
};

} // namespace engine
