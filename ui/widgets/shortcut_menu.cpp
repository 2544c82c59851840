#include "ui/widgets/shortcut_menu.h"

#include <QKeyEvent>

namespace ui {

QAction* ShortcutMenu::addCommand(const QIcon& icon, const QString& text, const QKeySequence& keys)
{
    QAction* action = addAction(icon, text);
    action->setShortcut(keys);
    action->setShortcutVisibleInContextMenu(true);
    return action;
}

void ShortcutMenu::keyPressEvent(QKeyEvent* event)
{
    const QKeySequence pressed(event->keyCombination());
    for (QAction* action : actions()) {
        if (action->shortcut().isEmpty() || action->shortcut() != pressed) continue;
        close();
        action->trigger();
        return;
    }
    QMenu::keyPressEvent(event);
}

} // namespace ui
