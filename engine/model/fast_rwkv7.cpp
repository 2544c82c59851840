#include "engine/model/fast_mixers.h"
#include "engine/model/fast_token_shift.h"
#include "engine/model/trace_names.h"

#include <algorithm>
#include <cmath>

namespace engine::fast {

namespace {

/// What the recurrence reads: (rows, embedding) each.
struct Inputs {
    Block receptance;
    Block decay;
    Block key;
    Block value;
    Block removed; ///< the key of unit length whose value is taken away
    Block rate;    ///< ... times the rate it is written with
    Block gate;    ///< no columns where there is none
};

/// out = w2 f(w1 mixed), f by the name of the part it is of.
void lowRank(const Call& call, const PackedLinear& first, const PackedLinear& second,
             const Block& mixed, const Block& out, const Activation* between = nullptr)
{
    const Block low = call.block(Slot::MixerParameters, first.outputs());
    multiplyInto(call, first, mixed, low);
    if (between != nullptr) activateAll(call, *between, low);
    multiplyInto(call, second, low, out);
}

/// sigmoid(base + x) in place.
void gateAll(const Call& call, const std::vector<float>& base, const Block& x)
{
    call.forRows(x.rows, [&](int row) {
        add(x.row(row), base.data(), x.row(row), x.stride());
        activate(Activation::Sigmoid, x.row(row), x.row(row), x.stride());
    });
}

/// Later layers' values are drawn to the first layer's.
void mixFirstValue(const Call& call, int index, const Block& mixed, const Block& value)
{
    const PackedLayer& weights = call.layer(index);
    const Block first = call.block(Slot::FirstValue, value.columns);
    if (index == 0) {
        std::ranges::copy(value.values(), first.data);
        return;
    }
    const Block amount = call.block(Slot::Attention, value.columns);
    lowRank(call, weights.timeMixV1, weights.timeMixV2, mixed, amount);
    gateAll(call, weights.timeMixV0, amount);
    call.forRows(value.rows, [&](int row) {
        float* v = value.row(row);
        for (std::size_t i = 0; i < value.stride(); ++i)
            v[i] += (first.row(row)[i] - v[i]) * amount.row(row)[i];
    });
}

/// The key that is removed, the one that is written, and the rates of both.
void prepareKeys(const Call& call, const PackedLayer& weights, const Inputs& in)
{
    constexpr float kLeastLength = 1e-12F;
    const int size = call.model.rwkv.headSize;
    call.forRows(in.key.rows, [&](int row) {
        float* k = in.key.row(row);
        float* rate = in.rate.row(row);
        float* removed = in.removed.row(row);
        engine::multiply(k, weights.timeMixKK.data(), removed, in.key.stride());
        for (int begin = 0; begin < in.key.columns; begin += size)
            l2Norm(removed + begin, removed + begin, static_cast<std::size_t>(size), kLeastLength);
        for (std::size_t i = 0; i < in.key.stride(); ++i)
            k[i] += (rate[i] - 1.0F) * k[i] * weights.timeMixKA[i];
        engine::multiply(rate, removed, rate, in.key.stride());
    });
}

Inputs inputsOf(const Call& call, int index, const Block& x)
{
    constexpr float kFastestDecay = -0.606531F; // -exp(-1/2)
    constexpr Activation kTanh = Activation::Tanh;
    constexpr Activation kSigmoid = Activation::Sigmoid;
    const PackedLayer& weights = call.layer(index);
    const Mixture mixture{x, shifted(call, index, x, 0, Slot::MixerIn)};
    const Block mixed = call.block(Slot::MixerConv, x.columns);
    const auto mix = [&](std::size_t part) {
        mixture.write(call, weights.timeMixLerpFused.data() + part * x.stride(), {}, mixed);
    };
    const Inputs in{call.block(Slot::Query, x.columns),
                    call.block(Slot::MixerStep, x.columns),
                    call.block(Slot::Key, x.columns),
                    call.block(Slot::Value, x.columns),
                    call.block(Slot::Attention, x.columns),
                    call.block(Slot::MixerRates, x.columns),
                    call.block(Slot::MixerGate, weights.timeMixG2.outputs())};
    mix(0);
    multiplyInto(call, weights.timeMixReceptance, mixed, in.receptance);
    mix(1);
    lowRank(call, weights.timeMixW1, weights.timeMixDecayW2, mixed, in.decay, &kTanh);
    gateAll(call, weights.timeMixDecay, in.decay);
    call.forRows(x.rows, [&](int row) {
        scale(in.decay.row(row), kFastestDecay, in.decay.row(row), x.stride());
        activate(Activation::Exp, in.decay.row(row), in.decay.row(row), x.stride());
    });
    mix(2);
    multiplyInto(call, weights.timeMixKey, mixed, in.key);
    mix(3);
    multiplyInto(call, weights.timeMixValue, mixed, in.value);
    mixFirstValue(call, index, mixed, in.value);
    mix(4);
    lowRank(call, weights.timeMixA1, weights.timeMixA2, mixed, in.rate);
    gateAll(call, weights.timeMixA0, in.rate);
    if (in.gate.columns > 0) {
        mix(5);
        lowRank(call, weights.timeMixG1, weights.timeMixG2, mixed, in.gate, &kSigmoid);
    }
    prepareKeys(call, weights, in);
    return in;
}

/// One head over a run. S takes keys to values: S = S (diag(w) - removed rate^T) + v k^T; y = S r.
void scanHead(const Call& call, const Inputs& in, const Run& run, float* state, int head,
              const Block& y)
{
    const auto size = static_cast<std::size_t>(call.model.rwkv.headSize);
    const std::size_t begin = static_cast<std::size_t>(head) * size;
    for (int row = run.firstRow; row < run.firstRow + run.rows; ++row) {
        const float* v = in.value.row(row) + begin;
        for (std::size_t i = 0; i < size; ++i) {
            float* s = state + (begin + i) * size; // what gives this value
            const float known = dot(s, in.removed.row(row) + begin, size);
            engine::multiply(s, in.decay.row(row) + begin, s, size);
            multiplyAdd(in.key.row(row) + begin, v[i], s, s, size);
            multiplyAdd(in.rate.row(row) + begin, -known, s, s, size);
            y.row(row)[begin + i] = dot(s, in.receptance.row(row) + begin, size);
        }
    }
}

/// What a token's own key gives beside the recurrence, by the bonus of each channel.
void addBonus(const Call& call, const PackedLayer& weights, const Inputs& in, int row,
              const Block& y)
{
    const int size = call.model.rwkv.headSize;
    for (int begin = 0; begin < y.columns; begin += size) {
        float bonus = 0;
        for (int i = begin; i < begin + size; ++i)
            bonus += in.key.row(row)[i] * in.receptance.row(row)[i] *
                     weights.timeMixRK[static_cast<std::size_t>(i)];
        multiplyAdd(in.value.row(row) + begin, bonus, y.row(row) + begin, y.row(row) + begin,
                    static_cast<std::size_t>(size));
    }
}

} // namespace

/// RWKV 7 (Peng et al. 2025).
void rwkv7TimeMix(const Call& call, int index, const Block& x, const Block& out)
{
    constexpr float kHeadEpsilon = 64e-5F;
    const PackedLayer& weights = call.layer(index);
    const Inputs in = inputsOf(call, index, x);
    const Block y = call.block(Slot::MixerScan, x.columns);
    scanHeads(
        call, index, x.columns / call.model.rwkv.headSize,
        [&](const Run& run, float* state, int head) { scanHead(call, in, run, state, head, y); });
    call.trace(index, trace::kMixerScan, y);
    call.forRows(y.rows, [&](int row) {
        if (weights.timeMixLn)
            normalize(weights.timeMixLn, NormKind::Layer, kHeadEpsilon, y.row(row), y.row(row),
                      y.columns);
        addBonus(call, weights, in, row, y);
        if (in.gate.columns > 0)
            engine::multiply(y.row(row), in.gate.row(row), y.row(row), y.stride());
    });
    project(call, index, weights.timeMixOutput, y, out);
}

} // namespace engine::fast
