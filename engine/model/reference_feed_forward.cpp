#include "engine/model/reference_call.h"
#include "engine/model/trace_names.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace engine::reference {

namespace {

/// act(gate) * up, or act(up) where there is no gate, in place of `up`. Both factors are cut off at
/// `limit`, where there is one.
void combine(const Call& call, int layer, float limit, std::span<const float> gate,
             std::span<float> up)
{
    constexpr float kOaiLimit = 7;
    constexpr float kOaiSlope = 1.702f;
    const ActivationKind activation = call.model.activation;
    const XieluHyperparameters& parameters = call.numbers(layer).xielu;
    for (std::size_t i = 0; i < up.size(); ++i) {
        if (activation == ActivationKind::SwigluOai) {
            const float g = std::min(gate[i], kOaiLimit);
            const float u = std::clamp(up[i], -kOaiLimit, kOaiLimit);
            up[i] = g * sigmoid(kOaiSlope * g) * (u + 1);
        } else if (activation == ActivationKind::Xielu) {
            up[i] = xielu(parameters, up[i]);
        } else if (gate.empty()) {
            up[i] = activate(activation, up[i]);
        } else if (limit > 0) {
            const bool before = call.model.architecture->experts.clampsBefore;
            const float acted = activate(activation, before ? std::min(gate[i], limit) : gate[i]);
            up[i] = (before ? acted : std::min(acted, limit)) * std::clamp(up[i], -limit, limit);
        } else {
            up[i] = activate(activation, gate[i]) * up[i];
        }
    }
}

/// Of each row only how far its largest 5 % are above the others, if it were a normal distribution
/// (Gemma 3n).
void keepLargest(Matrix& x)
{
    constexpr double kQuantile = 1.6448533535003662; // 95 % of a normal distribution are below
    for (int r = 0; r < x.rows; ++r) {
        const auto count = static_cast<double>(x.columns);
        double mean = 0;
        for (const float value : x.row(r))
            mean += value / count;
        double squares = 0;
        for (const float value : x.row(r))
            squares += (value - mean) * (value - mean);
        const double cut = mean + kQuantile * std::sqrt(squares / (count - 1));
        for (float& value : x.row(r))
            value = std::max(0.0F, static_cast<float>(value - cut));
    }
}

/// Indices of the `count` largest values, the first of equal ones first.
std::vector<std::size_t> largest(std::span<const float> values, std::size_t count)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
    order.resize(count);
    return order;
}

/// Leaves only the experts of the best groups; a group is worth its two best experts (DeepSeek-V3).
void keepBestGroups(const ExpertHyperparameters& experts, std::span<float> choice)
{
    const int each = experts.count / experts.groupCount;
    std::vector<float> worth;
    for (int group = 0; group < experts.groupCount; ++group) {
        const auto members = slice(choice, group * each, each);
        float sum = 0;
        for (const std::size_t best : largest(members, static_cast<std::size_t>(std::min(2, each))))
            sum += members[best];
        worth.push_back(sum);
    }
    std::vector<bool> kept(worth.size());
    for (const std::size_t group : largest(worth, static_cast<std::size_t>(experts.groupUsedCount)))
        kept[group] = true;
    for (std::size_t i = 0; i < choice.size(); ++i)
        if (!kept[i / static_cast<std::size_t>(each)])
            choice[i] = -std::numeric_limits<float>::infinity();
}

/// A weight for every expert from the router's logits, 0 for those not used.
std::vector<float> route(const Call& call, int index, std::span<const float> logits)
{
    const ExpertHyperparameters& experts = call.model.experts;
    std::vector<float> gates(logits.begin(), logits.end());
    if (experts.gating == ExpertGating::Softmax) softmax(gates);
    if (experts.gating == ExpertGating::Sigmoid)
        std::ranges::transform(gates, gates.begin(), sigmoid);

    std::vector<float> choice = gates;
    if (call.model.architecture->experts.chooseByLogits)
        choice.assign(logits.begin(), logits.end());
    const std::vector<float> bias = readVector(call.layer(index).expProbsB);
    if (!bias.empty()) add(choice, bias);
    if (experts.groupCount > 1) keepBestGroups(experts, choice);
    const std::vector<std::size_t> used =
        largest(choice, static_cast<std::size_t>(experts.usedCount));

    std::vector<float> weights(used.size());
    std::ranges::transform(used, weights.begin(),
                           [&](std::size_t expert) { return gates[expert]; });
    if (experts.gating == ExpertGating::SoftmaxOfSelected) softmax(weights);
    if (experts.weightsNorm) {
        constexpr float kLeast = 6.103515625e-5f; // the smallest normal F16; keeps 0 / 0 away
        const float sum = std::accumulate(weights.begin(), weights.end(), 0.0f);
        scale(weights, 1 / std::max(sum, kLeast));
    }
    scale(weights, experts.weightsScale);

    std::vector<float> all(logits.size());
    for (std::size_t i = 0; i < used.size(); ++i)
        all[used[i]] = weights[i];
    return all;
}

std::vector<float> runExpert(const Call& call, int index, int expert, std::span<const float> x)
{
    const LayerWeights& weights = call.layer(index);
    std::vector<float> up = multiply(weights.ffnUpExps.at(expert), x);
    std::vector<float> gate;
    if (weights.ffnGateExps) gate = multiply(weights.ffnGateExps.at(expert), x);
    combine(call, index, call.numbers(index).expertClamp, gate, up);
    return multiply(weights.ffnDownExps.at(expert), up);
}

/// Experts every token goes through, some of them taken only as far as a gate says.
Matrix shared(const Call& call, int index, const Matrix& x)
{
    const LayerWeights& weights = call.layer(index);
    Matrix up = multiply(weights.ffnUpShexp, x);
    Matrix gate;
    if (weights.ffnGateShexp) gate = multiply(weights.ffnGateShexp, x);
    for (int r = 0; r < x.rows; ++r)
        combine(call, index, call.numbers(index).sharedClamp,
                gate.rows > 0 ? gate.row(r) : std::span<float>{}, up.row(r));
    Matrix down = multiply(weights.ffnDownShexp, up);
    if (weights.ffnGateInpShexp) {
        const Matrix taken = multiply(weights.ffnGateInpShexp, x);
        for (int r = 0; r < x.rows; ++r)
            scale(down.row(r), sigmoid(taken.row(r)[0]));
    }
    call.trace(index, trace::kSharedExperts, down);
    return down;
}

} // namespace

Matrix expertNetwork(const Call& call, int index, const Matrix& x, const Matrix& routed)
{
    const LayerWeights& weights = call.layer(index);
    const Matrix logits = multiply(weights.ffnGateInp, routed);
    call.trace(index, trace::kRouter, logits);
    Matrix taken(x.rows, logits.columns);
    const Matrix read = weights.ffnLatentDown ? multiply(weights.ffnLatentDown, x) : x;
    Matrix out(x.rows, read.columns);
    const bool weighInput = call.model.architecture->experts.weighInput;
    for (int r = 0; r < x.rows; ++r) {
        std::ranges::copy(route(call, index, logits.row(r)), taken.row(r).begin());
        for (int expert = 0; expert < logits.columns; ++expert) {
            const float weight = taken.row(r)[static_cast<std::size_t>(expert)];
            if (weight == 0) continue;
            std::vector<float> input(read.row(r).begin(), read.row(r).end());
            if (weighInput) scale(input, weight);
            std::vector<float> given = runExpert(call, index, expert, input);
            if (!weighInput) scale(given, weight);
            add(out.row(r), given);
        }
    }
    call.trace(index, trace::kExpertWeights, taken);
    if (weights.ffnLatentUp) out = multiply(weights.ffnLatentUp, out);
    if (const std::vector<float> bias = readVector(weights.ffnExpsBias); !bias.empty())
        for (int r = 0; r < out.rows; ++r)
            add(out.row(r), bias);
    call.trace(index, trace::kExperts, out);
    if (weights.ffnUpShexp) {
        const Matrix all = shared(call, index, x);
        add(out.values, all.values);
        if (call.model.architecture->experts.averagedWithShared) scale(out.values, 0.5F);
    }
    return out;
}

Matrix denseNetwork(const Call& call, int index, const Matrix& x)
{
    const LayerWeights& weights = call.layer(index);
    Matrix up = multiply(weights.ffnUp, x);
    Matrix gate;
    if (weights.ffnGate) {
        gate = multiply(weights.ffnGate, x);
        if (index < call.model.architecture->sparseLayerCount) keepLargest(gate);
        call.trace(index, trace::kFfnGate, gate);
    }
    call.trace(index, trace::kFfnUp, up);
    for (int r = 0; r < x.rows; ++r)
        combine(call, index, call.numbers(index).sharedClamp,
                gate.rows > 0 ? gate.row(r) : std::span<float>{}, up.row(r));
    if (const std::vector<float> scales = readVector(weights.ffnActScales); !scales.empty())
        for (std::size_t i = 0; i < up.values.size(); ++i)
            up.values[i] /= scales[i % scales.size()];
    if (weights.ffnSubNorm) {
        const NormKind kind = call.model.norm;
        normalize(up, weights.ffnSubNorm, kind, call.model.normEpsilon(kind));
    }
    call.trace(index, trace::kFfnActivation, up);
    Matrix down = multiply(weights.ffnDown, up);
    call.trace(index, trace::kFfnDown, down);
    return down;
}

} // namespace engine::reference
