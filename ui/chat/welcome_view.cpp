#include "ui/chat/welcome_view.h"

#include "ui/theme/icon_cache.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/paint.h"

#include <QAbstractButton>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace ui {

using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

namespace {

constexpr int kMark = 56;
constexpr int kColumn = 632;

struct PromptRow {
    const char* icon;
    const char* title;
    const char* text;
    const char* prompt;
};
constexpr PromptRow kPrompts[] = {
    {"edit", QT_TRANSLATE_NOOP("WelcomeView", "Improve a text"),
     QT_TRANSLATE_NOOP("WelcomeView", "Paste it and say what it is for"),
     QT_TRANSLATE_NOOP("WelcomeView", "Improve this text. It is for …\n\n")},
    {"thought", QT_TRANSLATE_NOOP("WelcomeView", "Understand something"),
     QT_TRANSLATE_NOOP("WelcomeView", "From the beginning, with an example"),
     QT_TRANSLATE_NOOP("WelcomeView", "Explain from the beginning, with an example: ")},
    {"tokens", QT_TRANSLATE_NOOP("WelcomeView", "See how it chooses"),
     QT_TRANSLATE_NOOP("WelcomeView", "Ask anything and move a knob while it writes"),
     QT_TRANSLATE_NOOP("WelcomeView", "Tell me a story about a lantern by the sea.")},
};

/// A card with an icon, a title and a line of text.
class PromptCard : public QAbstractButton {
public:
    PromptCard(const Theme& theme, const PromptRow& row, QWidget* parent)
        : QAbstractButton(parent)
        , m_theme(theme)
        , m_icon(QString::fromLatin1(row.icon))
        , m_text(WelcomeView::tr(row.text))
    {
        setText(WelcomeView::tr(row.title));
        setAccessibleName(text());
        setAccessibleDescription(m_text);
        setFocusPolicy(Qt::TabFocus);
        setAttribute(Qt::WA_Hover);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }
    QSize sizeHint() const override
    {
        return {180, static_cast<int>(std::ceil(14 + 16 + 6 + m_theme.lineHeight(TextStyle::Ui) +
                                                2 * m_theme.lineHeight(TextStyle::Caption) + 16))};
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        drawRounded(painter, rect(), radius::kCard,
                    underMouse() ? m_theme.hovered(Token::Raised) : m_theme.color(Token::Raised),
                    m_theme.color(Token::Line));
        painter.drawPixmap(QPoint(14, 14),
                           m_theme.icons().pixmap(m_icon, 16, Token::Text2, devicePixelRatioF()));
        QRectF area(14, 36, width() - 28, m_theme.lineHeight(TextStyle::Ui));
        painter.setFont(m_theme.font(TextStyle::Ui, QFont::Medium));
        painter.setPen(m_theme.color(Token::Text));
        painter.drawText(
            area, Qt::AlignLeft | Qt::AlignVCenter,
            QFontMetricsF(painter.font()).elidedText(text(), Qt::ElideRight, area.width()));
        area.setTop(area.bottom() + 1);
        area.setBottom(height() - 10);
        painter.setFont(m_theme.font(TextStyle::Caption));
        painter.setPen(m_theme.color(Token::Text2));
        painter.drawText(area, Qt::AlignLeft | Qt::TextWordWrap, m_text);
    }

private:
    const Theme& m_theme;
    QString m_icon;
    QString m_text;
};

} // namespace

WelcomeView::WelcomeView(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_mark(new QLabel(this))
    , m_title(new Label(theme, {}, TextStyle::H1, Token::Text, this))
    , m_text(new Label(theme, {}, TextStyle::Ui, Token::Text2, this))
    , m_open(new Button(theme, tr("Open a model file…"), Button::Kind::Primary, this))
    , m_prompts(buildPrompts())
{
    m_mark->setPixmap(theme.icons().appIcon(kMark, devicePixelRatioF()));
    m_mark->setAlignment(Qt::AlignCenter);
    m_title->setWeight(QFont::DemiBold);
    for (Label* label : {m_title, m_text}) {
        label->setAlignment(Qt::AlignHCenter);
        label->setWordWrap(true);
    }
    m_open->setIconName(QStringLiteral("open"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(24, 16, 24, 16);
    column->setSpacing(4);
    column->addStretch(1);
    column->addWidget(m_mark);
    column->addSpacing(12);
    column->addWidget(m_title);
    column->addWidget(m_text);
    column->addSpacing(20);
    column->addWidget(m_open, 0, Qt::AlignHCenter);
    column->addWidget(m_prompts, 0, Qt::AlignHCenter);
    column->addStretch(1);
    connect(m_open, &QPushButton::clicked, this, &WelcomeView::openFileRequested);
    setState(State::NoModel, {});
}

QWidget* WelcomeView::buildPrompts()
{
    auto* prompts = new QWidget(this);
    auto* line = new QHBoxLayout(prompts);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(12);
    for (const PromptRow& row : kPrompts) {
        auto* card = new PromptCard(m_theme, row, prompts);
        line->addWidget(card);
        connect(card, &QAbstractButton::clicked, this,
                [this, &row] { Q_EMIT promptChosen(tr(row.prompt)); });
    }
    return prompts;
}

QString WelcomeView::title() const
{
    return m_title->text();
}

void WelcomeView::setState(State state, const QString& modelName)
{
    m_open->setVisible(state == State::NoModel);
    m_state = state;
    m_prompts->setVisible(m_promptsOffered && state != State::NoModel);
    switch (state) {
    case State::NoModel:
        m_title->setText(tr("Open a model to begin"));
        m_text->setText(tr("A .gguf file or a Hugging Face folder on this computer, used where it "
                           "is. You can also drop it anywhere in this window."));
        break;
    case State::Loading:
        m_title->setText(tr("What would you like to ask?"));
        m_text->setText(
            tr("%1 is being loaded. Everything stays on this computer.").arg(modelName));
        break;
    case State::Ready:
        m_title->setText(tr("What would you like to ask?"));
        m_text->setText(tr("%1 is ready. Everything stays on this computer.").arg(modelName));
        break;
    }
}

void WelcomeView::setPromptsOffered(bool offered)
{
    m_promptsOffered = offered;
    m_prompts->setVisible(offered && m_state != State::NoModel);
}

void WelcomeView::resizeEvent(QResizeEvent*)
{
    m_prompts->setFixedWidth(std::min(kColumn, width() - 48));
}

} // namespace ui
