#include "engine/sampling/sampler_chain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace engine {

namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();
// exp(-x) beyond this adds less than one part in 10^15 to a sum that begins at 1, even 10^6 times.
constexpr float kNegligible = 50.0F;

float penalized(float logit, std::int32_t count, const SamplingSettings& settings)
{
    if (count <= 0) return logit;
    if (settings.repeatPenalty > 0.0F)
        logit = logit > 0.0F ? logit / settings.repeatPenalty : logit * settings.repeatPenalty;
    return logit - settings.presencePenalty -
           (static_cast<float>(count) * settings.frequencyPenalty);
}

bool isGreedy(const SamplingSettings& settings)
{
    return !(settings.temperature > 0.0F);
}

float effectiveTemperature(const SamplingSettings& settings)
{
    return isGreedy(settings) ? 1.0F : settings.temperature;
}

float weightAt(float distance, float temperature)
{
    const float scaled = distance / temperature;
    return scaled < kNegligible ? std::exp(-scaled) : 0.0F;
}

bool likelier(float logitA, TokenId a, float logitB, TokenId b)
{
    return logitA > logitB || (logitA == logitB && a < b);
}

} // namespace

SamplerChain::SamplerChain(int vocabularySize, int observe)
    : m_observe(std::clamp(observe, 0, vocabularySize))
    , m_entries(static_cast<std::size_t>(vocabularySize))
    , m_counts(static_cast<std::size_t>(vocabularySize))
    , m_cutBy(static_cast<std::size_t>(vocabularySize))
{
    m_top.reserve(static_cast<std::size_t>(m_observe));
    m_sampled.candidates.reserve(static_cast<std::size_t>(m_observe));
}

void SamplerChain::reset(std::uint64_t seed)
{
    m_random.seed(seed);
}

const SampledToken& SamplerChain::sample(std::span<const float> logits,
                                         std::span<const TokenId> context,
                                         const SamplingSettings& settings)
{
    m_logits = logits;
    m_share = 1;
    m_sampled.cutTopK = m_sampled.cutTypical = m_sampled.cutTopP = m_sampled.cutMinP = 0;
    std::ranges::fill(m_cutBy, SamplerStage::Kept);
    countPenalties(context, settings.penaltyWindow, false);
    applyPenalties(settings);
    measureModel();

    keepTopK(settings.topK);
    keepTypical(settings.typicalP);
    keepTopP(settings.topP);
    keepMinP(settings.minP);
    if (isGreedy(settings)) {
        orderFirst(1);
        cutTo(1, SamplerStage::Temperature);
    }
    const double total = weigh(effectiveTemperature(settings));
    report(m_entries[draw(total)], total, settings);
    countPenalties(context, settings.penaltyWindow, true);
    return m_sampled;
}

// Clearing walks the window again, so that the cost is the window's, not the vocabulary's.
void SamplerChain::countPenalties(std::span<const TokenId> context, int window, bool clear)
{
    const std::size_t size =
        window < 0 ? context.size() : std::min(context.size(), static_cast<std::size_t>(window));
    for (const TokenId id : context.last(size)) {
        if (id < 0 || static_cast<std::size_t>(id) >= m_counts.size()) continue;
        std::int32_t& count = m_counts[static_cast<std::size_t>(id)];
        count = clear ? 0 : count + 1;
    }
}

void SamplerChain::applyPenalties(const SamplingSettings& settings)
{
    m_kept = 0;
    m_ordered = 0;
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const float logit = penalized(m_logits[i], m_counts[i], settings);
        if (std::isfinite(logit)) m_entries[m_kept++] = {static_cast<TokenId>(i), logit, 0.0F};
    }
    if (m_kept == 0) // no logit can be used: the stages want one all the same
        m_entries[m_kept++] = {0, 0.0F, 0.0F};
}

void SamplerChain::measureModel()
{
    float highest = kNever;
    for (const float logit : m_logits)
        if (std::isfinite(logit)) highest = std::max(highest, logit);
    if (highest == kNever) highest = 0.0F;
    double sum = 0;
    for (const float logit : m_logits)
        if (std::isfinite(logit) && highest - logit < kNegligible)
            sum += static_cast<double>(std::exp(logit - highest));
    m_sampled.logSumExp = static_cast<double>(highest) + std::log(std::max(sum, 1e-300));
}

// Puts the `count` likeliest of the kept entries first, in order. What is in order already is not
// touched again.
void SamplerChain::orderFirst(std::size_t count)
{
    count = std::min(count, m_kept);
    if (count <= m_ordered) return;
    const auto begin = m_entries.begin() + static_cast<std::ptrdiff_t>(m_ordered);
    const auto middle = m_entries.begin() + static_cast<std::ptrdiff_t>(count);
    const auto end = m_entries.begin() + static_cast<std::ptrdiff_t>(m_kept);
    const auto before = [](const Entry& a, const Entry& b) {
        return likelier(a.logit, a.id, b.logit, b.id);
    };
    if (middle != end) std::nth_element(begin, middle, end, before);
    std::sort(begin, middle, before);
    m_ordered = count;
}

std::size_t SamplerChain::likeliest() const
{
    if (m_ordered > 0) return 0;
    std::size_t best = 0;
    for (std::size_t i = 1; i < m_kept; ++i)
        if (likelier(m_entries[i].logit, m_entries[i].id, m_entries[best].logit,
                     m_entries[best].id))
            best = i;
    return best;
}

// Sets every kept entry's weight to exp((logit - highest) / temperature); returns their sum.
double SamplerChain::weigh(float temperature)
{
    const float highest = m_entries[likeliest()].logit;
    double sum = 0;
    for (std::size_t i = 0; i < m_kept; ++i) {
        m_entries[i].weight = weightAt(highest - m_entries[i].logit, temperature);
        sum += static_cast<double>(m_entries[i].weight);
    }
    return sum;
}

// Removes every entry from `count` on; returns the model's own share that goes with them.
float SamplerChain::cutTo(std::size_t count, SamplerStage stage)
{
    for (std::size_t i = count; i < m_kept; ++i)
        m_cutBy[static_cast<std::size_t>(m_entries[i].id)] = stage;
    m_kept = count;
    m_ordered = std::min(m_ordered, count);
    double kept = 0;
    for (std::size_t i = 0; i < m_kept; ++i)
        kept += static_cast<double>(modelProbability(m_entries[i].id));
    return static_cast<float>(std::max(0.0, std::exchange(m_share, kept) - kept));
}

void SamplerChain::keepTopK(int topK)
{
    if (topK <= 0 || static_cast<std::size_t>(topK) >= m_kept) return;
    orderFirst(static_cast<std::size_t>(topK));
    m_sampled.cutTopK = cutTo(static_cast<std::size_t>(topK), SamplerStage::TopK);
}

void SamplerChain::keepTypical(float typicalP)
{
    if (!(typicalP < 1.0F) || m_kept <= 1) return;
    const double highest = static_cast<double>(m_entries[likeliest()].logit);
    const double logTotal = highest + std::log(weigh(1.0F));
    const auto surprise = [logTotal](const Entry& entry) {
        return logTotal - static_cast<double>(entry.logit);
    };
    double entropy = 0;
    for (std::size_t i = 0; i < m_kept; ++i)
        entropy += std::exp(-surprise(m_entries[i])) * surprise(m_entries[i]);
    for (std::size_t i = 0; i < m_kept; ++i)
        m_entries[i].weight = static_cast<float>(std::abs(surprise(m_entries[i]) - entropy));
    std::sort(m_entries.begin(), m_entries.begin() + static_cast<std::ptrdiff_t>(m_kept),
              [](const Entry& a, const Entry& b) {
                  return a.weight < b.weight || (a.weight == b.weight && a.id < b.id);
              });
    m_ordered = 0;
    double sum = 0;
    std::size_t count = 0;
    while (count < m_kept && (count == 0 || sum < static_cast<double>(typicalP)))
        sum += std::exp(-surprise(m_entries[count++]));
    m_sampled.cutTypical = cutTo(count, SamplerStage::Typical);
}

void SamplerChain::keepTopP(float topP)
{
    if (!(topP < 1.0F) || m_kept <= 1) return;
    const double wanted = static_cast<double>(topP) * weigh(1.0F);
    double sum = 0;
    std::size_t count = 0;
    while (count < m_kept && (count == 0 || sum < wanted)) {
        if (count == m_ordered) orderFirst(std::max<std::size_t>(64, 2 * m_ordered));
        sum += static_cast<double>(m_entries[count++].weight);
    }
    m_sampled.cutTopP = cutTo(count, SamplerStage::TopP);
}

void SamplerChain::keepMinP(float minP)
{
    if (!(minP > 0.0F) || m_kept <= 1) return;
    const float least = m_entries[likeliest()].logit + std::log(std::min(minP, 1.0F));
    const auto begin = m_entries.begin();
    const auto ordered = begin + static_cast<std::ptrdiff_t>(m_ordered);
    const auto inside = [least](const Entry& entry) { return entry.logit >= least; };
    // The part that is in order stays so; what follows it is likelier than nothing in it.
    auto end = std::find_if_not(begin, ordered, inside);
    if (end == ordered)
        end = std::partition(ordered, begin + static_cast<std::ptrdiff_t>(m_kept), inside);
    m_sampled.cutMinP = cutTo(static_cast<std::size_t>(end - begin), SamplerStage::MinP);
}

std::size_t SamplerChain::draw(double totalWeight)
{
    const double target = m_random.uniform() * totalWeight;
    double sum = 0;
    std::size_t picked = 0;
    for (std::size_t i = 0; i < m_kept; ++i) {
        if (i == m_ordered) orderFirst(std::max<std::size_t>(64, 2 * m_ordered));
        if (m_entries[i].weight <= 0.0F)
            break; // rounding left the target beyond the last that can be picked
        picked = i;
        sum += static_cast<double>(m_entries[i].weight);
        if (sum > target) break;
    }
    return picked;
}

float SamplerChain::modelProbability(TokenId id) const
{
    const float logit = m_logits[static_cast<std::size_t>(id)];
    return std::isfinite(logit)
               ? static_cast<float>(std::exp(static_cast<double>(logit) - m_sampled.logSumExp))
               : 0.0F;
}

void SamplerChain::report(const Entry& picked, double totalWeight, const SamplingSettings& settings)
{
    m_sampled.id = picked.id;
    m_sampled.probability = static_cast<float>(static_cast<double>(picked.weight) / totalWeight);
    m_sampled.modelProbability = modelProbability(picked.id);
    const float pickedLogit = m_logits[static_cast<std::size_t>(picked.id)];
    // Only where no logit is finite is one picked that is not.
    m_sampled.keptCount = std::isfinite(pickedLogit) ? static_cast<int>(m_kept) : 0;
    m_sampled.rank = 0;
    for (std::size_t i = 0; i < m_logits.size(); ++i)
        if (likelier(m_logits[i], static_cast<TokenId>(i), pickedLogit, picked.id))
            ++m_sampled.rank;

    findTop();
    const float highest = m_entries[likeliest()].logit;
    const float temperature = effectiveTemperature(settings);
    m_sampled.candidates.resize(m_top.size());
    for (std::size_t i = 0; i < m_top.size(); ++i) {
        const auto index = static_cast<std::size_t>(m_top[i]);
        TokenCandidate& candidate = m_sampled.candidates[i];
        candidate = {m_top[i], m_logits[index], m_counts[index], modelProbability(m_top[i]),
                     0.0F,     m_cutBy[index]};
        if (candidate.cutBy == SamplerStage::Kept)
            candidate.finalProbability = static_cast<float>(
                static_cast<double>(weightAt(
                    highest - penalized(m_logits[index], m_counts[index], settings), temperature)) /
                totalWeight);
    }
}

// The `observe` most likely tokens by raw logit, in order: a heap whose root is the least likely of
// them.
void SamplerChain::findTop()
{
    const auto before = [this](TokenId a, TokenId b) {
        return likelier(m_logits[static_cast<std::size_t>(a)], a,
                        m_logits[static_cast<std::size_t>(b)], b);
    };
    m_top.clear();
    for (std::size_t i = 0; i < m_logits.size() && m_observe > 0; ++i) {
        const auto id = static_cast<TokenId>(i);
        if (!std::isfinite(m_logits[i])) continue;
        if (m_top.size() == static_cast<std::size_t>(m_observe)) {
            if (!before(id, m_top.front())) continue;
            std::ranges::pop_heap(m_top, before);
            m_top.back() = id;
        } else {
            m_top.push_back(id);
        }
        std::ranges::push_heap(m_top, before);
    }
    std::ranges::sort_heap(m_top, before);
}

} // namespace engine
