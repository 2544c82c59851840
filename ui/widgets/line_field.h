#pragma once

#include "ui/theme/theme.h"

#include <QLineEdit>

namespace ui {

/// A one-line field; NookStyle paints its frame.
class LineField : public QLineEdit {
    Q_OBJECT
public:
    explicit LineField(const Theme& theme, QWidget* parent = nullptr);

    /// What stands in it cannot be used: the outline turns `bad`.
    void setWrong(bool wrong);
    bool isWrong() const { return m_wrong; }
    /// A hairline outline, for fields in a list's head.
    void setQuiet(bool quiet);
    bool isQuiet() const { return m_quiet; }
    void setTextStyle(Theme::TextStyle style);
    /// An icon of the cache inside the left end.
    void setIconName(const QString& name);
    /// Room between the frame and the text.
    void setPadding(int left, int right);
    /// Control height, 32 unless said.
    void setControlHeight(int px);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void restyle();

    const Theme& m_theme;
    Theme::TextStyle m_style = Theme::TextStyle::Ui;
    QString m_iconName;
    int m_height = 32;
    int m_left = 8;
    int m_right = 8;
    bool m_wrong = false;
    bool m_quiet = false;
};

} // namespace ui
