#include "engine/model/reference_math.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace engine::reference {

double dot(std::span<const float> a, std::span<const float> b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += static_cast<double>(a[i]) * b[i];
    return sum;
}

void add(std::span<float> to, std::span<const float> values)
{
    for (std::size_t i = 0; i < to.size(); ++i)
        to[i] += values[i];
}

void scale(std::span<float> values, float factor)
{
    for (float& value : values)
        value *= factor;
}

std::vector<float> readRow(const TensorView& tensor, std::int64_t row)
{
    std::vector<float> values(static_cast<std::size_t>(tensor.columns()));
    const std::byte* data = tensor.data + static_cast<std::uint64_t>(row) * tensor.rowBytes();
    dtypeInfo(tensor.dtype).dequantize(data, values.data(), values.size());
    return values;
}

Matrix multiply(const Linear& linear, const Matrix& x)
{
    Matrix y(x.rows, linear.outputs());
    const std::vector<float> bias = readVector(linear.bias);
    const std::vector<float> factor = readVector(linear.scale);
    std::vector<Matrix> low; // A x of every change
    low.reserve(linear.changes.size());
    for (const LowRank& change : linear.changes)
        low.push_back(multiply(Linear{.weight = change.a, .bias{}, .scale{}, .changes{}}, x));
    for (int output = 0; output < y.columns; ++output) {
        const std::vector<float> weights = readRow(linear.weight, output);
        const auto o = static_cast<std::size_t>(output);
        for (int r = 0; r < x.rows; ++r) {
            double sum = dot(weights, x.row(r));
            for (std::size_t i = 0; i < low.size(); ++i)
                sum += linear.changes[i].scale *
                       dot(readRow(linear.changes[i].b, output), low[i].row(r));
            if (!factor.empty()) sum *= factor[0];
            if (!bias.empty()) sum += bias[o];
            y.row(r)[o] = static_cast<float>(sum);
        }
    }
    return y;
}

std::vector<float> multiply(const Linear& linear, std::span<const float> x)
{
    Matrix one(1, static_cast<int>(x.size()));
    std::ranges::copy(x, one.values.begin());
    return multiply(linear, one).values;
}

std::vector<float> multiplyTransposed(const TensorView& weight, std::span<const float> x)
{
    std::vector<double> sums(static_cast<std::size_t>(weight.columns()));
    for (std::size_t r = 0; r < x.size(); ++r) {
        const std::vector<float> row = readRow(weight, static_cast<std::int64_t>(r));
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i] += static_cast<double>(row[i]) * x[r];
    }
    return {sums.begin(), sums.end()};
}

void normalize(std::span<float> values, NormKind kind, float epsilon, std::span<const float> weight,
               std::span<const float> bias)
{
    const auto count = static_cast<double>(values.size());
    double mean = 0;
    if (kind == NormKind::Layer) {
        for (const float value : values)
            mean += value;
        mean /= count;
    }
    double squares = 0;
    for (const float value : values)
        squares += (value - mean) * (value - mean);
    const double inverse = 1 / std::sqrt(squares / count + static_cast<double>(epsilon));
    for (std::size_t i = 0; i < values.size(); ++i) {
        double value = (values[i] - mean) * inverse;
        if (!weight.empty()) value *= weight[i];
        if (!bias.empty()) value += bias[i];
        values[i] = static_cast<float>(value);
    }
}

void normalize(Matrix& x, const NormWeights& weights, NormKind kind, float epsilon)
{
    const std::vector<float> weight = readVector(weights.weight);
    const std::vector<float> bias = readVector(weights.bias);
    if (weights.epsilon > 0) epsilon = weights.epsilon;
    const auto part = [&](const std::vector<float>& all, int begin) -> std::span<const float> {
        if (all.empty()) return {};
        // A group's own weights, or the ones all groups share.
        const int at = begin % static_cast<int>(all.size());
        return slice(std::span<const float>(all), at, weights.group);
    };
    for (int r = 0; r < x.rows; ++r)
        for (int begin = 0; begin < x.columns; begin += weights.group)
            normalize(slice(x.row(r), begin, weights.group), kind, epsilon, part(weight, begin),
                      part(bias, begin));
}

void softmax(std::span<float> values)
{
    const float largest = std::ranges::max(values);
    double sum = 0;
    for (float& value : values) {
        value = std::exp(value - largest);
        sum += value;
    }
    for (float& value : values)
        value = static_cast<float>(value / sum);
}

float sigmoid(float x)
{
    return 1 / (1 + std::exp(-x));
}

float silu(float x)
{
    return x * sigmoid(x);
}

float softplus(float x)
{
    return x > 20 ? x : std::log1p(std::exp(x));
}

float activate(ActivationKind activation, float x)
{
    switch (activation) {
    case ActivationKind::Silu:
        return silu(x);
    case ActivationKind::GeluTanh: {
        const float inner = std::sqrt(2 / std::numbers::pi_v<float>) * (x + 0.044715f * x * x * x);
        return 0.5f * x * (1 + std::tanh(inner));
    }
    case ActivationKind::GeluErf:
        return 0.5f * x * (1 + std::erf(x / std::numbers::sqrt2_v<float>));
    case ActivationKind::Relu:
        return std::max(0.0f, x);
    case ActivationKind::ReluSquared:
        return std::max(0.0f, x) * std::max(0.0f, x);
    case ActivationKind::SwigluOai:
    case ActivationKind::Xielu:
        break;
    }
    return x;
}

float xielu(const XieluHyperparameters& parameters, float x)
{
    const float alphaP = softplus(parameters.alphaP);
    const float alphaN = parameters.beta + softplus(parameters.alphaN);
    if (x > 0) return alphaP * x * x + parameters.beta * x;
    return (std::expm1(std::min(x, parameters.eps)) - x) * alphaN + parameters.beta * x;
}

} // namespace engine::reference
