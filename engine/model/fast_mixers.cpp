#include "engine/model/fast_mixers.h"

#include "engine/kernels/vector_ops.h"
#include "engine/model/trace_names.h"

#include <algorithm>
#include <cmath>

namespace engine::fast {

namespace {

constexpr std::size_t kChannelGrain = 64; ///< channels a thread takes at a time

/// A norm of some columns of every row, where the family has one.
void normColumns(const Call& call, const PackedNorm& norm, const Block& x, int first, int count)
{
    if (!norm && !call.model.ssm.dtBcRms) return;
    const float epsilon = call.model.layerNormRmsEpsilon;
    call.forRows(x.rows, [&](int row) {
        float* part = x.row(row) + first;
        normalize(norm, NormKind::Rms, epsilon, part, part, count);
    });
}

/// The convolution's output for one more input of a channel, whose history (past, channels) moves
/// on.
float convolveInput(const ChannelConvolution& convolution, float* history, std::size_t channels,
                    std::size_t channel, float input)
{
    const auto kernel = static_cast<std::size_t>(convolution.kernel);
    const std::size_t past = kernel - 1;
    const float* weights = convolution.weights.data() + channel * kernel;
    float sum = convolution.bias.empty() ? 0.0F : convolution.bias[channel];
    for (std::size_t i = 0; i < past; ++i)
        sum += weights[i] * history[i * channels + channel];
    sum += weights[past] * input;
    for (std::size_t i = 0; i + 1 < past; ++i)
        history[i * channels + channel] = history[(i + 1) * channels + channel];
    if (past > 0) history[(past - 1) * channels + channel] = input;
    return sum;
}

} // namespace

void convolve(const Call& call, int layer, const ChannelConvolution& convolution, const Block& x,
              int firstColumn, const Block& out)
{
    const auto channels = static_cast<std::size_t>(out.columns);
    for (const Run& run : call.runs) {
        float* history = run.state->recurrent(layer).conv.data(); // (past, channels)
        call.pool.parallelFor(channels, kChannelGrain, [&](std::size_t begin, std::size_t end) {
            for (std::size_t channel = begin; channel < end; ++channel)
                for (int row = run.firstRow; row < run.firstRow + run.rows; ++row) {
                    const float input = x.row(row)[static_cast<std::size_t>(firstColumn) + channel];
                    out.row(row)[channel] =
                        convolveInput(convolution, history, channels, channel, input);
                }
        });
    }
}

void siluAll(const Call& call, const Block& x)
{
    call.forRows(x.rows,
                 [&](int row) { activate(Activation::Silu, x.row(row), x.row(row), x.stride()); });
}

void project(const Call& call, int layer, const PackedLinear& linear, const Block& y,
             const Block& out)
{
    call.trace(layer, trace::kMixerScan, y);
    const Product product{&linear, out};
    multiply(call, y, {&product, 1});
    call.trace(layer, trace::kMixerOutput, out);
}

namespace {

/// The same over the inputs around a row's own, in models that look ahead: all of a sequence is in
/// the call, and there is nothing before or after it.
void convolveAround(const Call& call, const ChannelConvolution& convolution, const Block& x,
                    int firstColumn, const Block& out)
{
    const int before = (convolution.kernel - 1) / 2;
    const auto kernel = static_cast<std::size_t>(convolution.kernel);
    for (const Run& run : call.runs)
        call.forRows(run.rows, [&](int row) {
            float* y = out.row(run.firstRow + row);
            std::fill_n(y, out.columns, 0.0F);
            std::ranges::copy(convolution.bias, y);
            for (int i = 0; i < convolution.kernel; ++i) {
                const int at = row + i - before;
                if (at < 0 || at >= run.rows) continue;
                const float* input = x.row(run.firstRow + at) + firstColumn;
                const float* weight = convolution.weights.data() + i;
                for (std::size_t channel = 0; channel < out.stride(); ++channel)
                    y[channel] += weight[channel * kernel] * input[channel];
            }
        });
}

} // namespace

/// LFM2: y = out(c * conv(b * v)) with b, c, v = in(x).
void shortConvolution(const Call& call, int index, const Block& x, const Block& out)
{
    const PackedLayer& weights = call.layer(index);
    const int width = call.model.embeddingLength;
    const auto size = static_cast<std::size_t>(width);
    const Block all = call.block(Slot::MixerIn, weights.shortconvIn.outputs());
    const Product product{&weights.shortconvIn, all};
    multiply(call, x, {&product, 1});
    call.trace(index, trace::kMixerIn, all);
    call.forRows(all.rows, [&](int row) {
        float* b = all.row(row);
        engine::multiply(b + 2 * width, b, b + 2 * width, size);
    });
    const Block y = call.block(Slot::MixerScan, width);
    const ChannelConvolution convolution{weights.shortconvConv, weights.shortconvConvBias,
                                         call.model.shortConvLength};
    if (call.model.causal)
        convolve(call, index, convolution, all, 2 * width, y);
    else
        convolveAround(call, convolution, all, 2 * width, y);
    call.trace(index, trace::kMixerConv, y);
    call.forRows(y.rows, [&](int row) {
        engine::multiply(y.row(row), all.row(row) + width, y.row(row), size);
    });
    project(call, index, weights.shortconvOut, y, out);
}

namespace {

/// h = exp(dt A) h + dt B x, y = (C h + D x) silu(z), for one channel over a run.
struct MambaScan {
    const Call& call;
    const PackedLayer& weights;
    const Block& u;
    const Block& z; ///< the projected rows; z is their second half
    const Block& parameters;
    const Block& dt;
    const Block& y;

    void channel(const Run& run, float* state, std::size_t at) const
    {
        const auto states = static_cast<std::size_t>(call.model.ssm.stateSize);
        const auto rank = static_cast<std::size_t>(call.model.ssm.timeStepRank);
        const auto inner = static_cast<std::size_t>(call.model.ssm.innerSize);
        const float* a = weights.ssmA.data() + at * states;
        float* h = state + at * states;
        for (int row = run.firstRow; row < run.firstRow + run.rows; ++row) {
            const float step = softplus(dt.row(row)[at]);
            const float input = u.row(row)[at];
            const float* b = parameters.row(row) + rank;
            const float* c = b + states;
            float sum = 0;
            for (std::size_t n = 0; n < states; ++n) {
                h[n] = h[n] * std::exp(step * a[n]) + step * b[n] * input;
                sum += h[n] * c[n];
            }
            y.row(row)[at] = (sum + weights.ssmD[at] * input) * silu(z.row(row)[inner + at]);
        }
    }
};

} // namespace

/// Mamba (Gu and Dao 2023): a state of `stateSize` numbers for each inner channel, with dt, B and C
/// made of x.
void mamba(const Call& call, int index, const Block& x, const Block& out)
{
    const PackedLayer& weights = call.layer(index);
    const SsmHyperparameters& ssm = call.model.ssm;
    const Block both = call.block(Slot::MixerIn, weights.ssmIn.outputs());
    const Product in{&weights.ssmIn, both};
    multiply(call, x, {&in, 1});
    call.trace(index, trace::kMixerIn, both);
    const Block u = call.block(Slot::MixerConv, ssm.innerSize);
    convolve(call, index, {weights.ssmConv1d, weights.ssmConv1dBias, ssm.convKernel}, both, 0, u);
    siluAll(call, u);
    call.trace(index, trace::kMixerConv, u);

    const Block parameters = call.block(Slot::MixerParameters, weights.ssmX.outputs());
    const Product making{&weights.ssmX, parameters};
    multiply(call, u, {&making, 1});
    normColumns(call, weights.ssmDtNorm, parameters, 0, ssm.timeStepRank);
    normColumns(call, weights.ssmBNorm, parameters, ssm.timeStepRank, ssm.stateSize);
    normColumns(call, weights.ssmCNorm, parameters, ssm.timeStepRank + ssm.stateSize,
                ssm.stateSize);
    const Block dt = call.block(Slot::MixerStep, ssm.innerSize);
    const Product stepping{&weights.ssmDt, dt};
    multiplyStrided(call, parameters.data, parameters.stride(), {&stepping, 1}, 0);

    const Block y = call.block(Slot::MixerScan, ssm.innerSize);
    const MambaScan scan{call, weights, u, both, parameters, dt, y};
    for (const Run& run : call.runs)
        call.pool.parallelFor(static_cast<std::size_t>(ssm.innerSize), kChannelGrain,
                              [&](std::size_t begin, std::size_t end) {
                                  for (std::size_t at = begin; at < end; ++at)
                                      scan.channel(run, run.state->recurrent(index).state.data(),
                                                   at);
                              });
    project(call, index, weights.ssmOut, y, out);
}

namespace {

/// One head of Mamba 2 over a run: heads share one decay, groups of heads share B and C.
struct Mamba2Scan {
    const Call& call;
    const PackedLayer& weights;
    const Block& all; ///< z, then what was convolved, then dt
    const Block& u;   ///< x, then B and C of every group
    const Block& y;

    void operator()(const Run& run, float* state, int at) const
    {
        const SsmHyperparameters& ssm = call.model.ssm;
        const int length = ssm.innerSize / ssm.timeStepRank;
        const int group = at / (ssm.timeStepRank / ssm.groupCount);
        const auto index = static_cast<std::size_t>(at);
        const auto states = static_cast<std::size_t>(ssm.stateSize);
        for (int row = run.firstRow; row < run.firstRow + run.rows; ++row) {
            const float* dt = all.row(row) + ssm.innerSize + u.columns;
            const float bias = weights.ssmDtBias.empty() ? 0.0F : weights.ssmDtBias[index];
            const float step = softplus(dt[at] + bias);
            const float decay = std::exp(step * weights.ssmA[index]);
            const float* b = u.row(row) + ssm.innerSize + group * ssm.stateSize;
            const float* c = b + ssm.groupCount * ssm.stateSize;
            for (int i = at * length; i < (at + 1) * length; ++i) {
                const float input = u.row(row)[i];
                float* h = state + static_cast<std::size_t>(i) * states;
                scale(h, decay, h, states);
                multiplyAdd(b, step * input, h, h, states);
                y.row(row)[i] =
                    (dot(h, c, states) + weights.ssmD[index] * input) * silu(all.row(row)[i]);
            }
        }
    }
};

} // namespace

/// Mamba 2 (Dao and Gu 2024).
void mamba2(const Call& call, int index, const Block& x, const Block& out)
{
    const PackedLayer& weights = call.layer(index);
    const SsmHyperparameters& ssm = call.model.ssm;
    const int channels = ssm.innerSize + 2 * ssm.groupCount * ssm.stateSize;
    const Block all = call.block(Slot::MixerIn, weights.ssmIn.outputs());
    const Product in{&weights.ssmIn, all};
    multiply(call, x, {&in, 1});
    call.trace(index, trace::kMixerIn, all);
    const Block u = call.block(Slot::MixerConv, channels);
    convolve(call, index, {weights.ssmConv1d, weights.ssmConv1dBias, ssm.convKernel}, all,
             ssm.innerSize, u);
    siluAll(call, u);
    call.trace(index, trace::kMixerConv, u);
    const Block y = call.block(Slot::MixerScan, ssm.innerSize);
    const Mamba2Scan scan{call, weights, all, u, y};
    scanHeads(call, index, ssm.timeStepRank, scan);
    if (weights.ssmNorm) normalize(call, weights.ssmNorm, NormKind::Rms, y);
    project(call, index, weights.ssmOut, y, out);
}

/// PLaMo 2: Mamba 2 whose inputs are laid out and made otherwise. Heads give z and then x; dt, B
/// and C come of the convolved x, each normed.
void plamoMamba(const Call& call, int index, const Block& x, const Block& out)
{
    const PackedLayer& weights = call.layer(index);
    const SsmHyperparameters& ssm = call.model.ssm;
    const int inner = ssm.innerSize;
    const int length = inner / ssm.timeStepRank;
    const int states = 2 * ssm.groupCount * ssm.stateSize;
    const Block both = call.block(Slot::OtherMixer, 2 * inner);
    const Product in{&weights.ssmIn, both};
    multiply(call, x, {&in, 1});
    call.trace(index, trace::kMixerIn, both);
    const Block all = call.block(Slot::MixerIn, 2 * inner + states + ssm.timeStepRank); // z, ., dt
    const Block raw = call.block(Slot::MixerGate, inner);
    call.forRows(x.rows, [&](int row) {
        for (int begin = 0; begin < inner; begin += length) {
            std::copy_n(both.row(row) + 2 * begin, length, all.row(row) + begin);
            std::copy_n(both.row(row) + 2 * begin + length, length, raw.row(row) + begin);
        }
    });
    const Block made = call.block(Slot::MixerScan, inner);
    convolve(call, index, {weights.ssmConv1d, weights.ssmConv1dBias, ssm.convKernel}, raw, 0, made);
    siluAll(call, made);
    call.trace(index, trace::kMixerConv, made);

    const Block parameters = call.block(Slot::MixerParameters, weights.ssmX.outputs()); // B, C, dt
    const Product making{&weights.ssmX, parameters};
    multiply(call, made, {&making, 1});
    normColumns(call, weights.ssmBNorm, parameters, 0, ssm.stateSize);
    normColumns(call, weights.ssmCNorm, parameters, ssm.stateSize, ssm.stateSize);
    normColumns(call, weights.ssmDtNorm, parameters, 2 * ssm.stateSize, ssm.dtLength);
    const Product stepping{&weights.ssmDt,
                           {all.data + 2 * inner + states, all.rows, ssm.timeStepRank}};
    multiplyStrided(call, parameters.data + 2 * ssm.stateSize, parameters.stride(), {&stepping, 1},
                    all.stride());
    const Block u = call.block(Slot::MixerConv, inner + states);
    call.forRows(x.rows, [&](int row) {
        std::copy_n(made.row(row), inner, u.row(row));
        std::copy_n(parameters.row(row), states, u.row(row) + inner);
    });
    const Block y = call.block(Slot::MixerScan, inner);
    const Mamba2Scan scan{call, weights, all, u, y};
    scanHeads(call, index, ssm.timeStepRank, scan);
    project(call, index, weights.ssmOut, y, out);
}

} // namespace engine::fast
