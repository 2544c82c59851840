#pragma once

#include "ui/theme/theme.h"

#include <QWidget>

namespace ui {

class IconButton;
class ModelChip;
class TitleLabel;

/// The chat page's top row: title, model chip, find, panel switch.
class ChatHeader : public QWidget {
    Q_OBJECT
public:
    explicit ChatHeader(const Theme& theme, QWidget* parent = nullptr);

    TitleLabel* title() const { return m_title; }
    ModelChip* chip() const { return m_chip; }
    IconButton* findButton() const { return m_find; }
    IconButton* sidebarButton() const { return m_sidebar; }   ///< shown while the sidebar is hidden
    IconButton* samplingButton() const { return m_sampling; } ///< checked while the panel is open

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
    TitleLabel* m_title;
    ModelChip* m_chip;
    IconButton* m_sidebar;
    IconButton* m_find;
    IconButton* m_sampling;
};

} // namespace ui
