#pragma once

#include "ui/transcript/text_surface.h"

class QScrollBar;

namespace ui {

/// Text that may be wider than its room and then scrolls sideways, by itself: code and tables. The
/// bar lies in the room below the text, so that nothing moves when it appears.
class WideSurface : public TextSurface {
    Q_OBJECT
public:
    explicit WideSurface(const TranscriptStyle& style, QWidget* parent = nullptr);

    /// Brings a stretch of the text's width into view.
    void scrollTo(double left, double right);
    /// How far the text is scrolled.
    double scrolled() const;

protected:
    virtual double contentWidth() const = 0;
    /// To be called when the text's or the surface's width changed.
    void updateScrollBar();

    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QScrollBar* m_bar;
};

} // namespace ui
