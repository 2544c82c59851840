#include "engine/model/fast_mixers.h"
#include "engine/model/fast_token_shift.h"
#include "engine/model/trace_names.h"

#include <algorithm>
#include <cmath>

namespace engine::fast {

namespace {

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
                               call.block(Slot::Key, weights.timeMixKey.outputs()),
                               call.block(Slot::Value, weights.timeMixKey.outputs()),
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

/// One head over a run: y = r (S + (u k) v^T); S = w S + k v^T. `decay` holds w. Without u it is a
/// gated linear attention: S = w S + (1 - w) k v^T; y = r S / sqrt(head size).
struct TimeMixScan {
    const Call& call;
    const TimeMixInputs& in;
    const Block& decay;
    const std::vector<float>& first;
    const Block& y;

    void operator()(const Run& run, float* state, int at) const
    {
        const int headSize = call.model.rwkv.headSize;
        const auto size = static_cast<std::size_t>(headSize);
        const int begin = at * headSize;
        const int repeats = y.columns / in.key.columns; // queries' heads to one of the keys'
        const int beginKey = at / repeats * headSize;
        for (int row = run.firstRow; row < run.firstRow + run.rows; ++row) {
            float* out = y.row(row) + begin;
            std::fill_n(out, size, 0.0F);
            for (int i = 0; i < headSize; ++i) {
                float* s = state + static_cast<std::size_t>(begin + i) * size;
                const float* v = in.value.row(row) + beginKey;
                const float k = in.key.row(row)[beginKey + i];
                if (first.empty())
                    linear(row, begin + i, k, v, s, out);
                else
                    recurrent(row, begin + i, k, v, s, out);
            }
        }
    }

    void recurrent(int row, int channel, float k, const float* v, float* s, float* out) const
    {
        const auto size = static_cast<std::size_t>(call.model.rwkv.headSize);
        const float r = in.receptance.row(row)[channel];
        multiplyAdd(v, r * first[static_cast<std::size_t>(channel)] * k, out, out, size);
        multiplyAdd(s, r, out, out, size);
        scale(s, decay.row(row)[channel], s, size);
        multiplyAdd(v, k, s, s, size);
    }

    void linear(int row, int channel, float k, const float* v, float* s, float* out) const
    {
        const auto size = static_cast<std::size_t>(call.model.rwkv.headSize);
        const float kept = decay.row(row)[channel];
        const float r = in.receptance.row(row)[channel] / std::sqrt(static_cast<float>(size));
        scale(s, kept, s, size);
        multiplyAdd(v, k - k * kept, s, s, size);
        multiplyAdd(s, r, out, out, size);
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
    scanHeads(call, index, x.columns / call.model.rwkv.headSize, scan);
    call.trace(index, trace::kMixerScan, y);
    constexpr float kHeadEpsilon = 64e-5F;
    call.forRows(y.rows, [&](int row) {
        const bool linear = weights.timeMixFirst.empty();
        if (!linear)
            normalize(weights.timeMixLn, NormKind::Layer, kHeadEpsilon, y.row(row), y.row(row),
                      y.columns);
        activateGated(linear ? Activation::Sigmoid : Activation::Silu, inputs.gate.row(row),
                      y.row(row), y.row(row), y.stride());
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
    const Block receptance = call.block(Slot::FfnGate, weights.channelMixReceptance.outputs());
    if (receptance.columns > 0) {
        mixture.write(call, weights.channelMixLerpR.data(), {}, mixed);
        multiplyInto(call, weights.channelMixReceptance, mixed, receptance);
    }
    multiplyInto(call, weights.channelMixValue, key, out);
    if (receptance.columns > 0)
        call.forRows(out.rows, [&](int row) {
            activateGated(Activation::Sigmoid, receptance.row(row), out.row(row), out.row(row),
                          out.stride());
        });
    call.trace(index, trace::kFfnDown, out);
}

} // namespace engine::fast
