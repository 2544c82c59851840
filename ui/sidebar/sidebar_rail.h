#pragma once

#include "ui/theme/theme.h"

#include <QWidget>

namespace ui {

class IconButton;

/// The sidebar where there is no room for it: 52 px with its buttons.
class SidebarRail : public QWidget {
    Q_OBJECT
public:
    explicit SidebarRail(const Theme& theme, QWidget* parent = nullptr);

    IconButton* openButton() const { return m_open; }
    IconButton* newChatButton() const { return m_newChat; }
    IconButton* searchButton() const { return m_search; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
    IconButton* m_open;
    IconButton* m_newChat;
    IconButton* m_search;
};

} // namespace ui
