#include "engine/kernels/vector_ops.h"
#include "engine/model/fast_mixers.h"
#include "engine/model/rope.h"

#include <algorithm>
#include <vector>

namespace engine::fast {

namespace {

/// A head's bias for every distance of a key from its query, from -(count - 1) on.
std::vector<float> biasesOf(const Call& call, int index, int head, int count)
{
    const std::vector<float>& byBucket = call.layer(index).attnRelB;
    const int heads = call.numbers(index).headCount;
    std::vector<float> biases;
    biases.reserve(static_cast<std::size_t>(2 * count - 1));
    for (int distance = 1 - count; distance < count; ++distance) {
        const int bucket = distanceBucket(distance, call.model.relativeBuckets);
        biases.push_back(byBucket[static_cast<std::size_t>(bucket * heads + head)]);
    }
    return biases;
}

/// One head of a whole sequence.
void attendHead(const Call& call, int index, const AttentionInputs& in, const Run& run, int head,
                const Block& out)
{
    const LayerHyperparameters& layer = call.numbers(index);
    const std::vector<float> biases = biasesOf(call, index, head, run.rows);
    const float scale = call.model.attentionScaleOf(layer);
    const int kvHead = head / (layer.headCount / layer.headCountKv);
    const auto keyLength = static_cast<std::size_t>(layer.keyLength);
    const auto valueLength = static_cast<std::size_t>(layer.valueLength);
    std::vector<float> scores(static_cast<std::size_t>(run.rows));
    for (int row = 0; row < run.rows; ++row) {
        const float* q = in.queries.row(run.firstRow + row) + head * layer.keyLength;
        for (int key = 0; key < run.rows; ++key) {
            const float* k = in.keys.row(run.firstRow + key) + kvHead * layer.keyLength;
            scores[static_cast<std::size_t>(key)] =
                dot(q, k, keyLength) * scale +
                biases[static_cast<std::size_t>(key - row + run.rows - 1)];
        }
        softmax(scores.data(), scores.data(), scores.size());
        float* read = out.row(run.firstRow + row) + head * layer.valueLength;
        std::fill_n(read, valueLength, 0.0F);
        for (int key = 0; key < run.rows; ++key)
            multiplyAdd(in.values.row(run.firstRow + key) + kvHead * layer.valueLength,
                        scores[static_cast<std::size_t>(key)], read, read, valueLength);
    }
}

} // namespace

void attendByDistance(const Call& call, int index, const AttentionInputs& in, const Block& out)
{
    for (const Run& run : call.runs)
        call.forItems(call.numbers(index).headCount,
                      [&](int, int head) { attendHead(call, index, in, run, head, out); });
}

} // namespace engine::fast
