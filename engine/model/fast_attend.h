#pragma once

#include "engine/model/fast_query_tiles.h"

namespace engine::fast {

/// How the query heads of a layer are dealt out to its KV heads.
struct HeadCounts {
    int kv = 1;
    int perKv = 1; ///< query heads
};

/// The ways the query heads of a KV head are divided among the threads: only where there is too
/// little else to divide.
inline int headParts(const Call& call, const HeadCounts& heads)
{
    int parts = 1;
    while (queryTiles(call) * heads.kv * parts < 2 * call.pool.threads() &&
           heads.perKv % (2 * parts) == 0)
        parts *= 2;
    return parts;
}

/// One row's attention, the spans of its keys taken by all threads.
template <typename Describe>
void attendBySpans(const Call& call, const Run& run, const HeadCounts& heads, int kvLayer,
                   const Describe& describe)
{
    const QueryTile tile{run, 0, 0, run.firstRow, run.firstPosition, run.rows};
    const auto job = [&](int kvHead) {
        AttentionJob one = tile.job(kvLayer);
        one.heads = heads.perKv;
        describe(one, tile, kvHead * heads.perKv);
        return one;
    };
    const AttentionJob any = job(0);
    const SpanRange range = visibleSpans(any);
    const int spans = range.end - range.begin;
    const std::size_t floats =
        static_cast<std::size_t>(heads.perKv) * attendPartFloats(*any.layout);
    const std::span<float> parts = run.state->attentionParts();
    call.forItems(heads.kv * spans, [&](int thread, int item) {
        attendSpan(job(item / spans), range.begin + item % spans,
                   parts.subspan(static_cast<std::size_t>(item) * floats, floats),
                   call.scratch.attention(thread));
    });
    const std::size_t headFloats = static_cast<std::size_t>(spans) * floats;
    for (int head = 0; head < heads.kv; ++head)
        joinSpans(job(head), parts.subspan(static_cast<std::size_t>(head) * headFloats, headFloats),
                  call.scratch.attention(0));
}

/// True where single rows look back so far, and there are so few of them and of KV heads, that the
/// keys are what is to be divided.
template <typename Describe>
bool dividesKeys(const Call& call, const HeadCounts& heads, int kvLayer, const Describe& describe)
{
    if (queryTiles(call) * heads.kv >= 2 * call.pool.threads() || call.pool.threads() == 1)
        return false;
    bool far = false;
    for (const Run& run : call.runs) {
        if (run.rows != 1) return false;
        const QueryTile tile{run, 0, 0, run.firstRow, run.firstPosition, 1};
        AttentionJob job = tile.job(kvLayer);
        describe(job, tile, 0);
        const SpanRange spans = visibleSpans(job);
        far = far || spans.end - spans.begin > 1;
    }
    return far;
}

/// Attention of all rows over a layer of the cache. describe(job, tile, head) says where queries,
/// outputs and keys are for the tile's rows and the query heads from `head` on.
template <typename Describe>
void attendHeads(const Call& call, const HeadCounts& heads, int kvLayer, const Describe& describe)
{
    if (dividesKeys(call, heads, kvLayer, describe)) {
        for (const Run& run : call.runs)
            attendBySpans(call, run, heads, kvLayer, describe);
        return;
    }
    const int parts = headParts(call, heads);
    forQueryTiles(call, heads.kv * parts, [&](const QueryTile& tile) {
        AttentionJob job = tile.job(kvLayer);
        job.heads = heads.perKv / parts;
        describe(job, tile, tile.item * job.heads);
        attend(job, call.scratch.attention(tile.thread));
    });
}

} // namespace engine::fast
