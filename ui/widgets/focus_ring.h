#pragma once

#include <QFocusFrame>

namespace ui {

/// The 2 px ring outside the control that has the keyboard's focus. One for each window; fields,
/// lists and texts draw their own focus inside instead.
class FocusRing : public QObject {
    Q_OBJECT
public:
    explicit FocusRing(QWidget* window);

private:
    void follow(QWidget* widget);

    QWidget* m_window;
    QFocusFrame* m_frame;
};

} // namespace ui
