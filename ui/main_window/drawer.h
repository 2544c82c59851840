#pragma once

#include "ui/theme/theme.h"

#include <QVariantAnimation>
#include <QWidget>

namespace ui {

/// A panel over the page at the window's left or right edge, where there is no room beside it.
/// Esc or a press outside closes it; what lies below is not laid out again.
class Drawer : public QWidget {
    Q_OBJECT
public:
    Drawer(const Theme& theme, Qt::Edge edge, QWidget* parent);

    /// The panel stays the caller's; it is a child of the drawer until releasePanel().
    void takePanel(QWidget* panel, int width);
    void releasePanel();
    bool hasPanel() const { return m_panel != nullptr; }

    void open();
    void dismiss();
    bool isOpen() const { return m_open; }

protected:
    bool eventFilter(QObject* object, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void place(double share);

    const Theme& m_theme;
    Qt::Edge m_edge;
    QWidget* m_panel = nullptr;
    int m_panelWidth = 0;
    bool m_open = false;
    QVariantAnimation m_motion;
};

} // namespace ui
