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

/// out = second(first(x)), or second(x) where there is no first.
void throughRank(const Call& call, const PackedLinear& first, const PackedLinear& second,
                 const Block& x, const Block& out)
{
    Block from = x;
    if (first) {
        from = call.block(Slot::MixerParameters, first.outputs());
        const Product low{&first, from};
        multiply(call, x, {&low, 1});
    }
    const Product product{&second, out};
    multiply(call, from, {&product, 1});
}

Gates gatesOf(const Call& call, int index, const Block& x)
{
    const PackedLayer& weights = call.layer(index);
    const SsmHyperparameters& ssm = call.model.ssm;
    const int length = ssm.stateSize;
    const float bound = ssm.decayBound;
    const Gates gates{call.block(Slot::MixerStep, ssm.innerSize),
                      call.block(Slot::MixerRates, ssm.timeStepRank),
                      call.block(Slot::MixerGate, ssm.innerSize)};
    throughRank(call, weights.ssmFA, weights.ssmFB, x, gates.decay);
    throughRank(call, weights.ssmGA, weights.ssmGB, x, gates.out);
    const Product rate{&weights.ssmBeta, gates.rate};
    multiply(call, x, {&rate, 1});
    call.forRows(x.rows, [&](int row) {
        float* value = gates.decay.row(row);
        for (std::size_t i = 0; i < gates.decay.stride(); ++i) {
            const float a = weights.ssmA[i / static_cast<std::size_t>(length)];
            const float raw = value[i] + weights.ssmDtBias[i];
            value[i] = std::exp(bound < 0 ? bound * sigmoid(a * raw) : a * softplus(raw));
        }
        activate(Activation::Sigmoid, gates.rate.row(row), gates.rate.row(row),
                 gates.rate.stride());
    });
    return gates;
}

/// One head over a run: S = S diag(decay); S += (rate (v - S k)) k^T; y = S q.
struct KimiScan {
    const Call& call;
    const Block& u; ///< queries, keys (both of unit length), values
    const Gates& gates;
    const Block& y;

    void head(const Run& run, float* state, int at) const
    {
        const int length = call.model.ssm.stateSize;
        const int inner = call.model.ssm.innerSize;
        const int begin = at * length;
        const auto size = static_cast<std::size_t>(length);
        const float queryScale = 1.0F / std::sqrt(static_cast<float>(length));
        for (int row = run.firstRow; row < run.firstRow + run.rows; ++row) {
            const float* q = u.row(row) + begin;
            const float* k = q + inner;
            const float* v = k + inner;
            const float rate = gates.rate.row(row)[at];
            for (int i = 0; i < length; ++i) {
                float* s = state + static_cast<std::size_t>(begin + i) * size;
                engine::multiply(s, gates.decay.row(row) + begin, s, size);
                multiplyAdd(k, rate * (v[i] - dot(s, k, size)), s, s, size);
                y.row(row)[begin + i] = dot(s, q, size) * queryScale;
            }
        }
    }
};

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
    const KimiScan scan{call, u, gates, y};
    for (const Run& run : call.runs)
        call.forItems(call.model.ssm.timeStepRank, [&](int, int head) {
            scan.head(run, run.state->recurrent(index).state.data(), head);
        });
    normalize(call, weights.ssmNorm, NormKind::Rms, y);
    call.forRows(y.rows, [&](int row) {
        activateGated(Activation::Sigmoid, gates.out.row(row), y.row(row), y.row(row), y.stride());
    });
    project(call, index, weights.attnOutput, y, out);
}

} // namespace engine::fast
