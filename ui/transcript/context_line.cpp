#include "ui/transcript/context_line.h"

#include <QPainter>

#include <cmath>

namespace ui {

using Token = Theme::Token;

namespace {

constexpr int kGap = 12; // between the words and the lines

} // namespace

ContextLine::ContextLine(const TranscriptStyle& style, const QString& summary, QWidget* parent)
    : QWidget(parent)
    , m_style(style)
    , m_text(summary.isEmpty() ? tr("Above here is out of the context")
                               : tr("Above here is in the context as a summary"))
{
    setAccessibleName(m_text);
    setAccessibleDescription(summary);
    setToolTip(summary.isEmpty()
                   ? tr("The model is no longer given what stands above. Nothing is deleted.")
                   : QStringLiteral("<p>%1</p>").arg(summary.toHtmlEscaped()));
}

void ContextLine::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setFont(m_style.theme().font(Theme::TextStyle::Caption));
    const double words = painter.fontMetrics().horizontalAdvance(m_text);
    const double left = std::floor((width() - words) / 2) - kGap;
    const int middle = height() / 2;
    if (left > 0) {
        const QColor line = m_style.theme().color(Token::Line);
        painter.fillRect(QRectF(0, middle, left, 1), line);
        painter.fillRect(QRectF(width() - left, middle, left, 1), line);
    }
    painter.setPen(m_style.theme().color(Token::Text3));
    painter.drawText(rect(), Qt::AlignCenter,
                     painter.fontMetrics().elidedText(m_text, Qt::ElideRight, width()));
}

} // namespace ui
