#pragma once

#include <QColor>
#include <QList>
#include <QScrollBar>

namespace ui {

/// A vertical scroll bar that shows where in the content something stands.
class MarkedScrollBar : public QScrollBar {
    Q_OBJECT
public:
    explicit MarkedScrollBar(QWidget* parent = nullptr);

    /// `shares` of the content's height, 0 to 1, in any order.
    void setMarks(const QList<double>& shares, const QColor& color);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QList<double> m_shares;
    QColor m_color;
};

} // namespace ui
