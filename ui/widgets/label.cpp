#include "ui/widgets/label.h"

#include <QPainter>

namespace ui {

Label::Label(const Theme& theme, const QString& text, Theme::TextStyle style, Theme::Token token,
             QWidget* parent)
    : QLabel(text, parent)
    , m_theme(theme)
    , m_style(style)
    , m_token(token)
{
    setTextFormat(Qt::PlainText);
    restyle();
    connect(&theme, &Theme::changed, this, &Label::restyle);
}

void Label::setWeight(QFont::Weight weight)
{
    m_weight = weight;
    restyle();
}

void Label::setTabular(bool tabular)
{
    m_tabular = tabular;
    restyle();
}

void Label::setToken(Theme::Token token)
{
    m_token = token;
    restyle();
}

void Label::setTextStyle(Theme::TextStyle style)
{
    m_style = style;
    restyle();
}

void Label::setElided(bool elided)
{
    m_elided = elided;
    updateGeometry();
    update();
}

QSize Label::minimumSizeHint() const
{
    const QSize hint = QLabel::minimumSizeHint();
    return m_elided ? QSize(0, hint.height()) : hint;
}

void Label::paintEvent(QPaintEvent* event)
{
    if (!m_elided) {
        QLabel::paintEvent(event);
        return;
    }
    QPainter painter(this);
    painter.setPen(m_theme.color(m_token));
    painter.setFont(font());
    painter.drawText(contentsRect(), static_cast<int>(alignment()),
                     fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width()));
}

void Label::restyle()
{
    setFont(m_tabular ? m_theme.tabularFont(m_style, m_weight) : m_theme.font(m_style, m_weight));
    QPalette colors = palette();
    colors.setColor(QPalette::WindowText, m_theme.color(m_token));
    setPalette(colors);
    updateGeometry();
    update();
}

} // namespace ui
