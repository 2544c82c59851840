#pragma once

#include "ui/transcript/transcript_style.h"

#include <QMargins>
#include <QUrl>
#include <QWidget>

namespace ui {

class Button;

/// Asks before a link is opened, and shows where it really leads. Closes on a press outside or Esc.
class LinkPopup : public QWidget {
    Q_OBJECT
public:
    LinkPopup(const TranscriptStyle& style, const QUrl& url, QWidget* parent);

    void openAt(const QPoint& globalPosition);
    /// The address as it is shown, every foreign or invisible character encoded.
    QString address() const { return m_address; }
    Button* openButton() const { return m_open; }

Q_SIGNALS:
    void agreed(const QUrl& url);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    const TranscriptStyle& m_style;
    QMargins m_shadow; ///< none where popups are not translucent
    QString m_address;
    QStringList m_lines;
    Button* m_open;
    Button* m_copy;
};

} // namespace ui
