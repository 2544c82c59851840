#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace test {

/// Writes a GGUF file field by field, right or wrong.
class RawGguf {
public:
    /// Magic, version and counts.
    RawGguf(std::uint64_t tensors, std::uint64_t keys, std::uint32_t version = 3,
            bool bigEndian = false);
    explicit RawGguf(std::string_view begin)
        : m_bytes(begin)
    {
    }

    RawGguf& u8(std::uint64_t value) { return number(value, 1); }
    RawGguf& u16(std::uint64_t value) { return number(value, 2); }
    RawGguf& u32(std::uint64_t value) { return number(value, 4); }
    RawGguf& u64(std::uint64_t value) { return number(value, 8); }
    /// A count, of the version's width.
    RawGguf& length(std::uint64_t value) { return number(value, m_version == 1 ? 4 : 8); }
    RawGguf& text(std::string_view text) { return length(text.size()).raw(text); }
    RawGguf& raw(std::string_view bytes);
    /// Zeros up to a multiple of `alignment`, then so many bytes of `fill`.
    RawGguf& data(std::size_t bytes, std::size_t alignment = 32, char fill = 0);

    RawGguf& key(std::string_view name, std::uint32_t type) { return text(name).u32(type); }
    RawGguf& architecture() { return key("general.architecture", 8).text("llama"); }
    /// Name, rank and shape, dtype, offset.
    RawGguf& tensor(std::string_view name, std::initializer_list<std::uint64_t> shape,
                    std::uint32_t dtype = 0, std::uint64_t offset = 0);

    const std::string& bytes() const { return m_bytes; }

private:
    RawGguf& number(std::uint64_t value, std::size_t width);

    std::string m_bytes;
    std::uint32_t m_version = 3;
    bool m_bigEndian = false;
};

} // namespace test
