#pragma once

#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/safetensors_builder.h"
#include "tests/support/engine/temp_folder.h"

#include "engine/model/model_file.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace test {

/// A folder made of a configuration and random tensors whose values the test knows.
class RandomModelFolder {
public:
    explicit RandomModelFolder(nlohmann::json config)
        : m_config(std::move(config))
    {
        writeTinyTokenizer(m_folder->path());
    }

    RandomModelFolder& add(const std::string& name, std::vector<std::int64_t> shape)
    {
        std::size_t count = 1;
        for (const std::int64_t dimension : shape)
            count *= static_cast<std::size_t>(dimension);
        m_values[name] = m_random.normals(count, 1);
        m_shapes[name] = std::move(shape);
        return *this;
    }

    const std::vector<float>& values(const std::string& name) const { return m_values.at(name); }
    const std::filesystem::path& path() const { return m_folder->path(); }
    const TempFolder& files() const { return *m_folder; }

    engine::Result<engine::ModelFile> open() const
    {
        SafetensorsBuilder builder;
        for (const auto& [name, values] : m_values)
            builder.tensor(name, m_shapes.at(name), values);
        m_folder->write("model.safetensors", builder.bytes());
        m_folder->write("config.json", m_config.dump());
        return engine::ModelFile::open(m_folder->path());
    }

private:
    std::unique_ptr<TempFolder> m_folder = std::make_unique<TempFolder>();
    RandomNumbers m_random{1};
    nlohmann::json m_config;
    std::map<std::string, std::vector<float>> m_values;
    std::map<std::string, std::vector<std::int64_t>> m_shapes;
};

/// Of a tensor that is there.
inline std::vector<float> valuesOf(const engine::ModelFile& model, const std::string& name)
{
    const engine::TensorView* tensor = model.find(name);
    if (tensor == nullptr) {
        ADD_FAILURE() << "no tensor " << name;
        return {};
    }
    std::vector<float> values(static_cast<std::size_t>(tensor->elements()));
    engine::dtypeInfo(tensor->dtype).dequantize(tensor->data, values.data(), values.size());
    return values;
}

} // namespace test
