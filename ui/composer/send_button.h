#pragma once

#include "ui/theme/theme.h"

#include <QAbstractButton>

namespace ui {

/// Send, which becomes "Stop Esc" in place while the model writes.
class SendButton : public QAbstractButton {
    Q_OBJECT
public:
    explicit SendButton(const Theme& theme, QWidget* parent = nullptr);

    void setWriting(bool writing);
    bool isWriting() const { return m_writing; }

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
    bool m_writing = false;
};

} // namespace ui
