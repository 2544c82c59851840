#pragma once

#include "app/settings/sampling_presets.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QWidget>

class QStackedLayout;

namespace ui {

class Button;
class IconButton;
class LineField;

/// A combo whose text is followed by a dot while the settings differ from the preset.
class PresetCombo : public QComboBox {
    Q_OBJECT
public:
    explicit PresetCombo(const Theme& theme, QWidget* parent = nullptr);
    void setChanged(bool changed);
    bool isChanged() const { return m_changed; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    const Theme& m_theme;
    bool m_changed = false;
};

/// Presets: choose, save under a name (asked in place), go back to the chosen one.
class PresetRow : public QWidget {
    Q_OBJECT
public:
    explicit PresetRow(const Theme& theme, QWidget* parent = nullptr);

    void setPresets(const QList<app::SamplingPreset>& presets, const QString& current);
    /// The settings in use; tells whether they differ from the preset.
    void setSettings(const engine::SamplingSettings& settings);

    const engine::SamplingSettings& presetSettings() const { return m_presetSettings; }
    PresetCombo* combo() const { return m_combo; }
    Button* saveButton() const { return m_save; }
    IconButton* restoreButton() const { return m_restore; }
    LineField* nameField() const { return m_name; }

Q_SIGNALS:
    void presetChosen(const QString& name, const engine::SamplingSettings& settings);
    void saveRequested(const QString& name);
    void restoreRequested();

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    QWidget* buildChooser();
    QWidget* buildNamer();
    void leaveNamer();
    void choose(int index);
    void save();

    const Theme& m_theme;
    QList<app::SamplingPreset> m_presets;
    engine::SamplingSettings m_presetSettings;
    engine::SamplingSettings m_settings;
    PresetCombo* m_combo = nullptr;
    Button* m_save = nullptr;
    IconButton* m_restore = nullptr;
    LineField* m_name = nullptr;
    QStackedLayout* m_pages;
};

} // namespace ui
