#pragma once

#include "ui/theme/theme.h"

#include <QWidget>

namespace ui {

/// How much of the context length is used: a ring and "3.1k / 8k".
class ContextRing : public QWidget {
    Q_OBJECT
public:
    explicit ContextRing(const Theme& theme, QWidget* parent = nullptr);

    /// Positions; `total` 0 hides it.
    void setUse(int used, int total);
    QString text() const;
    /// Accent to 75 %, warn to 95 %, then bad.
    Theme::Token token() const;

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
    int m_used = 0;
    int m_total = 0;
};

} // namespace ui
