#pragma once

#include "ui/transcript/transcript_style.h"

#include <QWidget>

namespace ui {

/// A line across the column: what stands above it is no longer given to the model.
class ContextLine : public QWidget {
    Q_OBJECT
public:
    static constexpr int kHeight = 20; ///< before the text size

    /// `summary`: what the model is given for it; empty: nothing.
    ContextLine(const TranscriptStyle& style, const QString& summary, QWidget* parent);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const TranscriptStyle& m_style;
    QString m_text;
};

} // namespace ui
