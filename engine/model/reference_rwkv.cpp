#include "engine/model/reference_call.h"
#include "engine/model/trace_names.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace engine::reference {

namespace {

/// How far each row's predecessor in its sequence is from it; the state holds the last row's, at
/// `offset` of what it remembers.
Matrix shifted(const Call& call, int index, const Matrix& x, int offset)
{
    Matrix difference(x.rows, x.columns);
    for (int r = 0; r < x.rows; ++r) {
        const std::span<float> past =
            call.rows[static_cast<std::size_t>(r)].state->layer(index).conv;
        const auto last = slice(past, offset, x.columns);
        for (std::size_t i = 0; i < last.size(); ++i)
            difference.row(r)[i] = last[i] - x.row(r)[i];
        std::ranges::copy(x.row(r), last.begin());
    }
    return difference;
}

/// x + difference * (amount + own), `own` being empty or another amount for each row.
Matrix interpolate(const Matrix& x, const Matrix& difference, std::span<const float> amount,
                   const Matrix& own = {})
{
    Matrix y = x;
    for (int r = 0; r < x.rows; ++r)
        for (std::size_t i = 0; i < amount.size(); ++i)
            y.row(r)[i] +=
                difference.row(r)[i] * (amount[i] + (own.rows > 0 ? own.row(r)[i] : 0.0F));
    return y;
}

void tanhAll(Matrix& x)
{
    for (float& value : x.values)
        value = std::tanh(value);
}

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

/// RWKV 6 (Peng et al. 2024): each head keeps a matrix S from keys to values; channel i of the key
/// fades by w_i: y = r (S + (u k) v^T); S = w S + k v^T.
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
    Matrix y(x.rows, x.columns);
    for (int row = 0; row < x.rows; ++row) {
        const std::span<float> state =
            call.rows[static_cast<std::size_t>(row)].state->layer(index).recurrent;
        for (int i = 0; i < x.columns; ++i) { // channel i of the keys; its head's values
            const auto at = static_cast<std::size_t>(i);
            const int head = i / size * size;
            const float fade = std::exp(-std::exp(base[at] + decay.row(row)[at]));
            const auto s = slice(state, i * size, size);
            const auto values = slice(v.row(row), head, size);
            const auto out = slice(y.row(row), head, size);
            for (std::size_t j = 0; j < s.size(); ++j) {
                const float product = k.row(row)[at] * values[j];
                out[j] += r.row(row)[at] * (first[at] * product + s[j]);
                s[j] = s[j] * fade + product;
            }
        }
    }
    call.trace(index, trace::kMixerScan, y);
    constexpr float kHeadEpsilon = 64e-5F;
    for (int row = 0; row < y.rows; ++row)
        for (int head = 0; head < y.columns; head += size)
            normalize(slice(y.row(row), head, size), NormKind::Layer, kHeadEpsilon);
    const std::vector<float> weight = readVector(weights.timeMixLn.weight);
    const std::vector<float> bias = readVector(weights.timeMixLn.bias);
    for (int row = 0; row < y.rows; ++row)
        for (std::size_t i = 0; i < weight.size(); ++i)
            y.row(row)[i] =
                (y.row(row)[i] * weight[i] + (bias.empty() ? 0.0F : bias[i])) * silu(g.row(row)[i]);
    Matrix result = multiply(weights.timeMixOutput, y);
    call.trace(index, trace::kMixerOutput, result);
    return result;
}

/// RWKV 6's network: sigmoid(r) * value(relu(key)^2), each of a mixture with the token before.
Matrix rwkvChannelMix(const Call& call, int index, const Matrix& x)
{
    const LayerWeights& weights = call.layer(index);
    const Matrix difference = shifted(call, index, x, x.columns);
    Matrix k = multiply(weights.channelMixKey,
                        interpolate(x, difference, readVector(weights.channelMixLerpK)));
    for (float& value : k.values)
        value = activate(ActivationKind::ReluSquared, value);
    const Matrix r = multiply(weights.channelMixReceptance,
                              interpolate(x, difference, readVector(weights.channelMixLerpR)));
    Matrix y = multiply(weights.channelMixValue, k);
    for (std::size_t i = 0; i < y.values.size(); ++i)
        y.values[i] *= sigmoid(r.values[i]);
    call.trace(index, trace::kFfnDown, y);
    return y;
}

} // namespace engine::reference
