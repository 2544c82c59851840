#include "engine/model/reference_token_shift.h"
#include "engine/model/trace_names.h"

#include <algorithm>
#include <cmath>

namespace engine::reference {

namespace {

/// sigmoid(base + x) in place.
void gateAll(const TensorView& base, Matrix& x)
{
    const std::vector<float> values = readVector(base);
    for (int r = 0; r < x.rows; ++r)
        for (std::size_t i = 0; i < values.size(); ++i)
            x.row(r)[i] = sigmoid(values[i] + x.row(r)[i]);
}

/// Later layers' values are drawn to the first layer's.
void mixFirstValue(const Call& call, int index, const Matrix& mixed, Matrix& value)
{
    const LayerWeights& weights = call.layer(index);
    if (index == 0) {
        *call.firstValue = value;
        return;
    }
    Matrix amount = multiply(weights.timeMixV2, multiply(weights.timeMixV1, mixed));
    gateAll(weights.timeMixV0, amount);
    for (std::size_t i = 0; i < value.values.size(); ++i)
        value.values[i] += (call.firstValue->values[i] - value.values[i]) * amount.values[i];
}

/// One head of one row. S takes keys to values: S = S (diag(w) - removed rate^T) + v k^T; y = S r.
struct HeadInputs {
    std::span<const float> receptance;
    std::span<const float> decay;
    std::span<const float> key;
    std::span<const float> value;
    std::span<const float> removed;
    std::span<const float> rate;
};

void step(const HeadInputs& in, std::span<float> state, std::span<float> y)
{
    const int size = static_cast<int>(y.size());
    for (int i = 0; i < size; ++i) {
        const auto s = slice(state, i * size, size);
        const auto known = static_cast<float>(dot(s, in.removed));
        const float value = in.value[static_cast<std::size_t>(i)];
        for (std::size_t j = 0; j < s.size(); ++j)
            s[j] = s[j] * in.decay[j] + in.key[j] * value - in.rate[j] * known;
        y[static_cast<std::size_t>(i)] = static_cast<float>(dot(s, in.receptance));
    }
}

} // namespace

/// RWKV 7 (Peng et al. 2025): each head keeps a matrix from keys to values; before a key is
/// written, what the state knows of it is taken away.
Matrix rwkv7TimeMix(const Call& call, int index, const Matrix& x)
{
    constexpr float kFastestDecay = -0.606531F; // -exp(-1/2)
    constexpr float kHeadEpsilon = 64e-5F;
    constexpr double kLeastLength = 1e-12;
    const LayerWeights& weights = call.layer(index);
    const Matrix difference = shifted(call, index, x, 0);
    const std::vector<float> fused = readVector(weights.timeMixLerpFused);
    const auto mix = [&](int part) {
        return interpolate(x, difference,
                           slice(std::span<const float>(fused), part * x.columns, x.columns));
    };
    const Matrix r = multiply(weights.timeMixReceptance, mix(0));
    Matrix low = multiply(weights.timeMixW1, mix(1));
    tanhAll(low);
    Matrix w = multiply(weights.timeMixDecayW2, low);
    gateAll(weights.timeMixDecay, w);
    for (float& value : w.values)
        value = std::exp(kFastestDecay * value);
    Matrix k = multiply(weights.timeMixKey, mix(2));
    const Matrix forValue = mix(3);
    Matrix v = multiply(weights.timeMixValue, forValue);
    mixFirstValue(call, index, forValue, v);
    Matrix a = multiply(weights.timeMixA2, multiply(weights.timeMixA1, mix(4)));
    gateAll(weights.timeMixA0, a);
    Matrix g;
    if (weights.timeMixG1) {
        Matrix gateLow = multiply(weights.timeMixG1, mix(5));
        std::ranges::transform(gateLow.values, gateLow.values.begin(), sigmoid);
        g = multiply(weights.timeMixG2, gateLow);
    }

    const std::vector<float> keyScale = readVector(weights.timeMixKK);
    const std::vector<float> keyRate = readVector(weights.timeMixKA);
    const std::vector<float> bonusScale = readVector(weights.timeMixRK);
    const int size = call.model.rwkv.headSize;
    Matrix y(x.rows, x.columns);
    Matrix bonus(x.rows, x.columns);
    for (int row = 0; row < x.rows; ++row) {
        const std::span<float> state =
            call.rows[static_cast<std::size_t>(row)].state->layer(index).recurrent;
        std::vector<float> removed(k.row(row).begin(), k.row(row).end());
        for (std::size_t i = 0; i < removed.size(); ++i) {
            removed[i] *= keyScale[i];
            k.row(row)[i] += (a.row(row)[i] - 1.0F) * k.row(row)[i] * keyRate[i];
        }
        for (int begin = 0; begin < x.columns; begin += size) {
            const auto unit = slice(std::span<float>(removed), begin, size);
            scale(unit, static_cast<float>(1 / std::max(std::sqrt(dot(unit, unit)), kLeastLength)));
            for (std::size_t i = 0; i < unit.size(); ++i)
                a.row(row)[static_cast<std::size_t>(begin) + i] *= unit[i];
            step({slice(r.row(row), begin, size), slice(w.row(row), begin, size),
                  slice(k.row(row), begin, size), slice(v.row(row), begin, size), unit,
                  slice(a.row(row), begin, size)},
                 slice(state, begin * size, size * size), slice(y.row(row), begin, size));
            double own = 0;
            for (auto i = static_cast<std::size_t>(begin);
                 i < static_cast<std::size_t>(begin + size); ++i)
                own += static_cast<double>(k.row(row)[i]) * r.row(row)[i] * bonusScale[i];
            for (auto i = static_cast<std::size_t>(begin);
                 i < static_cast<std::size_t>(begin + size); ++i)
                bonus.row(row)[i] = static_cast<float>(own) * v.row(row)[i];
        }
    }
    call.trace(index, trace::kMixerScan, y);
    if (weights.timeMixLn) {
        NormWeights byHead = weights.timeMixLn;
        byHead.group = size;
        normalize(y, byHead, NormKind::Layer, kHeadEpsilon);
    }
    add(y.values, bonus.values);
    for (std::size_t i = 0; i < g.values.size(); ++i)
        y.values[i] *= g.values[i];
    call.trace(index, trace::kMixerScan, y);
    Matrix result = multiply(weights.timeMixOutput, y);
    call.trace(index, trace::kMixerOutput, result);
    return result;
}

} // namespace engine::reference
