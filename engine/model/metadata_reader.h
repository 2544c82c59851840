#pragma once

#include "engine/gguf/metadata.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// Reads the keys of one architecture ("llama.block_count" as "block_count") and holds every value
/// against bounds. A key that is there but cannot be right is BadMetadata, never a fallback.
class MetadataReader {
public:
    /// An empty `architecture` reads keys as they are named.
    MetadataReader(const Metadata& metadata, std::string_view architecture)
        : m_metadata(metadata)
        , m_prefix(architecture.empty() ? std::string() : std::string(architecture) + '.')
    {
    }

    struct IntegerRange {
        std::int64_t least;
        std::int64_t most;
    };
    struct NumberRange {
        double least;
        double most;
    };

    std::string key(std::string_view name) const { return m_prefix + std::string(name); }
    bool contains(std::string_view name) const { return m_metadata.contains(key(name)); }
    /// Of an array of whole numbers; 0 where the key has none.
    int arrayLength(std::string_view name) const;

    Result<int> integer(std::string_view name, IntegerRange range) const;
    Result<int> integerOr(std::string_view name, int fallback, IntegerRange range) const;
    Result<float> number(std::string_view name, NumberRange range) const;
    Result<float> numberOr(std::string_view name, float fallback, NumberRange range) const;
    Result<bool> booleanOr(std::string_view name, bool fallback) const;
    Result<std::string> stringOr(std::string_view name, std::string_view fallback) const;

    /// One value for all layers, or an array with one each (a longer one is cut: files may count
    /// layers the forward pass leaves out). `count` values, `fallback` where the key is absent.
    Result<std::vector<int>> integers(std::string_view name, int count, int fallback,
                                      IntegerRange range) const;
    Result<std::vector<float>> numbers(std::string_view name, int count, float fallback,
                                       NumberRange range) const;

private:
    const Metadata& m_metadata;
    std::string m_prefix;
};

} // namespace engine
