#pragma once

#include "ui/theme/theme.h"

#include <QList>
#include <QUrl>
#include <QWidget>

namespace ui {

/// What a drop would do, over the page while something is dragged across the window.
class DropOverlay : public QWidget {
    Q_OBJECT
public:
    explicit DropOverlay(const Theme& theme, QWidget* parent = nullptr);

    /// The first model file (or model folder) among `urls`; empty: none.
    static QString modelAmong(const QList<QUrl>& urls);
    void showFor(const QList<QUrl>& urls);
    QString text() const { return m_text; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
    QString m_title;
    QString m_text;
    bool m_welcome = false;
};

} // namespace ui
