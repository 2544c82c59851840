#pragma once

#include "app/inference/generation_types.h"

#include <QString>

#include <array>
#include <vector>

namespace ui {

/// One candidate as the chain would treat it.
struct PreviewRow {
    QString text;          ///< the piece as text
    double modelShare = 0; ///< of 1, before the chain
    double finalShare = 0; ///< after it; 0 where cut
    engine::SamplerStage cutBy = engine::SamplerStage::Kept;
    bool lowered = false; ///< a penalty lowered it
    bool picked = false;  ///< the token that was drawn
};

/// What the sampler chain makes of one position with given settings.
struct ChainPreview {
    static constexpr int kStages = static_cast<int>(engine::SamplerStage::Temperature) + 1;

    std::vector<PreviewRow> rows; ///< by falling model share
    /// The model's own share that each stage removed; [Kept] is what is left. Sums to 1.
    std::array<double, kStages> shares{};
    int keptCount = 0;       ///< of the candidates
    bool keptBeyond = false; ///< tokens that are not among the candidates can be picked too
    int loweredCount = 0;    ///< candidates a repetition penalty lowered
    int vocabularySize = 0;

    double share(engine::SamplerStage stage) const
    {
        return shares[static_cast<std::size_t>(stage)];
    }
};

/// Runs the chain (penalties, top-k, typical, top-p, min-p, temperature) again over the candidates
/// of a decoded token, with other settings than it was drawn with and without the model. Exact
/// where the candidates cover what the chain keeps; the rest of the vocabulary is known by its
/// summed share only and counts as one tail, less likely than every candidate.
ChainPreview previewChain(const engine::TokenEvent& event, int vocabularySize,
                          const engine::SamplingSettings& settings);

} // namespace ui
