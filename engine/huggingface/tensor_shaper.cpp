#include "engine/huggingface/tensor_shaper.h"

#include "engine/base/byte_order.h"

#include <algorithm>
#include <cstring>
#include <format>

namespace engine {

namespace {

std::unexpected<Error> bad(const SafetensorsEntry& tensor, std::string_view what)
{
    return fail(ErrorCode::BadTensor, std::format("tensor {}: {}", tensor.name, what), tensor.name);
}

std::int64_t rowCount(const SafetensorsEntry& tensor)
{
    return tensor.shape.empty() ? 1 : tensor.shape.front();
}

// Tensors have at least one element, so every row has bytes.
std::size_t rowBytes(const SafetensorsEntry& tensor)
{
    return tensor.data.size() / static_cast<std::size_t>(rowCount(tensor));
}

template <std::size_t Width>
void transpose(std::span<const std::byte> source, std::span<std::byte> target, std::size_t rows,
               std::size_t columns)
{
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column)
            std::memcpy(target.data() + (column * rows + row) * Width,
                        source.data() + (row * columns + column) * Width, Width);
    }
}

} // namespace

SafetensorsEntry TensorShaper::reshaped(SafetensorsEntry tensor, std::vector<std::int64_t> shape)
{
    tensor.shape = std::move(shape);
    return tensor;
}

Result<SafetensorsEntry> TensorShaper::slice(const SafetensorsEntry& tensor, std::int64_t begin,
                                             std::int64_t count)
{
    if (tensor.shape.empty() || begin < 0 || count < 1 || begin > rowCount(tensor) - count)
        return bad(tensor, std::format("expected at least {} rows, found {}", begin + count,
                                       rowCount(tensor)));
    SafetensorsEntry part = tensor;
    part.shape.front() = count;
    part.data = tensor.data.subspan(static_cast<std::size_t>(begin) * rowBytes(tensor),
                                    static_cast<std::size_t>(count) * rowBytes(tensor));
    return part;
}

Result<SafetensorsEntry> TensorShaper::gather(const SafetensorsEntry& tensor,
                                              std::span<const std::int64_t> rows)
{
    const std::int64_t count = rowCount(tensor);
    const std::size_t width = rowBytes(tensor);
    const auto outside =
        std::ranges::find_if(rows, [count](std::int64_t row) { return row < 0 || row >= count; });
    if (tensor.shape.empty() || rows.empty() || outside != rows.end())
        return bad(tensor, std::format("expected more than {} rows", count));
    SafetensorsEntry gathered = tensor;
    gathered.shape.front() = static_cast<std::int64_t>(rows.size());
    const std::span<std::byte> bytes = m_model.allocate(rows.size() * width);
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::memcpy(bytes.data() + i * width,
                    tensor.data.data() + static_cast<std::size_t>(rows[i]) * width, width);
    gathered.data = bytes;
    return gathered;
}

Result<SafetensorsEntry> TensorShaper::transposed(const SafetensorsEntry& tensor)
{
    if (tensor.shape.size() < 2) return bad(tensor, "expected a matrix");
    SafetensorsEntry turned = tensor;
    const std::size_t rank = tensor.shape.size();
    std::swap(turned.shape[rank - 1], turned.shape[rank - 2]);
    const auto rows = static_cast<std::size_t>(tensor.shape[rank - 2]);
    const auto columns = static_cast<std::size_t>(tensor.shape[rank - 1]);
    const std::size_t width = tensor.type->bits / 8;
    const std::size_t matrixBytes = rows * columns * width;
    const std::span<std::byte> bytes = m_model.allocate(tensor.data.size());
    for (std::size_t offset = 0; offset < bytes.size(); offset += matrixBytes) {
        const auto source = tensor.data.subspan(offset, matrixBytes);
        const auto target = bytes.subspan(offset, matrixBytes);
        switch (width) {
        case 1:
            transpose<1>(source, target, rows, columns);
            break;
        case 2:
            transpose<2>(source, target, rows, columns);
            break;
        case 4:
            transpose<4>(source, target, rows, columns);
            break;
        case 8:
            transpose<8>(source, target, rows, columns);
            break;
        default:
            return bad(tensor, "has elements of less than a byte");
        }
    }
    turned.data = bytes;
    return turned;
}

Result<SafetensorsEntry> TensorShaper::stacked(std::span<const SafetensorsEntry> tensors)
{
    SafetensorsEntry all = tensors.front();
    const std::size_t width = all.data.size();
    all.shape.insert(all.shape.begin(), static_cast<std::int64_t>(tensors.size()));
    const std::span<std::byte> bytes = m_model.allocate(tensors.size() * width);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const SafetensorsEntry& tensor = tensors[i];
        if (tensor.shape != tensors.front().shape || tensor.type != all.type)
            return bad(tensor,
                       std::format("expected the shape and type of {}", tensors.front().name));
        std::memcpy(bytes.data() + i * width, tensor.data.data(), width);
    }
    all.data = bytes;
    return all;
}

Result<std::vector<float>> TensorShaper::valuesOf(const SafetensorsEntry& tensor)
{
    if (!tensor.type->dtype)
        return fail(
            ErrorCode::UnsupportedType,
            std::format("tensor {}: type {} holds no weights", tensor.name, tensor.type->name),
            std::string(tensor.type->name));
    std::vector<float> values(tensor.data.size() * 8 / tensor.type->bits);
    dtypeInfo(*tensor.type->dtype).dequantize(tensor.data.data(), values.data(), values.size());
    return values;
}

SafetensorsEntry TensorShaper::inF32(const SafetensorsEntry& tensor, std::span<const float> values)
{
    const std::span<std::byte> bytes = m_model.allocate(values.size_bytes());
    for (std::size_t i = 0; i < values.size(); ++i)
        storeLittle(bytes.data() + i * sizeof(float), values[i]);
    SafetensorsEntry result = tensor;
    result.type = findSafetensorsType("F32");
    result.data = bytes;
    return result;
}

Result<SafetensorsEntry> TensorShaper::mapped(const SafetensorsEntry& tensor,
                                              float (*function)(float))
{
    TRY_ASSIGN(std::vector<float> values, valuesOf(tensor));
    std::ranges::transform(values, values.begin(), function);
    return inF32(tensor, values);
}

Result<SafetensorsEntry> TensorShaper::scaled(const SafetensorsEntry& tensor,
                                              std::span<const float> factors)
{
    const auto rows = static_cast<std::size_t>(rowCount(tensor));
    if (factors.size() != 1 && factors.size() != rows)
        return bad(tensor, std::format("expected {} rows, found {}", factors.size(), rows));
    TRY_ASSIGN(std::vector<float> values, valuesOf(tensor));
    const std::size_t width = values.size() / rows;
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] *= factors[factors.size() == 1 ? 0 : i / width];
    return inF32(tensor, values);
}

} // namespace engine
