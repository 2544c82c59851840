#include "ui/chat/context_option.h"

#include "ui/widgets/paint.h"

#include <QPainter>
#include <QStyleOptionButton>

#include <algorithm>
#include <cmath>

namespace ui {

using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

namespace {

constexpr int kPad = 12;
constexpr int kAbove = 7;
constexpr int kRing = 16;
constexpr int kText = kPad + kRing + 12;
constexpr int kFigureGap = 16;

} // namespace

ContextOption::ContextOption(const Theme& theme, const QString& name, QWidget* parent)
    : QRadioButton(name, parent)
    , m_theme(theme)
{
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAttribute(Qt::WA_Hover);
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void ContextOption::setWords(const QString& help, const QString& figure)
{
    m_help = help;
    m_figure = figure;
    setAccessibleDescription(figure.isEmpty() ? help : help % QLatin1Char(' ') % figure);
    updateGeometry();
    update();
}

double ContextOption::figureWidth() const
{
    return QFontMetricsF(m_theme.font(TextStyle::Mono)).horizontalAdvance(m_figure);
}

// Beside the name where there is room, else in a line of its own below it.
bool ContextOption::isFigureBelow(int width) const
{
    const QFontMetricsF name(m_theme.font(TextStyle::Ui, QFont::Medium));
    return !m_figure.isEmpty() &&
           name.horizontalAdvance(text()) + kFigureGap + figureWidth() > width - kText - kPad;
}

QRectF ContextOption::helpRect(int width) const
{
    const bool below = isFigureBelow(width);
    const double right = m_figure.isEmpty() || below ? 0 : figureWidth() + kFigureGap;
    const double room = std::max(80.0, width - kText - kPad - right);
    const QFontMetricsF metrics(m_theme.font(TextStyle::Caption));
    const double height =
        m_help.isEmpty()
            ? 0
            : metrics.boundingRect({0, 0, room, 10000}, Qt::TextWordWrap, m_help).height();
    return {kText, kAbove + nameHeight() * (below ? 2 : 1), room, height};
}

QSize ContextOption::sizeHint() const
{
    constexpr int kWide = 600;
    return {kWide, heightForWidth(kWide)};
}

// The height it needs follows from its width.
QSize ContextOption::minimumSizeHint() const
{
    return {240, static_cast<int>(std::ceil(nameHeight())) + 2 * kAbove};
}

int ContextOption::heightForWidth(int width) const
{
    return static_cast<int>(std::ceil(helpRect(width).bottom())) + kAbove;
}

void ContextOption::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    if (isChecked() || underMouse())
        fillRounded(painter, rect(), radius::kControl,
                    isChecked() ? m_theme.color(Token::Selected) : m_theme.hovered(Token::Raised));
    QStyleOptionButton option;
    initStyleOption(&option);
    option.rect = QRect(kPad, kAbove + static_cast<int>((nameHeight() - kRing) / 2), kRing, kRing);
    style()->drawPrimitive(QStyle::PE_IndicatorRadioButton, &option, &painter, this);

    const double width = this->width() - kText - kPad;
    painter.setPen(m_theme.color(Token::Text));
    painter.setFont(m_theme.font(TextStyle::Ui, QFont::Medium));
    painter.drawText(QRectF(kText, kAbove, width, nameHeight()), Qt::AlignLeft | Qt::AlignVCenter,
                     text());
    painter.setPen(m_theme.color(Token::Text2));
    painter.setFont(m_theme.font(TextStyle::Caption));
    painter.drawText(helpRect(this->width()), Qt::TextWordWrap, m_help);
    painter.setFont(m_theme.font(TextStyle::Mono));
    const bool below = isFigureBelow(this->width());
    const int side = below ? Qt::AlignLeft : Qt::AlignRight;
    painter.drawText(QRectF(kText, kAbove + (below ? nameHeight() : 0), width, nameHeight()),
                     side | Qt::AlignVCenter, m_figure);
    if (hasFocus() && option.state.testFlag(QStyle::State_KeyboardFocusChange))
        drawRounded(painter, QRectF(rect()).adjusted(1, 1, -1, -1), radius::kControl,
                    Qt::transparent, m_theme.color(Token::Focus), 2);
}

} // namespace ui
