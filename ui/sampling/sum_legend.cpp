#include "ui/sampling/sum_legend.h"

#include "ui/sampling/knob_table.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <algorithm>

namespace ui {

using engine::SamplerStage;
using TextStyle = Theme::TextStyle;

namespace {

SumLegend::Entry entryOf(const StageShare& part, const Theme& theme)
{
    const QFont::Weight weight = legendWeight(part.stage);
    const QString stage = stageName(part.stage);
    // "temp 0 0.3" would be one number.
    const QString name =
        stage % (stage.back().isDigit() ? QStringLiteral(": ") : QStringLiteral(" "));
    const QString number = percentText(part.share);
    const double nameWidth =
        QFontMetricsF(theme.font(TextStyle::Micro, weight)).horizontalAdvance(name);
    const double numberWidth =
        QFontMetricsF(theme.tabularFont(TextStyle::Micro, weight)).horizontalAdvance(number);
    return {.stage = part.stage,
            .name = name,
            .number = number,
            .nameWidth = nameWidth,
            .width = nameWidth + numberWidth};
}

} // namespace

double legendGap(const Theme& theme)
{
    return 8 * theme.textScale();
}

QFont::Weight legendWeight(SamplerStage stage)
{
    return stage == SamplerStage::Kept ? QFont::DemiBold : QFont::Medium;
}

std::vector<StageShare> stageShares(const ChainPreview& preview)
{
    constexpr double kSeen = 0.0005;
    std::vector<StageShare> parts;
    for (int i = 0; i < ChainPreview::kStages; ++i)
        if (const double share = preview.shares[static_cast<std::size_t>(i)];
            share >= kSeen || i == 0)
            parts.push_back({.stage = static_cast<SamplerStage>(i), .share = share});
    std::stable_sort(parts.begin() + 1, parts.end(),
                     [](const StageShare& a, const StageShare& b) { return a.share > b.share; });
    return parts;
}

SumLegend sumLegend(const std::vector<StageShare>& shares, const Theme& theme, double room)
{
    const QFontMetricsF metrics(theme.font(TextStyle::Micro));
    const double gap = legendGap(theme);
    SumLegend legend;
    for (const StageShare& part : shares)
        legend.entries.push_back(entryOf(part, theme));
    std::size_t named = shares.size() <= 4 ? shares.size() : 3;
    for (; named > 0; --named) {
        const std::size_t rest = shares.size() - named;
        legend.more = rest == 0
                          ? QString()
                          : QCoreApplication::translate("ui::NextTokenView", "+%1 more").arg(rest);
        double width = rest == 0 ? 0 : gap + metrics.horizontalAdvance(legend.more);
        for (std::size_t i = 0; i < named; ++i)
            width += legend.entries[i].width + (i > 0 ? gap : 0);
        if (width <= room || named == 1) break;
    }
    legend.entries.resize(named);
    return legend;
}

} // namespace ui
