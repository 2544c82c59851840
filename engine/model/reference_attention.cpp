#include "engine/model/kv_rounding.h"
#include "engine/model/reference_call.h"
#include "engine/model/trace_names.h"

#include <algorithm>
#include <cmath>

namespace engine::reference {

namespace {

/// Positions [first, end) that a query sees.
struct Visible {
    int first = 0;
    int end = 0;
};

Visible visible(const Hyperparameters& model, const LayerHyperparameters& layer, int position,
                int length)
{
    Visible range{0, model.causal ? position + 1 : length};
    const int window = layer.slidingWindow;
    if (window == 0) return range;
    switch (model.windowKind) {
    case WindowKind::Ignored:
        break;
    case WindowKind::Causal:
        range.first = std::max(0, position - window + 1);
        break;
    case WindowKind::Chunked:
        range.first = position / window * window;
        break;
    case WindowKind::Symmetric:
        range.first = std::max(0, position - window / 2);
        range.end = std::min(range.end, position + window / 2 + 1);
        break;
    }
    return range;
}

/// Turns the heads of `x` by their rows' positions. `offset` is where in a head the turned part
/// begins.
void rotateHeads(const Call& call, const LayerHyperparameters& layer, Matrix& x, int headLength,
                 int offset)
{
    for (int r = 0; r < x.rows; ++r) {
        const Row& row = call.rows[static_cast<std::size_t>(r)];
        const RopeTable& rope = row.state->rope(layer);
        std::vector<float> cosines(rope.frequencies.size());
        std::vector<float> sines(rope.frequencies.size());
        rope.angles(row.position, cosines, sines);
        for (int begin = 0; begin < x.columns; begin += headLength)
            rotate(slice(x.row(r), begin + offset, rope.dimensionCount), rope.layout, cosines,
                   sines);
    }
}

void clamp(Matrix& x, float limit)
{
    if (limit <= 0) return;
    for (float& value : x.values)
        value = std::clamp(value, -limit, limit);
}

/// Parts rows of alternating query and gate heads.
void splitGate(const Matrix& both, int headLength, Matrix& query, Matrix& gate)
{
    query = Matrix(both.rows, both.columns / 2);
    gate = query;
    for (int r = 0; r < both.rows; ++r)
        for (int begin = 0; begin < query.columns; begin += headLength) {
            std::ranges::copy(slice(both.row(r), 2 * begin, headLength),
                              slice(query.row(r), begin, headLength).begin());
            std::ranges::copy(slice(both.row(r), 2 * begin + headLength, headLength),
                              slice(gate.row(r), begin, headLength).begin());
        }
}

/// Norm and rotation of queries or keys, in the family's order.
void positionHeads(const Call& call, int index, Matrix& x, const NormWeights& norm, bool isQuery)
{
    const Architecture& row = *call.model.architecture;
    const LayerHyperparameters& layer = call.numbers(index);
    const float epsilon = call.model.normEpsilon(row.qkNorm);
    const auto normIt = [&] {
        if (!norm) return;
        normalize(x, norm, row.qkNorm, epsilon);
        call.trace(index, isQuery ? trace::kQNorm : trace::kKNorm, x);
    };
    if (!row.qkNormAfterRope) normIt();
    if (layer.usesRope) {
        rotateHeads(call, layer, x, layer.keyLength, 0);
        if (call.model.qkNormUnit)
            normalize(x, NormWeights{.present = true, .weight{}, .bias{}, .group = layer.keyLength},
                      NormKind::Rms, call.model.layerNormRmsEpsilon);
    }
    if (row.qkNormAfterRope) normIt();
}

/// Appends each row's keys and values to its sequence, as the cache keeps them.
void remember(const Call& call, int index, const Matrix& keys, const Matrix& values)
{
    const LayerHyperparameters& layer = call.numbers(index);
    const auto append = [](std::vector<float>& cache, std::span<const float> heads, int headLength,
                           KvType kv) {
        std::vector<float> kept(heads.begin(), heads.end());
        for (int begin = 0; begin < static_cast<int>(kept.size()); begin += headLength)
            roundKv(slice(std::span<float>(kept), begin, headLength), kv);
        cache.insert(cache.end(), kept.begin(), kept.end());
    };
    for (int r = 0; r < keys.rows; ++r) {
        State& state = *call.rows[static_cast<std::size_t>(r)].state;
        append(state.layer(index).keys, keys.row(r), layer.keyLength, state.kv());
        append(state.layer(index).values, values.row(r), layer.valueLength, state.kv());
    }
}

/// softmax(scale q.k) over the keys a head sees, with softcap, ALiBi and a sink where the model has
/// them. `keys` are (positions, stride), those of the head beginning at `begin`.
struct HeadScores {
    float scale = 1;
    float softcap = 0;
    float slope = 0; ///< of ALiBi
    const float* sink = nullptr;
    std::span<const float> byDistance{}; ///< a bias for each bucket

    std::vector<float> probabilities(std::span<const float> q, std::span<const float> keys,
                                     int stride, int begin, Visible range, int position) const
    {
        std::vector<float> scores;
        for (int t = range.first; t < range.end; ++t) {
            const auto key =
                keys.subspan(static_cast<std::size_t>(t) * static_cast<std::size_t>(stride) +
                                 static_cast<std::size_t>(begin),
                             q.size());
            auto score = static_cast<float>(dot(q, key) * scale);
            if (softcap > 0) score = softcap * std::tanh(score / softcap);
            if (!byDistance.empty())
                score += byDistance[static_cast<std::size_t>(
                    distanceBucket(t - position, static_cast<int>(byDistance.size())))];
            scores.push_back(score - slope * static_cast<float>(std::abs(position - t)));
        }
        // A sink takes its part of the probability and gives nothing.
        if (sink != nullptr) scores.push_back(*sink);
        softmax(scores);
        if (sink != nullptr) scores.pop_back();
        return scores;
    }
};

/// Sum of the visible values by their probabilities. `values` are (positions, stride).
void weigh(std::span<float> out, std::span<const float> probabilities,
           std::span<const float> values, int stride, int begin, int first)
{
    std::vector<double> sums(out.size());
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
        const std::size_t at =
            (static_cast<std::size_t>(first) + i) * static_cast<std::size_t>(stride) +
            static_cast<std::size_t>(begin);
        for (std::size_t d = 0; d < out.size(); ++d)
            sums[d] += static_cast<double>(probabilities[i]) * values[at + d];
    }
    std::ranges::transform(sums, out.begin(), [](double sum) { return static_cast<float>(sum); });
}

/// What all heads of all rows read from their sequences: (rows, heads * value length).
Matrix attend(const Call& call, int index, const Matrix& queries)
{
    const Hyperparameters& model = call.model;
    const LayerHyperparameters& layer = call.numbers(index);
    const std::vector<float> sinks = readVector(call.layer(index).attnSinks);
    const std::vector<float> relative = readVector(call.layer(index).attnRelB);
    Matrix out(queries.rows, layer.attentionWidth());
    for (int r = 0; r < queries.rows; ++r) {
        const Row& row = call.rows[static_cast<std::size_t>(r)];
        const LayerState& cache = row.state->layer(layer.kvLayer);
        const int length = static_cast<int>(cache.keys.size()) / layer.keyWidth();
        const Visible range = visible(model, layer, row.position, length);
        for (int head = 0; head < layer.headCount; ++head) {
            const int kvHead = head / (layer.headCount / layer.headCountKv);
            HeadScores scores;
            scores.scale = model.attentionScaleOf(layer);
            scores.softcap = model.attnLogitSoftcapping;
            if (model.alibi) scores.slope = alibiSlope(head, layer.headCount, model.maxAlibiBias);
            std::vector<float> biases; // of the head, by bucket
            for (auto i = static_cast<std::size_t>(head); i < relative.size();
                 i += static_cast<std::size_t>(layer.headCount))
                biases.push_back(relative[i]);
            scores.byDistance = biases;
            if (!sinks.empty()) scores.sink = &sinks[static_cast<std::size_t>(head)];
            const auto q = slice(queries.row(r), head * layer.keyLength, layer.keyLength);
            const std::vector<float> p = scores.probabilities(
                q, cache.keys, layer.keyWidth(), kvHead * layer.keyLength, range, row.position);
            weigh(slice(out.row(r), head * layer.valueLength, layer.valueLength), p, cache.values,
                  layer.valueWidth(), kvHead * layer.valueLength, range.first);
        }
    }
    return out;
}

/// attention *= sigmoid(gate), the gate being one number an element or one a head.
void applyGate(Matrix& attention, const Matrix& gate, AttentionGate kind)
{
    const auto squash = kind == AttentionGate::SeparateSoftplus ? softplus : sigmoid;
    const int each = attention.columns / gate.columns;
    for (int r = 0; r < attention.rows; ++r)
        for (int i = 0; i < attention.columns; ++i)
            attention.row(r)[static_cast<std::size_t>(i)] *=
                squash(gate.row(r)[static_cast<std::size_t>(i / each)]);
}

void applyTemperature(const Call& call, const LayerHyperparameters& layer, Matrix& queries)
{
    for (int r = 0; r < queries.rows; ++r)
        scale(queries.row(r),
              call.model.queryTemperature(layer, call.rows[static_cast<std::size_t>(r)].position));
}

} // namespace

namespace {

/// Norm and rotation, in the family's order, of keys; values only have a norm, where they have one.
void positionKeys(const Call& call, int index, Matrix& k, Matrix& v)
{
    positionHeads(call, index, k, call.layer(index).attnKNorm, false);
    if (!call.model.architecture->valueNormUnit) return;
    const int length = call.numbers(index).valueLength;
    normalize(v, NormWeights{.present = true, .weight{}, .bias{}, .group = length}, NormKind::Rms,
              call.model.layerNormRmsEpsilon);
}

} // namespace

Matrix attention(const Call& call, int index, const Matrix& x)
{
    const LayerWeights& weights = call.layer(index);
    const LayerHyperparameters& layer = call.numbers(index);
    const Architecture& row = *call.model.architecture;

    Matrix q = multiply(weights.attnQ, x);
    Matrix gate;
    if (row.attentionGate == AttentionGate::InQuery) {
        const Matrix both = std::move(q);
        splitGate(both, layer.keyLength, q, gate);
    } else if (weights.attnGate) {
        gate = multiply(weights.attnGate, x);
    }
    // A layer that reads an earlier one's keys and values makes none.
    const bool own = layer.kvLayer == index;
    Matrix k = own ? multiply(weights.attnK, x) : Matrix();
    Matrix v = own && weights.attnV ? multiply(weights.attnV, x) : k;
    for (Matrix* projection : {&q, &k, &v})
        clamp(*projection, call.model.clampKqv);
    call.trace(index, trace::kQ, q);
    if (own) call.trace(index, trace::kK, k);
    if (own) call.trace(index, trace::kV, v);

    positionHeads(call, index, q, weights.attnQNorm, true);
    if (own) positionKeys(call, index, k, v);
    call.trace(index, trace::kQRope, q);
    if (own) call.trace(index, trace::kKRope, k);
    applyTemperature(call, layer, q);
    if (own) remember(call, index, k, v);

    Matrix out = attend(call, index, q);
    if (gate.rows > 0) {
        call.trace(index, trace::kAttentionGate, gate);
        applyGate(out, gate, row.attentionGate);
    }
    if (weights.attnSubNorm)
        normalize(out, weights.attnSubNorm, call.model.norm,
                  call.model.normEpsilon(call.model.norm));
    call.trace(index, trace::kAttention, out);
    Matrix y = multiply(weights.attnOutput, out);
    call.trace(index, trace::kAttentionOutput, y);
    return y;
}

namespace {

/// The queries of compressed attention: projected at once, or through a normed low rank.
Matrix latentQueries(const Call& call, int index, const Matrix& x)
{
    const LayerWeights& weights = call.layer(index);
    if (!weights.attnQA) return multiply(weights.attnQ, x);
    Matrix low = multiply(weights.attnQA, x);
    normalize(low, weights.attnQANorm, NormKind::Rms, call.model.layerNormRmsEpsilon);
    return multiply(weights.attnQB, low);
}

/// A head's half of the decompression that gives values: (kvLoraRank) -> (value length).
Linear valueDecompression(const Call& call, int index, int head)
{
    const LayerWeights& weights = call.layer(index);
    if (weights.attnVB) return weights.attnVB.at(head);
    const LatentHyperparameters& latent = call.model.latent;
    const int plain = latent.keyLength - call.model.rope.dimensionCount;
    Linear values;
    values.weight = rowRange(weights.attnKvB.weight,
                             static_cast<std::int64_t>(head) * (plain + latent.valueLength) + plain,
                             latent.valueLength);
    return values;
}

/// What a head's query is when it is held against the compressed vectors themselves: with
/// k = K c, q.k = (K^T q).c.
std::vector<float> compressedQuery(const Call& call, int index, int head, std::span<const float> q)
{
    const LayerWeights& weights = call.layer(index);
    if (weights.attnKB) return multiply(weights.attnKB.at(head), q);
    const LatentHyperparameters& latent = call.model.latent;
    const auto plain = static_cast<std::int64_t>(q.size());
    return multiplyTransposed(
        rowRange(weights.attnKvB.weight, head * (plain + latent.valueLength), plain), q);
}

/// Compresses each row to what the cache keeps of it: a normed vector for keys and values of all
/// heads, and one rotated key for all.
void rememberLatent(const Call& call, int index, const Matrix& x)
{
    const LayerWeights& weights = call.layer(index);
    const int rank = call.model.latent.kvLoraRank;
    const int rotated = call.model.rope.dimensionCount;
    Matrix both = multiply(weights.attnKvA, x);
    Matrix latent(x.rows, rank);
    Matrix key(x.rows, rotated);
    for (int r = 0; r < x.rows; ++r) {
        std::ranges::copy(slice(both.row(r), 0, rank), latent.row(r).begin());
        std::ranges::copy(slice(both.row(r), rank, rotated), key.row(r).begin());
    }
    normalize(latent, weights.attnKvANorm, NormKind::Rms, call.model.layerNormRmsEpsilon);
    if (call.numbers(index).usesRope) rotateHeads(call, call.numbers(index), key, rotated, 0);
    call.trace(index, trace::kKvLatent, latent);
    call.trace(index, trace::kKRope, key);
    for (int r = 0; r < x.rows; ++r) {
        State& state = *call.rows[static_cast<std::size_t>(r)].state;
        std::vector<float>& cache = state.layer(index).keys;
        roundKv(latent.row(r), state.kv());
        roundKv(key.row(r), state.kv());
        cache.insert(cache.end(), latent.row(r).begin(), latent.row(r).end());
        cache.insert(cache.end(), key.row(r).begin(), key.row(r).end());
    }
}

} // namespace

Matrix latentAttention(const Call& call, int index, const Matrix& x)
{
    const LayerHyperparameters& layer = call.numbers(index);
    const LatentHyperparameters& latent = call.model.latent;
    const int rotated = call.model.rope.dimensionCount;
    const int plain = latent.keyLength - rotated;
    const int width = latent.kvLoraRank + rotated;

    Matrix q = latentQueries(call, index, x);
    call.trace(index, trace::kQ, q);
    if (layer.usesRope) rotateHeads(call, layer, q, latent.keyLength, plain);
    call.trace(index, trace::kQRope, q);
    applyTemperature(call, layer, q);
    rememberLatent(call, index, x);

    Matrix out(x.rows, layer.attentionWidth());
    for (int r = 0; r < x.rows; ++r) {
        const Row& row = call.rows[static_cast<std::size_t>(r)];
        const std::vector<float>& cache = row.state->layer(index).keys;
        const Visible range =
            visible(call.model, layer, row.position, static_cast<int>(cache.size()) / width);
        for (int head = 0; head < layer.headCount; ++head) {
            const auto query = slice(q.row(r), head * latent.keyLength, latent.keyLength);
            std::vector<float> held = compressedQuery(call, index, head, slice(query, 0, plain));
            const auto turned = slice(query, plain, rotated);
            held.insert(held.end(), turned.begin(), turned.end());
            HeadScores scores;
            scores.scale = call.model.attentionScaleOf(layer);
            const std::vector<float> p =
                scores.probabilities(held, cache, width, 0, range, row.position);
            std::vector<float> read(static_cast<std::size_t>(latent.kvLoraRank));
            weigh(read, p, cache, width, 0, range.first);
            std::ranges::copy(
                multiply(valueDecompression(call, index, head), read),
                slice(out.row(r), head * latent.valueLength, latent.valueLength).begin());
        }
    }
    if (const Linear& made = call.layer(index).attnGate) {
        const Matrix gate = multiply(made, x);
        call.trace(index, trace::kAttentionGate, gate);
        applyGate(out, gate, call.model.architecture->attentionGate);
    }
    call.trace(index, trace::kAttention, out);
    Matrix y = multiply(call.layer(index).attnOutput, out);
    call.trace(index, trace::kAttentionOutput, y);
    return y;
}

} // namespace engine::reference
