#pragma once

#include "ui/transcript/transcript_style.h"

#include <QAbstractButton>
#include <QTimer>

namespace ui {

/// "Copy" with its icon; after a click a check and "Copied" for a moment. Never changes its size.
class CopyButton : public QAbstractButton {
    Q_OBJECT
public:
    explicit CopyButton(const TranscriptStyle& style, QWidget* parent = nullptr);

    QSize sizeHint() const override;
    bool saysCopied() const { return m_copied.isActive(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString words() const;

    const TranscriptStyle& m_style;
    QTimer m_copied;
};

} // namespace ui
