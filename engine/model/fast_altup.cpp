#include "engine/model/fast_altup.h"

#include "engine/kernels/vector_ops.h"

#include <algorithm>
#include <cmath>

namespace engine::fast {

namespace {

Streams streamsIn(const Call& call, Slot slot)
{
    const int count = call.weights.streams();
    const int width = call.model.embeddingLength;
    return {{call.block(slot, count * width).data, call.rowCount(), width}, count};
}

/// Scales each row of `x` to the length of the same row of `like`.
void matchLength(const Call& call, const Block& x, const Block& like)
{
    const std::size_t size = x.stride();
    call.forRows(x.rows, [&](int row) {
        const float wanted = std::sqrt(dot(like.row(row), like.row(row), size));
        const float is = std::sqrt(dot(x.row(row), x.row(row), size));
        scale(x.row(row), wanted / is, x.row(row), size);
    });
}

/// tanh(router(norm(x) / width)): how much of each stream a token is, (rows, streams).
Block modalities(const Call& call, const PackedLayer& layer, const Block& x)
{
    const Block h = call.block(Slot::RouterInput, x.columns);
    std::ranges::copy(x.values(), h.data);
    normalize(call, layer.altupRouterNorm, NormKind::Rms, h);
    const float factor = 1 / static_cast<float>(call.model.embeddingLength);
    call.forRows(h.rows, [&](int row) { scale(h.row(row), factor, h.row(row), h.stride()); });
    const Block y = call.block(Slot::Modalities, layer.altupRouter.outputs());
    const Product product{&layer.altupRouter, y};
    multiply(call, h, {&product, 1});
    call.forRows(y.rows,
                 [&](int row) { activate(Activation::Tanh, y.row(row), y.row(row), y.stride()); });
    return y;
}

} // namespace

Streams altupExpand(const Call& call, const Block& embedded)
{
    const Streams streams = streamsIn(call, Slot::Streams);
    std::ranges::copy(embedded.values(), streams.first.data);
    for (int other = 1; other < streams.count; ++other) {
        const auto at = static_cast<std::size_t>(other) - 1;
        const Product product{&call.weights.altupProj[at], streams.at(other)};
        multiply(call, embedded, {&product, 1});
        matchLength(call, streams.at(other), embedded);
    }
    return streams;
}

Streams altupPredict(const Call& call, int index, const Streams& streams)
{
    const PackedLayer& layer = call.layer(index);
    // For each stream how much of every stream it takes, beside itself.
    const Block parts = call.block(Slot::StreamParts, layer.altupPredictCoef.outputs());
    const Product product{&layer.altupPredictCoef, parts};
    multiply(call, modalities(call, layer, streams.first), {&product, 1});
    const Streams predictions = streamsIn(call, Slot::Predictions);
    call.forRows(parts.rows, [&](int row) {
        const std::size_t size = streams.first.stride();
        for (int to = 0; to < streams.count; ++to) {
            float* out = predictions.at(to).row(row);
            std::copy_n(streams.at(to).row(row), size, out);
            for (int from = 0; from < streams.count; ++from)
                multiplyAdd(streams.at(from).row(row), parts.row(row)[to * streams.count + from],
                            out, out, size);
        }
    });
    return predictions;
}

void altupCorrect(const Call& call, int index, const Streams& predictions, const Block& activated)
{
    const PackedLayer& layer = call.layer(index);
    const Block parts = call.block(Slot::StreamParts, layer.altupCorrectCoef.outputs());
    const Product product{&layer.altupCorrectCoef, parts};
    multiply(call, modalities(call, layer, activated), {&product, 1});
    const Block innovation = call.block(Slot::Added, activated.columns);
    call.forRows(parts.rows, [&](int row) {
        const std::size_t size = activated.stride();
        float* moved = innovation.row(row);
        multiplyAdd(predictions.first.row(row), -1, activated.row(row), moved, size);
        for (int stream = 0; stream < predictions.count; ++stream) {
            float* out = predictions.at(stream).row(row);
            multiplyAdd(moved, parts.row(row)[stream] + 1, out, out, size);
        }
    });
}

void altupMerge(const Call& call, const Streams& streams, const Block& out)
{
    std::ranges::copy(streams.first.values(), out.data);
    const Block other = call.block(Slot::Added, out.columns);
    for (int stream = 1; stream < streams.count; ++stream) {
        const auto at = static_cast<std::size_t>(stream) - 1;
        const Product product{&call.weights.altupUnembdProj[at], other};
        multiply(call, streams.at(stream), {&product, 1});
        matchLength(call, other, streams.first);
        call.forRows(out.rows, [&](int row) {
            add(out.row(row), other.row(row), out.row(row), out.stride());
        });
    }
    const float share = 1 / static_cast<float>(streams.count);
    call.forRows(out.rows,
                 [&](int row) { scale(out.row(row), share, out.row(row), out.stride()); });
}

Block laurel(const Call& call, int index, const Block& x)
{
    const PackedLayer& layer = call.layer(index);
    const Block low = call.block(Slot::LaurelLow, layer.laurelL.outputs());
    const Product down{&layer.laurelL, low};
    multiply(call, x, {&down, 1});
    const Block y = call.block(Slot::Laurel, x.columns);
    const Product up{&layer.laurelR, y};
    multiply(call, low, {&up, 1});
    normalize(call, layer.laurelPostNorm, NormKind::Rms, y);
    call.forRows(x.rows, [&](int row) { add(y.row(row), x.row(row), y.row(row), y.stride()); });
    return y;
}

} // namespace engine::fast
