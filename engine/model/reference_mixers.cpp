#include "engine/model/reference_call.h"
#include "engine/model/trace_names.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace engine::reference {

namespace {

Matrix columnsOf(const Matrix& x, int begin, int count)
{
    Matrix part(x.rows, count);
    for (int r = 0; r < x.rows; ++r)
        std::ranges::copy(slice(x.row(r), begin, count), part.row(r).begin());
    return part;
}

/// A causal convolution of each channel by itself over the last `kernel` inputs: the layer's state
/// holds the kernel - 1 before the row's own.
Matrix convolve(const Call& call, int index, const std::vector<float>& weights,
                const std::vector<float>& bias, const Matrix& x)
{
    const int channels = x.columns;
    const int length = static_cast<int>(weights.size()) / channels;
    Matrix y(x.rows, channels);
    for (int r = 0; r < x.rows; ++r) {
        std::vector<float>& past = call.rows[static_cast<std::size_t>(r)].state->layer(index).conv;
        past.insert(past.end(), x.row(r).begin(), x.row(r).end());
        for (int channel = 0; channel < channels; ++channel) {
            double sum = bias.empty() ? 0 : bias[static_cast<std::size_t>(channel)];
            for (int i = 0; i < length; ++i)
                sum +=
                    static_cast<double>(weights[static_cast<std::size_t>(channel * length + i)]) *
                    past[static_cast<std::size_t>(i * channels + channel)];
            y.row(r)[static_cast<std::size_t>(channel)] = static_cast<float>(sum);
        }
        past.erase(past.begin(), past.begin() + channels);
    }
    return y;
}

Matrix convolve(const Call& call, int index, const Linear& kernel, const Matrix& x)
{
    return convolve(call, index, readVector(kernel.weight), readVector(kernel.bias), x);
}

/// The same over the inputs around a row's own, in models that look ahead: all of a sequence is in
/// the call, and there is nothing before or after it.
Matrix convolveAround(const Call& call, const Linear& kernel, const Matrix& x)
{
    const int length = kernel.inputs();
    const int before = (length - 1) / 2;
    const std::vector<float> weights = readVector(kernel.weight); // (channels, length)
    const std::vector<float> bias = readVector(kernel.bias);
    Matrix y(x.rows, x.columns);
    for (int r = 0; r < x.rows; ++r) {
        std::ranges::copy(bias, y.row(r).begin());
        for (int i = 0; i < length; ++i) {
            const int at = r + i - before;
            if (at < 0 || at >= x.rows) continue;
            if (call.rows[static_cast<std::size_t>(at)].state !=
                call.rows[static_cast<std::size_t>(r)].state)
                continue;
            for (int channel = 0; channel < x.columns; ++channel)
                y.row(r)[static_cast<std::size_t>(channel)] +=
                    weights[static_cast<std::size_t>(channel * length + i)] *
                    x.row(at)[static_cast<std::size_t>(channel)];
        }
    }
    return y;
}

void siluAll(Matrix& x)
{
    std::ranges::transform(x.values, x.values.begin(), silu);
}

Matrix project(const Call& call, int index, const Linear& out, const Matrix& y)
{
    call.trace(index, trace::kMixerScan, y);
    Matrix result = multiply(out, y);
    call.trace(index, trace::kMixerOutput, result);
    return result;
}

/// One norm for each of dt, B and C, where the family has them.
void normSsmInput(const Call& call, Matrix& x, const NormWeights& norm)
{
    if (!norm && !call.model.ssm.dtBcRms) return;
    const NormWeights unit{.present = true, .weight{}, .bias{}, .group = x.columns};
    normalize(x, norm ? norm : unit, NormKind::Rms, call.model.layerNormRmsEpsilon);
}

} // namespace

/// LFM2: y = out(c * conv(b * v)) with b, c, v = in(x).
Matrix shortConvolution(const Call& call, int index, const Matrix& x)
{
    const LayerWeights& weights = call.layer(index);
    const int width = call.model.embeddingLength;
    const Matrix all = multiply(weights.shortconvIn, x);
    call.trace(index, trace::kMixerIn, all);
    const Matrix b = columnsOf(all, 0, width);
    const Matrix c = columnsOf(all, width, width);
    Matrix v = columnsOf(all, 2 * width, width);
    for (std::size_t i = 0; i < v.values.size(); ++i)
        v.values[i] *= b.values[i];
    Matrix y = call.model.causal ? convolve(call, index, weights.shortconvConv, v)
                                 : convolveAround(call, weights.shortconvConv, v);
    call.trace(index, trace::kMixerConv, y);
    for (std::size_t i = 0; i < y.values.size(); ++i)
        y.values[i] *= c.values[i];
    return project(call, index, weights.shortconvOut, y);
}

/// Mamba (Gu and Dao 2023): a state of `stateSize` numbers for each inner channel,
/// h = exp(dt A) h + dt B x, y = C h + D x, with dt, B and C made of x.
Matrix mamba(const Call& call, int index, const Matrix& x)
{
    const LayerWeights& weights = call.layer(index);
    const SsmHyperparameters& ssm = call.model.ssm;
    const Matrix both = multiply(weights.ssmIn, x);
    call.trace(index, trace::kMixerIn, both);
    const Matrix z = columnsOf(both, ssm.innerSize, ssm.innerSize);
    Matrix u = convolve(call, index, weights.ssmConv1d, columnsOf(both, 0, ssm.innerSize));
    siluAll(u);
    call.trace(index, trace::kMixerConv, u);

    const Matrix parameters = multiply(weights.ssmX, u);
    Matrix low = columnsOf(parameters, 0, ssm.timeStepRank);
    Matrix b = columnsOf(parameters, ssm.timeStepRank, ssm.stateSize);
    Matrix c = columnsOf(parameters, ssm.timeStepRank + ssm.stateSize, ssm.stateSize);
    normSsmInput(call, low, weights.ssmDtNorm);
    normSsmInput(call, b, weights.ssmBNorm);
    normSsmInput(call, c, weights.ssmCNorm);
    const Matrix dt = multiply(weights.ssmDt, low);

    const std::vector<float> a = readVector(weights.ssmA); // (inner, state)
    const std::vector<float> d = readVector(weights.ssmD);
    const auto states = static_cast<std::size_t>(ssm.stateSize);
    Matrix y(x.rows, ssm.innerSize);
    for (int r = 0; r < x.rows; ++r) {
        std::vector<float>& h =
            call.rows[static_cast<std::size_t>(r)].state->layer(index).recurrent;
        for (std::size_t i = 0; i < y.row(r).size(); ++i) {
            const float step = softplus(dt.row(r)[i]);
            const float input = u.row(r)[i];
            double sum = 0;
            for (std::size_t n = 0; n < states; ++n) {
                float& state = h[i * states + n];
                state = state * std::exp(step * a[i * states + n]) + step * b.row(r)[n] * input;
                sum += static_cast<double>(state) * c.row(r)[n];
            }
            y.row(r)[i] = (static_cast<float>(sum) + d[i] * input) * silu(z.row(r)[i]);
        }
    }
    return project(call, index, weights.ssmOut, y);
}

namespace {

/// What the recurrence of Mamba 2 reads, (rows, ...) each.
struct Mamba2Inputs {
    Matrix z;  ///< the gate of what is read
    Matrix u;  ///< x, then B and C of every group
    Matrix dt; ///< by head, without its bias
};

/// h = exp(dt A) h + dt B x, y = (C h + D x) silu(z): heads share one decay, groups of heads share
/// B and C.
Matrix scanMamba2(const Call& call, int index, const Mamba2Inputs& in)
{
    const LayerWeights& weights = call.layer(index);
    const SsmHyperparameters& ssm = call.model.ssm;
    const auto& [z, u, dt] = in;
    const std::vector<float> a = readVector(weights.ssmA); // (heads)
    const std::vector<float> d = readVector(weights.ssmD);
    const std::vector<float> dtBias = readVector(weights.ssmDtBias);
    const int headLength = ssm.innerSize / ssm.timeStepRank;
    const int headsPerGroup = ssm.timeStepRank / ssm.groupCount;
    Matrix y(z.rows, ssm.innerSize);
    for (int r = 0; r < z.rows; ++r) {
        const std::span<float> state =
            call.rows[static_cast<std::size_t>(r)].state->layer(index).recurrent;
        for (int head = 0; head < ssm.timeStepRank; ++head) {
            const auto at = static_cast<std::size_t>(head);
            const float step = softplus(dt.row(r)[at] + (dtBias.empty() ? 0.0F : dtBias[at]));
            const float decay = std::exp(step * a[at]);
            const int group = head / headsPerGroup;
            const auto b = slice(u.row(r), ssm.innerSize + group * ssm.stateSize, ssm.stateSize);
            const auto c = slice(u.row(r), ssm.innerSize + (ssm.groupCount + group) * ssm.stateSize,
                                 ssm.stateSize);
            for (int i = head * headLength; i < (head + 1) * headLength; ++i) {
                const auto channel = static_cast<std::size_t>(i);
                const float input = u.row(r)[channel];
                const auto h = slice(state, i * ssm.stateSize, ssm.stateSize);
                for (std::size_t n = 0; n < h.size(); ++n)
                    h[n] = h[n] * decay + step * b[n] * input;
                const float read = static_cast<float>(dot(h, c)) + d[at] * input;
                y.row(r)[channel] = read * silu(z.row(r)[channel]);
            }
        }
    }
    return y;
}

} // namespace

/// Mamba 2 (Dao and Gu 2024).
Matrix mamba2(const Call& call, int index, const Matrix& x)
{
    const LayerWeights& weights = call.layer(index);
    const SsmHyperparameters& ssm = call.model.ssm;
    const int channels = ssm.innerSize + 2 * ssm.groupCount * ssm.stateSize;
    const Matrix all = multiply(weights.ssmIn, x);
    call.trace(index, trace::kMixerIn, all);
    Matrix u = convolve(call, index, weights.ssmConv1d, columnsOf(all, ssm.innerSize, channels));
    siluAll(u);
    call.trace(index, trace::kMixerConv, u);
    Matrix y = scanMamba2(call, index,
                          {columnsOf(all, 0, ssm.innerSize), std::move(u),
                           columnsOf(all, ssm.innerSize + channels, ssm.timeStepRank)});
    if (weights.ssmNormWeight.data != nullptr) {
        const NormWeights norm{.present = true,
                               .weight = weights.ssmNormWeight,
                               .bias{},
                               .group = ssm.innerSize / ssm.groupCount};
        normalize(y, norm, NormKind::Rms, call.model.layerNormRmsEpsilon);
    }
    return project(call, index, weights.ssmOut, y);
}

/// PLaMo 2: Mamba 2 whose inputs are laid out and made otherwise. Heads give z and then x; dt, B
/// and C come of the convolved x, each normed.
Matrix plamoMamba(const Call& call, int index, const Matrix& x)
{
    const LayerWeights& weights = call.layer(index);
    const SsmHyperparameters& ssm = call.model.ssm;
    const int length = ssm.innerSize / ssm.timeStepRank;
    const Matrix both = multiply(weights.ssmIn, x);
    call.trace(index, trace::kMixerIn, both);
    Mamba2Inputs in{Matrix(x.rows, ssm.innerSize),
                    Matrix(x.rows, ssm.innerSize + 2 * ssm.stateSize), Matrix()};
    Matrix raw(x.rows, ssm.innerSize);
    for (int r = 0; r < x.rows; ++r)
        for (int begin = 0; begin < ssm.innerSize; begin += length) {
            std::ranges::copy(slice(both.row(r), 2 * begin, length),
                              slice(in.z.row(r), begin, length).begin());
            std::ranges::copy(slice(both.row(r), 2 * begin + length, length),
                              slice(raw.row(r), begin, length).begin());
        }
    Matrix u = convolve(call, index, weights.ssmConv1d, raw);
    siluAll(u);
    call.trace(index, trace::kMixerConv, u);
    const Matrix made = multiply(weights.ssmX, u);
    Matrix b = columnsOf(made, 0, ssm.stateSize);
    Matrix c = columnsOf(made, ssm.stateSize, ssm.stateSize);
    Matrix low = columnsOf(made, 2 * ssm.stateSize, ssm.dtLength);
    normSsmInput(call, b, weights.ssmBNorm);
    normSsmInput(call, c, weights.ssmCNorm);
    normSsmInput(call, low, weights.ssmDtNorm);
    in.dt = multiply(weights.ssmDt, low);
    for (int r = 0; r < x.rows; ++r) {
        auto at = std::ranges::copy(u.row(r), in.u.row(r).begin()).out;
        at = std::ranges::copy(b.row(r), at).out;
        std::ranges::copy(c.row(r), at);
    }
    return project(call, index, weights.ssmOut, scanMamba2(call, index, in));
}

namespace {

/// x / max(|x|, epsilon)
void normalizeLength(std::span<float> x, float epsilon)
{
    const auto length = static_cast<float>(std::sqrt(dot(x, x)));
    scale(x, 1 / std::max(length, epsilon));
}

/// Decay and learning rate of every value head: (rows, heads) each.
struct DeltaGates {
    Matrix decay;
    Matrix rate;
};

DeltaGates deltaGates(const Call& call, int index, const Matrix& x)
{
    const LayerWeights& weights = call.layer(index);
    DeltaGates gates{multiply(weights.ssmAlpha, x), multiply(weights.ssmBeta, x)};
    std::ranges::transform(gates.rate.values, gates.rate.values.begin(), sigmoid);
    const std::vector<float> a = readVector(weights.ssmA);
    const std::vector<float> bias = readVector(weights.ssmDtBias);
    for (int r = 0; r < x.rows; ++r)
        for (std::size_t head = 0; head < a.size(); ++head) {
            float& value = gates.decay.row(r)[head];
            value = std::exp(softplus(value + bias[head]) * a[head]);
        }
    return gates;
}

} // namespace

/// Gated delta net (Yang et al. 2024): each value head keeps a matrix S from keys to values that
/// fades and learns what it got wrong, S = decay S; S += k (rate (v - S^T k))^T; y = S^T q.
Matrix gatedDeltaNet(const Call& call, int index, const Matrix& x)
{
    const LayerWeights& weights = call.layer(index);
    const SsmHyperparameters& ssm = call.model.ssm;
    const float epsilon = call.model.layerNormRmsEpsilon;
    const int keyLength = ssm.stateSize;
    const int valueLength = ssm.innerSize / ssm.timeStepRank;
    const int keys = ssm.groupCount * keyLength;

    const Matrix all = multiply(weights.attnQkv, x);
    call.trace(index, trace::kMixerIn, all);
    const Matrix z = multiply(weights.attnGate, x);
    const DeltaGates gates = deltaGates(call, index, x);
    Matrix u = convolve(call, index, weights.ssmConv1d, all);
    siluAll(u);
    call.trace(index, trace::kMixerConv, u);

    Matrix y(x.rows, ssm.innerSize);
    for (int r = 0; r < x.rows; ++r) {
        const std::span<float> state =
            call.rows[static_cast<std::size_t>(r)].state->layer(index).recurrent;
        for (int head = 0; head < 2 * ssm.groupCount; ++head)
            normalizeLength(slice(u.row(r), head * keyLength, keyLength), epsilon);
        for (int head = 0; head < ssm.timeStepRank; ++head) {
            const int keyHead = call.model.architecture->deltaHeadsTiled
                                    ? head % ssm.groupCount
                                    : head / (ssm.timeStepRank / ssm.groupCount);
            const auto q = slice(u.row(r), keyHead * keyLength, keyLength);
            const auto k = slice(u.row(r), keys + keyHead * keyLength, keyLength);
            const auto v = slice(u.row(r), 2 * keys + head * valueLength, valueLength);
            const float decay = gates.decay.row(r)[static_cast<std::size_t>(head)];
            const float rate = gates.rate.row(r)[static_cast<std::size_t>(head)];
            const float queryScale = 1 / std::sqrt(static_cast<float>(keyLength));
            for (int i = 0; i < valueLength; ++i) {
                // The part of S that gives this value: one number for each element of the key.
                const auto s = slice(state, (head * valueLength + i) * keyLength, keyLength);
                scale(s, decay);
                const auto at = static_cast<std::size_t>(i);
                const float delta = rate * (v[at] - static_cast<float>(dot(s, k)));
                for (std::size_t j = 0; j < s.size(); ++j)
                    s[j] += k[j] * delta;
                y.row(r)[static_cast<std::size_t>(head * valueLength + i)] =
                    static_cast<float>(dot(s, q)) * queryScale;
            }
        }
    }
    const NormWeights norm{
        .present = true, .weight = weights.ssmNormWeight, .bias{}, .group = valueLength};
    normalize(y, norm, NormKind::Rms, epsilon);
    for (std::size_t i = 0; i < y.values.size(); ++i)
        y.values[i] *= silu(z.values[i]);
    return project(call, index, weights.ssmOut, y);
}

namespace {

/// What makes queries, keys and values, convolved: (rows, 3 inner).
Matrix kimiInputs(const Call& call, int index, const Matrix& x)
{
    const LayerWeights& weights = call.layer(index);
    const int inner = call.model.ssm.innerSize;
    Matrix all(x.rows, 3 * inner);
    const Matrix parts[] = {multiply(weights.attnQ, x), multiply(weights.attnK, x),
                            multiply(weights.attnV, x)};
    for (int r = 0; r < x.rows; ++r)
        for (int part = 0; part < 3; ++part)
            std::ranges::copy(parts[part].row(r), slice(all.row(r), part * inner, inner).begin());
    call.trace(index, trace::kMixerIn, all);
    std::vector<float> kernels;
    for (const TensorView* part : {&weights.ssmConv1dQ, &weights.ssmConv1dK, &weights.ssmConv1dV})
        std::ranges::copy(readVector(*part), std::back_inserter(kernels));
    Matrix u = convolve(call, index, kernels, {}, all);
    siluAll(u);
    call.trace(index, trace::kMixerConv, u);
    return u;
}

/// second(first(x)), or second(x) where there is no first.
Matrix throughRank(const Linear& first, const Linear& second, const Matrix& x)
{
    return first ? multiply(second, multiply(first, x)) : multiply(second, x);
}

/// How much of each element of a key's memory is left: (rows, inner).
Matrix kimiDecays(const Call& call, int index, const Matrix& x)
{
    const LayerWeights& weights = call.layer(index);
    const auto length = static_cast<std::size_t>(call.model.ssm.stateSize);
    const float bound = call.model.ssm.decayBound;
    Matrix decay = throughRank(weights.ssmFA, weights.ssmFB, x);
    const std::vector<float> a = readVector(weights.ssmA);
    const std::vector<float> bias = readVector(weights.ssmDtBias);
    for (int r = 0; r < x.rows; ++r)
        for (std::size_t i = 0; i < bias.size(); ++i) {
            float& value = decay.row(r)[i];
            const float raw = value + bias[i];
            value = std::exp(bound < 0 ? bound * sigmoid(a[i / length] * raw)
                                       : a[i / length] * softplus(raw));
        }
    return decay;
}

} // namespace

/// Kimi delta attention (2025): a gated delta net whose memory fades by each element of the key,
/// S = S diag(decay); S += (rate (v - S k)) k^T; y = S q.
Matrix kimiDelta(const Call& call, int index, const Matrix& x)
{
    const LayerWeights& weights = call.layer(index);
    const float epsilon = call.model.layerNormRmsEpsilon;
    const int length = call.model.ssm.stateSize;
    const int inner = call.model.ssm.innerSize;
    Matrix u = kimiInputs(call, index, x);
    const Matrix decay = kimiDecays(call, index, x);
    const Matrix rate = multiply(weights.ssmBeta, x);
    const Matrix gate = throughRank(weights.ssmGA, weights.ssmGB, x);
    const float queryScale = 1 / std::sqrt(static_cast<float>(length));
    Matrix y(x.rows, inner);
    for (int r = 0; r < x.rows; ++r) {
        const std::span<float> state =
            call.rows[static_cast<std::size_t>(r)].state->layer(index).recurrent;
        for (int begin = 0; begin < 2 * inner; begin += length)
            normalizeLength(slice(u.row(r), begin, length), epsilon);
        for (int i = 0; i < inner; ++i) {
            const int head = i / length * length;
            const auto s = slice(state, i * length, length);
            const auto k = slice(u.row(r), inner + head, length);
            const auto fade = slice(decay.row(r), head, length);
            for (std::size_t j = 0; j < s.size(); ++j)
                s[j] *= fade[j];
            const auto at = static_cast<std::size_t>(i);
            const float delta = sigmoid(rate.row(r)[static_cast<std::size_t>(i / length)]) *
                                (u.row(r)[at + 2 * static_cast<std::size_t>(inner)] -
                                 static_cast<float>(dot(s, k)));
            for (std::size_t j = 0; j < s.size(); ++j)
                s[j] += k[j] * delta;
            y.row(r)[at] = static_cast<float>(dot(s, slice(u.row(r), head, length))) * queryScale;
        }
    }
    const NormWeights norm{
        .present = true, .weight = weights.ssmNormWeight, .bias{}, .group = length};
    normalize(y, norm, NormKind::Rms, epsilon);
    for (std::size_t i = 0; i < y.values.size(); ++i)
        y.values[i] *= sigmoid(gate.values[i]);
    return project(call, index, weights.attnOutput, y);
}

} // namespace engine::reference
