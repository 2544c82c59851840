#pragma once

#include "ui/theme/theme.h"

#include <QWidget>

class QVBoxLayout;

namespace ui {

/// A card with a stepped shadow over the window's content. Opens beside a widget, or where it is
/// told; Esc or a press outside closes it, Tab goes around within it, Enter presses the button with
/// the focus. A child of the window, so that it looks the same on every platform.
class Popover : public QWidget {
    Q_OBJECT
public:
    /// `window` is what it lies over.
    Popover(const Theme& theme, QWidget* window);

    QVBoxLayout* body() const { return m_body; }
    /// Opens with its right (or left) edge at that of `anchor`.
    void openBelow(const QWidget* anchor, Qt::Alignment edge = Qt::AlignRight);
    /// Opens with its lower edge at the upper edge of `anchor`.
    void openAbove(const QWidget* anchor, Qt::Alignment edge = Qt::AlignLeft);
    /// Opens with its card there, in the window's coordinates.
    void openAt(const QRect& card);
    void dismiss();

Q_SIGNALS:
    void closed();

protected:
    bool focusNextPrevChild(bool next) override;
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    QList<QWidget*> tabStops() const;
    void openIn(const QRect& place);
    void place(const QWidget* anchor, Qt::Alignment edge, bool above);

    const Theme& m_theme;
    const QWidget* m_anchor = nullptr;
    QVBoxLayout* m_body;
};

} // namespace ui
