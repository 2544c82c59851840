#include "engine/model/expert_routing.h"

#include "engine/kernels/vector_ops.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace engine::fast {

namespace {

/// Puts the indices of the `count` largest values first, the first of equal ones first.
void orderLargest(std::vector<int>& order, std::span<const float> values, int count)
{
    order.resize(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](int a, int b) {
        const float left = values[static_cast<std::size_t>(a)];
        const float right = values[static_cast<std::size_t>(b)];
        return left > right || (left == right && a < b);
    });
}

} // namespace

ExpertRouter::ExpertRouter(const ExpertHyperparameters& experts, bool chooseByLogits)
    : m_experts(experts)
    , m_chooseByLogits(chooseByLogits)
{
    const auto count = static_cast<std::size_t>(experts.count);
    m_gates.reserve(count);
    m_choice.reserve(count);
    m_groupWorth.reserve(count);
    m_order.reserve(count);
    m_chosen.reserve(static_cast<std::size_t>(experts.usedCount));
}

std::span<const ExpertChoice> ExpertRouter::choose(std::span<const float> logits,
                                                   std::span<const float> bias)
{
    gate(logits);
    m_choice = m_gates;
    if (m_chooseByLogits) m_choice.assign(logits.begin(), logits.end());
    if (!bias.empty()) add(m_choice.data(), bias.data(), m_choice.data(), m_choice.size());
    if (m_experts.groupCount > 1) keepBestGroups();
    orderLargest(m_order, m_choice, m_experts.usedCount);
    weigh();
    return m_chosen;
}

void ExpertRouter::gate(std::span<const float> logits)
{
    m_gates.assign(logits.begin(), logits.end());
    if (m_experts.gating == ExpertGating::Softmax)
        softmax(m_gates.data(), m_gates.data(), m_gates.size());
    if (m_experts.gating == ExpertGating::Sigmoid)
        activate(Activation::Sigmoid, m_gates.data(), m_gates.data(), m_gates.size());
}

// Leaves only the experts of the best groups; a group is worth its two best experts (DeepSeek-V3).
void ExpertRouter::keepBestGroups()
{
    const auto each = static_cast<std::size_t>(m_experts.count / m_experts.groupCount);
    const int best = static_cast<int>(std::min<std::size_t>(2, each));
    m_groupWorth.clear();
    for (std::size_t begin = 0; begin < m_choice.size(); begin += each) {
        const std::span<const float> members = std::span(m_choice).subspan(begin, each);
        orderLargest(m_order, members, best);
        float worth = 0;
        for (int i = 0; i < best; ++i)
            worth += members[static_cast<std::size_t>(m_order[static_cast<std::size_t>(i)])];
        m_groupWorth.push_back(worth);
    }
    orderLargest(m_order, m_groupWorth, m_experts.groupUsedCount);
    for (std::size_t i = static_cast<std::size_t>(m_experts.groupUsedCount); i < m_order.size();
         ++i)
        std::fill_n(m_choice.begin() + static_cast<std::ptrdiff_t>(each) * m_order[i], each,
                    -std::numeric_limits<float>::infinity());
}

void ExpertRouter::weigh()
{
    m_chosen.clear();
    for (int i = 0; i < m_experts.usedCount; ++i) {
        const int expert = m_order[static_cast<std::size_t>(i)];
        m_chosen.push_back({expert, m_gates[static_cast<std::size_t>(expert)]});
    }
    if (m_experts.gating == ExpertGating::SoftmaxOfSelected) {
        m_groupWorth.clear();
        for (const ExpertChoice& choice : m_chosen)
            m_groupWorth.push_back(choice.weight);
        softmax(m_groupWorth.data(), m_groupWorth.data(), m_groupWorth.size());
        for (std::size_t i = 0; i < m_chosen.size(); ++i)
            m_chosen[i].weight = m_groupWorth[i];
    }
    float factor = m_experts.weightsScale;
    if (m_experts.weightsNorm) {
        constexpr float kLeast = 6.103515625e-5F; // the smallest normal F16; keeps 0 / 0 away
        float sum = 0;
        for (const ExpertChoice& choice : m_chosen)
            sum += choice.weight;
        factor /= std::max(sum, kLeast);
    }
    for (ExpertChoice& choice : m_chosen)
        choice.weight *= factor;
    std::ranges::sort(m_chosen, {}, &ExpertChoice::expert);
}

} // namespace engine::fast
