#pragma once

#include "engine/base/result.h"
#include "engine/huggingface/safetensors.h"
#include "engine/model/model_file.h"

#include <cstdint>
#include <span>
#include <vector>

namespace engine {

/// Makes tensors out of tensors. What can be a look into the source is one; the rest is copied into
/// buffers that `model` owns. A row is everything under the first dimension's index.
class TensorShaper {
public:
    explicit TensorShaper(ModelFile& model)
        : m_model(model)
    {
    }

    /// REQUIRES: shapes multiply to the same number.
    static SafetensorsEntry reshaped(SafetensorsEntry tensor, std::vector<std::int64_t> shape);
    /// Errors: BadTensor where it has no such rows.
    static Result<SafetensorsEntry> slice(const SafetensorsEntry& tensor, std::int64_t begin,
                                          std::int64_t count);
    /// Rows in any order. Errors: BadTensor where an index is none of a row's.
    Result<SafetensorsEntry> gather(const SafetensorsEntry& tensor,
                                    std::span<const std::int64_t> rows);
    /// The last two dimensions change places. Errors: BadTensor for a vector.
    Result<SafetensorsEntry> transposed(const SafetensorsEntry& tensor);
    /// One after another along a new first dimension. Errors: BadTensor where they differ in shape
    /// or type. REQUIRES: at least one.
    Result<SafetensorsEntry> stacked(std::span<const SafetensorsEntry> tensors);

    /// In f32, with `function` applied to each value. Errors: UnsupportedType.
    Result<SafetensorsEntry> mapped(const SafetensorsEntry& tensor, float (*function)(float));

    /// In f32, times one number for all or one for each row. Errors: UnsupportedType; BadTensor
    /// where there is another number of rows.
    Result<SafetensorsEntry> scaled(const SafetensorsEntry& tensor, std::span<const float> factors);

    /// `bytes` of new memory for a tensor that is filled by the caller.
    std::span<std::byte> allocate(std::size_t bytes) { return m_model.allocate(bytes); }

private:
    static Result<std::vector<float>> valuesOf(const SafetensorsEntry& tensor);
    SafetensorsEntry inF32(const SafetensorsEntry& tensor, std::span<const float> values);

    ModelFile& m_model;
};

} // namespace engine
