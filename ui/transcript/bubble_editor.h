#pragma once

#include "ui/transcript/transcript_style.h"

#include <QWidget>

namespace ui {

class Button;
class PlainEdit;

/// The editor a user's bubble turns into.
class BubbleEditor : public QWidget {
    Q_OBJECT
public:
    /// `branch`: the number the new version will have.
    BubbleEditor(const TranscriptStyle& style, const QString& text, int branch,
                 QWidget* parent = nullptr);

    QString text() const;
    void takeFocus();
    int layOut(int width);

Q_SIGNALS:
    void sent(const QString& text);
    void cancelled();
    void heightChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    int textHeight() const;
    void send();

    const TranscriptStyle& m_style;
    QString m_original;
    int m_branch;
    PlainEdit* m_edit;
    Button* m_cancel;
    Button* m_send;
    int m_shownHeight = 0;
};

} // namespace ui
