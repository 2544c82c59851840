#pragma once

#include "engine/tensor/dtype.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace engine {

/// A run of equal elements inside a block of the file's format.
struct PackField {
    std::uint16_t offset;      ///< bytes from the block's beginning
    std::uint8_t elementBytes; ///< 1, 2 or 4
    std::uint8_t count;
    /// A 32-bit plane of fifth bits: bit 4g + j moves to 8j + g, so that a shift and a mask bring
    /// the bits of weights 4g ... 4g + 3 to the four bytes of a lane.
    bool spreadBits = false;
};

enum class PackKind : std::uint8_t {
    Blocks, ///< fields of the blocks of a group's rows side by side: (block, field, element, row)
    Floats, ///< (column, row)
    Rows,   ///< the file's block rows one after the other, as they are
};

/// How the rows of a group share memory. Quantized weights keep the bits of the file's blocks; only
/// their order changes, in units of a field's elements: the four bytes of a dword hold four
/// consecutive k (per nibble or bit plane), as the 8-bit dot product instructions want them.
struct PackFormat {
    DType type; ///< not meaningful for Rows, which any type may have
    PackKind kind;
    std::span<const PackField> fields; ///< in the order they are packed; only for Blocks
};

/// Types without a row in the table are of kind Rows.
const PackFormat& packFormat(DType type);

/// Rows in a group on this CPU: as many as 32-bit lanes in a vector for Blocks, four times as many
/// for Floats, 8 for Rows; at most 64.
int packGroupRows(PackKind kind);

/// Moves blocks between the file's layout and a group's. `blocks` is the number in a row; `row`
/// counts inside the group.
struct PackGroup {
    const PackFormat* format = nullptr;
    int groupRows = 0;
    std::size_t blocks = 0;
    std::size_t blockBytes = 0;
};
/// source[r] is the row's first block or null (then the lane stays as it is).
void packGroup(const PackGroup& shape, std::span<const std::byte* const> source, std::byte* group);
/// Writes `count` blocks of a row from block `first` on as they were in the file.
void unpackBlocks(const PackGroup& shape, const std::byte* group, int row, std::size_t first,
                  std::span<std::byte> blocks);

} // namespace engine
