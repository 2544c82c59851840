#include "engine/kernels/matmul.h"
#include "engine/kernels/vector_ops.h"
#include "engine/model/fast_call.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace engine::fast {

namespace {

constexpr std::size_t kMostProducts = 4;

/// y = y * scale + bias, for the few linears that have a scale (the kernel adds a bias by itself).
void applyScale(const Call& call, const PackedLinear& linear, const Block& out, std::size_t stride)
{
    const auto columns = static_cast<std::size_t>(linear.outputs());
    call.forRows(out.rows, [&](int row) {
        float* y = out.data + static_cast<std::size_t>(row) * stride;
        scale(y, linear.scale, y, columns);
        if (!linear.bias.empty()) add(y, linear.bias.data(), y, columns);
    });
}

/// One product of `rows` rows that lie `stride` apart.
void multiplyOne(const Call& call, const PackedMatrix& matrix, const float* in, std::size_t stride,
                 const Block& out)
{
    Activations& activations = call.scratch.activations();
    activations.assign(in, stride, out.rows, matrix.columns());
    if (matrix.quantized()) activations.quantize(call.pool);
    const MatmulJob job{&matrix, &activations, out.data, out.stride(), nullptr, false};
    matmul({&job, 1}, call.pool);
}

/// Adds what adapters change of y = W x; `outStride` is between the rows of y.
void addChanges(const Call& call, const float* in, std::size_t stride, const Product& product,
                std::size_t outStride)
{
    for (const PackedLowRank& change : product.linear->changes) {
        const int rows = product.out.rows;
        const Block low = call.scratch.block(Slot::ChangeLow, rows, change.a.rows());
        const Block delta = call.scratch.block(Slot::ChangeOut, rows, change.b.rows());
        multiplyOne(call, change.a, in, stride, low);
        multiplyOne(call, change.b, low.data, low.stride(), delta);
        call.forRows(rows, [&](int row) {
            float* y = product.out.data + static_cast<std::size_t>(row) * outStride;
            multiplyAdd(delta.row(row), change.scale, y, y, delta.stride());
        });
    }
}

Activation kernelOf(ActivationKind kind)
{
    switch (kind) {
    case ActivationKind::Silu:
        return Activation::Silu;
    case ActivationKind::GeluTanh:
        return Activation::Gelu;
    case ActivationKind::GeluErf:
        return Activation::GeluErf;
    case ActivationKind::Relu:
        return Activation::Relu;
    case ActivationKind::ReluSquared:
        return Activation::ReluSquared;
    case ActivationKind::SwigluOai:
    case ActivationKind::Xielu:
        break; // have kernels of their own
    }
    return Activation::Silu;
}

/// Apertus' activation: a parabola to the right, an exponential to the left of 0 (Huang et al.
/// 2024).
void xielu(const XieluHyperparameters& p, std::span<float> values)
{
    const auto softplus = [](float x) { return x > 20 ? x : std::log1p(std::exp(x)); };
    const float alphaP = softplus(p.alphaP);
    const float alphaN = p.beta + softplus(p.alphaN);
    for (float& x : values)
        x = p.beta * x + (x > 0 ? alphaP * x * x : (std::expm1(std::min(x, p.eps)) - x) * alphaN);
}

/// The products that round their inputs, or those that do not.
void multiplyKind(const Call& call, const float* in, std::size_t stride,
                  std::span<const Product> products, std::size_t outStride, bool rounds)
{
    std::array<MatmulJob, kMostProducts> jobs;
    std::size_t count = 0;
    bool quantized = false;
    Activations& activations = call.scratch.activations();
    for (const Product& product : products) {
        const PackedLinear& linear = *product.linear;
        if (!linear || product.out.rows == 0 || linear.roundsInputs != rounds) continue;
        if (count == 0) activations.assign(in, stride, product.out.rows, linear.inputs());
        quantized = quantized || linear.matrix.quantized();
        const bool kernelAddsBias = linear.scale == 1.0F && !linear.bias.empty();
        jobs[count++] = {&linear.matrix,
                         &activations,
                         product.out.data,
                         outStride == 0 ? product.out.stride() : outStride,
                         kernelAddsBias ? linear.bias.data() : nullptr,
                         false};
    }
    if (count == 0) return;
    if (quantized) activations.quantize(call.pool);
    matmul(std::span(jobs).first(count), call.pool);
}

/// The inputs of the products that round them, rounded.
Block roundedInputs(const Call& call, const float* in, std::size_t stride,
                    std::span<const Product> products)
{
    Block rounded;
    for (const Product& product : products)
        if (*product.linear && product.linear->roundsInputs && product.out.rows > 0)
            rounded =
                call.scratch.block(Slot::RoundedInputs, product.out.rows, product.linear->inputs());
    call.forRows(rounded.rows, [&](int row) {
        roundToHalf(in + static_cast<std::size_t>(row) * stride, rounded.row(row),
                    rounded.stride());
    });
    return rounded;
}

} // namespace

void multiplyStrided(const Call& call, const float* in, std::size_t stride,
                     std::span<const Product> products, std::size_t outStride)
{
    multiplyKind(call, in, stride, products, outStride, false);
    if (const Block rounded = roundedInputs(call, in, stride, products); rounded.rows > 0)
        multiplyKind(call, rounded.data, rounded.stride(), products, outStride, true);
    for (const Product& product : products) {
        if (!*product.linear || product.out.rows == 0) continue;
        const std::size_t apart = outStride == 0 ? product.out.stride() : outStride;
        addChanges(call, in, stride, product, apart);
        if (product.linear->scale != 1.0F) applyScale(call, *product.linear, product.out, apart);
    }
}

void multiply(const Call& call, const Block& in, std::span<const Product> products)
{
    multiplyStrided(call, in.data, in.stride(), products, 0);
}

namespace {

/// Whether the squares of such values may not be summed up in f32: some reach 2^48. Looks at
/// exponents, so that not-a-numbers count too.
bool isHuge(const float* x, std::size_t count)
{
    constexpr std::uint32_t kExponent = (127U + 48U) << 23U;
    std::uint32_t huge = 0;
    for (std::size_t i = 0; i < count; ++i)
        huge |= (std::bit_cast<std::uint32_t>(x[i]) & 0x7FFFFFFFU) >= kExponent ? 1U : 0U;
    return huge != 0;
}

void normalizeGroup(NormKind kind, const LayerNormWeights& parameters, float epsilon,
                    const float* x, float* out, std::size_t count)
{
    if (kind == NormKind::Layer) {
        layerNorm(x, parameters, out, count, epsilon);
        return;
    }
    rmsNorm(x, parameters.weight, out, count, epsilon);
    if (parameters.bias != nullptr) add(out, parameters.bias, out, count);
}

/// The same of values too large for f32's squares: what is normalized does not depend on their
/// scale.
void normalizeHuge(NormKind kind, const LayerNormWeights& parameters, float epsilon, const float* x,
                   float* out, std::size_t count)
{
    constexpr float kScale = 0x1p-80F;
    std::vector<float> scaled(x, x + count);
    for (float& value : scaled)
        value *= kScale;
    normalizeGroup(kind, parameters, epsilon * kScale * kScale, scaled.data(), out, count);
}

} // namespace

void normalize(const PackedNorm& norm, NormKind kind, float epsilon, const float* x, float* out,
               int columns)
{
    const int group = norm.group > 0 ? norm.group : columns;
    // Weights for one group repeat; weights for all of them go on.
    const bool repeats = static_cast<int>(norm.weight.size()) <= group;
    for (int begin = 0; begin < columns; begin += group) {
        const std::size_t at = repeats ? 0 : static_cast<std::size_t>(begin);
        const float* weight = norm.weight.empty() ? nullptr : norm.weight.data() + at;
        const float* bias = norm.bias.empty() ? nullptr : norm.bias.data() + at;
        const auto size = static_cast<std::size_t>(group);
        const auto run = isHuge(x + begin, size) ? normalizeHuge : normalizeGroup;
        run(kind, {weight, bias}, epsilon, x + begin, out + begin, size);
    }
}

void normalize(const Call& call, const PackedNorm& norm, NormKind kind, const Block& x,
               const Block& out)
{
    const float epsilon = norm.epsilon > 0 ? norm.epsilon : call.model.normEpsilon(kind);
    call.forRows(x.rows, [&](int row) {
        normalize(norm, kind, epsilon, x.row(row), out.row(row), x.columns);
    });
}

namespace {

/// up = min(f(gate), limit) * clamp(up, -limit, limit), or f(min(gate, limit)) in place of the
/// first; written over `gate`.
void activateLimited(Activation f, float limit, bool before, float* gate, float* up,
                     std::size_t size)
{
    const auto limitGate = [&] {
        for (std::size_t i = 0; i < size; ++i)
            gate[i] = std::min(gate[i], limit);
    };
    if (before) limitGate();
    activate(f, gate, gate, size);
    if (!before) limitGate();
    for (std::size_t i = 0; i < size; ++i)
        up[i] = gate[i] * std::clamp(up[i], -limit, limit);
}

} // namespace

void combine(const Call& call, int layer, float limit, float* gate, float* up, int columns)
{
    const auto size = static_cast<std::size_t>(columns);
    const ActivationKind kind = call.model.activation;
    if (kind == ActivationKind::Xielu)
        xielu(call.numbers(layer).xielu, {up, size});
    else if (gate == nullptr)
        activate(kernelOf(kind), up, up, size);
    else if (kind == ActivationKind::SwigluOai)
        activateClampedSwiglu({}, gate, up, up, size);
    else if (limit > 0)
        activateLimited(kernelOf(kind), limit, call.model.architecture->experts.clampsBefore, gate,
                        up, size);
    else
        activateGated(kernelOf(kind), gate, up, up, size);
}

} // namespace engine::fast
