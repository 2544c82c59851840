#include "app/settings/sampling_presets.h"

#include "app/settings/settings.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace app {

namespace {

using engine::SamplingSettings;

template <typename Key, typename Field>
struct Row {
    const Key& key;
    Field SamplingSettings::* field;
};
template <typename Key, typename Field>
Row(const Key&, Field SamplingSettings::*) -> Row<Key, Field>;

/// Every knob with its key; the seed is apart, for it may be absent.
const std::tuple kKnobs{
    Row{settings::kTemperature, &SamplingSettings::temperature},
    Row{settings::kTopK, &SamplingSettings::topK},
    Row{settings::kTypicalP, &SamplingSettings::typicalP},
    Row{settings::kTopP, &SamplingSettings::topP},
    Row{settings::kMinP, &SamplingSettings::minP},
    Row{settings::kRepeatPenalty, &SamplingSettings::repeatPenalty},
    Row{settings::kPresencePenalty, &SamplingSettings::presencePenalty},
    Row{settings::kFrequencyPenalty, &SamplingSettings::frequencyPenalty},
    Row{settings::kPenaltyWindow, &SamplingSettings::penaltyWindow},
    Row{settings::kMaxTokens, &SamplingSettings::maxTokens},
};

struct BuiltIn {
    const char* name;
    float temperature;
    float topP;
    int topK;
    float minP;
    float repeatPenalty;
};

constexpr std::array kBuiltIn{
    BuiltIn{"Precise", 0.20F, 0.80F, 40, 0.05F, 1.00F},
    BuiltIn{"Balanced", 0.80F, 0.95F, 40, 0.05F, 1.00F},
    BuiltIn{"Creative", 1.10F, 1.00F, 0, 0.05F, 1.00F},
};

SamplingPreset presetOf(const BuiltIn& row)
{
    SamplingPreset preset{.name = QString::fromLatin1(row.name), .settings = {}, .builtIn = true};
    preset.settings.temperature = row.temperature;
    preset.settings.topP = row.topP;
    preset.settings.topK = row.topK;
    preset.settings.minP = row.minP;
    preset.settings.repeatPenalty = row.repeatPenalty;
    return preset;
}

template <typename Visitor>
void forEachKnob(Visitor visit)
{
    std::apply([&visit](const auto&... row) { (visit(row), ...); }, kKnobs);
}

// A user's preset is one line of the list: its name, then "key=value" for each knob.
QString presetLine(const SamplingPreset& preset)
{
    QStringList fields{preset.name};
    forEachKnob([&](const auto& row) {
        fields +=
            QString::fromLatin1(row.key.name) % u'=' % QString::number(preset.settings.*row.field);
    });
    return fields.join(u'\n');
}

SamplingPreset presetFromLine(const QString& line)
{
    const QStringList fields = line.split(u'\n');
    SamplingPreset preset{.name = fields.constFirst(), .settings = {}, .builtIn = false};
    forEachKnob([&](const auto& row) {
        const QString begin = QString::fromLatin1(row.key.name) % u'=';
        const auto field = std::ranges::find_if(
            fields, [&begin](const QString& text) { return text.startsWith(begin); });
        if (field == fields.end()) return;
        bool valid = false;
        const double value = QStringView(*field).sliced(begin.size()).toDouble(&valid);
        const double low = row.key.minimum;
        const double high = row.key.maximum;
        if (!valid || !(value >= low && value <= high)) return;
        using Field = std::remove_reference_t<decltype(preset.settings.*row.field)>;
        preset.settings.*row.field = static_cast<Field>(value);
    });
    return preset;
}

QList<SamplingPreset> userPresets(const Settings& file)
{
    QList<SamplingPreset> presets;
    for (const QString& line : file.get(settings::kUserPresets)) {
        SamplingPreset preset = presetFromLine(line);
        if (!preset.name.isEmpty()) presets += std::move(preset);
    }
    return presets;
}

void writeUserPresets(Settings& file, const QList<SamplingPreset>& presets)
{
    QStringList lines;
    for (const SamplingPreset& preset : presets)
        lines += presetLine(preset);
    file.set(settings::kUserPresets, lines);
}

bool isBuiltIn(const QString& name)
{
    return std::ranges::any_of(kBuiltIn, [&name](const BuiltIn& row) {
        return name.compare(QLatin1StringView(row.name), Qt::CaseInsensitive) == 0;
    });
}

} // namespace

SamplingSettings loadSampling(const Settings& file)
{
    SamplingSettings sampling;
    forEachKnob([&](const auto& row) {
        using Field = std::remove_reference_t<decltype(sampling.*row.field)>;
        sampling.*row.field = static_cast<Field>(file.get(row.key));
    });
    bool fixed = false;
    const quint64 seed = file.get(settings::kSeed).toULongLong(&fixed);
    if (fixed) sampling.seed = seed;
    return sampling;
}

void saveSampling(Settings& file, const SamplingSettings& sampling)
{
    forEachKnob([&](const auto& row) {
        using Value = std::remove_cvref_t<decltype(row.key.defaultValue)>;
        // As written: 0.8F is 0.8, not 0.800000011920929.
        if constexpr (std::is_same_v<Value, double>) {
            file.set(row.key, QString::number(sampling.*row.field).toDouble());
        } else {
            file.set(row.key, sampling.*row.field);
        }
    });
    file.set(settings::kSeed, sampling.seed ? QString::number(*sampling.seed) : QString());
}

QList<SamplingPreset> samplingPresets(const Settings& file)
{
    QList<SamplingPreset> presets;
    for (const BuiltIn& row : kBuiltIn)
        presets += presetOf(row);
    QList<SamplingPreset> own = userPresets(file);
    std::ranges::sort(own, [](const SamplingPreset& a, const SamplingPreset& b) {
        return QString::localeAwareCompare(a.name, b.name) < 0;
    });
    return presets + own;
}

bool savePreset(Settings& file, const QString& name, const SamplingSettings& sampling)
{
    const QString tidy = name.simplified();
    if (tidy.isEmpty() || isBuiltIn(tidy)) return false;
    QList<SamplingPreset> presets = userPresets(file);
    presets.removeIf([&tidy](const SamplingPreset& preset) { return preset.name == tidy; });
    presets += SamplingPreset{.name = tidy, .settings = sampling, .builtIn = false};
    writeUserPresets(file, presets);
    return true;
}

void removePreset(Settings& file, const QString& name)
{
    QList<SamplingPreset> presets = userPresets(file);
    if (presets.removeIf([&name](const SamplingPreset& preset) { return preset.name == name; }) > 0)
        writeUserPresets(file, presets);
}

bool samePreset(const SamplingSettings& a, const SamplingSettings& b)
{
    SamplingSettings other = b;
    other.seed = a.seed;
    other.version = a.version;
    return a == other;
}

} // namespace app
