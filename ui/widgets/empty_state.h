#pragma once

#include "ui/theme/theme.h"
#include "ui/widgets/button.h"

#include <QLabel>
#include <QWidget>

class QHBoxLayout;
class QVBoxLayout;

namespace ui {

class Label;

/// Nothing to show, in words: an icon, a line, what it means, and buttons.
class EmptyState : public QWidget {
    Q_OBJECT
public:
    explicit EmptyState(const Theme& theme, QWidget* parent = nullptr);

    void setWords(const QString& iconName, const QString& title, const QString& text);
    Button* addButton(const QString& text, Button::Kind kind);
    QString title() const;

private:
    void tint();

    const Theme& m_theme;
    QString m_iconName;
    QLabel* m_icon;
    Label* m_title;
    Label* m_text;
    QHBoxLayout* m_buttons;
};

} // namespace ui
