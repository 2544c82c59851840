#pragma once

#include "app/inference/generation_types.h"
#include "ui/theme/theme.h"

#include <QWidget>

namespace ui {

class IconButton;
class NextTokenView;

/// The Sampling panel where there is no room for it: 44 px with the bars and four values.
class SamplingRail : public QWidget {
    Q_OBJECT
public:
    /// `source` shows the position the rail draws in small.
    SamplingRail(const Theme& theme, const NextTokenView& source, QWidget* parent = nullptr);

    void setSettings(const engine::SamplingSettings& settings);
    IconButton* openButton() const { return m_open; }

    QSize sizeHint() const override { return {width(), 320}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    void fitWords();

    const Theme& m_theme;
    const NextTokenView& m_source;
    engine::SamplingSettings m_settings;
    IconButton* m_open;
};

} // namespace ui
