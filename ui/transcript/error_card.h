#pragma once

#include "ui/transcript/laid_text.h"

#include <QWidget>

namespace ui {

class Button;

/// Why a reply failed: the reason in the first sentence, what to do in the others, and a button.
class ErrorCard : public QWidget {
    Q_OBJECT
public:
    ErrorCard(const TranscriptStyle& style, const QString& sentence, QWidget* parent = nullptr);

    int layOut(int width);

Q_SIGNALS:
    void retryRequested();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const TranscriptStyle& m_style;
    LaidText m_title;
    LaidText m_text;
    Button* m_retry;
};

} // namespace ui
