#include "ui/sampling/knob_table.h"

#include <QCoreApplication>
#include <QLocale>

#include <array>
#include <cmath>

namespace ui {

using engine::SamplerStage;
using engine::SamplingSettings;
using Token = Theme::Token;

namespace {

template <auto Member>
double get(const SamplingSettings& settings)
{
    return static_cast<double>(settings.*Member);
}

template <auto Member>
void set(SamplingSettings& settings, double value)
{
    using Type = std::remove_reference_t<decltype(settings.*Member)>;
    if constexpr (std::is_integral_v<Type>) {
        settings.*Member = static_cast<Type>(std::llround(value));
    } else {
        settings.*Member = static_cast<Type>(value);
    }
}

using S = SamplingSettings;
constexpr int kMostTokens = 16'777'216;

constexpr std::array kTable{
    KnobSpec{Knob::Temperature, QT_TRANSLATE_NOOP("Knob", "Temperature"),
             QT_TRANSLATE_NOOP("Knob", "temp"), Token::Ember, 0, 2, 0.05, 2, 0, 10, 1, nullptr,
             SamplerStage::Temperature, get<&S::temperature>, set<&S::temperature>},
    KnobSpec{Knob::TopP, QT_TRANSLATE_NOOP("Knob", "Top-p"), QT_TRANSLATE_NOOP("Knob", "top-p"),
             Token::KTopP, 0, 1, 0.01, 2, 0, 1, 1, nullptr, SamplerStage::TopP, get<&S::topP>,
             set<&S::topP>},
    KnobSpec{Knob::TopK, QT_TRANSLATE_NOOP("Knob", "Top-k"), QT_TRANSLATE_NOOP("Knob", "top-k"),
             Token::KTopK, 0, 100, 1, 0, 0, 1'000'000, 0, nullptr, SamplerStage::TopK,
             get<&S::topK>, set<&S::topK>},
    KnobSpec{Knob::MinP, QT_TRANSLATE_NOOP("Knob", "Min-p"), QT_TRANSLATE_NOOP("Knob", "min-p"),
             Token::KMinP, 0, 0.5, 0.01, 2, 0, 1, 0, nullptr, SamplerStage::MinP, get<&S::minP>,
             set<&S::minP>},
    KnobSpec{Knob::RepeatPenalty, QT_TRANSLATE_NOOP("Knob", "Repeat penalty"),
             QT_TRANSLATE_NOOP("Knob", "repeat"), Token::KRepeat, 1, 1.5, 0.01, 2, 0.1, 10, 1,
             nullptr, SamplerStage::Kept, get<&S::repeatPenalty>, set<&S::repeatPenalty>},
    KnobSpec{Knob::TypicalP, QT_TRANSLATE_NOOP("Knob", "Typical"),
             QT_TRANSLATE_NOOP("Knob", "typical"), Token::KOther, 0, 1, 0.01, 2, 0, 1, 1, nullptr,
             SamplerStage::Typical, get<&S::typicalP>, set<&S::typicalP>},
    KnobSpec{Knob::PresencePenalty, QT_TRANSLATE_NOOP("Knob", "Presence"),
             QT_TRANSLATE_NOOP("Knob", "presence"), Token::KOther, -2, 2, 0.05, 2, -10, 10, 0,
             nullptr, SamplerStage::Kept, get<&S::presencePenalty>, set<&S::presencePenalty>},
    KnobSpec{Knob::FrequencyPenalty, QT_TRANSLATE_NOOP("Knob", "Frequency"),
             QT_TRANSLATE_NOOP("Knob", "frequency"), Token::KOther, -2, 2, 0.05, 2, -10, 10, 0,
             nullptr, SamplerStage::Kept, get<&S::frequencyPenalty>, set<&S::frequencyPenalty>},
    KnobSpec{Knob::PenaltyWindow, QT_TRANSLATE_NOOP("Knob", "Look back"),
             QT_TRANSLATE_NOOP("Knob", "look back"), Token::KOther, 0, 512, 1, 0, -1, kMostTokens,
             -1, QT_TRANSLATE_NOOP("Knob", "all"), SamplerStage::Kept, get<&S::penaltyWindow>,
             set<&S::penaltyWindow>},
    KnobSpec{Knob::MaxTokens, QT_TRANSLATE_NOOP("Knob", "Most tokens per reply"),
             QT_TRANSLATE_NOOP("Knob", "most tokens"), Token::KOther, 0, 4096, 1, 0, -1,
             kMostTokens, -1, QT_TRANSLATE_NOOP("Knob", "no limit"), SamplerStage::Kept,
             get<&S::maxTokens>, set<&S::maxTokens>},
};

QString translated(const char* text)
{
    return QCoreApplication::translate("Knob", text);
}

bool isPenalty(Knob knob)
{
    return knob == Knob::RepeatPenalty || knob == Knob::PresencePenalty ||
           knob == Knob::FrequencyPenalty;
}

} // namespace

std::span<const KnobSpec> knobTable()
{
    return kTable;
}

const KnobSpec& knobSpec(Knob knob)
{
    return kTable[static_cast<std::size_t>(knob)];
}

QString KnobSpec::label() const
{
    return translated(name);
}

QString KnobSpec::shortLabel() const
{
    return translated(shortName);
}

QString KnobSpec::format(double value) const
{
    if (offText != nullptr && value == off) return translated(offText);
    QLocale locale;
    locale.setNumberOptions(QLocale::OmitGroupSeparator);
    const double scale = std::pow(10, decimals);
    // A finer value than the usual decimals (Shift, or typed) is shown in full.
    const bool fine = std::abs(value * scale - std::round(value * scale)) > 1e-3;
    return locale.toString(value, 'f', decimals + (fine ? 1 : 0));
}

QString stageName(SamplerStage stage)
{
    switch (stage) {
    case SamplerStage::Grammar:
        return QCoreApplication::translate("Knob", "grammar");
    case SamplerStage::TopK:
        return translated(knobSpec(Knob::TopK).shortName);
    case SamplerStage::Typical:
        return translated(knobSpec(Knob::TypicalP).shortName);
    case SamplerStage::TopP:
        return translated(knobSpec(Knob::TopP).shortName);
    case SamplerStage::MinP:
        return translated(knobSpec(Knob::MinP).shortName);
    case SamplerStage::Temperature:
        return QCoreApplication::translate("Knob", "temp 0");
    case SamplerStage::Kept:
        break;
    }
    return QCoreApplication::translate("Knob", "kept");
}

Token stageToken(SamplerStage stage)
{
    switch (stage) {
    case SamplerStage::TopK:
        return Token::KTopK;
    case SamplerStage::TopP:
        return Token::KTopP;
    case SamplerStage::MinP:
        return Token::KMinP;
    case SamplerStage::Temperature:
    case SamplerStage::Kept:
        return Token::Ember;
    case SamplerStage::Grammar:
    case SamplerStage::Typical:
        break;
    }
    return Token::KOther;
}

QString percentText(double share)
{
    constexpr double kHalf = 0.0005; // of the last decimal
    const QLocale locale;
    if (share >= 1 - kHalf) return QStringLiteral("100");
    if (share > 0 && share < kHalf) return QLatin1Char('<') % locale.toString(0.1, 'f', 1);
    return locale.toString(share * 100, 'f', 1);
}

KnobEffect knobEffect(const KnobSpec& spec, const SamplingSettings& settings,
                      const ChainPreview* preview)
{
    const double value = spec.get(settings);
    if (spec.knob == Knob::Temperature) {
        if (value <= 0) return {QCoreApplication::translate("Knob", "greedy"), true};
        if (value < 1) return {QCoreApplication::translate("Knob", "sharper"), true};
        if (value > 1) return {QCoreApplication::translate("Knob", "flatter"), true};
        return {};
    }
    if (value == spec.off && spec.offText == nullptr)
        return {QCoreApplication::translate("Knob", "off"), false};
    if (preview == nullptr) return {};
    if (isPenalty(spec.knob)) {
        if (preview->loweredCount == 0) return {};
        return {QCoreApplication::translate("Knob", "lowers %1").arg(preview->loweredCount), true};
    }
    if (spec.stage == SamplerStage::Kept || preview->share(spec.stage) < 0.0005) return {};
    return {QCoreApplication::translate("Knob", "cuts %1 %")
                .arg(percentText(preview->share(spec.stage))),
            true};
}

} // namespace ui
