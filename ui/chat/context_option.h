#pragma once

#include "ui/theme/theme.h"

#include <QRadioButton>

namespace ui {

/// One way on: a radio button with words below its name and a figure at the right end.
class ContextOption : public QRadioButton {
    Q_OBJECT
public:
    ContextOption(const Theme& theme, const QString& name, QWidget* parent = nullptr);

    void setWords(const QString& help, const QString& figure = {});

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    bool hitButton(const QPoint& position) const override { return rect().contains(position); }
    void paintEvent(QPaintEvent* event) override;

private:
    double figureWidth() const;
    bool isFigureBelow(int width) const;
    QRectF helpRect(int width) const;
    double nameHeight() const { return m_theme.lineHeight(Theme::TextStyle::Ui); }

    const Theme& m_theme;
    QString m_help;
    QString m_figure;
};

} // namespace ui
