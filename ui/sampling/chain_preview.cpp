#include "ui/sampling/chain_preview.h"

#include <algorithm>
#include <cmath>

namespace ui {

using engine::SamplerStage;

namespace {

// A candidate in the chain. `weight` is its share after the penalties (not normalized).
struct Entry {
    std::size_t row;
    engine::TokenId id;
    double logit; // after the penalties, less the log-sum-exp of the raw logits
    double weight() const { return std::exp(logit); }
};

bool likelier(const Entry& a, const Entry& b)
{
    return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

double penalized(double logit, int count, const engine::SamplingSettings& settings)
{
    if (count <= 0 || settings.penaltyWindow == 0) return logit;
    const double repeat = static_cast<double>(settings.repeatPenalty);
    if (repeat > 0) logit = logit > 0 ? logit / repeat : logit * repeat;
    return logit - static_cast<double>(settings.presencePenalty) -
           count * static_cast<double>(settings.frequencyPenalty);
}

/// The chain over the candidates still in, with the rest of the vocabulary as one tail.
class Chain {
public:
    Chain(const engine::TokenEvent& event, int vocabularySize,
          const engine::SamplingSettings& settings)
        : m_settings(settings)
    {
        m_preview.vocabularySize = vocabularySize;
        const auto& candidates = event.sample.candidates;
        double known = 0;
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            const engine::TokenCandidate& candidate = candidates[i];
            const double raw = static_cast<double>(candidate.logit);
            const double logit = penalized(raw, candidate.penaltyCount, settings);
            PreviewRow row;
            if (i < event.candidateTexts.size())
                row.text =
                    QString::fromUtf8(event.candidateTexts[i].data(),
                                      static_cast<qsizetype>(event.candidateTexts[i].size()));
            row.modelShare = std::exp(raw - event.sample.logSumExp);
            row.lowered = logit < raw;
            row.picked = candidate.id == event.id;
            known += row.modelShare;
            m_preview.loweredCount += row.lowered ? 1 : 0;
            m_preview.rows.push_back(row);
            m_kept.push_back({i, candidate.id, logit - event.sample.logSumExp});
        }
        m_least = candidates.empty()
                      ? 0
                      : static_cast<double>(candidates.back().logit) - event.sample.logSumExp;
        m_tailCount = std::max(0, vocabularySize - static_cast<int>(candidates.size()));
        m_tail = m_tailCount > 0 ? std::clamp(1.0 - known, 0.0, 1.0) : 0.0;
        std::ranges::sort(m_kept, likelier);
    }

    ChainPreview run()
    {
        keepTopK();
        keepTypical();
        keepTopP();
        keepMinP();
        if (isGreedy()) cutTo(1, SamplerStage::Temperature);
        finish();
        return std::move(m_preview);
    }

private:
    bool isGreedy() const { return !(m_settings.temperature > 0); }
    double tailWeight() const { return m_tailIn ? m_tail : 0.0; }

    double totalWeight() const
    {
        double sum = tailWeight();
        for (const Entry& entry : m_kept)
            sum += entry.weight();
        return sum;
    }

    double& cut(SamplerStage stage) { return m_preview.shares[static_cast<std::size_t>(stage)]; }

    // Removes the entries from `count` on, and the tail.
    void cutTo(std::size_t count, SamplerStage stage)
    {
        for (std::size_t i = count; i < m_kept.size(); ++i) {
            PreviewRow& row = m_preview.rows[m_kept[i].row];
            row.cutBy = stage;
            cut(stage) += row.modelShare;
        }
        m_kept.resize(std::min(count, m_kept.size()));
        cutTail(stage);
    }

    void cutTail(SamplerStage stage)
    {
        if (m_tailIn) cut(stage) += m_tail;
        m_tailIn = false;
    }

    void keepTopK()
    {
        const int topK = m_settings.topK;
        if (topK > 0 && static_cast<std::size_t>(topK) <= m_kept.size())
            cutTo(static_cast<std::size_t>(topK), SamplerStage::TopK);
    }

    void keepTypical()
    {
        if (!(m_settings.typicalP < 1) || m_kept.size() <= 1) return;
        const double logTotal = std::log(totalWeight());
        const auto surprise = [logTotal](const Entry& entry) { return logTotal - entry.logit; };
        double entropy = 0;
        for (const Entry& entry : m_kept)
            entropy += std::exp(-surprise(entry)) * surprise(entry);
        if (tailWeight() > 0)
            entropy +=
                tailWeight() / std::exp(logTotal) * (logTotal - std::log(m_tail / m_tailCount));
        std::ranges::sort(m_kept, [&](const Entry& a, const Entry& b) {
            const double da = std::abs(surprise(a) - entropy);
            const double db = std::abs(surprise(b) - entropy);
            return da < db || (da == db && a.id < b.id);
        });
        keepUpTo(static_cast<double>(m_settings.typicalP), SamplerStage::Typical);
        std::ranges::sort(m_kept, likelier);
    }

    void keepTopP()
    {
        if (m_settings.topP < 1 && m_kept.size() > 1)
            keepUpTo(static_cast<double>(m_settings.topP), SamplerStage::TopP);
    }

    // Keeps entries in their present order until `share` of the whole is reached. What the tail
    // would have to give then is known as a share only.
    void keepUpTo(double share, SamplerStage stage)
    {
        const double total = totalWeight();
        const double wanted = share * total;
        double sum = 0;
        for (std::size_t i = 0; i < m_kept.size(); ++i) {
            if (i > 0 && sum >= wanted) {
                cutTo(i, stage);
                return;
            }
            sum += m_kept[i].weight();
        }
        if (!m_tailIn) return;
        if (sum >= wanted) {
            cutTail(stage);
        } else {
            cut(stage) += total - wanted;
            m_tail -= total - wanted;
        }
    }

    void keepMinP()
    {
        if (!(m_settings.minP > 0) || m_kept.size() <= 1) return;
        const double least =
            m_kept.front().logit + std::log(std::min(static_cast<double>(m_settings.minP), 1.0));
        std::size_t count = m_kept.size();
        while (count > 1 && m_kept[count - 1].logit < least)
            --count;
        const bool tailReaches = m_tailIn && m_least >= least;
        if (!tailReaches) cutTo(count, SamplerStage::MinP);
    }

    void finish()
    {
        m_preview.keptCount = static_cast<int>(m_kept.size());
        m_preview.keptBeyond = tailWeight() > 0;
        double kept = tailWeight();
        for (const Entry& entry : m_kept)
            kept += m_preview.rows[entry.row].modelShare;
        cut(SamplerStage::Kept) = kept;
        if (m_kept.empty()) return;
        const double temperature = isGreedy() ? 1.0 : static_cast<double>(m_settings.temperature);
        const double highest = m_kept.front().logit;
        const auto weightAt = [=](double logit) {
            return std::exp((logit - highest) / temperature);
        };
        double sum = tailWeight() > 0 ? m_tailCount * weightAt(std::log(m_tail / m_tailCount)) : 0;
        for (const Entry& entry : m_kept)
            sum += weightAt(entry.logit);
        for (const Entry& entry : m_kept)
            m_preview.rows[entry.row].finalShare = weightAt(entry.logit) / sum;
    }

    const engine::SamplingSettings& m_settings;
    ChainPreview m_preview;
    std::vector<Entry> m_kept; // by falling logit between the stages
    double m_tail = 0;         // the model's own share of the tokens that are no candidates
    int m_tailCount = 0;
    bool m_tailIn = true;
    double m_least = 0; // logit of the least likely candidate: the tail lies below it
};

} // namespace

ChainPreview previewChain(const engine::TokenEvent& event, int vocabularySize,
                          const engine::SamplingSettings& settings)
{
    return Chain(event, vocabularySize, settings).run();
}

} // namespace ui
