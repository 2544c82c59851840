#pragma once

#include <QObject>

class QAbstractScrollArea;
class QScrollBar;

namespace ui {

/// The vertical scroll bar of an area laid over its right edge, so that the content keeps its width
/// whether there is anything to scroll or not. Belongs to the area.
class OverlayScrollBar : public QObject {
    Q_OBJECT
public:
    explicit OverlayScrollBar(QAbstractScrollArea* area);

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void adopt();
    void place();

    QAbstractScrollArea* m_area;
    QScrollBar* m_bar;
};

} // namespace ui
