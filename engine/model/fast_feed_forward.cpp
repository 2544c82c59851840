#include "engine/kernels/vector_ops.h"
#include "engine/model/fast_call.h"
#include "engine/model/trace_names.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

namespace engine::fast {

namespace {

/// The three matrices of a gated network, or two of one without a gate.
struct Network {
    const PackedLinear& gate;
    const PackedLinear& up;
    const PackedLinear& down;
};

/// Of each row only how far its largest 5 % are above the others, if it were a normal distribution
/// (Gemma 3n).
void keepLargest(const Call& call, const Block& x)
{
    constexpr double kQuantile = 1.6448533535003662; // 95 % of a normal distribution are below
    call.forRows(x.rows, [&](int row) {
        const std::span<float> values{x.row(row), x.stride()};
        const auto count = static_cast<double>(values.size());
        const double mean = static_cast<double>(sum(x.row(row), x.stride())) / count;
        double squares = 0;
        for (const float value : values)
            squares += (value - mean) * (value - mean);
        const auto cut = static_cast<float>(mean + kQuantile * std::sqrt(squares / (count - 1)));
        for (float& value : values)
            value = std::max(0.0F, value - cut);
    });
}

/// act(gate(x)) * up(x), in the slot of `up`, cut off at `limit` where there is one. The first so
/// many rows of x.
Block widePart(const Call& call, int index, const Network& network, float limit, const Block& x)
{
    const Block gate = call.scratch.block(Slot::FfnGate, x.rows, network.gate.outputs());
    const Block up = call.scratch.block(Slot::FfnUp, x.rows, network.up.outputs());
    const Product products[] = {{&network.gate, gate}, {&network.up, up}};
    multiply(call, x, products);
    if (gate.columns > 0 && index < call.model.architecture->sparseLayerCount)
        keepLargest(call, gate);
    if (gate.columns > 0) call.trace(index, trace::kFfnGate, gate);
    call.trace(index, trace::kFfnUp, up);
    call.forRows(x.rows, [&](int row) {
        combine(call, index, limit, gate.columns > 0 ? gate.row(row) : nullptr, up.row(row),
                up.columns);
    });
    return up;
}

/// Each token's experts: (rows, experts), 0 where an expert is not used. Written over the router's
/// logits.
void route(const Call& call, int index, const Block& router)
{
    for (int row = 0; row < router.rows; ++row) {
        const std::span<float> weights{router.row(row), router.stride()};
        const auto chosen = call.scratch.router().choose(weights, call.layer(index).expProbsB);
        std::ranges::fill(weights, 0.0F);
        for (const ExpertChoice& choice : chosen)
            weights[static_cast<std::size_t>(choice.expert)] = choice.weight;
    }
    call.trace(index, trace::kExpertWeights, router);
}

/// One expert for all the rows that go to it; what it gives is added in the order of the experts,
/// so a token does not feel who else is routed.
void runExpert(const Call& call, int index, int expert, const Block& x, const Block& taken,
               const Block& out)
{
    const PackedLayer& weights = call.layer(index);
    const auto at = static_cast<std::size_t>(expert);
    Block input = call.block(Slot::ExpertInput, x.columns);
    const bool weighInput = call.model.architecture->experts.weighInput;
    input.rows = 0;
    for (int row = 0; row < x.rows; ++row)
        if (const float weight = taken.row(row)[expert]; weight != 0)
            scale(x.row(row), weighInput ? weight : 1.0F, input.row(input.rows++), x.stride());
    if (input.rows == 0) return;
    const PackedLinear none;
    const Network network{weights.ffnGateExps.empty() ? none : weights.ffnGateExps[at],
                          weights.ffnUpExps[at], weights.ffnDownExps[at]};
    const Call quiet = call.unobserved();
    const Block wide = widePart(quiet, index, network, call.numbers(index).expertClamp, input);
    const Block given = call.scratch.block(Slot::ExpertOutput, input.rows, x.columns);
    const Product down{&network.down, given};
    multiply(call, wide, {&down, 1});
    int next = 0;
    for (int row = 0; row < x.rows; ++row)
        if (const float weight = taken.row(row)[expert]; weight != 0)
            multiplyAdd(given.row(next++), weighInput ? 1.0F : weight, out.row(row), out.row(row),
                        out.stride());
}

/// Experts every token goes through, some of them taken only as far as a gate says. Added to `out`.
void addShared(const Call& call, int index, const Block& x, const Block& out)
{
    const PackedLayer& weights = call.layer(index);
    const Call quiet = call.unobserved();
    const Block wide =
        widePart(quiet, index, {weights.ffnGateShexp, weights.ffnUpShexp, weights.ffnDownShexp},
                 call.numbers(index).sharedClamp, x);
    const Block given = call.block(Slot::ExpertOutput, x.columns);
    const Product down{&weights.ffnDownShexp, given};
    multiply(call, wide, {&down, 1});
    if (weights.ffnGateInpShexp) {
        const Block taken = call.block(Slot::Router, 1);
        const Product product{&weights.ffnGateInpShexp, taken};
        multiply(call, x, {&product, 1});
        activate(Activation::Sigmoid, taken.data, taken.data, taken.values().size());
        call.forRows(x.rows, [&](int row) {
            scale(given.row(row), *taken.row(row), given.row(row), given.stride());
        });
    }
    call.trace(index, trace::kSharedExperts, given);
    const bool averaged = call.model.architecture->experts.averagedWithShared;
    call.forRows(x.rows, [&](int row) {
        add(out.row(row), given.row(row), out.row(row), out.stride());
        if (averaged) scale(out.row(row), 0.5F, out.row(row), out.stride());
    });
}

/// The routed experts of every row, summed.
void runExperts(const Call& call, int index, const Block& x, const Block& taken, const Block& out)
{
    std::ranges::fill(out.values(), 0.0F);
    for (int expert = 0; expert < taken.columns; ++expert)
        runExpert(call, index, expert, x, taken, out);
}

} // namespace

void denseNetwork(const Call& call, int index, const Block& x, const Block& out)
{
    const PackedLayer& weights = call.layer(index);
    const Block wide = widePart(call, index, {weights.ffnGate, weights.ffnUp, weights.ffnDown},
                                call.numbers(index).sharedClamp, x);
    if (const std::vector<float>& scales = weights.ffnActScales; !scales.empty())
        call.forRows(wide.rows, [&](int row) {
            std::ranges::transform(std::span(wide.row(row), scales.size()), scales, wide.row(row),
                                   std::divides{});
        });
    if (weights.ffnSubNorm) normalize(call, weights.ffnSubNorm, call.model.norm, wide);
    call.trace(index, trace::kFfnActivation, wide);
    const Product down{&weights.ffnDown, out};
    multiply(call, wide, {&down, 1});
    call.trace(index, trace::kFfnDown, out);
}

void expertNetwork(const Call& call, int index, const Block& x, const Block& routed,
                   const Block& out)
{
    const PackedLayer& weights = call.layer(index);
    const Block router = call.block(Slot::Router, weights.ffnGateInp.outputs());
    const Product product{&weights.ffnGateInp, router};
    multiply(call, routed, {&product, 1});
    call.trace(index, trace::kRouter, router);
    route(call, index, router);
    if (weights.ffnLatentDown) {
        const Block read = call.block(Slot::ExpertLatent, weights.ffnLatentDown.outputs());
        const Block given = call.block(Slot::ExpertLatentSum, read.columns);
        const Product down{&weights.ffnLatentDown, read};
        multiply(call, x, {&down, 1});
        runExperts(call, index, read, router, given);
        const Product up{&weights.ffnLatentUp, out};
        multiply(call, given, {&up, 1});
    } else {
        runExperts(call, index, x, router, out);
    }
    if (const std::vector<float>& bias = weights.ffnExpsBias; !bias.empty())
        call.forRows(out.rows,
                     [&](int row) { add(out.row(row), bias.data(), out.row(row), out.stride()); });
    call.trace(index, trace::kExperts, out);
    if (weights.ffnUpShexp) addShared(call, index, x, out);
}

} // namespace engine::fast
