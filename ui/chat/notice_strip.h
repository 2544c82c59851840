#pragma once

#include "ui/theme/theme.h"

#include <QLabel>
#include <QWidget>

namespace ui {

class IconButton;
class Label;

/// One sentence on a soft fill, inline: information, or a trouble that stands until it is over.
/// Where there is little room it is one line, and a button shows the rest.
class NoticeStrip : public QWidget {
    Q_OBJECT
public:
    enum class Kind : quint8 { Info, Ok, Warn, Bad };

    explicit NoticeStrip(const Theme& theme, QWidget* parent = nullptr);

    void showNotice(Kind kind, const QString& text, bool closable = true);
    QString text() const;

    /// Height it asks for at a width, px; not `folded`, or once the user has asked for all: whole.
    int heightFor(int width, bool folded) const;
    void setFolded(bool folded);
    IconButton* moreButton() const { return m_more; }

Q_SIGNALS:
    /// The user wants to read all of it: it asks for another height.
    void unfolded();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void tint();
    void arrange();
    int textRoom(int width) const;
    bool isOneLine(int width) const;

    const Theme& m_theme;
    Kind m_kind = Kind::Info;
    QLabel* m_icon;
    Label* m_text;
    IconButton* m_more;
    IconButton* m_close;
    bool m_folded = false;
    bool m_opened = false; ///< by the user
};

} // namespace ui
