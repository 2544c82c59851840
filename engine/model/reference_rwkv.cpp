#include "engine/model/reference_token_shift.h"
#include "engine/model/trace_names.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace engine::reference {

namespace {

/// The inputs of decay, key, value, receptance and gate: each its own mixture of a token and the
/// one before, by an amount that depends on both.
std::array<Matrix, 5> mixtures(const Call& call, int index, const Matrix& x)
{
    const LayerWeights& weights = call.layer(index);
    const Matrix difference = shifted(call, index, x, 0);
    Matrix low =
        multiply(weights.timeMixW1, interpolate(x, difference, readVector(weights.timeMixLerpX)));
    tanhAll(low);

    std::vector<float> fused = readVector(weights.timeMixLerpFused);
    if (fused.empty())
        for (const TensorView* each :
             {&weights.timeMixLerpW, &weights.timeMixLerpK, &weights.timeMixLerpV,
              &weights.timeMixLerpR, &weights.timeMixLerpG}) {
            const std::vector<float> values = readVector(*each);
            fused.insert(fused.end(), values.begin(), values.end());
        }
    std::array<Matrix, 5> mixed;
    const int extra = call.model.rwkv.timeMixExtraDim;
    for (int i = 0; i < 5; ++i) {
        Matrix part(x.rows, extra);
        for (int r = 0; r < x.rows; ++r)
            std::ranges::copy(slice(low.row(r), i * extra, extra), part.row(r).begin());
        const auto amount = slice(std::span<const float>(fused), i * x.columns, x.columns);
        mixed[static_cast<std::size_t>(i)] =
            interpolate(x, difference, amount, multiply(weights.timeMixW2.at(i), part));
    }
    return mixed;
}

} // namespace

/// RWKV 6 (Peng et al. 2024), and without u the linear attention other models were turned into:
/// each head keeps a matrix S from keys to values; channel i of the key fades by w_i: y = r (S + (u
/// k) v^T); S = w S + k v^T.
Matrix rwkvTimeMix(const Call& call, int index, const Matrix& x)
{
    const LayerWeights& weights = call.layer(index);
    const auto [xw, xk, xv, xr, xg] = mixtures(call, index, x);
    const Matrix r = multiply(weights.timeMixReceptance, xr);
    const Matrix k = multiply(weights.timeMixKey, xk);
    const Matrix v = multiply(weights.timeMixValue, xv);
    const Matrix g = multiply(weights.timeMixGate, xg);
    Matrix low = multiply(weights.timeMixDecayW1, xw);
    tanhAll(low);
    const Matrix decay = multiply(weights.timeMixDecayW2, low);
    const std::vector<float> base = readVector(weights.timeMixDecay);
    const std::vector<float> first = readVector(weights.timeMixFirst);

    const int size = call.model.rwkv.headSize;
    const int repeats = x.columns / k.columns; // queries' heads to one of the keys'
    Matrix y(x.rows, x.columns);
    for (int row = 0; row < x.rows; ++row) {
        const std::span<float> state =
            call.rows[static_cast<std::size_t>(row)].state->layer(index).recurrent;
        for (int i = 0; i < x.columns; ++i) { // channel i of the queries; its head's values
            const auto at = static_cast<std::size_t>(i);
            const int head = i / size * size;
            const int headKv = i / size / repeats * size;
            const auto key = k.row(row)[static_cast<std::size_t>(headKv + i % size)];
            const float fade = std::exp(-std::exp(base[at] + decay.row(row)[at]));
            const auto s = slice(state, i * size, size);
            const auto values = slice(v.row(row), headKv, size);
            const auto out = slice(y.row(row), head, size);
            for (std::size_t j = 0; j < s.size(); ++j) {
                if (first.empty()) {
                    s[j] = s[j] * fade + (key - key * fade) * values[j];
                    out[j] += r.row(row)[at] / std::sqrt(static_cast<float>(size)) * s[j];
                    continue;
                }
                const float product = key * values[j];
                out[j] += r.row(row)[at] * (first[at] * product + s[j]);
                s[j] = s[j] * fade + product;
            }
        }
    }
    call.trace(index, trace::kMixerScan, y);
    constexpr float kHeadEpsilon = 64e-5F;
    for (int row = 0; !first.empty() && row < y.rows; ++row)
        for (int head = 0; head < y.columns; head += size)
            normalize(slice(y.row(row), head, size), NormKind::Layer, kHeadEpsilon);
    const std::vector<float> weight = readVector(weights.timeMixLn.weight);
    const std::vector<float> bias = readVector(weights.timeMixLn.bias);
    for (int row = 0; row < y.rows; ++row)
        for (std::size_t i = 0; i < weight.size(); ++i)
            y.row(row)[i] =
                (y.row(row)[i] * weight[i] + (bias.empty() ? 0.0F : bias[i])) * silu(g.row(row)[i]);
    for (std::size_t i = 0; first.empty() && i < y.values.size(); ++i)
        y.values[i] *= sigmoid(g.values[i]);
    Matrix result = multiply(weights.timeMixOutput, y);
    call.trace(index, trace::kMixerOutput, result);
    return result;
}

/// RWKV's network: value(relu(key)^2), in RWKV 6 times sigmoid(r), each of a mixture with the token
/// before.
Matrix rwkvChannelMix(const Call& call, int index, const Matrix& x)
{
    const LayerWeights& weights = call.layer(index);
    const Matrix difference = shifted(call, index, x, x.columns);
    Matrix k = multiply(weights.channelMixKey,
                        interpolate(x, difference, readVector(weights.channelMixLerpK)));
    for (float& value : k.values)
        value = activate(ActivationKind::ReluSquared, value);
    Matrix y = multiply(weights.channelMixValue, k);
    if (weights.channelMixReceptance) {
        const Matrix r = multiply(weights.channelMixReceptance,
                                  interpolate(x, difference, readVector(weights.channelMixLerpR)));
        for (std::size_t i = 0; i < y.values.size(); ++i)
            y.values[i] *= sigmoid(r.values[i]);
    }
    call.trace(index, trace::kFfnDown, y);
    return y;
}

} // namespace engine::reference
