#pragma once

#include "ui/theme/theme.h"

#include <QTimer>
#include <QWidget>

namespace ui {

class Button;
class Label;

/// "Chat deleted  Undo  x" for eight seconds (as long as the pointer or the focus is on it).
class UndoStrip : public QWidget {
    Q_OBJECT
public:
    static constexpr int kDurationMs = 8000;

    explicit UndoStrip(const Theme& theme, QWidget* parent = nullptr);

    void offer(const QString& text);
    QString text() const;
    Button* undoButton() const { return m_undo; }
    void setDuration(int ms) { m_timer.setInterval(ms); }

Q_SIGNALS:
    void undoRequested();
    /// The offer is over and was not taken.
    void expired();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void expire();

    const Theme& m_theme;
    Label* m_text;
    Button* m_undo;
    QTimer m_timer;
};

} // namespace ui
