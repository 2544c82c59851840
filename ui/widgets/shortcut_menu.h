#pragma once

#include <QMenu>

namespace ui {

/// A menu in which the shortcuts of its actions are shown, and act while it is open.
class ShortcutMenu : public QMenu {
    Q_OBJECT
public:
    using QMenu::QMenu;

    QAction* addCommand(const QIcon& icon, const QString& text, const QKeySequence& keys = {});

protected:
    void keyPressEvent(QKeyEvent* event) override;
};

} // namespace ui
