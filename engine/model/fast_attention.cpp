#include "engine/kernels/attention.h"
#include "engine/kernels/vector_ops.h"
#include "engine/model/fast_attend.h"
#include "engine/model/fast_mixers.h"
#include "engine/model/trace_names.h"

#include <algorithm>

namespace engine::fast {

namespace {

void clamp(const Call& call, const Block& x)
{
    const float limit = call.model.clampKqv;
    if (limit <= 0) return;
    for (float& value : x.values())
        value = std::clamp(value, -limit, limit);
}

/// Parts rows of alternating query and gate heads.
void splitGate(const Call& call, const Block& both, int headLength, const Block& query,
               const Block& gate)
{
    call.forRows(both.rows, [&](int row) {
        for (int begin = 0; begin < query.columns; begin += headLength) {
            const float* from = both.row(row) + 2 * begin;
            std::copy_n(from, headLength, query.row(row) + begin);
            std::copy_n(from + headLength, headLength, gate.row(row) + begin);
        }
    });
}

void rotateRow(const Call& call, const LayerHyperparameters& layer, const Block& x, int row)
{
    rotateHeads(call, layer.windowed, row, x.row(row), x.columns / layer.keyLength,
                layer.keyLength);
}

/// Norm and rotation of queries or keys, in the family's order.
void positionHeads(const Call& call, int index, const Block& x, const PackedNorm& norm,
                   bool isQuery)
{
    const Architecture& family = *call.model.architecture;
    const LayerHyperparameters& layer = call.numbers(index);
    const auto normIt = [&] {
        if (!norm) return;
        normalize(call, norm, family.qkNorm, x);
        call.trace(index, isQuery ? trace::kQNorm : trace::kKNorm, x);
    };
    if (!family.qkNormAfterRope) normIt();
    if (layer.usesRope) {
        call.forRows(x.rows, [&](int row) { rotateRow(call, layer, x, row); });
        if (call.model.qkNormUnit)
            normalize(call, PackedNorm{true, {}, {}, layer.keyLength}, NormKind::Rms, x);
    }
    if (family.qkNormAfterRope) normIt();
}

AttentionMask maskOf(const Call& call, const LayerHyperparameters& layer, const Run& run)
{
    AttentionMask mask;
    mask.causal = call.model.causal;
    mask.keyCount = run.firstPosition + run.rows;
    if (layer.slidingWindow == 0) return mask;
    switch (call.model.windowKind) {
    case WindowKind::Ignored:
        break;
    case WindowKind::Causal:
        mask.window = layer.slidingWindow;
        break;
    case WindowKind::Chunked:
        mask.chunk = layer.slidingWindow;
        break;
    case WindowKind::Symmetric:
        mask.window = layer.slidingWindow / 2 + 1;
        break;
    }
    return mask;
}

/// What the heads of all rows read from their sequences.
void attendAll(const Call& call, int index, const Block& queries, const Block& out)
{
    const LayerHyperparameters& layer = call.numbers(index);
    const std::vector<float>& sinks = call.layer(index).attnSinks;
    const std::vector<float>& slopes = call.layer(index).alibiSlopes;
    const HeadCounts heads{layer.headCountKv, layer.headCount / layer.headCountKv};
    attendHeads(
        call, heads, layer.kvLayer, [&](AttentionJob& job, const QueryTile& tile, int head) {
            job.headOffset = tile.run.state->cache().headOffset(layer.kvLayer, head / heads.perKv);
            job.queries = queries.row(tile.firstRow) + head * layer.keyLength;
            job.queryStride = queries.stride();
            job.out = out.row(tile.firstRow) + head * layer.valueLength;
            job.outStride = out.stride();
            job.scale = call.model.attentionScaleOf(layer);
            job.softcap = call.model.attnLogitSoftcapping;
            job.mask = maskOf(call, layer, tile.run);
            job.alibiSlopes = slopes.empty() ? nullptr : slopes.data() + head;
            job.sinks = sinks.empty() ? nullptr : sinks.data() + head;
        });
}

} // namespace

void applyGate(const Call& call, const Block& out, const Block& gate)
{
    const int each = out.columns / gate.columns;
    call.forRows(out.rows, [&](int row) {
        float* g = gate.row(row);
        if (call.model.architecture->attentionGate == AttentionGate::SeparateSoftplus)
            std::transform(g, g + gate.columns, g, softplus);
        else
            activate(Activation::Sigmoid, g, g, gate.stride());
        for (int i = 0; i < out.columns; ++i)
            out.row(row)[i] *= g[i / each];
    });
}

void attention(const Call& call, int index, const Block& x, const Block& result)
{
    const PackedLayer& weights = call.layer(index);
    const LayerHyperparameters& layer = call.numbers(index);
    const Architecture& family = *call.model.architecture;
    const bool gateInQuery = family.attentionGate == AttentionGate::InQuery;
    const Block projected = call.block(Slot::Query, weights.attnQ.outputs());
    const Block k = call.block(Slot::Key, weights.attnK.outputs());
    // Without attn_v values are what attn_k gives; a layer that reads an earlier one's keys and
    // values has neither.
    const bool own = layer.kvLayer == index;
    const Block v = call.block(Slot::Value, own ? layer.valueWidth() : 0);
    Block gate = call.block(Slot::AttentionGate,
                            gateInQuery ? layer.queryWidth() : weights.attnGate.outputs());
    const PackedLinear none;
    const Product products[] = {{&weights.attnQ, projected},
                                {&weights.attnK, k},
                                {&weights.attnV, {v.data, v.rows, weights.attnV.outputs()}},
                                {gateInQuery ? &none : &weights.attnGate, gate}};
    multiply(call, x, products);
    Block q = projected;
    if (gateInQuery) {
        q = call.block(Slot::QueryPart, layer.queryWidth());
        splitGate(call, projected, layer.keyLength, q, gate);
    }
    if (own && !weights.attnV) std::ranges::copy(k.values(), v.data);
    for (const Block& projection : {q, k, v})
        clamp(call, projection);
    call.trace(index, trace::kQ, q);
    if (own) call.trace(index, trace::kK, k);
    if (own) call.trace(index, trace::kV, v);

    positionHeads(call, index, q, weights.attnQNorm, true);
    if (own) positionHeads(call, index, k, weights.attnKNorm, false);
    if (own && family.valueNormUnit)
        normalize(call, PackedNorm{true, {}, {}, layer.valueLength}, NormKind::Rms, v);
    call.trace(index, trace::kQRope, q);
    if (own) call.trace(index, trace::kKRope, k);
    call.forRows(x.rows, [&](int row) {
        const Row& at = call.rows[static_cast<std::size_t>(row)];
        const float factor = call.model.queryTemperature(layer, at.position);
        if (factor != 1.0F) scale(q.row(row), factor, q.row(row), q.stride());
        if (own) at.state->cache().store(index, at.position, k.row(row), v.row(row));
    });

    const Block out = call.block(Slot::Attention, layer.attentionWidth());
    if (call.model.relativeBuckets > 0)
        attendByDistance(call, index, {q, k, v}, out);
    else
        attendAll(call, index, q, out);
    if (gate.columns > 0) {
        call.trace(index, trace::kAttentionGate, gate);
        applyGate(call, out, gate);
    }
    if (weights.attnSubNorm) normalize(call, weights.attnSubNorm, call.model.norm, out);
    call.trace(index, trace::kAttention, out);
    const Product output{&weights.attnOutput, result};
    multiply(call, out, {&output, 1});
    call.trace(index, trace::kAttentionOutput, result);
}

} // namespace engine::fast
