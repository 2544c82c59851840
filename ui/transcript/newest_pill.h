#pragma once

#include "ui/theme/theme.h"

#include <QAbstractButton>

namespace ui {

/// "Newest", over the lower edge of the transcript while it does not follow.
class NewestPill : public QAbstractButton {
    Q_OBJECT
public:
    NewestPill(const Theme& theme, QWidget* parent);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
};

} // namespace ui
