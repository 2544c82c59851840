#include "engine/kernels/attention.h"
#include "engine/kernels/vector_ops.h"
#include "engine/model/fast_attend.h"
#include "engine/model/fast_mixers.h"
#include "engine/model/trace_names.h"

#include <algorithm>
#include <vector>

namespace engine::fast {

namespace {

/// The queries of compressed attention: projected at once, or through a normed low rank.
Block latentQueries(const Call& call, int index, const Block& x)
{
    const PackedLayer& weights = call.layer(index);
    const PackedLinear& last = weights.attnQA ? weights.attnQB : weights.attnQ;
    const Block q = call.block(Slot::Query, last.outputs());
    Block source = x;
    if (weights.attnQA) {
        source = call.block(Slot::LatentLow, weights.attnQA.outputs());
        const Product low{&weights.attnQA, source};
        multiply(call, x, {&low, 1});
        normalize(call, weights.attnQANorm, NormKind::Rms, source);
    }
    const Product product{&last, q};
    multiply(call, source, {&product, 1});
    return q;
}

/// Compresses each row to what the cache keeps of it: a normed vector for keys and values of all
/// heads, and one rotated key for all.
void rememberLatent(const Call& call, int index, const Block& x)
{
    const PackedLayer& weights = call.layer(index);
    const LayerHyperparameters& layer = call.numbers(index);
    const int rank = call.model.latent.kvLoraRank;
    const Block both = call.block(Slot::LatentBoth, weights.attnKvA.outputs());
    const Product product{&weights.attnKvA, both};
    multiply(call, x, {&product, 1});
    const float epsilon = call.model.layerNormRmsEpsilon;
    call.forRows(x.rows, [&](int row) {
        const Row& at = call.rows[static_cast<std::size_t>(row)];
        float* latent = both.row(row);
        normalize(weights.attnKvANorm, NormKind::Rms, epsilon, latent, latent, rank);
        if (layer.usesRope) rotateHeads(call, layer.windowed, row, latent + rank, 1, 0);
        at.state->cache().store(index, at.position, latent, latent);
    });
    if (call.observer == nullptr) return;
    std::vector<float> latents; // without the rotated keys
    for (int row = 0; row < both.rows; ++row)
        latents.insert(latents.end(), both.row(row), both.row(row) + rank);
    call.observer->record(index, trace::kKvLatent, latents, both.rows, rank);
}

/// What each head's query is when it is held against the compressed vectors themselves: with k = K
/// c, q.k = (K^T q).c. The rotated part follows.
Block compressedQueries(const Call& call, int index, const Block& q)
{
    const PackedLayer& weights = call.layer(index);
    const LayerHyperparameters& layer = call.numbers(index);
    const int rotated = call.model.rope.dimensionCount;
    const int rank = call.model.latent.kvLoraRank;
    const int keyLength = call.model.latent.keyLength;
    const Block held = call.block(Slot::LatentQuery, layer.headCount * (rank + rotated));
    for (int head = 0; head < layer.headCount; ++head) {
        const Product product{&weights.attnKB[static_cast<std::size_t>(head)],
                              {held.data + head * (rank + rotated), held.rows, rank}};
        multiplyStrided(call, q.data + head * keyLength, q.stride(), {&product, 1}, held.stride());
    }
    call.forRows(q.rows, [&](int row) {
        for (int head = 0; head < layer.headCount; ++head)
            std::copy_n(q.row(row) + (head + 1) * keyLength - rotated, rotated,
                        held.row(row) + head * (rank + rotated) + rank);
    });
    return held;
}

void rotateLatentQueries(const Call& call, int index, const Block& q)
{
    const LayerHyperparameters& layer = call.numbers(index);
    const int keyLength = call.model.latent.keyLength;
    const int plain = keyLength - call.model.rope.dimensionCount;
    call.forRows(q.rows, [&](int row) {
        if (layer.usesRope)
            rotateHeads(call, layer.windowed, row, q.row(row) + plain, layer.headCount, keyLength);
    });
    call.trace(index, trace::kQRope, q);
    call.forRows(q.rows, [&](int row) {
        const int position = call.rows[static_cast<std::size_t>(row)].position;
        const float factor = call.model.queryTemperature(layer, position);
        if (factor != 1.0F) scale(q.row(row), factor, q.row(row), q.stride());
    });
}

} // namespace

void latentAttention(const Call& call, int index, const Block& x, const Block& result)
{
    const PackedLayer& weights = call.layer(index);
    const LayerHyperparameters& layer = call.numbers(index);
    const LatentHyperparameters& latent = call.model.latent;
    const int width = latent.kvLoraRank + call.model.rope.dimensionCount;
    const Block q = latentQueries(call, index, x);
    call.trace(index, trace::kQ, q);
    rotateLatentQueries(call, index, q);
    rememberLatent(call, index, x);
    const Block held = compressedQueries(call, index, q);
    const Block read = call.block(Slot::LatentRead, layer.headCount * latent.kvLoraRank);

    const HeadCounts heads{1, layer.headCount};
    attendHeads(call, heads, index, [&](AttentionJob& job, const QueryTile& tile, int head) {
        job.queries = held.row(tile.firstRow) + head * width;
        job.queryStride = held.stride();
        job.out = read.row(tile.firstRow) + head * latent.kvLoraRank;
        job.outStride = read.stride();
        job.scale = call.model.attentionScaleOf(layer);
    });

    const Block out = call.block(Slot::Attention, layer.attentionWidth());
    for (int head = 0; head < layer.headCount; ++head) {
        const Product product{&weights.attnVB[static_cast<std::size_t>(head)],
                              {out.data + head * latent.valueLength, out.rows, latent.valueLength}};
        multiplyStrided(call, read.data + head * latent.kvLoraRank, read.stride(), {&product, 1},
                        out.stride());
    }
    if (weights.attnGate) {
        const Block gate = call.block(Slot::AttentionGate, weights.attnGate.outputs());
        const Product product{&weights.attnGate, gate};
        multiply(call, x, {&product, 1});
        call.trace(index, trace::kAttentionGate, gate);
        applyGate(call, out, gate);
    }
    call.trace(index, trace::kAttention, out);
    const Product output{&weights.attnOutput, result};
    multiply(call, out, {&output, 1});
    call.trace(index, trace::kAttentionOutput, result);
}

} // namespace engine::fast
