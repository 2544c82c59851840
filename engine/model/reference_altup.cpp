#include "engine/model/reference_altup.h"

#include "engine/model/trace_names.h"

#include <algorithm>
#include <cmath>

namespace engine::reference {

namespace {

/// Scales each row of `x` to the length of the same row of `like`.
void matchLength(Matrix& x, const Matrix& like)
{
    for (int r = 0; r < x.rows; ++r) {
        const double wanted = std::sqrt(dot(like.row(r), like.row(r)));
        const double is = std::sqrt(dot(x.row(r), x.row(r)));
        scale(x.row(r), static_cast<float>(wanted / is));
    }
}

/// tanh(router(norm(x) / width)): how much of each stream a token is, (rows, streams).
Matrix modalities(const Call& call, const LayerWeights& layer, const Matrix& x)
{
    Matrix h = x;
    normalize(h, layer.altupRouterNorm, NormKind::Rms, call.model.layerNormRmsEpsilon);
    scale(h.values, 1 / static_cast<float>(call.model.embeddingLength));
    Matrix y = multiply(layer.altupRouter, h);
    for (float& value : y.values)
        value = std::tanh(value);
    return y;
}

} // namespace

Streams altupExpand(const Call& call, const Matrix& embedded)
{
    Streams streams{embedded};
    for (int other = 0; other < call.weights.altupProj.count(); ++other) {
        Matrix x = multiply(call.weights.altupProj.at(other), embedded);
        matchLength(x, embedded);
        streams.push_back(std::move(x));
    }
    return streams;
}

Streams altupPredict(const Call& call, int index, const Streams& streams)
{
    const LayerWeights& layer = call.layer(index);
    // For each stream how much of every stream it takes, beside itself.
    const Matrix parts = multiply(layer.altupPredictCoef, modalities(call, layer, streams[0]));
    Streams predictions = streams;
    const std::size_t count = streams.size();
    for (std::size_t to = 0; to < count; ++to)
        for (int r = 0; r < parts.rows; ++r) {
            const auto row = predictions[to].row(r);
            for (std::size_t i = 0; i < row.size(); ++i) {
                double sum = row[i];
                for (std::size_t from = 0; from < count; ++from)
                    sum += static_cast<double>(parts.row(r)[to * count + from]) *
                           streams[from].row(r)[i];
                row[i] = static_cast<float>(sum);
            }
        }
    return predictions;
}

void altupCorrect(const Call& call, int index, Streams& predictions, const Matrix& activated)
{
    const LayerWeights& layer = call.layer(index);
    const Matrix parts = multiply(layer.altupCorrectCoef, modalities(call, layer, activated));
    Matrix innovation = activated;
    for (std::size_t i = 0; i < innovation.values.size(); ++i)
        innovation.values[i] -= predictions[0].values[i];
    for (std::size_t stream = 0; stream < predictions.size(); ++stream)
        for (int r = 0; r < innovation.rows; ++r) {
            const float part = parts.row(r)[stream] + 1;
            const auto row = predictions[stream].row(r);
            for (std::size_t i = 0; i < row.size(); ++i)
                row[i] += innovation.row(r)[i] * part;
        }
}

Matrix altupMerge(const Call& call, const Streams& streams)
{
    Matrix sum = streams[0];
    for (std::size_t other = 1; other < streams.size(); ++other) {
        Matrix x =
            multiply(call.weights.altupUnembdProj.at(static_cast<int>(other) - 1), streams[other]);
        matchLength(x, streams[0]);
        add(sum.values, x.values);
    }
    scale(sum.values, 1 / static_cast<float>(streams.size()));
    return sum;
}

Matrix laurel(const Call& call, int index, const Matrix& x)
{
    const LayerWeights& layer = call.layer(index);
    Matrix y = multiply(layer.laurelR, multiply(layer.laurelL, x));
    normalize(y, layer.laurelPostNorm, NormKind::Rms, call.model.layerNormRmsEpsilon);
    add(y.values, x.values);
    return y;
}

} // namespace engine::reference
