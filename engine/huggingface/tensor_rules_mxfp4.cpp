#include "engine/huggingface/family.h"
#include "engine/huggingface/tensor_rules.h"

#include <format>

namespace engine {

namespace {

constexpr std::size_t kCodeBytes = 16; // of a block of 32
constexpr std::size_t kBlockBytes = 17;

/// Codes (experts, rows, blocks, 16) and scales (experts, rows, blocks).
struct Mxfp4Source {
    SafetensorsEntry codes;
    SafetensorsEntry scales;
    std::int64_t experts = 0;
    std::int64_t rows = 0;
    std::int64_t blocks = 0; ///< in a row
};

/// Nothing until codes and scales are both there.
Result<std::optional<Mxfp4Source>> joinScales(const TensorSource& source, TensorWriter& writer)
{
    auto other = writer.partner(source.name(), source.tensor);
    if (!other) return std::nullopt;
    Mxfp4Source joined{.codes = source.tensor, .scales = std::move(*other)};
    if (source.tensor.shape.size() == 3) std::swap(joined.codes, joined.scales);
    const std::vector<std::int64_t>& codes = joined.codes.shape;
    const std::vector<std::int64_t>& scales = joined.scales.shape;
    const bool agree = codes.size() == 4 && scales.size() == 3 && codes[3] == kCodeBytes &&
                       std::equal(scales.begin(), scales.end(), codes.begin()) &&
                       joined.codes.type->bits == 8 && joined.scales.type->bits == 8;
    if (!agree)
        return fail(ErrorCode::BadTensor,
                    std::format("tensor {}: expected codes (experts, rows, blocks, 16) and scales "
                                "(experts, rows, blocks) in bytes",
                                source.tensor.name),
                    source.tensor.name);
    joined.experts = codes[0];
    joined.rows = codes[1];
    joined.blocks = codes[2];
    return joined;
}

// Hugging Face has neighbours in one byte, GGUF elements i and i + 16.
void packBlock(std::byte scale, const std::byte* pairs, std::byte* block)
{
    const auto code = [pairs](std::size_t element) {
        const auto byte = std::to_integer<unsigned>(pairs[element / 2]);
        return element % 2 == 0 ? byte & 0xFU : byte >> 4U;
    };
    block[0] = scale;
    for (std::size_t i = 0; i < kCodeBytes; ++i)
        block[1 + i] = static_cast<std::byte>(code(i) | code(i + kCodeBytes) << 4U);
}

/// Every `step`-th row from `first` on.
Result<void> writeRows(const Mxfp4Source& source, std::int64_t first, std::int64_t step,
                       const std::string& name, TensorWriter& writer)
{
    const std::int64_t rows = source.rows / step;
    const auto blocks = static_cast<std::size_t>(source.blocks);
    const std::span<std::byte> data = writer.shaper().allocate(
        static_cast<std::size_t>(source.experts * rows) * blocks * kBlockBytes);
    std::byte* out = data.data();
    for (std::int64_t expert = 0; expert < source.experts; ++expert) {
        for (std::int64_t row = first; row < source.rows; row += step) {
            const std::size_t begin = static_cast<std::size_t>(expert * source.rows + row) * blocks;
            for (std::size_t block = begin; block < begin + blocks; ++block) {
                packBlock(source.scales.data[block], source.codes.data.data() + block * kCodeBytes,
                          out);
                out += kBlockBytes;
            }
        }
    }
    const std::int64_t shape[] = {source.blocks * 32, rows, source.experts};
    return writer.writeBlocks(name, DType::MXFP4, shape, data);
}

} // namespace

Result<void> deriveMxfp4(const TensorSource& source, TensorWriter& writer)
{
    TRY_ASSIGN(const std::optional<Mxfp4Source> joined, joinScales(source, writer));
    if (!joined) return {};
    return writeRows(*joined, 0, 1, source.name(), writer);
}

Result<void> deriveAlternatingMxfp4(const TensorSource& source, TensorWriter& writer)
{
    TRY_ASSIGN(const std::optional<Mxfp4Source> joined, joinScales(source, writer));
    if (!joined) return {};
    if (joined->rows % 2 != 0)
        return fail(ErrorCode::BadTensor,
                    std::format("tensor {}: expected an even number of rows", source.tensor.name),
                    source.tensor.name);
    const std::size_t bar = source.gguf.find('|');
    TRY(writeRows(*joined, 0, 2, source.name(source.gguf.substr(0, bar)), writer));
    return writeRows(*joined, 1, 2, source.name(source.gguf.substr(bar + 1)), writer);
}

} // namespace engine
