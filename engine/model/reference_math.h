#pragma once

#include "engine/model/weights.h"

#include <span>
#include <vector>

/// The few operations the reference forward pass is made of. Every stored number is an f32; sums
/// are carried in f64, so that their order does not show.
namespace engine::reference {

/// (rows, columns), a row after the other; in activations a row is a position.
struct Matrix {
    Matrix() = default;
    Matrix(int rowCount, int columnCount)
        : rows(rowCount)
        , columns(columnCount)
        , values(static_cast<std::size_t>(rowCount) * static_cast<std::size_t>(columnCount))
    {
    }

    std::span<float> row(int r)
    {
        return std::span(values).subspan(offset(r), static_cast<std::size_t>(columns));
    }
    std::span<const float> row(int r) const
    {
        return std::span(values).subspan(offset(r), static_cast<std::size_t>(columns));
    }

    int rows = 0;
    int columns = 0;
    std::vector<float> values;

private:
    std::size_t offset(int r) const
    {
        return static_cast<std::size_t>(r) * static_cast<std::size_t>(columns);
    }
};

/// The `length` elements of `values` from `begin` on.
template <typename T>
std::span<T> slice(std::span<T> values, int begin, int length)
{
    return values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(length));
}

double dot(std::span<const float> a, std::span<const float> b);
void add(std::span<float> to, std::span<const float> values);
void scale(std::span<float> values, float factor);

/// One row of a matrix as floats.
std::vector<float> readRow(const TensorView& tensor, std::int64_t row);

/// y = (W x) * scale + bias for each row x.
Matrix multiply(const Linear& linear, const Matrix& x);
std::vector<float> multiply(const Linear& linear, std::span<const float> x);
/// y = W^T x, without scale or bias.
std::vector<float> multiplyTransposed(const TensorView& weight, std::span<const float> x);

/// Normalizes `values` as a whole; an empty `weight` leaves out the weights.
void normalize(std::span<float> values, NormKind kind, float epsilon,
               std::span<const float> weight = {}, std::span<const float> bias = {});
/// Normalizes each row in groups of `weights.group` elements.
void normalize(Matrix& x, const NormWeights& weights, NormKind kind, float epsilon);

/// In place; the largest becomes 1 before dividing, so nothing overflows.
void softmax(std::span<float> values);

float sigmoid(float x);
float silu(float x);
float softplus(float x);
/// REQUIRES: `activation` is of one number (not SwigluOai, not Xielu).
float activate(ActivationKind activation, float x);
/// Apertus' activation: a parabola to the right, an exponential to the left of 0.
float xielu(const XieluHyperparameters& parameters, float x);

} // namespace engine::reference
