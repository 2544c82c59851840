#pragma once

#include "engine/kernels/attention.h"
#include "engine/kernels/vector_ops.h"
#include "engine/model/fast_call.h"

#include <algorithm>

namespace engine::fast {

inline constexpr int kQueryTile = 16; ///< positions a thread takes at a time

/// A few neighbouring positions of one sequence, and which of the heads (or parts of them) is
/// meant.
struct QueryTile {
    const Run& run;
    int thread = 0;
    int item = 0;
    int firstRow = 0;
    int firstPosition = 0;
    int rows = 0;

    /// What the position alone decides of the work; queries, output and heads are the caller's.
    AttentionJob job(int layer) const
    {
        const KvCache& cache = run.state->cache();
        AttentionJob job;
        job.layout = &cache.layout(layer);
        job.pages = cache.pages(layer);
        job.firstPosition = firstPosition;
        job.positions = rows;
        return job;
    }
};

inline int tilesOf(const Run& run)
{
    return (run.rows + kQueryTile - 1) / kQueryTile;
}

inline int queryTiles(const Call& call)
{
    int tiles = 0;
    for (const Run& run : call.runs)
        tiles += tilesOf(run);
    return tiles;
}

/// body(tile) for every tile of every run, `items` times each, on all threads.
template <typename Body>
void forQueryTiles(const Call& call, int items, const Body& body)
{
    call.forItems(queryTiles(call) * items, [&](int thread, int at) {
        int tile = at / items;
        for (const Run& run : call.runs) {
            if (tile >= tilesOf(run)) {
                tile -= tilesOf(run);
                continue;
            }
            const int first = tile * kQueryTile;
            body(QueryTile{run, thread, at % items, run.firstRow + first, run.firstPosition + first,
                           std::min(kQueryTile, run.rows - first)});
            return;
        }
    });
}

/// Turns the heads of one row, `stride` apart, by its position.
inline void rotateHeads(const Call& call, bool windowed, int row, float* heads, int count,
                        int stride)
{
    const RopeTable& rope = call.rows[static_cast<std::size_t>(row)].state->rope(windowed);
    const RopeAngles angles{call.scratch.cosines(windowed, row), call.scratch.sines(windowed, row),
                            rope.dimensionCount / 2};
    applyRope(rope.layout == RopeLayout::Adjacent ? RopePairs::Adjacent : RopePairs::Halves, angles,
              heads, count, static_cast<std::size_t>(stride));
}

} // namespace engine::fast
