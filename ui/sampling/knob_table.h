#pragma once

#include "app/inference/generation_types.h"
#include "ui/sampling/chain_preview.h"
#include "ui/theme/theme.h"

#include <QString>

#include <span>

namespace ui {

enum class Knob : quint8 {
    Temperature,
    TopP,
    TopK,
    MinP,
    RepeatPenalty,
    TypicalP,
    PresencePenalty,
    FrequencyPenalty,
    PenaltyWindow,
    MaxTokens,
};

/// A row of the knob table: what a number of the sampling settings is called, drawn like and
/// bounded by.
struct KnobSpec {
    Knob knob;
    const char* name;      ///< translated with context "Knob"
    const char* shortName; ///< for the rail and for cut bars
    Theme::Token token;    ///< its colour when it acts
    double minimum;        ///< of the slider
    double maximum;
    double step; ///< an arrow key; Shift makes it ten times finer where decimals allow
    int decimals;
    double least; ///< what the field accepts
    double most;
    double off;                 ///< the value that switches it off
    const char* offText;        ///< shown in the field in place of `off`; null: the number
    engine::SamplerStage stage; ///< what it cuts as; Kept: it cuts nothing
    double (*get)(const engine::SamplingSettings&);
    void (*set)(engine::SamplingSettings&, double);

    QString label() const;
    QString shortLabel() const;
    QString format(double value) const;
};

const KnobSpec& knobSpec(Knob knob);
std::span<const KnobSpec> knobTable();

/// The name a cut bar carries, and its colour. REQUIRES: not Kept.
QString stageName(engine::SamplerStage stage);
Theme::Token stageToken(engine::SamplerStage stage);

/// A share of 1 in percent with one decimal, as lists have it; "<0.1" where that would be nothing.
QString percentText(double share);

/// What a knob does at a position: "sharper", "cuts 3.8 %", "lowers 1", "off" or nothing.
struct KnobEffect {
    QString caption;
    bool acts = false; ///< it lights in its own colour
};
/// `preview` null: no position yet.
KnobEffect knobEffect(const KnobSpec& spec, const engine::SamplingSettings& settings,
                      const ChainPreview* preview);

} // namespace ui
