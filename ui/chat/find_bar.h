#pragma once

#include "ui/theme/theme.h"

#include <QWidget>

namespace ui {

class IconButton;
class Label;
class LineField;

/// Find in the open chat: a field, "3 of 12", back and forth. Esc closes.
class FindBar : public QWidget {
    Q_OBJECT
public:
    explicit FindBar(const Theme& theme, QWidget* parent = nullptr);

    void open();
    void dismiss();
    /// Shows a text that is found already, and leaves the focus where it is.
    void showFor(const QString& text);
    void setResult(int position, int count);
    LineField* field() const { return m_field; }

Q_SIGNALS:
    void textChanged(const QString& text);
    void nextRequested();
    void previousRequested();
    void closed();

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    const Theme& m_theme;
    LineField* m_field;
    Label* m_count;
    IconButton* m_previous;
    IconButton* m_next;
};

} // namespace ui
