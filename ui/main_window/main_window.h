#pragma once

#include "app/application_core.h"
#include "ui/theme/theme.h"

#include <QMainWindow>

class QSplitter;

namespace ui {

class ChatPage;
class CloseGuard;
class CommandPalette;
struct Command;
class Drawer;
class SamplingPanel;
class SamplingRail;
class Sidebar;
class SidebarRail;

/// Assembly of the panes: sidebar, chat page, Sampling panel, their rails and drawers where space
/// is short, and the table of shortcuts.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    /// Below this width the panel becomes a rail; more where the text is larger.
    static constexpr int kSamplingNeeds = 1040;
    static constexpr int kSidebarNeeds = 900;

    MainWindow(const Theme& theme, app::ApplicationCore& core);
    ~MainWindow() override;

    Sidebar* sidebar() const { return m_sidebar; }
    ChatPage* chat() const { return m_chat; }
    SamplingPanel* sampling() const { return m_sampling; }
    SidebarRail* sidebarRail() const { return m_sidebarRail; }
    SamplingRail* samplingRail() const { return m_samplingRail; }
    CommandPalette* palette() const { return m_palette; }
    Drawer* sidebarDrawer() const { return m_sidebarDrawer; }
    Drawer* samplingDrawer() const { return m_samplingDrawer; }

    void openModel(const QString& path);
    /// Before the windows of other programs, wherever it was.
    void comeToFront();
    /// Sizes and open panels of the last time.
    void restore();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void build();
    void connectSidebar();
    void connectSampling();
    void addShortcuts();
    void openPalette();
    QList<Command> presetCommands() const;
    QList<Command> chatCommands();
    void dismissPopovers();
    bool hasRoomFor(int needed) const;
    void arrange();
    void keepWidth(int position, int handle);
    void shareWidth();
    void placePanel(QWidget* panel, Drawer* drawer, bool inDrawer, int index);
    void toggleSidebar();
    void toggleSampling();
    void newChat();
    void undoDelete();
    void focusSearch();
    void renameChat();
    void nextPane();
    void escape();
    void save();

    const Theme& m_theme;
    app::ApplicationCore& m_core;
    QSplitter* m_splitter;
    Sidebar* m_sidebar;
    ChatPage* m_chat;
    SamplingPanel* m_sampling;
    SidebarRail* m_sidebarRail;
    SamplingRail* m_samplingRail;
    Drawer* m_sidebarDrawer = nullptr;
    Drawer* m_samplingDrawer = nullptr;
    CloseGuard* m_closeGuard;
    CommandPalette* m_palette;
    QList<Command> m_commands; ///< what has a name, of what has a shortcut
    int m_sidebarWidth;        // as the user left it where there was room
    int m_samplingWidth;
    bool m_sidebarOpen = true; // as the user wants it where there is room
    bool m_samplingOpen = true;
};

} // namespace ui
