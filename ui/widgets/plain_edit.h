#pragma once

#include <QPlainTextEdit>

namespace ui {

/// A plain text editor for texts of any size. A line that is too long to be laid out whole is cut
/// inside; text() and what is copied do not tell. Read and set the text here only.
class PlainEdit : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit PlainEdit(QWidget* parent = nullptr);

    QString text() const;
    /// With the cursor at its end.
    void setText(const QString& text);
    /// As the user would: it can be undone.
    void insertText(const QString& text);
    /// Whether there is more than space.
    bool hasWords() const;

protected:
    void keyPressEvent(QKeyEvent* event) override;
    QMimeData* createMimeDataFromSelection() const override;
    void insertFromMimeData(const QMimeData* source) override;

private:
    QString textBetween(int from, int to) const;
};

} // namespace ui
