#pragma once

#include "ui/theme/theme.h"

#include <QWidget>

class QBoxLayout;
class QCheckBox;

namespace ui {

class IconButton;
class Label;
class LineField;

/// Find in the open chat: a field, "3 of 12", back and forth, whether capitals matter. Esc closes.
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
    QCheckBox* matchCase() const { return m_matchCase; }
    IconButton* closeButton() const { return m_close; }
    Qt::CaseSensitivity sensitivity() const;
    /// What it has begins with the page's column, px from the page's edge; Close stands at its end,
    /// below the header's last button.
    void setSideMargin(int px);

Q_SIGNALS:
    /// The text, or how it is to be found, is another; empty: nothing is searched.
    void searchChanged(const QString& text);
    void nextRequested();
    void previousRequested();
    void closed();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void restyle();
    void nameMatchCase();

    const Theme& m_theme;
    LineField* m_field;
    Label* m_count;
    IconButton* m_previous;
    IconButton* m_next;
    QCheckBox* m_matchCase;
    IconButton* m_close;
    QBoxLayout* m_line;
};

} // namespace ui
