#include "engine/model/fast_delta_rule.h"
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

/// One value head over a run; all of it fades alike.
struct DeltaScan {
    const Call& call;
    const Block& u; ///< queries, keys (both of unit length), values
    const Block& gates;
    const Block& y;

    void operator()(const Run& run, float* state, int at) const
    {
        const SsmHyperparameters& ssm = call.model.ssm;
        const int keyLength = ssm.stateSize;
        const int valueLength = ssm.innerSize / ssm.timeStepRank;
        const int keyHead = call.model.architecture->deltaHeadsTiled
                                ? at % ssm.groupCount
                                : at / (ssm.timeStepRank / ssm.groupCount);
        const auto size = static_cast<std::size_t>(keyLength);
        float* own = state + static_cast<std::size_t>(at * valueLength) * size;
        for (int row = run.firstRow; row < run.firstRow + run.rows; ++row) {
            const float* query = u.row(row) + keyHead * keyLength;
            const float* key = query + ssm.groupCount * keyLength;
            const float* value = u.row(row) + 2 * ssm.groupCount * keyLength + at * valueLength;
            const float decay = gates.row(row)[at];
            const float rate = gates.row(row)[ssm.timeStepRank + at];
            deltaStep({query, key, value, rate, y.row(row) + at * valueLength}, keyLength,
                      valueLength, own, [&](float* s) { scale(s, decay, s, size); });
        }
    }
};

} // namespace

void unitHeads(const Call& call, const Block& x, int heads, int length)
{
    const float epsilon = call.model.layerNormRmsEpsilon;
    call.forRows(x.rows, [&](int row) {
        for (int head = 0; head < heads; ++head) {
            float* vector = x.row(row) + head * length;
            l2Norm(vector, vector, static_cast<std::size_t>(length), epsilon);
        }
    });
}

void normAndGate(const Call& call, int index, Activation activation, const Block& gate,
                 const Block& y)
{
    normalize(call, call.layer(index).ssmNorm, NormKind::Rms, y);
    call.forRows(y.rows, [&](int row) {
        activateGated(activation, gate.row(row), y.row(row), y.row(row), y.stride());
    });
}

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
    unitHeads(call, u, 2 * ssm.groupCount, ssm.stateSize);
    const Block y = call.block(Slot::MixerScan, ssm.innerSize);
    scanHeads(call, index, ssm.timeStepRank, DeltaScan{call, u, gates, y});
    normAndGate(call, index, Activation::Silu, z, y);
    project(call, index, weights.ssmOut, y, out);
}

} // namespace engine::fast
