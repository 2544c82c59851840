#include "tests/support/engine/raw_gguf.h"

namespace test {

RawGguf::RawGguf(std::uint64_t tensors, std::uint64_t keys, std::uint32_t version, bool bigEndian)
    : m_bytes("GGUF")
    , m_version(version)
    , m_bigEndian(bigEndian)
{
    u32(version).length(tensors).length(keys);
}

RawGguf& RawGguf::number(std::uint64_t value, std::size_t width)
{
    for (std::size_t i = 0; i < width; ++i) {
        const std::size_t place = m_bigEndian ? width - 1 - i : i;
        m_bytes += static_cast<char>(value >> (8 * place) & 0xFFU);
    }
    return *this;
}

RawGguf& RawGguf::raw(std::string_view bytes)
{
    m_bytes += bytes;
    return *this;
}

RawGguf& RawGguf::data(std::size_t bytes, std::size_t alignment, char fill)
{
    m_bytes.resize((m_bytes.size() + alignment - 1) / alignment * alignment);
    m_bytes.append(bytes, fill);
    return *this;
}

RawGguf& RawGguf::tensor(std::string_view name, std::initializer_list<std::uint64_t> shape,
                         std::uint32_t dtype, std::uint64_t offset)
{
    text(name).u32(shape.size());
    for (const std::uint64_t dimension : shape)
        length(dimension);
    return u32(dtype).u64(offset);
}

} // namespace test
