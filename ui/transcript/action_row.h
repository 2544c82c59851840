#pragma once

#include "ui/transcript/transcript_style.h"

#include <QList>
#include <QStringList>
#include <QTimer>
#include <QWidget>

namespace ui {

class IconButton;

/// The buttons under a message with a line of numbers at the right, or the live line while it is
/// being written. Its room stays the same whatever it shows.
class ActionRow : public QWidget {
    Q_OBJECT
public:
    enum class Action : quint8 { Copy, Edit, Continue, Regenerate, Delete };

    ActionRow(const TranscriptStyle& style, const QList<Action>& actions,
              QWidget* parent = nullptr);

    /// Buttons that are not shown take no part in the focus either.
    void setShown(bool shown);
    bool isShown() const { return m_shown; }
    void setBranches(int index, int count);
    /// Whether there is something for it to do; at first there is.
    void setOffered(Action action, bool offered);
    bool isOffered(Action action) const;
    /// The first of these that fits is shown.
    void setNumbers(const QStringList& wordings);
    /// The one that is, or would be where the row is shown.
    QString fittingNumbers() const;
    /// Shows a dot and `line` in place of the buttons; empty goes back to them.
    void setLiveLine(const QString& line);
    const QString& liveLine() const { return m_live; }
    /// The check that says it was copied.
    void showCopied();

    QSize sizeHint() const override;
    /// Of the buttons every message has, without those for its branches.
    int plainWidth() const;
    IconButton* button(Action action) const;

Q_SIGNALS:
    void triggered(ui::ActionRow::Action action);
    void branchRequested(int index);

protected:
    bool eventFilter(QObject* object, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void addButton(Action action);
    void arrange();
    int buttonsWidth() const;

    const TranscriptStyle& m_style;
    QList<Action> m_actions;
    QList<IconButton*> m_buttons;
    IconButton* m_previous;
    IconButton* m_next;
    int m_branch = 1;
    int m_branches = 1;
    bool m_shown = false;
    QList<Action> m_withheld;
    QStringList m_numbers;
    QString m_live;
    QTimer m_copied;
};

} // namespace ui
