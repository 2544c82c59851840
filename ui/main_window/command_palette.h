#pragma once

#include "ui/widgets/popover.h"

#include <QKeySequence>
#include <QList>

#include <functional>

class QListView;
class QStandardItemModel;

namespace ui {

class LineField;

/// Something the window can do, or a chat it can open.
struct Command {
    QString name;
    QString iconName;
    QKeySequence keys;
    std::function<void()> run;
};

/// All commands and chats by a few letters of their names, over the middle of the window: the field
/// keeps the focus, up and down choose, Enter runs, Esc closes. ">" asks for commands alone, "#"
/// for chats.
class CommandPalette : public Popover {
    Q_OBJECT
public:
    CommandPalette(const Theme& theme, QWidget* window);

    /// `chats`: the newest first.
    void open(const QList<Command>& commands, const QList<Command>& chats);

    LineField* field() const { return m_field; }
    QListView* list() const { return m_list; }
    /// What is listed, headings included.
    QStringList rows() const;

protected:
    bool eventFilter(QObject* object, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void filter();
    void addSection(const QString& heading, const QList<Command>& all, const QString& typed,
                    qsizetype most);
    void move(int step);
    void run();
    void restyle();

    const Theme& m_theme;
    LineField* m_field;
    QListView* m_list;
    QStandardItemModel* m_model;
    QWidget* m_hint;
    QList<Command> m_commands;
    QList<Command> m_chats;
    QList<Command> m_shown; ///< by the number in the row
};

} // namespace ui
