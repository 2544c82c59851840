#include "engine/kernels/vector_ops.h"
#include "engine/model/fast_mixers.h"
#include "engine/model/trace_names.h"

#include <cmath>

namespace engine::fast {

namespace {

/// Decay, then learning rate, of every value head: (rows, 2 heads).
Block deltaGates(const Call& call, int index, const Block& x)
{
    const PackedLayer& weights = call.layer(index);
    const int heads = call.model.ssm.timeStepRank;
    const Block gates = call.block(Slot::MixerRates, 2 * heads);
    const Block raw = call.block(Slot::MixerStep, 2 * heads);
    const Product products[] = {{&weights.ssmAlpha, {raw.data, raw.rows, heads}},
                                {&weights.ssmBeta, {raw.data + heads, raw.rows, heads}}};
    multiplyStrided(call, x.data, x.stride(), products, raw.stride());
    call.forRows(x.rows, [&](int row) {
        for (int head = 0; head < heads; ++head) {
            const auto at = static_cast<std::size_t>(head);
            const float alpha = raw.row(row)[head];
            const float beta = raw.row(row)[heads + head];
            gates.row(row)[head] =
                std::exp(softplus(alpha + weights.ssmDtBias[at]) * weights.ssmA[at]);
            gates.row(row)[heads + head] = sigmoid(beta);
        }
    });
    return gates;
}

/// One value head over a run: S = decay S; S += k (rate (v - S^T k))^T; y = S^T q.
struct DeltaScan {
    const Call& call;
    const Block& u; ///< queries, keys (both of unit length), values
    const Block& gates;
    const Block& y;

    void head(const Run& run, float* state, int at) const
    {
        const SsmHyperparameters& ssm = call.model.ssm;
        const int keyLength = ssm.stateSize;
        const int valueLength = ssm.innerSize / ssm.timeStepRank;
        const int keyHead = call.model.architecture->deltaHeadsTiled
                                ? at % ssm.groupCount
                                : at / (ssm.timeStepRank / ssm.groupCount);
        const float queryScale = 1.0F / std::sqrt(static_cast<float>(keyLength));
        const auto size = static_cast<std::size_t>(keyLength);
        for (int row = run.firstRow; row < run.firstRow + run.rows; ++row) {
            const float* q = u.row(row) + keyHead * keyLength;
            const float* k = q + ssm.groupCount * keyLength;
            const float* v = u.row(row) + 2 * ssm.groupCount * keyLength + at * valueLength;
            const float decay = gates.row(row)[at];
            const float rate = gates.row(row)[ssm.timeStepRank + at];
            for (int i = 0; i < valueLength; ++i) {
                // The part of S that gives this value: one number for each element of the key.
                float* s = state + static_cast<std::size_t>(at * valueLength + i) * size;
                scale(s, decay, s, size);
                multiplyAdd(k, rate * (v[i] - dot(s, k, size)), s, s, size);
                y.row(row)[at * valueLength + i] = dot(s, q, size) * queryScale;
            }
        }
    }
};

} // namespace

/// Gated delta net (Yang et al. 2024): each value head keeps a matrix from keys to values that
/// fades and learns what it got wrong.
void gatedDeltaNet(const Call& call, int index, const Block& x, const Block& out)
{
    const PackedLayer& weights = call.layer(index);
    const SsmHyperparameters& ssm = call.model.ssm;
    const int channels = ssm.innerSize + 2 * ssm.groupCount * ssm.stateSize;
    const Block all = call.block(Slot::MixerIn, weights.attnQkv.outputs());
    const Block z = call.block(Slot::MixerGate, weights.attnGate.outputs());
    const Product products[] = {{&weights.attnQkv, all}, {&weights.attnGate, z}};
    multiply(call, x, products);
    call.trace(index, trace::kMixerIn, all);
    const Block gates = deltaGates(call, index, x);
    const Block u = call.block(Slot::MixerConv, channels);
    convolve(call, index, {weights.ssmConv1d, weights.ssmConv1dBias, ssm.convKernel}, all, 0, u);
    siluAll(call, u);
    call.trace(index, trace::kMixerConv, u);
    const float epsilon = call.model.layerNormRmsEpsilon;
    const auto keyLength = static_cast<std::size_t>(ssm.stateSize);
    call.forRows(u.rows, [&](int row) {
        for (int head = 0; head < 2 * ssm.groupCount; ++head) {
            float* vector = u.row(row) + head * ssm.stateSize;
            l2Norm(vector, vector, keyLength, epsilon);
        }
    });
    const Block y = call.block(Slot::MixerScan, ssm.innerSize);
    const DeltaScan scan{call, u, gates, y};
    for (const Run& run : call.runs)
        call.forItems(ssm.timeStepRank, [&](int, int head) {
            scan.head(run, run.state->recurrent(index).state.data(), head);
        });
    normalize(call, weights.ssmNorm, NormKind::Rms, y);
    call.forRows(y.rows, [&](int row) {
        activateGated(Activation::Silu, z.row(row), y.row(row), y.row(row), y.stride());
    });
    project(call, index, weights.ssmOut, y, out);
}

} // namespace engine::fast
