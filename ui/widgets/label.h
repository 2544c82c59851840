#pragma once

#include "ui/theme/theme.h"

#include <QLabel>

namespace ui {

/// Plain text in one of the design's styles and colours; follows the theme.
class Label : public QLabel {
    Q_OBJECT
public:
    Label(const Theme& theme, const QString& text, Theme::TextStyle style,
          Theme::Token token = Theme::Token::Text, QWidget* parent = nullptr);

    void setWeight(QFont::Weight weight);
    /// Figures of one width.
    void setTabular(bool tabular);
    void setToken(Theme::Token token);
    void setTextStyle(Theme::TextStyle style);
    /// Cuts the text with "…" where it does not fit, instead of asking for more room.
    void setElided(bool elided);
    bool isElided() const { return m_elided; }

    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void restyle();

    const Theme& m_theme;
    Theme::TextStyle m_style;
    Theme::Token m_token;
    QFont::Weight m_weight = QFont::Normal;
    bool m_elided = false;
    bool m_tabular = false;
};

} // namespace ui
