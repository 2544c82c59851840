#pragma once

#include "engine/base/result.h"
#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/attention.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace engine {

/// What one layer keeps of each position. A layer without attention has no heads.
struct KvLayerShape {
    KvLayout layout;
    int heads = 0;  ///< KV heads
    int window = 0; ///< > 0: no query looks further back than this many positions
};

/// Keys and values of one sequence, by layer in pages of 64 positions, each KV head's keys
/// contiguous, then its values. Layers with a window keep little more than it: their pages are used
/// again in turn. Allocated once; one sequence owns it.
class KvCache {
public:
    /// `batch`: positions that may be appended before any is read. Errors: OutOfMemory.
    static Result<KvCache> create(std::span<const KvLayerShape> layers, int capacity, int batch);
    /// The first `positions` in memory of their own. Errors: OutOfMemory.
    Result<KvCache> copy(int positions) const;

    int capacity() const { return m_capacity; }
    std::uint64_t sizeBytes() const { return m_bytes; }
    /// What the first `positions` take of it.
    std::uint64_t usedBytes(int positions) const;

    /// Page i holds positions [64 i, 64 i + 64), or what of them has not been used again.
    std::span<const std::byte* const> pages(int layer) const
    {
        return m_layers[static_cast<std::size_t>(layer)].pages;
    }
    const KvLayout& layout(int layer) const
    {
        return m_layers[static_cast<std::size_t>(layer)].shape.layout;
    }
    std::size_t headOffset(int layer, int head) const
    {
        return static_cast<std::size_t>(head) * layout(layer).headBytes();
    }

    /// Writes one position of every head: position p of KV head h is read at keys + h * headDim,
    /// values + h * headDimValue. Different positions may be written by different threads.
    void store(int layer, int position, const float* keys, const float* values);

    /// True where every position a query at `length` or later can look back on is still there after
    /// `written` positions.
    bool canRewind(int length, int written) const;

    /// Whether a layer's pages are used again.
    bool hasReusedPages() const;
    /// What `written` positions left in pages that are used again, to be put back later. An empty
    /// `saved` is made as large as it must be. Errors: OutOfMemory.
    Result<void> saveReusedPages(int written, AlignedBuffer& saved) const;
    void restoreReusedPages(int written, const AlignedBuffer& saved);

private:
    struct Layer {
        KvLayerShape shape;
        AlignedBuffer buffer;
        std::size_t pageBytes = 0;
        int ownPages = 0;                    // pages there is memory for
        std::vector<const std::byte*> pages; // (capacity in pages), the own ones in turn

        bool reusesPages() const { return static_cast<std::size_t>(ownPages) < pages.size(); }
        std::size_t usedBytes(int positions) const;
    };

    std::vector<Layer> m_layers;
    int m_capacity = 0;
    int m_batch = 0;
    std::uint64_t m_bytes = 0;
};

} // namespace engine
