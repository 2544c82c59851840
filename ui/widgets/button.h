#pragma once

#include "ui/theme/theme.h"

#include <QPushButton>

namespace ui {

/// A push button of one of the design's kinds; NookStyle paints plain QPushButtons as Secondary.
class Button : public QPushButton {
    Q_OBJECT
public:
    enum class Kind : quint8 {
        Primary,   ///< dusk blue
        Secondary, ///< outlined
        Ghost,     ///< words in dusk blue, no outline
        Danger,    ///< outlined, words in red
        Ember,     ///< the model at work
    };

    Button(const Theme& theme, const QString& text, Kind kind, QWidget* parent = nullptr);

    Kind kind() const { return m_kind; }
    /// 28 px and caption type instead of 32 px.
    void setSmall(bool small);
    /// An icon of the cache before the text.
    void setIconName(const QString& name);
    /// Keys written at the right end ("Ctrl N").
    void setKeyHint(const QString& keys);
    /// Text and icon at the left end instead of the middle.
    void setLeftAligned(bool left);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;

private:
    void restyle();
    int padding() const;
    Theme::Token iconToken() const;
    /// Paints the keys; returns the room they take.
    double paintKeyHint(QPainter& painter, const QRectF& inner, const QColor& ink) const;

    const Theme& m_theme;
    Kind m_kind;
    bool m_small = false;
    bool m_leftAligned = false;
    QString m_iconName;
    QString m_keyHint;
};

/// Fill, outline and ink of a button in a state.
struct ButtonColors {
    QColor fill;
    QColor line;
    QColor ink;
};
struct ButtonState {
    bool enabled = true;
    bool hovered = false;
    bool pressed = false;
};
ButtonColors buttonColors(const Theme& theme, Button::Kind kind, ButtonState state);

} // namespace ui
