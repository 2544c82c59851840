#include "engine/kernels/pack_format.h"

#include "engine/kernels/lanes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <hwy/cache_control.h>

namespace engine {
namespace {

constexpr PackField kQ4_0[] = {{2, 4, 4}, {0, 2, 1}};                             // qs, d
constexpr PackField kQ4_1[] = {{4, 4, 4}, {0, 2, 1}, {2, 2, 1}};                  // qs, d, m
constexpr PackField kQ5_0[] = {{6, 4, 4}, {2, 4, 1, true}, {0, 2, 1}};            // qs, qh, d
constexpr PackField kQ5_1[] = {{8, 4, 4}, {4, 4, 1, true}, {0, 2, 1}, {2, 2, 1}}; // qs, qh, d, m
constexpr PackField kQ8_0[] = {{2, 4, 8}, {0, 2, 1}};                             // qs, d
constexpr PackField kMxfp4[] = {{1, 4, 4}, {0, 1, 1}};                            // qs, e
constexpr PackField kQ2_K[] = {
    {16, 4, 16}, {0, 4, 4}, {80, 2, 1}, {82, 2, 1}}; // qs, scales, d, dmin
constexpr PackField kQ3_K[] = {
    {32, 4, 16}, {0, 4, 8}, {96, 4, 3}, {108, 2, 1}}; // qs, hmask, scales, d
constexpr PackField kQ4_K[] = {{16, 4, 32}, {4, 4, 3}, {0, 2, 1}, {2, 2, 1}}; // qs, scales, d, dmin
constexpr PackField kQ5_K[] = {{48, 4, 32}, {16, 4, 8}, {4, 4, 3}, {0, 2, 1}, {2, 2, 1}}; // + qh
constexpr PackField kQ6_K[] = {
    {0, 4, 32}, {128, 4, 16}, {192, 4, 4}, {208, 2, 1}};                      // ql, qh, scales, d
constexpr PackField kIq4Xs[] = {{8, 4, 32}, {4, 4, 1}, {2, 2, 1}, {0, 2, 1}}; // qs, scales_l, _h, d

constexpr PackField kTq2_0[] = {{0, 4, 16}, {64, 2, 1}}; // qs, d

constexpr PackField kTq1_0[] = {{0, 4, 13}, {52, 2, 1}};            // qs and qh, d
constexpr PackField kIq2Xxs[] = {{2, 4, 16}, {0, 2, 1}};            // qs, d
constexpr PackField kIq2Xs[] = {{2, 4, 16}, {66, 4, 2}, {0, 2, 1}}; // qs, scales, d
constexpr PackField kIq2S[] = {{2, 4, 16}, {66, 4, 4}, {0, 2, 1}};  // qs, signs, qh, scales, d
constexpr PackField kIq3Xxs[] = {{2, 4, 24}, {0, 2, 1}};            // qs, signs and scales, d
constexpr PackField kIq3S[] = {{2, 4, 27}, {0, 2, 1}};              // qs, qh, signs, scales, d
constexpr PackField kIq1S[] = {{2, 4, 12}, {0, 2, 1}};              // qs, qh, d
constexpr PackField kIq1M[] = {{0, 4, 14}};                         // qs, qh, scales

constexpr PackFormat kFormats[] = {
    {DType::F32, PackKind::Floats, {}},          {DType::F16, PackKind::Floats, {}},
    {DType::BF16, PackKind::Floats, {}},         {DType::Q4_0, PackKind::Blocks, kQ4_0},
    {DType::Q4_1, PackKind::Blocks, kQ4_1},      {DType::Q5_0, PackKind::Blocks, kQ5_0},
    {DType::Q5_1, PackKind::Blocks, kQ5_1},      {DType::Q8_0, PackKind::Blocks, kQ8_0},
    {DType::Q2_K, PackKind::Blocks, kQ2_K},      {DType::Q3_K, PackKind::Blocks, kQ3_K},
    {DType::Q4_K, PackKind::Blocks, kQ4_K},      {DType::Q5_K, PackKind::Blocks, kQ5_K},
    {DType::Q6_K, PackKind::Blocks, kQ6_K},      {DType::IQ4_NL, PackKind::Blocks, kQ4_0},
    {DType::IQ4_XS, PackKind::Blocks, kIq4Xs},   {DType::MXFP4, PackKind::Blocks, kMxfp4},
    {DType::TQ2_0, PackKind::Blocks, kTq2_0},    {DType::TQ1_0, PackKind::Blocks, kTq1_0},
    {DType::IQ2_XXS, PackKind::Blocks, kIq2Xxs}, {DType::IQ2_XS, PackKind::Blocks, kIq2Xs},
    {DType::IQ2_S, PackKind::Blocks, kIq2S},     {DType::IQ3_XXS, PackKind::Blocks, kIq3Xxs},
    {DType::IQ3_S, PackKind::Blocks, kIq3S},     {DType::IQ1_S, PackKind::Blocks, kIq1S},
    {DType::IQ1_M, PackKind::Blocks, kIq1M},
};

constexpr PackFormat kRows = {DType::F32, PackKind::Rows, {}};

/// Four bits to the lowest bits of the four bytes of a word.
constexpr std::uint32_t spreadNibble(std::uint32_t bits)
{
    return (bits * 0x00204081u) & 0x01010101u;
}

constexpr std::uint32_t spreadBits(std::uint32_t plane)
{
    std::uint32_t spread = 0;
    for (unsigned g = 0; g < 8; ++g)
        spread |= spreadNibble((plane >> (4 * g)) & 15u) << g;
    return spread;
}

constexpr std::uint32_t gatherBits(std::uint32_t spread)
{
    std::uint32_t plane = 0;
    for (unsigned g = 0; g < 8; ++g)
        for (unsigned j = 0; j < 4; ++j)
            plane |= ((spread >> (8 * j + g)) & 1u) << (4 * g + j);
    return plane;
}
static_assert(gatherBits(spreadBits(0x1234'abcdu)) == 0x1234'abcdu);

/// Copies a field of one block of all rows; kBytes is the element's size.
template <std::size_t kBytes>
void packField(const PackField& field, std::span<const std::byte* const> source, std::byte* out)
{
    for (std::size_t r = 0; r < source.size(); ++r) {
        if (source[r] == nullptr) continue;
        const std::byte* from = source[r] + field.offset;
        std::byte* to = out + r * kBytes;
        for (std::size_t i = 0; i < field.count; ++i)
            std::memcpy(to + i * source.size() * kBytes, from + i * kBytes, kBytes);
    }
}

void packSpread(const PackField& field, std::span<const std::byte* const> source, std::byte* out)
{
    for (std::size_t r = 0; r < source.size(); ++r) {
        if (source[r] == nullptr) continue;
        std::uint32_t plane = 0;
        std::memcpy(&plane, source[r] + field.offset, sizeof(plane));
        plane = spreadBits(plane);
        std::memcpy(out + r * sizeof(plane), &plane, sizeof(plane));
    }
}

void packAny(const PackField& field, std::span<const std::byte* const> source, std::byte* out)
{
    if (field.spreadBits) return packSpread(field, source, out);
    if (field.elementBytes == 4) return packField<4>(field, source, out);
    if (field.elementBytes == 2) return packField<2>(field, source, out);
    packField<1>(field, source, out);
}

constexpr std::size_t kMaxGroupRows = 64;

/// Rows side by side are more streams than hardware looks ahead in.
void prefetchRow(const std::byte* row, std::size_t blockBytes)
{
    constexpr std::size_t kAhead = 768, kLine = 64;
    for (std::size_t i = 0; i < blockBytes; i += kLine)
        hwy::Prefetch(row + kAhead + i);
}

void packBlocks(const PackGroup& shape, std::span<const std::byte* const> source, std::byte* group)
{
    std::array<const std::byte*, kMaxGroupRows> at{};
    std::ranges::copy(source, at.begin());
    const std::span<const std::byte* const> rows(at.data(), source.size());
    for (std::size_t b = 0; b < shape.blocks; ++b) {
        for (const PackField& field : shape.format->fields) {
            packAny(field, rows, group);
            group += std::size_t{field.elementBytes} * field.count * source.size();
        }
        for (const std::byte*& row : std::span(at.data(), source.size())) {
            if (row == nullptr) continue;
            row += shape.blockBytes;
            prefetchRow(row, shape.blockBytes);
        }
    }
}

/// Transposes (row, column) to (column, row) in squares that stay in the cache.
template <typename T>
void packFloats(std::size_t columns, std::span<const std::byte* const> source, std::byte* group)
{
    constexpr std::size_t kRun = 64 / sizeof(T);
    for (std::size_t begin = 0; begin < columns; begin += kRun) {
        const std::size_t end = std::min(begin + kRun, columns);
        for (std::size_t r = 0; r < source.size(); ++r) {
            if (source[r] == nullptr) continue;
            prefetchRow(source[r] + begin * sizeof(T), 64);
            for (std::size_t k = begin; k < end; ++k)
                std::memcpy(group + (k * source.size() + r) * sizeof(T), source[r] + k * sizeof(T),
                            sizeof(T));
        }
    }
}

} // namespace

const PackFormat& packFormat(DType type)
{
    const auto* found = std::ranges::find(kFormats, type, &PackFormat::type);
    return found != std::end(kFormats) ? *found : kRows;
}

int packGroupRows(PackKind kind)
{
    switch (kind) {
    case PackKind::Blocks:
        return vectorLanes();
    case PackKind::Floats:
        return 4 * vectorLanes();
    case PackKind::Rows:
        break;
    }
    return 8;
}

void packGroup(const PackGroup& shape, std::span<const std::byte* const> source, std::byte* group)
{
    switch (shape.format->kind) {
    case PackKind::Blocks:
        packBlocks(shape, source, group);
        break;
    case PackKind::Floats:
        if (shape.blockBytes == 4)
            packFloats<std::uint32_t>(shape.blocks, source, group);
        else
            packFloats<std::uint16_t>(shape.blocks, source, group);
        break;
    case PackKind::Rows:
        for (std::size_t r = 0; r < source.size(); ++r) {
            const std::size_t rowBytes = shape.blocks * shape.blockBytes;
            if (source[r] != nullptr) std::memcpy(group + r * rowBytes, source[r], rowBytes);
        }
        break;
    }
}

namespace {

void unpackBlock(const PackGroup& shape, const std::byte* record, std::size_t row, std::byte* block)
{
    const auto rows = static_cast<std::size_t>(shape.groupRows);
    for (const PackField& field : shape.format->fields) {
        const std::size_t bytes = field.elementBytes;
        for (std::size_t i = 0; i < field.count; ++i)
            std::memcpy(block + field.offset + i * bytes, record + (i * rows + row) * bytes, bytes);
        if (field.spreadBits) {
            std::uint32_t plane = 0;
            std::memcpy(&plane, block + field.offset, sizeof(plane));
            plane = gatherBits(plane);
            std::memcpy(block + field.offset, &plane, sizeof(plane));
        }
        record += bytes * field.count * rows;
    }
}

} // namespace

void unpackBlocks(const PackGroup& shape, const std::byte* group, int row, std::size_t first,
                  std::span<std::byte> blocks)
{
    const std::size_t bytes = shape.blockBytes;
    const std::size_t count = blocks.size() / bytes;
    const auto rows = static_cast<std::size_t>(shape.groupRows);
    const auto r = static_cast<std::size_t>(row);
    switch (shape.format->kind) {
    case PackKind::Blocks:
        for (std::size_t b = 0; b < count; ++b)
            unpackBlock(shape, group + (first + b) * bytes * rows, r, blocks.data() + b * bytes);
        break;
    case PackKind::Floats:
        for (std::size_t b = 0; b < count; ++b)
            std::memcpy(blocks.data() + b * bytes, group + ((first + b) * rows + r) * bytes, bytes);
        break;
    case PackKind::Rows:
        std::memcpy(blocks.data(), group + (r * shape.blocks + first) * bytes, count * bytes);
        break;
    }
}

} // namespace engine
