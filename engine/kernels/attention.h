#pragma once

#include "engine/model/forward_pass.h" // KvType

#include <cstddef>
#include <cstdint>
#include <span>

namespace engine {

/// Positions in a page of the KV cache.
inline constexpr int kPagePositions = 64;
/// Positions whose keys are summed up on their own: a whole number of pages.
inline constexpr int kSpanPositions = 512;

/// How one KV head lies in a page: its keys, then its values. The inside is this room's business
/// (keys are stored transposed, a lane per position); a page may be copied, saved and shared as
/// bytes.
struct KvLayout {
    KvType type = KvType::F16;
    int headDim = 0;      ///< of keys and queries
    int headDimValue = 0; ///< of values and outputs

    std::size_t keyRows() const;    ///< headDim, padded for Q8_0's blocks of 32
    std::size_t valueWidth() const; ///< headDimValue, padded to whole vectors (and blocks)
    std::size_t keyBytes() const;   ///< a multiple of 64
    std::size_t valueBytes() const; ///< a multiple of 64
    std::size_t headBytes() const { return keyBytes() + valueBytes(); }
};

/// The rows of a run of positions of one KV head.
struct KvRows {
    const float* keys = nullptr; ///< position i: keys + i * keyStride, headDim values
    std::size_t keyStride = 0;
    const float* values = nullptr; ///< headDimValue values
    std::size_t valueStride = 0;
};

/// Writes `count` positions from slot `slot` on into a page's KV head `head` (64-byte aligned).
/// The padding is not written: a fresh page must be zero. REQUIRES: slot + count <= kPagePositions.
void storeKv(const KvLayout& layout, const KvRows& rows, int slot, int count, std::byte* head);

/// Which keys a query at position p sees, beside those at positions <= p.
struct AttentionMask {
    bool causal = true; ///< false: every position below `keyCount` is seen from everywhere
    int window = 0;   ///< > 0: only keys at positions > p - window (and, not causal, < p + window)
    int chunk = 0;    ///< > 0: only keys at positions >= p / chunk * chunk
    int keyCount = 0; ///< positions in the cache; needed where not causal
};

/// Softmax attention of a run of positions, all query heads (or some) of one KV head.
struct AttentionJob {
    const KvLayout* layout = nullptr;
    std::span<const std::byte* const> pages; ///< page i holds positions [64 i, 64 i + 64)
    std::size_t headOffset = 0;              ///< of the KV head within each page

    const float* queries = nullptr; ///< (position, head): queries + i * queryStride + h * headDim
    std::size_t queryStride = 0;
    float* out = nullptr; ///< out + i * outStride + h * headDimValue
    std::size_t outStride = 0;
    int firstPosition = 0;
    int positions = 0;
    int heads = 0; ///< query heads that share the KV head

    float scale = 1.0f;   ///< of query times key
    float softcap = 0.0f; ///< > 0: scores become cap * tanh(score / cap)
    AttentionMask mask;
    const float* alibiSlopes =
        nullptr;                  ///< (heads) or null: score -= slope * |query - key position|
    const float* sinks = nullptr; ///< (heads) or null: a logit that only joins the denominator
};

/// Floats of scratch memory one call of attend() needs; the same for any job of this layout.
std::size_t attendScratchFloats(const KvLayout& layout);

/// Runs in the calling thread. Keys are taken in tiles of 64 that begin at multiples of 64, with a
/// running maximum, and spans of 512 are joined in their order; a query's result has the same bits
/// whichever queries are computed with it. A query that sees no key gets zeros. Divide work among
/// threads by KV heads, query heads and positions, or by spans of keys. `scratch` holds
/// attendScratchFloats() floats, 64-byte aligned.
void attend(const AttentionJob& job, std::span<float> scratch);

/// Spans [begin, end) of kSpanPositions each.
struct SpanRange {
    int begin = 0;
    int end = 0;
};

/// Those in which the job's queries see keys.
SpanRange visibleSpans(const AttentionJob& job);
/// Floats that attendSpan() leaves of each query (position, head) for joinSpans().
std::size_t attendPartFloats(const KvLayout& layout);
/// Sums up one span of keys into `parts`: (queries, attendPartFloats()) floats, 64-byte aligned.
void attendSpan(const AttentionJob& job, int span, std::span<float> parts,
                std::span<float> scratch);
/// Writes what attend() writes, bit for bit, from the parts of all spans the job sees, one after
/// the other.
void joinSpans(const AttentionJob& job, std::span<const float> parts, std::span<float> scratch);

} // namespace engine
