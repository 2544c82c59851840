#pragma once

#include "ui/theme/theme.h"

#include <QAbstractButton>
#include <QKeySequence>

namespace ui {

/// A square button with an icon only. Its tooltip is its accessible name and the shortcut.
class IconButton : public QAbstractButton {
    Q_OBJECT
public:
    IconButton(const Theme& theme, const QString& iconName, const QString& label,
               QWidget* parent = nullptr);

    void setLabel(const QString& label);
    void setIconName(const QString& iconName);
    void setShortcutHint(const QKeySequence& keys);
    void setSide(int px); ///< 28 unless said
    void setToken(Theme::Token token);

    QSize sizeHint() const override { return {m_side, m_side}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void moveEvent(QMoveEvent* event) override;

private:
    void updateToolTip();
    void forgetMouse();

    const Theme& m_theme;
    QString m_iconName;
    QString m_label;
    QKeySequence m_keys;
    int m_side = 28;
    Theme::Token m_token = Theme::Token::Text2;
};

} // namespace ui
