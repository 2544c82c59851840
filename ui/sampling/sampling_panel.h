#pragma once

#include "app/inference/generation_types.h"
#include "ui/theme/theme.h"

#include <QList>
#include <QTimer>
#include <QWidget>

class QScrollArea;

namespace app {
class Settings;
}

namespace ui {

class AdvancedSection;
class IconButton;
class KnobRow;
class NextTokenView;
class PresetRow;

/// The knobs of the sampler chain and what they do at the newest token. Every change leaves at once
/// as `settingsEdited`. Presets live in the program's settings.
class SamplingPanel : public QWidget {
    Q_OBJECT
public:
    SamplingPanel(const Theme& theme, app::Settings& settings, QWidget* parent = nullptr);

    const engine::SamplingSettings& settings() const { return m_sampling; }
    void setSettings(const engine::SamplingSettings& settings);

    NextTokenView* nextToken() const { return m_nextToken; }
    PresetRow* presets() const { return m_presets; }
    AdvancedSection* advanced() const { return m_advanced; }
    IconButton* closeButton() const { return m_close; }
    /// The main and the advanced knobs, in the panel's order.
    const QList<KnobRow*>& knobs() const { return m_knobs; }
    /// Below this the captions beside the knobs' names are cut, px.
    int widthForWords() const;

Q_SIGNALS:
    void settingsEdited(const engine::SamplingSettings& settings);
    void stopStringsEdited(const QStringList& texts);
    void closeRequested();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QWidget* buildHead();
    QWidget* buildKnobs();
    void connectPresets();
    void connectKnob(KnobRow* row);
    void apply(const engine::SamplingSettings& settings);
    void readPresets();
    void updateEffects();
    void showAdvanced();
    void shareHeight();

    const Theme& m_theme;
    app::Settings& m_settings;
    engine::SamplingSettings m_sampling;
    IconButton* m_close = nullptr;
    NextTokenView* m_nextToken;
    PresetRow* m_presets;
    QScrollArea* m_scroll = nullptr;
    AdvancedSection* m_advanced = nullptr;
    QList<KnobRow*> m_knobs;
    QTimer m_effectTimer; // captions change at most five times a second
};

} // namespace ui
