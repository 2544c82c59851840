#pragma once

#include "ui/theme/theme.h"

#include <QAbstractButton>

namespace ui {

/// A flat button in caption type: icon, words, and a chevron where it opens something.
class QuietButton : public QAbstractButton {
    Q_OBJECT
public:
    static constexpr int kPad = 8; ///< on both sides, px

    QuietButton(const Theme& theme, const QString& iconName, const QString& text,
                QWidget* parent = nullptr);

    void setIconName(const QString& name);
    void setChevron(bool chevron);
    /// Icon alone.
    void setCompact(bool compact);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
    QString m_iconName;
    bool m_chevron = false;
    bool m_compact = false;
};

} // namespace ui
