#include "ui/chat/prompt_pills.h"

#include "ui/widgets/flow_layout.h"
#include "ui/widgets/paint.h"

#include <QAbstractButton>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui {

using Token = Theme::Token;

namespace {

constexpr const char* kQuestions[] = {
    QT_TRANSLATE_NOOP("PromptPills", "Explain how you pick the next word"),
    QT_TRANSLATE_NOOP("PromptPills", "Write a two-line poem"),
    QT_TRANSLATE_NOOP("PromptPills", "What do the sliders do?"),
};

class Pill : public QAbstractButton {
public:
    Pill(const Theme& theme, const QString& text, QWidget* parent)
        : QAbstractButton(parent)
        , m_theme(theme)
    {
        setText(text);
        setFocusPolicy(Qt::TabFocus);
        setAttribute(Qt::WA_Hover);
    }
    QSize sizeHint() const override
    {
        const QFontMetricsF metrics(m_theme.font(Theme::TextStyle::Caption));
        return {static_cast<int>(std::ceil(metrics.horizontalAdvance(text()))) + 22,
                std::max(28, static_cast<int>(std::ceil(metrics.height())) + 10)};
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        drawRounded(painter, rect(), std::min(radius::kBubble, height() / 2.0),
                    underMouse() || isDown() ? m_theme.hovered(Token::Raised)
                                             : m_theme.color(Token::Raised),
                    m_theme.color(Token::Line));
        painter.setFont(m_theme.font(Theme::TextStyle::Caption));
        painter.setPen(m_theme.color(Token::Text));
        painter.drawText(
            rect(), Qt::AlignCenter,
            QFontMetricsF(painter.font()).elidedText(text(), Qt::ElideRight, width() - 16));
    }

private:
    const Theme& m_theme;
};

} // namespace

PromptPills::PromptPills(const Theme& theme, QWidget* parent)
    : QWidget(parent)
{
    auto* flow = new FlowLayout(8);
    setLayout(flow);
    for (const char* question : kQuestions) {
        auto* pill = new Pill(theme, tr(question), this);
        flow->addWidget(pill);
        m_pills += pill;
        connect(pill, &QAbstractButton::clicked, this,
                [this, pill] { Q_EMIT chosen(pill->text()); });
    }
}

} // namespace ui
