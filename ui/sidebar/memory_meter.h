#pragma once

#include "ui/theme/theme.h"

#include <QTimer>
#include <QWidget>

namespace ui {

/// Bytes of this computer's memory; zeros where the system does not say.
struct MemoryUse {
    quint64 used = 0;
    quint64 total = 0;
};
MemoryUse readMemoryUse();

/// How much of the computer's memory is in use, as a line of text and a bar; looks every two
/// seconds while visible.
class MemoryMeter : public QWidget {
    Q_OBJECT
public:
    explicit MemoryMeter(const Theme& theme, QWidget* parent = nullptr);

    void setUse(MemoryUse use);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    const Theme& m_theme;
    MemoryUse m_use;
    QTimer m_timer;
};

} // namespace ui
