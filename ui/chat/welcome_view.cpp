#include "ui/chat/welcome_view.h"

#include "ui/theme/icon_cache.h"
#include "ui/theme/page_column.h"
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
constexpr int kMostWords = 632;
constexpr int kSentence = 440; ///< before the text size: a line the eye finds back from
constexpr int kUpright = 16;
constexpr int kBelowMark = 16;
constexpr int kBelowTitle = 4;
constexpr int kAboveActions = 24;
constexpr int kStackBelow = 540; ///< the prompts' cards stand one below the other

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

/// A card with an icon, a title and a line of text; compact all in one row.
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
    void setCompact(bool compact)
    {
        m_compact = compact;
        updateGeometry();
        update();
    }
    QSize sizeHint() const override
    {
        const double title = m_theme.lineHeight(TextStyle::Ui);
        const double text = m_theme.lineHeight(TextStyle::Caption);
        const double height =
            m_compact ? title + text + 16 : 14 + kIcon + 6 + title + 2 * text + 16;
        return {180, static_cast<int>(std::ceil(height))};
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        drawRounded(painter, rect(), radius::kCard,
                    underMouse() ? m_theme.hovered(Token::Raised) : m_theme.color(Token::Raised),
                    m_theme.color(Token::Line));
        const int iconTop = m_compact ? (height() - kIcon) / 2 : kPad;
        painter.drawPixmap(
            QPoint(kPad, iconTop),
            m_theme.icons().pixmap(m_icon, kIcon, Token::Text2, devicePixelRatioF()));
        const int left = m_compact ? kPad + kIcon + 12 : kPad;
        QRectF area(left, m_compact ? 8 : kPad + kIcon + 6, width() - left - kPad,
                    m_theme.lineHeight(TextStyle::Ui));
        painter.setFont(m_theme.font(TextStyle::Ui, QFont::Medium));
        painter.setPen(m_theme.color(Token::Text));
        painter.drawText(
            area, Qt::AlignLeft | Qt::AlignVCenter,
            QFontMetricsF(painter.font()).elidedText(text(), Qt::ElideRight, area.width()));
        area.setTop(area.bottom() + (m_compact ? 0 : 1));
        area.setBottom(height() - (m_compact ? 8 : 10));
        painter.setFont(m_theme.font(TextStyle::Caption));
        painter.setPen(m_theme.color(Token::Text2));
        if (m_compact)
            painter.drawText(
                area, Qt::AlignLeft | Qt::AlignVCenter,
                QFontMetricsF(painter.font()).elidedText(m_text, Qt::ElideRight, area.width()));
        else
            painter.drawText(area, Qt::AlignLeft | Qt::TextWordWrap, m_text);
    }

private:
    static constexpr int kIcon = 16;
    static constexpr int kPad = 14;
    const Theme& m_theme;
    QString m_icon;
    QString m_text;
    bool m_compact = false;
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
    connect(m_open, &QPushButton::clicked, this, &WelcomeView::openFileRequested);
    connect(&theme, &Theme::changed, this, &WelcomeView::arrange);
    setState(State::NoModel, {});
}

QWidget* WelcomeView::buildPrompts()
{
    auto* prompts = new QWidget(this);
    auto* line = new QBoxLayout(QBoxLayout::LeftToRight, prompts);
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
    m_state = state;
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
    arrange();
}

void WelcomeView::setPromptsOffered(bool offered)
{
    m_promptsOffered = offered;
    arrange();
}

int WelcomeView::leastHeight() const
{
    const int title = static_cast<int>(std::ceil(m_theme.lineHeight(TextStyle::H1)));
    const int open = m_state == State::NoModel ? kAboveActions + m_open->sizeHint().height() : 0;
    return title + open + 2 * kUpright;
}

// In the middle, all of it; where the height is short the mark goes first, then the prompts, then
// the sentence.
void WelcomeView::arrange()
{
    const int column = pageColumn(width(), m_theme.textScale()).width;
    const int words = std::min(column, kMostWords);
    const int sentence = std::min(words, qRound(kSentence * m_theme.textScale()));
    const bool compact = column < kStackBelow * m_theme.textScale();
    auto* cards = static_cast<QBoxLayout*>(m_prompts->layout());
    cards->setDirection(compact ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    cards->setSpacing(compact ? 8 : 12);
    for (QObject* child : m_prompts->children())
        if (auto* card = dynamic_cast<PromptCard*>(child)) card->setCompact(compact);
    cards->invalidate();

    struct Part {
        QWidget* widget;
        bool wanted;
        int width;
        int height;
        int below;
    };
    const QSize open = m_open->sizeHint();
    Part parts[] = {
        {m_mark, true, kMark, kMark, kBelowMark},
        {m_title, true, words, m_title->heightForWidth(words), kBelowTitle},
        {m_text, true, sentence, m_text->heightForWidth(sentence), kAboveActions},
        {m_open, m_state == State::NoModel, open.width(), open.height(), 0},
        {m_prompts, m_promptsOffered && m_state != State::NoModel, column,
         cards->sizeHint().height(), 0},
    };
    auto& [mark, title, text, openPart, prompts] = parts;
    const auto needed = [&parts] {
        int height = 0;
        int gap = 0;
        for (const Part& part : parts) {
            if (!part.wanted) continue;
            height += gap + part.height;
            gap = part.below;
        }
        return height + 2 * kUpright;
    };
    for (Part* dropped : {&mark, &prompts, &text, &title, &openPart})
        if (needed() > height()) dropped->wanted = false;
    if (!prompts.wanted && text.wanted) {
        mark.wanted = true; // in the room of the prompts
        if (needed() > height()) mark.wanted = false;
    }
    if (!text.wanted) title.below = kAboveActions;
    int y = (height() - needed()) / 2 + kUpright;
    for (const Part& part : parts) {
        part.widget->setVisible(part.wanted);
        if (!part.wanted) continue;
        part.widget->setGeometry((width() - part.width) / 2, y, part.width, part.height);
        y += part.height + part.below;
    }
}

void WelcomeView::resizeEvent(QResizeEvent*)
{
    arrange();
}

} // namespace ui
