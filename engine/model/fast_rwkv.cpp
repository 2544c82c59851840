#include "engine/kernels/vector_ops.h"
#include "engine/model/fast_mixers.h"
#include "engine/model/trace_names.h"

#include <algorithm>
#include <cmath>

namespace engine::fast {

namespace {

/// How far each row's predecessor in its sequence is from it; the state holds the last row's, at
/// `offset` of what it remembers.
Block shifted(const Call& call, int index, const Block& x, std::size_t offset, Slot slot)
{
    const Block difference = call.block(slot, x.columns);
    const std::size_t size = x.stride();
    for (const Run& run : call.runs) {
        float* last = run.state->recurrent(index).conv.data() + offset;
        for (int row = run.firstRow; row < run.firstRow + run.rows; ++row) {
            const float* previous = row == run.firstRow ? last : x.row(row - 1);
            multiplyAdd(x.row(row), -1, previous, difference.row(row), size);
        }
        std::copy_n(x.row(run.firstRow + run.rows - 1), size, last);
    }
    return difference;
}

/// x + difference * amount; `own` is another amount for each row, added to it.
struct Mixture {
    Block x;
    Block difference;

    void write(const Call& call, const float* amount, const Block& own, const Block& out) const
    {
        call.forRows(x.rows, [&](int row) {
            for (std::size_t i = 0; i < x.stride(); ++i) {
                const float part = amount[i] + (own.columns > 0 ? own.row(row)[i] : 0.0F);
                out.row(row)[i] = x.row(row)[i] + difference.row(row)[i] * part;
            }
        });
    }
};

void multiplyInto(const Call& call, const PackedLinear& linear, const Block& in, const Block& out)
{
    const Product product{&linear, out};
    multiply(call, in, {&product, 1});
}

void activateAll(const Call& call, Activation f, const Block& x)
{
    call.forRows(x.rows, [&](int row) { activate(f, x.row(row), x.row(row), x.stride()); });
}

/// What decay, key, value, receptance and gate are made from.
struct TimeMixInputs {
    Block decay;
    Block key;
    Block value;
    Block receptance;
    Block gate;
};

/// Each from its own mixture of a token and the one before, by an amount that depends on both.
TimeMixInputs timeMixInputs(const Call& call, int index, const Block& x)
{
    const PackedLayer& weights = call.layer(index);
    const Mixture mixture{x, shifted(call, index, x, 0, Slot::MixerIn)};
    const Block mixed = call.block(Slot::MixerConv, x.columns);
    mixture.write(call, weights.timeMixLerpX.data(), {}, mixed);
    const Block low = call.block(Slot::MixerParameters, weights.timeMixW1.outputs());
    multiplyInto(call, weights.timeMixW1, mixed, low);
    activateAll(call, Activation::Tanh, low);

    const TimeMixInputs inputs{call.block(Slot::MixerRates, weights.timeMixDecayW1.outputs()),
                               call.block(Slot::Key, x.columns), call.block(Slot::Value, x.columns),
                               call.block(Slot::Query, x.columns),
                               call.block(Slot::MixerGate, x.columns)};
    const Product products[] = {{&weights.timeMixDecayW1, inputs.decay},
                                {&weights.timeMixKey, inputs.key},
                                {&weights.timeMixValue, inputs.value},
                                {&weights.timeMixReceptance, inputs.receptance},
                                {&weights.timeMixGate, inputs.gate}};
    const Block amounts = call.block(Slot::MixerScan, x.columns);
    const int extra = call.model.rwkv.timeMixExtraDim;
    for (std::size_t i = 0; i < std::size(products); ++i) {
        const Product amount{&weights.timeMixW2[i], amounts};
        multiplyStrided(call, low.data + i * static_cast<std::size_t>(extra), low.stride(),
                        {&amount, 1}, amounts.stride());
        mixture.write(call, weights.timeMixLerpFused.data() + i * x.stride(), amounts, mixed);
        multiply(call, mixed, {&products[i], 1});
    }
    return inputs;
}

/// One head over a run: y = r (S + (u k) v^T); S = w S + k v^T. `decay` holds w.
struct TimeMixScan {
    const Call& call;
    const TimeMixInputs& in;
    const Block& decay;
    const std::vector<float>& first;
    const Block& y;

    void head(const Run& run, float* state, int at) const
    {
        const int headSize = call.model.rwkv.headSize;
        const auto size = static_cast<std::size_t>(headSize);
        const int begin = at * headSize;
        for (int row = run.firstRow; row < run.firstRow + run.rows; ++row) {
            const float* v = in.value.row(row) + begin;
            float* out = y.row(row) + begin;
            std::fill_n(out, size, 0.0F);
            for (int i = begin; i < begin + headSize; ++i) {
                float* s = state + static_cast<std::size_t>(i) * size;
                const float k = in.key.row(row)[i];
                const float r = in.receptance.row(row)[i];
                multiplyAdd(v, r * first[static_cast<std::size_t>(i)] * k, out, out, size);
                multiplyAdd(s, r, out, out, size);
                scale(s, decay.row(row)[i], s, size);
                multiplyAdd(v, k, s, s, size);
            }
        }
    }
};

/// exp(-exp(base + low-rank part)): what is left of each key channel's memory.
Block decays(const Call& call, const PackedLayer& weights, const Block& low)
{
    activateAll(call, Activation::Tanh, low);
    const Block decay = call.block(Slot::MixerStep, weights.timeMixDecayW2.outputs());
    multiplyInto(call, weights.timeMixDecayW2, low, decay);
    call.forRows(decay.rows, [&](int row) {
        for (std::size_t i = 0; i < decay.stride(); ++i)
            decay.row(row)[i] = std::exp(-std::exp(weights.timeMixDecay[i] + decay.row(row)[i]));
    });
    return decay;
}

} // namespace

void rwkvTimeMix(const Call& call, int index, const Block& x, const Block& out)
{
    const PackedLayer& weights = call.layer(index);
    const TimeMixInputs inputs = timeMixInputs(call, index, x);
    const Block decay = decays(call, weights, inputs.decay);
    const Block y = call.block(Slot::MixerScan, x.columns);
    const TimeMixScan scan{call, inputs, decay, weights.timeMixFirst, y};
    for (const Run& run : call.runs)
        call.forItems(x.columns / call.model.rwkv.headSize, [&](int, int head) {
            scan.head(run, run.state->recurrent(index).state.data(), head);
        });
    call.trace(index, trace::kMixerScan, y);
    constexpr float kHeadEpsilon = 64e-5F;
    call.forRows(y.rows, [&](int row) {
        normalize(weights.timeMixLn, NormKind::Layer, kHeadEpsilon, y.row(row), y.row(row),
                  y.columns);
        activateGated(Activation::Silu, inputs.gate.row(row), y.row(row), y.row(row), y.stride());
    });
    project(call, index, weights.timeMixOutput, y, out);
}

void rwkvChannelMix(const Call& call, int index, const Block& x, const Block& out)
{
    const PackedLayer& weights = call.layer(index);
    // Slots of mixers are the same memory as those of networks.
    const Mixture mixture{x, shifted(call, index, x, x.stride(), Slot::ExpertOutput)};
    const Block mixed = call.block(Slot::ExpertInput, x.columns);
    const Block key = call.block(Slot::FfnUp, weights.channelMixKey.outputs());
    mixture.write(call, weights.channelMixLerpK.data(), {}, mixed);
    multiplyInto(call, weights.channelMixKey, mixed, key);
    activateAll(call, Activation::ReluSquared, key);
    const Block receptance = call.block(Slot::FfnGate, x.columns);
    mixture.write(call, weights.channelMixLerpR.data(), {}, mixed);
    multiplyInto(call, weights.channelMixReceptance, mixed, receptance);
    multiplyInto(call, weights.channelMixValue, key, out);
    call.forRows(out.rows, [&](int row) {
        activateGated(Activation::Sigmoid, receptance.row(row), out.row(row), out.row(row),
                      out.stride());
    });
    call.trace(index, trace::kFfnDown, out);
}

} // namespace engine::fast
