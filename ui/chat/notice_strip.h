#pragma once

#include "ui/theme/theme.h"

#include <QLabel>
#include <QWidget>

namespace ui {

class IconButton;
class Label;

/// One sentence on a soft fill, inline: information, or a trouble that stands until it is over.
class NoticeStrip : public QWidget {
    Q_OBJECT
public:
    enum class Kind : quint8 { Info, Ok, Warn, Bad };

    explicit NoticeStrip(const Theme& theme, QWidget* parent = nullptr);

    void showNotice(Kind kind, const QString& text, bool closable = true);
    QString text() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void tint();

    const Theme& m_theme;
    Kind m_kind = Kind::Info;
    QLabel* m_icon;
    Label* m_text;
    IconButton* m_close;
};

} // namespace ui
