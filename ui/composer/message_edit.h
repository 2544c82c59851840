#pragma once

#include "ui/theme/theme.h"
#include "ui/widgets/plain_edit.h"

namespace ui {

/// The text of the next message: grows from one line to ten, then scrolls. Enter sends, Shift+Enter
/// makes a new line.
class MessageEdit : public PlainEdit {
    Q_OBJECT
public:
    static constexpr int kMostLines = 10;

    explicit MessageEdit(const Theme& theme, QWidget* parent = nullptr);

    /// Fewer lines than ten where the window is low, px; one at least.
    void setMostHeight(int px);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void sendRequested();
    /// Up in an empty text: the last message is to be edited.
    void editLastRequested();
    void focusChanged();
    /// Files were pasted or dropped.
    void filesGiven(const QList<QUrl>& files);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool canInsertFromMimeData(const QMimeData* source) const override;
    void insertFromMimeData(const QMimeData* source) override;

private:
    void restyle();
    void grow();
    int heightFor(int lines) const;

    const Theme& m_theme;
    int m_lines = 1;
    int m_mostLines = kMostLines;
};

} // namespace ui
