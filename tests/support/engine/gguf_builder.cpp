#include "tests/support/engine/gguf_builder.h"

#include "engine/base/byte_order.h"
#include "engine/gguf/gguf_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <format>
#include <gtest/gtest.h>

namespace test {

namespace {

std::size_t elementsOf(const GgufBuilder::Shape& shape)
{
    std::size_t elements = 1;
    for (const std::int64_t dimension : shape)
        elements *= static_cast<std::size_t>(dimension);
    return elements;
}

std::size_t bytesOf(engine::DType dtype, std::size_t elements)
{
    const engine::DTypeInfo& info = engine::dtypeInfo(dtype);
    return elements / info.blockElements * info.blockBytes;
}

} // namespace

std::uint64_t RandomNumbers::next()
{
    m_state += 0x9E3779B97F4A7C15U;
    std::uint64_t z = m_state;
    z = (z ^ z >> 30U) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27U) * 0x94D049BB133111EBU;
    return z ^ z >> 31U;
}

double RandomNumbers::uniform()
{
    return static_cast<double>(next() >> 11U) * 0x1p-53;
}

double RandomNumbers::normal()
{
    double sum = -2.0; // four uniform numbers have the mean 2 and the variance 1/3
    for (int i = 0; i < 4; ++i)
        sum += uniform();
    return sum * std::sqrt(3.0);
}

std::vector<float> RandomNumbers::normals(std::size_t count, double deviation, double mean)
{
    std::vector<float> values(count);
    for (float& value : values)
        value = static_cast<float>(mean + deviation * normal());
    return values;
}

GgufBuilder& GgufBuilder::set(std::string key, engine::MetadataValue value)
{
    m_metadata.set(std::move(key), std::move(value));
    return *this;
}

GgufBuilder& GgufBuilder::erase(std::string_view key)
{
    engine::Metadata rest;
    for (const auto& [name, value] : m_metadata.entries()) {
        if (name != key) rest.set(name, value);
    }
    m_metadata = std::move(rest);
    return *this;
}

GgufBuilder& GgufBuilder::tensor(std::string name, Shape shape, engine::DType dtype,
                                 std::span<const float> values)
{
    std::vector<std::byte> data(bytesOf(dtype, values.size()));
    engine::dtypeInfo(dtype).quantize(values.data(), data.data(), values.size());
    return rawTensor(std::move(name), std::move(shape), dtype, std::move(data));
}

GgufBuilder& GgufBuilder::randomTensor(std::string name, Shape shape, engine::DType dtype,
                                       RandomNumbers& random, double deviation)
{
    const std::size_t elements = elementsOf(shape);
    if (engine::dtypeInfo(dtype).quantize == nullptr)
        return rawTensor(std::move(name), std::move(shape), dtype,
                         randomBlocks(dtype, elements, random, deviation));
    return tensor(std::move(name), std::move(shape), dtype, random.normals(elements, deviation));
}

GgufBuilder& GgufBuilder::rawTensor(std::string name, Shape shape, engine::DType dtype,
                                    std::vector<std::byte> data)
{
    const std::vector<std::byte>& kept = m_data.emplace_back(std::move(data));
    engine::TensorView view{.name = std::move(name),
                            .dtype = dtype,
                            .rank = static_cast<int>(shape.size()),
                            .data = kept.data(),
                            .sizeBytes = kept.size()};
    std::ranges::copy(shape, view.shape.begin());
    const auto same = std::ranges::find(m_tensors, view.name, &engine::TensorView::name);
    if (same != m_tensors.end())
        *same = std::move(view);
    else
        m_tensors.push_back(std::move(view));
    return *this;
}

GgufBuilder& GgufBuilder::eraseTensor(std::string_view name)
{
    std::erase_if(m_tensors,
                  [name](const engine::TensorView& tensor) { return tensor.name == name; });
    return *this;
}

std::string GgufBuilder::bytes() const
{
    const auto alignment = static_cast<std::size_t>(m_metadata.integerOr("general.alignment", 32));
    const std::vector<std::byte> header = engine::encodeGgufHeader(m_metadata, m_tensors);
    std::string file(reinterpret_cast<const char*>(header.data()), header.size());
    for (const engine::TensorView& tensor : m_tensors) {
        file.append(reinterpret_cast<const char*>(tensor.data), tensor.sizeBytes);
        file.resize((file.size() + alignment - 1) / alignment * alignment);
    }
    return file;
}

std::filesystem::path GgufBuilder::write(const std::filesystem::path& path) const
{
    const auto written = engine::writeGguf(path, m_metadata, m_tensors);
    EXPECT_TRUE(written) << written.error().message;
    return path;
}

GgufBuilder buildTinyLlama(const TinyLlama& p)
{
    RandomNumbers random(p.seed);
    GgufBuilder builder;
    const std::int64_t n = p.embeddingLength;
    const std::int64_t headLength = n / p.headCount;
    const std::int64_t kv = headLength * p.headCountKv;
    builder.set("general.architecture", "llama")
        .set("general.name", std::format("Tiny llama {}", p.seed))
        .set("llama.block_count", p.layers)
        .set("llama.context_length", p.contextLength)
        .set("llama.embedding_length", p.embeddingLength)
        .set("llama.feed_forward_length", p.feedForwardLength)
        .set("llama.attention.head_count", p.headCount)
        .set("llama.attention.head_count_kv", p.headCountKv)
        .set("llama.attention.layer_norm_rms_epsilon", 1e-5)
        .set("llama.rope.dimension_count", headLength)
        .set("llama.rope.freq_base", 10000.0)
        .set("llama.vocab_size", p.vocabularySize);
    addVocabulary(builder, p.vocabulary, p.vocabularySize, p.seed);
    if (p.chatTemplate)
        builder.set("tokenizer.chat_template",
                    "{% for message in messages %}{{ message['role'] + ': ' + message['content'] + "
                    "'\\n' }}{% endfor %}{% if add_generation_prompt %}{{ 'assistant:' }}{% endif "
                    "%}");

    const auto matrix = [&](const std::string& name, std::int64_t columns, std::int64_t rows) {
        builder.randomTensor(name, {columns, rows}, p.matrixType, random,
                             1.0 / std::sqrt(static_cast<double>(columns)));
    };
    const auto norm = [&](const std::string& name) {
        builder.tensor(name, {n}, engine::DType::F32,
                       random.normals(static_cast<std::size_t>(n), 0.1, 1.0));
    };
    matrix("token_embd.weight", n, p.vocabularySize);
    for (int layer = 0; layer < p.layers; ++layer) {
        const std::string prefix = std::format("blk.{}.", layer);
        norm(prefix + "attn_norm.weight");
        matrix(prefix + "attn_q.weight", n, n);
        matrix(prefix + "attn_k.weight", n, kv);
        matrix(prefix + "attn_v.weight", n, kv);
        matrix(prefix + "attn_output.weight", n, n);
        norm(prefix + "ffn_norm.weight");
        matrix(prefix + "ffn_gate.weight", n, p.feedForwardLength);
        matrix(prefix + "ffn_up.weight", n, p.feedForwardLength);
        matrix(prefix + "ffn_down.weight", p.feedForwardLength, n);
    }
    norm("output_norm.weight");
    if (!p.tiedOutput) matrix("output.weight", n, p.vocabularySize);
    if (p.ropeFactors) {
        std::vector<float> factors(static_cast<std::size_t>(headLength / 2));
        for (std::size_t i = 0; i < factors.size(); ++i)
            factors[i] = 1.0F + static_cast<float>(i) / 2.0F;
        builder.tensor("rope_freqs.weight", {headLength / 2}, engine::DType::F32, factors);
    }
    return builder;
}

} // namespace test
