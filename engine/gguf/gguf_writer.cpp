#include "engine/gguf/gguf_writer.h"

#include "engine/base/byte_order.h"
#include "engine/gguf/gguf_format.h"

#include <algorithm>
#include <format>
#include <fstream>
#include <string_view>
#include <utility>
#include <variant>

namespace engine {

namespace {

std::uint64_t alignmentOf(const Metadata& metadata)
{
    return static_cast<std::uint64_t>(
        metadata.integerOr(kGgufAlignmentKey, static_cast<std::int64_t>(kGgufDefaultAlignment)));
}

std::uint64_t roundUp(std::uint64_t value, std::uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

class Encoder {
public:
    template <typename T>
    void number(T value)
    {
        m_bytes.resize(m_bytes.size() + sizeof(T));
        storeLittle(m_bytes.data() + m_bytes.size() - sizeof(T), value);
    }

    void text(std::string_view text)
    {
        number<std::uint64_t>(text.size());
        const auto bytes = std::as_bytes(std::span(text));
        m_bytes.insert(m_bytes.end(), bytes.begin(), bytes.end());
    }

    void type(GgufValueType type) { number(static_cast<std::uint32_t>(type)); }

    void pad(std::uint64_t alignment) { m_bytes.resize(roundUp(m_bytes.size(), alignment)); }

    std::vector<std::byte> take() { return std::move(m_bytes); }

private:
    std::vector<std::byte> m_bytes;
};

// The narrow type where every value fits it, else the wide one. bool is written as its byte.
GgufValueType typeFor(std::int64_t value)
{
    return std::in_range<std::int32_t>(value) ? GgufValueType::Int32 : GgufValueType::Int64;
}
GgufValueType typeFor(std::uint64_t value)
{
    return std::in_range<std::uint32_t>(value) ? GgufValueType::Uint32 : GgufValueType::Uint64;
}
GgufValueType typeFor(double)
{
    return GgufValueType::Float32;
}
GgufValueType typeFor(bool)
{
    return GgufValueType::Bool;
}
GgufValueType typeFor(const std::string&)
{
    return GgufValueType::String;
}

void encodeAs(Encoder& encoder, GgufValueType type, std::int64_t value)
{
    if (type == GgufValueType::Int64) return encoder.number(value);
    encoder.number(static_cast<std::int32_t>(value));
}
void encodeAs(Encoder& encoder, GgufValueType type, std::uint64_t value)
{
    if (type == GgufValueType::Uint64) return encoder.number(value);
    encoder.number(static_cast<std::uint32_t>(value));
}
void encodeAs(Encoder& encoder, GgufValueType, double value)
{
    encoder.number(static_cast<float>(value));
}
void encodeAs(Encoder& encoder, GgufValueType, bool value)
{
    encoder.number<std::uint8_t>(value ? 1 : 0);
}
void encodeAs(Encoder& encoder, GgufValueType, const std::string& value)
{
    encoder.text(value);
}

struct ValueEncoder {
    Encoder& encoder;

    template <typename T>
    void operator()(const T& value) const
    {
        const GgufValueType type = typeFor(value);
        encoder.type(type);
        encodeAs(encoder, type, value);
    }

    template <typename T>
    void operator()(const std::vector<T>& values) const
    {
        GgufValueType type = typeFor(T{});
        for (const T& value : values)
            type = std::max(type, typeFor(value)); // the wide types have the greater ids
        encoder.type(GgufValueType::Array);
        encoder.type(type);
        encoder.number<std::uint64_t>(values.size());
        for (const T& value : values)
            encodeAs(encoder, type, value);
    }
};

} // namespace

std::vector<std::byte> encodeGgufHeader(const Metadata& metadata,
                                        std::span<const TensorView> tensors)
{
    const std::uint64_t alignment = alignmentOf(metadata);
    Encoder encoder;
    for (const char c : kGgufMagic)
        encoder.number(c);
    encoder.number<std::uint32_t>(3);
    encoder.number<std::uint64_t>(tensors.size());
    encoder.number<std::uint64_t>(metadata.entries().size());
    for (const auto& [key, value] : metadata.entries()) {
        encoder.text(key);
        std::visit(ValueEncoder{encoder}, value);
    }
    std::uint64_t offset = 0;
    for (const TensorView& tensor : tensors) {
        encoder.text(tensor.name);
        encoder.number(static_cast<std::uint32_t>(tensor.rank));
        for (int i = 0; i < tensor.rank; ++i)
            encoder.number<std::int64_t>(tensor.shape[static_cast<std::size_t>(i)]);
        encoder.number(static_cast<std::uint32_t>(tensor.dtype));
        encoder.number(offset);
        offset = roundUp(offset + tensor.sizeBytes, alignment);
    }
    encoder.pad(alignment);
    return encoder.take();
}

Result<void> writeGguf(const std::filesystem::path& path, const Metadata& metadata,
                       std::span<const TensorView> tensors)
{
    const std::uint64_t alignment = alignmentOf(metadata);
    for (const TensorView& tensor : tensors) {
        const std::uint64_t expected =
            static_cast<std::uint64_t>(tensor.rows()) * tensor.rowBytes();
        if (tensor.sizeBytes != expected)
            return fail(ErrorCode::InvalidArgument,
                        std::format("tensor {}: expected {} bytes, found {}", tensor.name, expected,
                                    tensor.sizeBytes),
                        tensor.name, expected, tensor.sizeBytes);
    }
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    const auto write = [&file](std::span<const std::byte> bytes) {
        file.write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
    };
    write(encodeGgufHeader(metadata, tensors));
    for (const TensorView& tensor : tensors) {
        write({tensor.data, tensor.sizeBytes});
        const std::vector<std::byte> padding(roundUp(tensor.sizeBytes, alignment) -
                                             tensor.sizeBytes);
        write(padding);
    }
    file.close();
    if (!file)
        return fail(ErrorCode::IoError,
                    std::format("{}: the file cannot be written", path.string()), path.string());
    return {};
}

} // namespace engine
