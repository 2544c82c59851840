#include "engine/model/fast_delta_rule.h"
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

/// One head over a run; each element of a key fades by itself.
struct KimiScan {
    const Call& call;
    const Block& u; ///< queries, keys (both of unit length), values
    const Gates& gates;
    const Block& y;

    void operator()(const Run& run, float* state, int at) const
    {
        const int length = call.model.ssm.stateSize;
        const int inner = call.model.ssm.innerSize;
        const int begin = at * length;
        const auto size = static_cast<std::size_t>(length);
        float* own = state + static_cast<std::size_t>(begin) * size;
        for (int row = run.firstRow; row < run.firstRow + run.rows; ++row) {
            const float* query = u.row(row) + begin;
            const float* decay = gates.decay.row(row) + begin;
            deltaStep({query, query + inner, query + 2 * inner, gates.rate.row(row)[at],
                       y.row(row) + begin},
                      length, length, own, [&](float* s) { engine::multiply(s, decay, s, size); });
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
    unitHeads(call, u, 2 * ssm.timeStepRank, ssm.stateSize);
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
    scanHeads(call, index, call.model.ssm.timeStepRank, KimiScan{call, u, gates, y});
    normAndGate(call, index, Activation::Sigmoid, gates.out, y);
    project(call, index, weights.attnOutput, y, out);
}

} // namespace engine::fast
