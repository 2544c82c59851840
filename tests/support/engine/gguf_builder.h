#pragma once

#include "engine/base/result.h"
#include "engine/gguf/metadata.h"
#include "engine/tensor/tensor_view.h"

#include <concepts>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace test {

/// Numbers that are the same on every platform and standard library (SplitMix64).
class RandomNumbers {
public:
    explicit RandomNumbers(std::uint64_t seed)
        : m_state(seed)
    {
    }
    std::uint64_t next();
    double uniform(); ///< [0, 1)
    double normal();  ///< near enough: mean 0, variance 1
    std::vector<float> normals(std::size_t count, double deviation, double mean = 0.0);

private:
    std::uint64_t m_state;
};

/// Makes a GGUF from any keys and tensors. Later settings replace earlier ones of the same name, so
/// that a test can take a whole model and change one thing.
class GgufBuilder {
public:
    using Shape = std::vector<std::int64_t>; ///< GGUF order: the contiguous dimension first

    GgufBuilder& set(std::string key, engine::MetadataValue value);
    /// Whole numbers are unsigned, as GGUF's hyperparameters are, unless they are negative.
    template <std::integral T>
        requires(!std::same_as<T, bool>)
    GgufBuilder& set(std::string key, T value)
    {
        if constexpr (std::is_signed_v<T>) {
            if (value < 0) return set(std::move(key), engine::MetadataValue(std::int64_t{value}));
        }
        return set(std::move(key), engine::MetadataValue(static_cast<std::uint64_t>(value)));
    }
    GgufBuilder& erase(std::string_view key);

    /// Quantized from f32. REQUIRES: the dtype has a quantizer.
    GgufBuilder& tensor(std::string name, Shape shape, engine::DType dtype,
                        std::span<const float> values);
    /// Values of a normal distribution, or for a dtype without a quantizer random blocks of the
    /// same deviation.
    GgufBuilder& randomTensor(std::string name, Shape shape, engine::DType dtype,
                              RandomNumbers& random, double deviation);
    GgufBuilder& rawTensor(std::string name, Shape shape, engine::DType dtype,
                           std::vector<std::byte> data);
    GgufBuilder& eraseTensor(std::string_view name);

    const engine::Metadata& metadata() const { return m_metadata; }
    std::span<const engine::TensorView> tensors() const { return m_tensors; }

    /// The whole file.
    std::string bytes() const;
    /// Writes it and returns `path`; a failure fails the running test.
    std::filesystem::path write(const std::filesystem::path& path) const;

private:
    engine::Metadata m_metadata;
    std::vector<engine::TensorView> m_tensors;
    std::deque<std::vector<std::byte>> m_data; // what the views look at
};

enum class Vocabulary : std::uint8_t { SentencePiece, BytePairs };

/// A random llama of a few kilobytes. The vocabularies are complete: every text has tokens.
struct TinyLlama {
    std::uint64_t seed = 1;
    int layers = 2;
    int embeddingLength = 64;
    int headCount = 4;
    int headCountKv = 2;
    int feedForwardLength = 96;
    int contextLength = 512;
    int vocabularySize = 384; ///< at least 320
    Vocabulary vocabulary = Vocabulary::SentencePiece;
    engine::DType matrixType = engine::DType::F32; ///< of every matrix
    bool tiedOutput = false;
    bool ropeFactors = false;
    bool chatTemplate = true;
};

GgufBuilder buildTinyLlama(const TinyLlama& parameters = {});

/// Only the vocabulary's keys, for a model of any architecture.
void addVocabulary(GgufBuilder& builder, Vocabulary vocabulary, int size, std::uint64_t seed);

/// Random bytes made sane: whole blocks of `dtype` whose values have about the given deviation.
std::vector<std::byte> randomBlocks(engine::DType dtype, std::size_t elements,
                                    RandomNumbers& random, double deviation);

} // namespace test
