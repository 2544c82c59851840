#pragma once

#include "ui/theme/theme.h"

#include <QList>
#include <QWidget>

class QAbstractButton;

namespace ui {

/// Questions for the built-in model, above the composer of a chat that has not begun. A click asks.
class PromptPills : public QWidget {
    Q_OBJECT
public:
    explicit PromptPills(const Theme& theme, QWidget* parent = nullptr);

    QList<QAbstractButton*> pills() const { return m_pills; }

Q_SIGNALS:
    void chosen(const QString& question);

private:
    QList<QAbstractButton*> m_pills;
};

} // namespace ui
