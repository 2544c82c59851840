// Softmax attention with a running maximum (Milakov and Gimelshein, 2018) over tiles of 64 keys,
// whose sums are joined span by span, so that spans can be summed up apart (as in Flash-Decoding,
// Dao et al. 2023).
//
// Scores are q K with K transposed, outputs p V: both are small matrix products whose lanes are
// independent outputs, each one chain of fused multiply-adds (over the head's values, over the
// keys).

#include "engine/kernels/attention.h"

#include "engine/kernels/kv_element.h"

#include <algorithm>
#include <array>
#include <limits>

// clang-format off: foreach_target.h comes before whatever includes highway.h
#include "engine/kernels/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/attention.cpp"
#include <hwy/foreach_target.h>
#include "engine/kernels/attention_product-inl.h"
#include "engine/kernels/vector_math-inl.h"
// clang-format on

#ifndef ENGINE_KERNELS_ATTENTION_ONCE
#define ENGINE_KERNELS_ATTENTION_ONCE
namespace engine {
namespace {

constexpr std::size_t kTileKeys = kPagePositions;
/// Queries (position, head) that share a pass over the keys.
constexpr std::size_t kRunQueries = 32; // a multiple of 4
/// From so many queries on it pays to widen a tile of keys and values once.
constexpr std::size_t kWidenQueries = 12;
constexpr int kSpanPages = kSpanPositions / kPagePositions;
constexpr float kNothing = -std::numeric_limits<float>::infinity();

/// Positions [begin, end), absolute or within a tile.
struct KeyRange {
    int begin = 0;
    int end = 0;
    bool empty() const { return begin >= end; }
};

KeyRange visibleKeys(const AttentionMask& mask, int position)
{
    KeyRange range{0, mask.causal ? position + 1 : mask.keyCount};
    if (mask.window > 0) {
        range.begin = std::max(range.begin, position - mask.window + 1);
        range.end = std::min(range.end, position + mask.window);
    }
    if (mask.chunk > 0) range.begin = std::max(range.begin, position / mask.chunk * mask.chunk);
    return range;
}

KeyRange inTile(const KeyRange& range, int firstKey)
{
    return {std::max(range.begin - firstKey, 0),
            std::min(range.end - firstKey, static_cast<int>(kTileKeys))};
}

/// A tile's keys (headDim, 64) and values (64, valueWidth).
struct TileView {
    KvType type;
    const std::byte* keys;
    const std::byte* values;
    // From keys to the values and from values to the next tile's keys, where those are far: few
    // queries wait for memory.
    std::ptrdiff_t toValues = 0;
    std::ptrdiff_t toNextKeys = 0;
};

/// What is known of some queries' keys so far.
struct Softmax {
    float* sums;                            ///< (kRunQueries, valueWidth): sum of p v
    std::array<float, kRunQueries> maximum; ///< of the scores
    std::array<float, kRunQueries> weight;  ///< sum of p
};

/// Queries computed together.
struct QueryRun {
    const AttentionJob* job;
    std::size_t first; ///< (position, head) counted through
    std::size_t count; ///< at most kRunQueries
    Softmax span;      ///< of the keys of this span
    Softmax total;     ///< of the spans before
    float* scores;     ///< (kRunQueries, 64): of this tile; then p
    float* wideKeys;   ///< a tile in f32
    float* wideValues;
    std::array<KeyRange, kRunQueries> visible;
    std::array<KeyRange, kRunQueries> tile; ///< visible keys of this tile

    int position(std::size_t i) const
    {
        return job->firstPosition +
               static_cast<int>((first + i) / static_cast<std::size_t>(job->heads));
    }
    std::size_t head(std::size_t i) const
    {
        return (first + i) % static_cast<std::size_t>(job->heads);
    }
    /// Rows of sums and scores there are: the last four may have rows that nobody looks at.
    std::size_t rowCount() const { return (count + 3) / 4 * 4; }
    /// How many rows from `i` on are taken at once.
    std::size_t together(std::size_t i) const { return count - i >= 2 ? 4 : 1; }
    const float* query(std::size_t i) const
    {
        i = std::min(i, count - 1);
        const std::size_t row = (first + i) / static_cast<std::size_t>(job->heads);
        return job->queries + row * job->queryStride +
               head(i) * static_cast<std::size_t>(job->layout->headDim);
    }
    float* out(std::size_t i) const
    {
        const std::size_t row = (first + i) / static_cast<std::size_t>(job->heads);
        return job->out + row * job->outStride +
               head(i) * static_cast<std::size_t>(job->layout->headDimValue);
    }
};

std::size_t queriesOf(const AttentionJob& job)
{
    return static_cast<std::size_t>(job.positions) * static_cast<std::size_t>(job.heads);
}

} // namespace
} // namespace engine
#endif

HWY_BEFORE_NAMESPACE();
namespace engine::HWY_NAMESPACE {
namespace {

HWY_INLINE float exponentialOf(float x)
{
    return hn::GetLane(exponential(constant(x)));
}

HWY_INLINE void scaleBy(float* x, std::size_t n, float factor)
{
    const FloatTag df;
    for (std::size_t i = 0; i < n; i += hn::Lanes(df))
        hn::Store(hn::Mul(hn::Load(df, x + i), constant(factor)), df, x + i);
}

/// Widens a tile to f32, exactly; for Q8_0, value times scale rounded once.
void widenTile(const QueryRun& run, const std::byte* page, TileView& tile)
{
    const KvLayout& layout = *run.job->layout;
    const std::size_t keys = layout.keyRows() * kTileKeys;
    const std::size_t values = layout.valueWidth() * kTileKeys;
    switch (layout.type) {
    case KvType::F32:
        return;
    case KvType::F16:
        widen(F16Element(), tile.keys, run.wideKeys, keys);
        widen(F16Element(), tile.values, run.wideValues, values);
        break;
    case KvType::BF16:
        widen(Bf16Element(), tile.keys, run.wideKeys, keys);
        widen(Bf16Element(), tile.values, run.wideValues, values);
        break;
    case KvType::Q8_0: {
        const KvQ8View view = kvQ8View(layout, const_cast<std::byte*>(page));
        widenQ8Keys(view, layout.keyRows(), run.wideKeys);
        widenQ8Values(view, layout.valueWidth(), run.wideValues);
        break;
    }
    }
    tile = {KvType::F32, reinterpret_cast<const std::byte*>(run.wideKeys),
            reinterpret_cast<const std::byte*>(run.wideValues)};
}

template <class Element>
void scoreTile(const QueryRun& run, const TileView& tile)
{
    const Factor keys{tile.keys, kTileKeys, tile.toValues};
    const auto headDim = static_cast<std::size_t>(run.job->layout->headDim);
    std::fill_n(run.scores, run.rowCount() * kTileKeys, 0.0f);
    std::size_t i = 0;
    for (; i < run.count && run.together(i) == 4; i += 4) {
        const RowsOf4 rows{{run.query(i), run.query(i + 1), run.query(i + 2), run.query(i + 3)},
                           run.scores + i * kTileKeys,
                           kTileKeys};
        productOf4<Element>(rows, {0, headDim}, keys, kTileKeys);
    }
    for (; i < run.count; ++i)
        productOf1<Element>(run.query(i), run.scores + i * kTileKeys, {0, headDim}, keys,
                            kTileKeys);
}

/// Scale, cap, position bias and mask; the result's maximum.
float finishScores(const QueryRun& run, std::size_t i, int firstKey)
{
    const AttentionJob& job = *run.job;
    const FloatTag df;
    const Int32Tag di;
    float* scores = run.scores + i * kTileKeys;
    const float slope = job.alibiSlopes != nullptr ? job.alibiSlopes[run.head(i)] : 0.0f;
    const auto begin = hn::Set(di, run.tile[i].begin), end = hn::Set(di, run.tile[i].end);
    const auto toQuery = hn::Set(di, firstKey - run.position(i));
    auto most = constant(kNothing);
    for (std::size_t k = 0; k < kTileKeys; k += hn::Lanes(df)) {
        const auto key = hn::Iota(di, static_cast<std::int32_t>(k));
        auto s = hn::Mul(hn::Load(df, scores + k), constant(job.scale));
        if (job.softcap > 0.0f)
            s = hn::Mul(constant(job.softcap),
                        hyperbolicTangent(hn::Div(s, constant(job.softcap))));
        if (slope != 0.0f) {
            const auto nearness = hn::Neg(hn::Abs(hn::Add(key, toQuery)));
            s = hn::MulAdd(constant(slope), hn::ConvertTo(df, nearness), s);
        }
        const auto seen = hn::AndNot(hn::Lt(key, begin), hn::Lt(key, end));
        s = hn::IfThenElse(hn::RebindMask(df, seen), s, constant(kNothing));
        most = hn::Max(most, s);
        hn::Store(s, df, scores + k);
    }
    return hn::ReduceMax(df, most);
}

/// Turns a query's scores into p = exp(score - maximum) and brings what was summed before to the
/// new maximum.
void weighScores(QueryRun& run, std::size_t i, int firstKey)
{
    const FloatTag df;
    float* scores = run.scores + i * kTileKeys;
    const float maximum = std::max(run.span.maximum[i], finishScores(run, i, firstKey));
    for (std::size_t k = 0; k < kTileKeys; k += hn::Lanes(df))
        hn::Store(exponential(hn::Sub(hn::Load(df, scores + k), constant(maximum))), df,
                  scores + k);
    const float tileWeight = sum16(PlainTerm{scores}, kTileKeys);
    if (maximum != run.span.maximum[i]) {
        const std::size_t width = run.job->layout->valueWidth();
        const float shrink = exponentialOf(run.span.maximum[i] - maximum);
        run.span.weight[i] *= shrink;
        scaleBy(run.span.sums + i * width, width, shrink);
        run.span.maximum[i] = maximum;
    }
    run.span.weight[i] += tileWeight;
}

template <class Element>
void addOne(const QueryRun& run, std::size_t i, KeyRange keys, const Factor& values)
{
    if (keys.empty()) return;
    const std::size_t width = values.width;
    productOf1<Element>(run.scores + i * kTileKeys, run.span.sums + i * width,
                        {static_cast<std::size_t>(keys.begin), static_cast<std::size_t>(keys.end)},
                        values, width);
}

/// Adds p v over the keys each query sees, and no others: those may hold anything.
template <class Element>
void addValues(const QueryRun& run, const TileView& tile)
{
    const std::size_t width = run.job->layout->valueWidth();
    const Factor values{tile.values, width, tile.toNextKeys};
    std::size_t i = 0;
    for (; i < run.count && run.together(i) == 4; i += 4) {
        const std::size_t end = std::min(i + 4, run.count);
        KeyRange common{0, static_cast<int>(kTileKeys)};
        for (std::size_t j = i; j < end; ++j) {
            common.begin = std::max(common.begin, run.tile[j].begin);
            common.end = std::min(common.end, run.tile[j].end);
        }
        if (common.empty()) {
            for (std::size_t j = i; j < end; ++j)
                addOne<Element>(run, j, run.tile[j], values);
            continue;
        }
        for (std::size_t j = i; j < end; ++j)
            addOne<Element>(run, j, {run.tile[j].begin, common.begin}, values);
        const float* p = run.scores + i * kTileKeys;
        const RowsOf4 rows{{p, p + kTileKeys, p + 2 * kTileKeys, p + 3 * kTileKeys},
                           run.span.sums + i * width,
                           width};
        productOf4<Element>(
            rows, {static_cast<std::size_t>(common.begin), static_cast<std::size_t>(common.end)},
            values, width);
        for (std::size_t j = i; j < end; ++j)
            addOne<Element>(run, j, {common.end, run.tile[j].end}, values);
    }
    for (; i < run.count; ++i)
        addOne<Element>(run, i, run.tile[i], values);
}

template <class Element>
void attendTile(QueryRun& run, const TileView& tile, int firstKey)
{
    scoreTile<Element>(run, tile);
    for (std::size_t i = 0; i < run.count; ++i)
        if (!run.tile[i].empty()) weighScores(run, i, firstKey);
    addValues<Element>(run, tile);
}

/// `next`: where the head's keys on the next page are; null: there is none.
void attendPage(QueryRun& run, int page, const std::byte* next)
{
    const int firstKey = page * kPagePositions;
    bool any = false;
    for (std::size_t i = 0; i < run.count; ++i) {
        run.tile[i] = inTile(run.visible[i], firstKey);
        any = any || !run.tile[i].empty();
    }
    if (!any) return;
    const KvLayout& layout = *run.job->layout;
    const std::byte* head = run.job->pages[static_cast<std::size_t>(page)] + run.job->headOffset;
    TileView tile{layout.type, head, head + layout.keyBytes()};
    if (layout.type == KvType::Q8_0 || run.count >= kWidenQueries) {
        widenTile(run, head, tile);
    } else {
        tile.toValues = tile.values - tile.keys;
        if (next != nullptr) tile.toNextKeys = next - tile.values;
    }
    switch (tile.type) {
    case KvType::F16:
        return attendTile<F16Element>(run, tile, firstKey);
    case KvType::BF16:
        return attendTile<Bf16Element>(run, tile, firstKey);
    default:
        return attendTile<F32Element>(run, tile, firstKey);
    }
}

/// The keys any query of the run sees; finds out what each does.
KeyRange findVisible(QueryRun& run)
{
    KeyRange all{std::numeric_limits<int>::max(), 0};
    for (std::size_t i = 0; i < run.count; ++i) {
        run.visible[i] = visibleKeys(run.job->mask, run.position(i));
        if (run.visible[i].empty()) continue;
        all.begin = std::min(all.begin, run.visible[i].begin);
        all.end = std::max(all.end, run.visible[i].end);
    }
    return all;
}

void clear(const QueryRun& run, Softmax& softmax)
{
    std::fill_n(softmax.sums, run.rowCount() * run.job->layout->valueWidth(), 0.0f);
    softmax.maximum.fill(kNothing);
    softmax.weight.fill(0.0f);
}

/// Sums up one span of the keys `all`.
void attendKeys(QueryRun& run, const KeyRange& all, int span)
{
    clear(run, run.span);
    const int pages = (all.end + kPagePositions - 1) / kPagePositions;
    const int end = std::min(pages, (span + 1) * kSpanPages);
    for (int page = std::max(all.begin / kPagePositions, span * kSpanPages); page < end; ++page) {
        const auto after = static_cast<std::size_t>(page) + 1;
        attendPage(run, page,
                   page + 1 == pages ? nullptr : run.job->pages[after] + run.job->headOffset);
    }
}

/// Adds what a span gave for a query to the total of those before.
void joinSpan(QueryRun& run, std::size_t i, const float* sums, float maximum, float weight)
{
    const FloatTag df;
    const std::size_t width = run.job->layout->valueWidth();
    Softmax& total = run.total;
    if (weight == 0.0f) return; // sees no key of the span
    if (total.weight[i] == 0.0f) {
        std::copy_n(sums, width, total.sums + i * width);
        total.maximum[i] = maximum;
        total.weight[i] = weight;
        return;
    }
    const float most = std::max(total.maximum[i], maximum);
    const float before = exponentialOf(total.maximum[i] - most);
    const float now = exponentialOf(maximum - most);
    for (std::size_t d = 0; d < width; d += hn::Lanes(df)) {
        float* sum = total.sums + i * width + d;
        const auto old = hn::Mul(hn::Load(df, sum), constant(before));
        hn::Store(hn::MulAdd(hn::Load(df, sums + d), constant(now), old), df, sum);
    }
    total.maximum[i] = most;
    total.weight[i] = total.weight[i] * before + weight * now;
}

/// Lets a sink join the denominator, divides, and writes the outputs.
void finishQuery(QueryRun& run, std::size_t i)
{
    const std::size_t width = run.job->layout->valueWidth();
    Softmax& total = run.total;
    float* sums = total.sums + i * width;
    if (run.job->sinks != nullptr && total.weight[i] > 0.0f) {
        const float sink = run.job->sinks[run.head(i)];
        const float maximum = std::max(total.maximum[i], sink);
        const float shrink = exponentialOf(total.maximum[i] - maximum);
        total.weight[i] = total.weight[i] * shrink + exponentialOf(sink - maximum);
        scaleBy(sums, width, shrink);
    }
    if (total.weight[i] != 0.0f) scaleBy(sums, width, 1.0f / total.weight[i]);
    std::copy_n(sums, run.job->layout->headDimValue, run.out(i));
}

} // namespace

void attendRun(QueryRun& run)
{
    const std::size_t width = run.job->layout->valueWidth();
    const KeyRange all = findVisible(run);
    clear(run, run.total);
    for (int span = all.begin / kSpanPositions; span * kSpanPositions < all.end; ++span) {
        attendKeys(run, all, span);
        for (std::size_t i = 0; i < run.count; ++i)
            joinSpan(run, i, run.span.sums + i * width, run.span.maximum[i], run.span.weight[i]);
    }
    for (std::size_t i = 0; i < run.count; ++i)
        finishQuery(run, i);
}

void attendSpanOfRun(QueryRun& run, int span, float* parts)
{
    const std::size_t width = run.job->layout->valueWidth();
    attendKeys(run, findVisible(run), span);
    for (std::size_t i = 0; i < run.count; ++i, parts += attendPartFloats(*run.job->layout)) {
        std::copy_n(run.span.sums + i * width, width, parts);
        parts[width] = run.span.maximum[i];
        parts[width + 1] = run.span.weight[i];
    }
}

void joinSpansOfRun(QueryRun& run, int spans, const float* parts, std::size_t spanFloats)
{
    const std::size_t width = run.job->layout->valueWidth();
    clear(run, run.total);
    for (int span = 0; span < spans; ++span, parts += spanFloats)
        for (std::size_t i = 0; i < run.count; ++i) {
            const float* part = parts + i * attendPartFloats(*run.job->layout);
            joinSpan(run, i, part, part[width], part[width + 1]);
        }
    for (std::size_t i = 0; i < run.count; ++i)
        finishQuery(run, i);
}

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine {

HWY_EXPORT(attendRun);
HWY_EXPORT(attendSpanOfRun);
HWY_EXPORT(joinSpansOfRun);

namespace {

QueryRun newRun(const AttentionJob& job, std::span<float> scratch)
{
    const KvLayout& layout = *job.layout;
    QueryRun run{};
    run.job = &job;
    run.span.sums = scratch.data();
    run.total.sums = run.span.sums + kRunQueries * layout.valueWidth();
    run.scores = run.total.sums + kRunQueries * layout.valueWidth();
    run.wideKeys = run.scores + kRunQueries * kTileKeys;
    run.wideValues = run.wideKeys + kTileKeys * layout.keyRows();
    return run;
}

/// body(run) for all queries of a job.
template <typename Body>
void forRuns(const AttentionJob& job, std::span<float> scratch, const Body& body)
{
    QueryRun run = newRun(job, scratch);
    const std::size_t queries = queriesOf(job);
    for (run.first = 0; run.first < queries; run.first += kRunQueries) {
        run.count = std::min(kRunQueries, queries - run.first);
        body(run);
    }
}

} // namespace

std::size_t attendScratchFloats(const KvLayout& layout)
{
    return kRunQueries * (2 * layout.valueWidth() + kTileKeys) +
           kTileKeys * (layout.keyRows() + layout.valueWidth());
}

void attend(const AttentionJob& job, std::span<float> scratch)
{
    forRuns(job, scratch, [](QueryRun& run) { HWY_DYNAMIC_DISPATCH(attendRun)(run); });
}

SpanRange visibleSpans(const AttentionJob& job)
{
    const KeyRange first = visibleKeys(job.mask, job.firstPosition);
    const KeyRange last = visibleKeys(job.mask, job.firstPosition + job.positions - 1);
    return {first.begin / kSpanPositions, (last.end + kSpanPositions - 1) / kSpanPositions};
}

std::size_t attendPartFloats(const KvLayout& layout)
{
    constexpr std::size_t kAlignedPair = 16; // maximum and weight
    return layout.valueWidth() + kAlignedPair;
}

void attendSpan(const AttentionJob& job, int span, std::span<float> parts, std::span<float> scratch)
{
    forRuns(job, scratch, [&](QueryRun& run) {
        HWY_DYNAMIC_DISPATCH(attendSpanOfRun)
        (run, span, parts.data() + run.first * attendPartFloats(*job.layout));
    });
}

void joinSpans(const AttentionJob& job, std::span<const float> parts, std::span<float> scratch)
{
    const SpanRange spans = visibleSpans(job);
    forRuns(job, scratch, [&](QueryRun& run) {
        HWY_DYNAMIC_DISPATCH(joinSpansOfRun)
        (run, spans.end - spans.begin, parts.data() + run.first * attendPartFloats(*job.layout),
         queriesOf(job) * attendPartFloats(*job.layout));
    });
}

} // namespace engine
#endif
