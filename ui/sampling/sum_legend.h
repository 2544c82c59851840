#pragma once

#include "ui/sampling/chain_preview.h"
#include "ui/theme/theme.h"

#include <QString>

#include <vector>

namespace ui {

/// The model's own share that a stage removed; Kept: that is left.
struct StageShare {
    engine::SamplerStage stage = engine::SamplerStage::Kept;
    double share = 0;
};

/// What is kept, then the cuts that can be seen, the largest first.
std::vector<StageShare> stageShares(const ChainPreview& preview);

/// The line below the sum strip: "kept 88.7  min-p 5.8  +2 more".
struct SumLegend {
    struct Entry {
        engine::SamplerStage stage = engine::SamplerStage::Kept;
        QString name; ///< with what stands between it and the number
        QString number;
        double nameWidth = 0;
        double width = 0; ///< of both
    };
    std::vector<Entry> entries;
    QString more; ///< what is not named; empty: all is
};

/// Names what is kept and the two largest cuts (three where nothing is left out then), or fewer
/// where `room` (px) has no place for them.
SumLegend sumLegend(const std::vector<StageShare>& shares, const Theme& theme, double room);

/// How much stands between two entries, px.
double legendGap(const Theme& theme);
/// Weight of an entry's words.
QFont::Weight legendWeight(engine::SamplerStage stage);

} // namespace ui
