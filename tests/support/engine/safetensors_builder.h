#pragma once

#include "engine/gguf/metadata.h"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace test {

/// A safetensors file of a header as it is given and of data.
std::string safetensorsFile(std::string_view header, std::string_view data);

/// Collects tensors and writes them as a safetensors file, in the order they come.
class SafetensorsBuilder {
public:
    /// `shape` in Hugging Face order: the last dimension is contiguous.
    SafetensorsBuilder& tensor(const std::string& name, std::vector<std::int64_t> shape,
                               std::span<const float> values);
    SafetensorsBuilder& raw(const std::string& name, const std::string& type,
                            std::vector<std::int64_t> shape, std::string_view bytes);
    std::string bytes() const;

private:
    nlohmann::ordered_json m_header = nlohmann::ordered_json::object();
    std::string m_data;
};

/// The files of a folder with a small byte-level vocabulary, for models whose tokens do not matter.
void writeTinyTokenizer(const std::filesystem::path& folder);

} // namespace test
