#include "tests/support/engine/safetensors_builder.h"

#include "engine/base/byte_order.h"

#include <fstream>

namespace test {

std::string safetensorsFile(std::string_view header, std::string_view data)
{
    std::string file(8, '\0');
    engine::storeLittle<std::uint64_t>(reinterpret_cast<std::byte*>(file.data()), header.size());
    file += header;
    file += data;
    return file;
}

SafetensorsBuilder& SafetensorsBuilder::tensor(const std::string& name,
                                               std::vector<std::int64_t> shape,
                                               std::span<const float> values)
{
    return raw(name, "F32", std::move(shape),
               {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

SafetensorsBuilder& SafetensorsBuilder::raw(const std::string& name, const std::string& type,
                                            std::vector<std::int64_t> shape, std::string_view bytes)
{
    m_header[name] = {{"dtype", type},
                      {"shape", std::move(shape)},
                      {"data_offsets", {m_data.size(), m_data.size() + bytes.size()}}};
    m_data += bytes;
    return *this;
}

std::string SafetensorsBuilder::bytes() const
{
    return safetensorsFile(m_header.dump(), m_data);
}

void writeTinyTokenizer(const std::filesystem::path& folder)
{
    const nlohmann::json tokenizer = {
        {"added_tokens", {{{"id", 3}, {"content", "<|end|>"}, {"special", true}}}},
        {"pre_tokenizer", {{"type", "ByteLevel"}}},
        {"decoder", {{"type", "ByteLevel"}}},
        {"model",
         {{"type", "BPE"},
          {"vocab", {{"a", 0}, {"b", 1}, {"ab", 2}, {"<|end|>", 3}}},
          {"merges", {"a b"}}}}};
    std::ofstream(folder / "tokenizer.json") << tokenizer.dump();
    std::ofstream(folder / "tokenizer_config.json") << R"({"eos_token":"<|end|>"})";
}

} // namespace test
