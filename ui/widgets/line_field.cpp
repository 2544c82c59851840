#include "ui/widgets/line_field.h"

#include "ui/theme/icon_cache.h"

#include <QPainter>

#include <algorithm>

namespace ui {

LineField::LineField(const Theme& theme, QWidget* parent)
    : QLineEdit(parent)
    , m_theme(theme)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    restyle();
    connect(&theme, &Theme::changed, this, &LineField::restyle);
}

void LineField::restyle()
{
    setFont(m_theme.font(m_style));
    setTextMargins(m_left, 0, m_right, 0);
    updateGeometry();
    update();
}

void LineField::setWrong(bool wrong)
{
    if (m_wrong == wrong) return;
    m_wrong = wrong;
    update();
}

void LineField::setQuiet(bool quiet)
{
    m_quiet = quiet;
    update();
}

void LineField::setTextStyle(Theme::TextStyle style)
{
    m_style = style;
    restyle();
}

void LineField::setIconName(const QString& name)
{
    m_iconName = name;
    setPadding(32, m_right);
}

void LineField::setPadding(int left, int right)
{
    m_left = left;
    m_right = right;
    restyle();
}

void LineField::setControlHeight(int px)
{
    m_height = px;
    updateGeometry();
}

QSize LineField::sizeHint() const
{
    return {QLineEdit::sizeHint().width(), std::max(m_height, fontMetrics().height() + 6)};
}

QSize LineField::minimumSizeHint() const
{
    return {32, sizeHint().height()};
}

void LineField::paintEvent(QPaintEvent* event)
{
    QLineEdit::paintEvent(event);
    if (m_iconName.isEmpty()) return;
    QPainter painter(this);
    painter.drawPixmap(
        QPoint(10, (height() - 16) / 2),
        m_theme.icons().pixmap(m_iconName, 16, Theme::Token::Text3, devicePixelRatioF()));
}

} // namespace ui
