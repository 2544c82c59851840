#pragma once

#include "engine/engine.h"

#include <QList>
#include <QString>

namespace app {

class Settings;

struct SamplingPreset {
    QString name; ///< of a built-in one: "Precise", "Balanced", "Creative"; translate for showing
    engine::SamplingSettings settings;
    bool builtIn = false;
};

/// The settings in use.
engine::SamplingSettings loadSampling(const Settings& file);
void saveSampling(Settings& file, const engine::SamplingSettings& sampling);

/// The built-in presets, then the user's by name.
QList<SamplingPreset> samplingPresets(const Settings& file);
/// Adds or replaces one of the user's. False for an empty name or that of a built-in one.
bool savePreset(Settings& file, const QString& name, const engine::SamplingSettings& sampling);
void removePreset(Settings& file, const QString& name);

/// Equal but for the seed and the version: what a preset is about.
bool samePreset(const engine::SamplingSettings& a, const engine::SamplingSettings& b);

} // namespace app
