#include "engine/kernels/vector_ops.h"
#include "engine/model/fast_mixers.h"
#include "engine/model/trace_names.h"

#include <cmath>

namespace engine::fast {

namespace {

/// What the recurrence reads of a row beside queries, keys and values.
struct Gates {
    Block decay; ///< (rows, inner), of each element of a key
    Block rate;  ///< (rows, heads)
    Block out;   ///< (rows, inner)
};

Gates gatesOf(const Call& call, int index, const Block& x)
{
    const PackedLayer& weights = call.layer(index);
    const SsmHyperparameters& ssm = call.model.ssm;
    const int length = ssm.stateSize;
    const Block low = call.block(Slot::MixerParameters, 2 * length);
    const Product lows[] = {{&weights.ssmFA, {low.data, low.rows, length}},
                            {&weights.ssmGA, {low.data + length, low.rows, length}}};
    multiplyStrided(call, x.data, x.stride(), lows, low.stride());
    const Gates gates{call.block(Slot::MixerStep, ssm.innerSize),
                      call.block(Slot::MixerRates, ssm.timeStepRank),
                      call.block(Slot::MixerGate, ssm.innerSize)};
    const Product decay{&weights.ssmFB, gates.decay};
    multiplyStrided(call, low.data, low.stride(), {&decay, 1}, gates.decay.stride());
    const Product out{&weights.ssmGB, gates.out};
    multiplyStrided(call, low.data + length, low.stride(), {&out, 1}, gates.out.stride());
    const Product rate{&weights.ssmBeta, gates.rate};
    multiply(call, x, {&rate, 1});
    call.forRows(x.rows, [&](int row) {
        float* value = gates.decay.row(row);
        for (std::size_t i = 0; i < gates.decay.stride(); ++i)
            value[i] = std::exp(softplus(value[i] + weights.ssmDtBias[i]) *
                                weights.ssmA[i / static_cast<std::size_t>(length)]);
        activate(Activation::Sigmoid, gates.rate.row(row), gates.rate.row(row),
                 gates.rate.stride());
    });
    return gates;
}

/// One head over a run: S = S diag(decay); S += (rate (v - S k)) k^T; y = S q.
void scanHead(const Call& call, const Block& u, const Gates& gates, const Run& run, float* state,
              int head, const Block& y)
{
    const int length = call.model.ssm.stateSize;
    const int inner = call.model.ssm.innerSize;
    const int begin = head * length;
    const auto size = static_cast<std::size_t>(length);
    const float queryScale = 1.0F / std::sqrt(static_cast<float>(length));
    for (int row = run.firstRow; row < run.firstRow + run.rows; ++row) {
        const float* q = u.row(row) + begin;
        const float* k = q + inner;
        const float* v = k + inner;
        const float rate = gates.rate.row(row)[head];
        for (int i = 0; i < length; ++i) {
            float* s = state + static_cast<std::size_t>(begin + i) * size;
            engine::multiply(s, gates.decay.row(row) + begin, s, size);
            multiplyAdd(k, rate * (v[i] - dot(s, k, size)), s, s, size);
            y.row(row)[begin + i] = dot(s, q, size) * queryScale;
        }
    }
}

/// Queries, keys and values, convolved; queries and keys of unit length by head.
Block convolved(const Call& call, int index, const Block& x)
{
    const PackedLayer& weights = call.layer(index);
    const SsmHyperparameters& ssm = call.model.ssm;
    const int inner = ssm.innerSize;
    const Block all = call.block(Slot::MixerIn, 3 * inner);
    const Product products[] = {{&weights.attnQ, {all.data, all.rows, inner}},
                                {&weights.attnK, {all.data + inner, all.rows, inner}},
                                {&weights.attnV, {all.data + 2 * inner, all.rows, inner}}};
    multiplyStrided(call, x.data, x.stride(), products, all.stride());
    call.trace(index, trace::kMixerIn, all);
    const Block u = call.block(Slot::MixerConv, 3 * inner);
    convolve(call, index, {weights.ssmConv1d, {}, ssm.convKernel}, all, 0, u);
    siluAll(call, u);
    call.trace(index, trace::kMixerConv, u);
    const float epsilon = call.model.layerNormRmsEpsilon;
    const auto length = static_cast<std::size_t>(ssm.stateSize);
    call.forRows(u.rows, [&](int row) {
        for (int begin = 0; begin < 2 * inner; begin += ssm.stateSize)
            l2Norm(u.row(row) + begin, u.row(row) + begin, length, epsilon);
    });
    return u;
}

} // namespace

/// Kimi delta attention (2025): a gated delta net whose memory fades by each element of the key.
void kimiDelta(const Call& call, int index, const Block& x, const Block& out)
{
    const PackedLayer& weights = call.layer(index);
    const Block u = convolved(call, index, x);
    const Gates gates = gatesOf(call, index, x);
    const Block y = call.block(Slot::MixerScan, call.model.ssm.innerSize);
    for (const Run& run : call.runs)
        call.forItems(call.model.ssm.timeStepRank, [&](int, int head) {
            scanHead(call, u, gates, run, run.state->recurrent(index).state.data(), head, y);
        });
    normalize(call, weights.ssmNorm, NormKind::Rms, y);
    call.forRows(y.rows, [&](int row) {
        activateGated(Activation::Sigmoid, gates.out.row(row), y.row(row), y.row(row), y.stride());
    });
    project(call, index, weights.attnOutput, y, out);
}

} // namespace engine::fast
