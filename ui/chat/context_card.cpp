#include "ui/chat/context_card.h"

#include "app/inference/count_text.h"
#include "app/inference/size_text.h"
#include "ui/chat/context_option.h"
#include "ui/theme/icon_cache.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/paint.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

using app::ContextStep;
using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

namespace {

constexpr int kIcon = 16;
constexpr int kWide = 400; ///< px of the card, before the text size

QString count(int tokens)
{
    return QLocale().toString(tokens);
}

QString memory(quint64 bytes)
{
    return app::sizeText(bytes, app::SizeKind::Memory)
        .replace(u' ', QChar::Nbsp); // stays in one line
}

} // namespace

ContextCard::ContextCard(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_icon(new QLabel(this))
    , m_title(new Label(theme, tr("This chat has filled its context"), TextStyle::Title,
                        Token::Text, this))
    , m_figure(new Label(theme, {}, TextStyle::Mono, Token::Text2, this))
    , m_text(new Label(theme, {}, TextStyle::Ui, Token::Text2, this))
    , m_group(new QButtonGroup(this))
    , m_options{new ContextOption(theme, tr("Use a longer context"), this),
                new ContextOption(theme, tr("Drop the oldest messages"), this),
                new ContextOption(theme, tr("Shorten the oldest part"), this),
                new ContextOption(theme, tr("Stop here"), this)}
    , m_everyChat(new QCheckBox(tr("Do the same in every chat"), this))
    , m_continue(new Button(theme, tr("Continue"), Button::Kind::Primary, this))
    , m_foot(new QBoxLayout(QBoxLayout::LeftToRight))
{
    build();
    connect(m_continue, &QPushButton::clicked, this, &ContextCard::give);
    // Tab leads to the one that is chosen, as among radio buttons everywhere.
    connect(m_group, &QButtonGroup::idToggled, this, [this](int id, bool checked) {
        m_group->button(id)->setFocusPolicy(checked ? Qt::StrongFocus : Qt::ClickFocus);
        if (!checked) return;
        const bool stops = id == static_cast<int>(ContextStep::StopHere);
        m_continue->setText(stops ? tr("Close") : tr("Continue"));
    });
    connect(&theme, &Theme::changed, this, &ContextCard::restyle);
    restyle();
    hide();
}

void ContextCard::build()
{
    m_title->setWeight(QFont::DemiBold);
    m_title->setWordWrap(true);
    m_text->setWordWrap(true);
    for (Label* label : {m_title, m_figure, m_text})
        label->setSizePolicy(label->sizePolicy().horizontalPolicy(), QSizePolicy::Minimum);
    auto* heading = new QHBoxLayout;
    heading->setContentsMargins(4, 0, 4, 0);
    heading->setSpacing(10);
    heading->addWidget(m_icon);
    heading->addWidget(m_title, 1);
    heading->addWidget(m_figure);
    auto* words = new QHBoxLayout;
    words->setContentsMargins(4 + kIcon + 10, 2, 4, 6);
    words->addWidget(m_text);
    m_foot->setContentsMargins(4, 6, 4, 2);
    m_foot->addWidget(m_everyChat);
    m_foot->addStretch();
    m_foot->addWidget(m_continue, 0, Qt::AlignRight);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 12, 12, 12);
    column->setSpacing(2);
    column->addLayout(heading);
    column->addLayout(words);
    for (std::size_t i = 0; i < m_options.size(); ++i) {
        m_group->addButton(m_options[i], static_cast<int>(i) + 1);
        m_options[i]->setFocusPolicy(Qt::ClickFocus);
        column->addWidget(m_options[i]);
    }
    column->addLayout(m_foot);
    setAccessibleName(m_title->text());
}

void ContextCard::ask(const app::ContextQuestion& question, const QString& modelName)
{
    m_question = question;
    m_title->setText(question.fits ? tr("This chat had filled its context")
                                   : tr("This chat has filled its context"));
    setAccessibleName(m_title->text());
    m_figure->setText(tr("%1 of %2").arg(count(question.used), count(question.total)));
    const bool goesOn = hasWayOn();
    const bool begun = !question.reply.text.isEmpty();
    m_text->setText(
        !goesOn ? tr("%1, and no message can be left out. Begin a new chat, or edit a message.")
                      .arg(limitText())
        : question.fits ? tr("The context is longer now, and the answer can go on.")
        : begun         ? tr("There is no room for the rest of this answer. How should it go on?")
                        : tr("There is no room for an answer. How should it go on?"));
    describe(modelName);
    option(ContextStep::Longer)->setVisible(question.fits || question.longer.tokens > 0);
    option(ContextStep::DropOldest)->setVisible(!question.fits && question.canDrop);
    option(ContextStep::ShortenOldest)->setVisible(!question.fits && question.canSummarize);
    m_everyChat->setVisible(goesOn && !question.fits);
    const auto* const first = std::ranges::find_if(m_options, [](const ContextOption* each) {
        return !each->isHidden(); // Stop here is always among them
    });
    (*first)->setChecked(true);
    m_everyChat->setChecked(false);
    show();
}

bool ContextCard::isAsking() const
{
    return !isHidden() && hasWayOn();
}

bool ContextCard::hasWayOn() const
{
    return m_question.longer.tokens > 0 || m_question.fits || m_question.canDrop;
}

// Why there is no longer context, as the beginning of a sentence.
QString ContextCard::limitText() const
{
    const app::LongerContext& longer = m_question.longer;
    switch (longer.limit) {
    case app::ContextLimit::Memory:
        return tr("A longer one needs %1 more of memory and %2 are free")
            .arg(memory(longer.bytes), memory(m_question.freeBytes));
    case app::ContextLimit::Program:
        return tr("A context has at most %1 tokens").arg(count(longer.mostTokens));
    case app::ContextLimit::Training:
        break;
    }
    return tr("The model was trained for at most %1 tokens").arg(count(longer.mostTokens));
}

void ContextCard::describe(const QString& modelName)
{
    const app::ContextQuestion& q = m_question;
    ContextOption* longer = option(ContextStep::Longer);
    longer->setText(q.fits ? tr("Go on in the longer context") : tr("Use a longer context"));
    if (q.fits)
        longer->setWords(tr("There is room for it by now."), app::tokensText(q.total));
    else
        longer->setWords(
            q.freeBytes > 0
                ? tr("Reads the chat again once. Needs %1 more; %2 are free.")
                      .arg(memory(q.longer.bytes), memory(q.freeBytes))
                : tr("Reads the chat again once. Needs %1 more.").arg(memory(q.longer.bytes)),
            app::tokensText(q.longer.tokens));
    const QString freed = tr("frees about %1").arg(count(q.freedTokens));
    option(ContextStep::DropOldest)
        ->setWords(
            tr("Keeps the system prompt and the newest messages that fit. Nothing is deleted "
               "from the chat."),
            freed);
    option(ContextStep::ShortenOldest)
        ->setWords(tr("%1 writes a summary that stands in for it.").arg(modelName), freed);
    option(ContextStep::StopHere)->setWords(tr("You can edit or branch from an earlier message."));
}

void ContextCard::stopHere()
{
    option(ContextStep::StopHere)->setChecked(true);
    m_everyChat->setChecked(false);
    give();
}

void ContextCard::give()
{
    hide();
    Q_EMIT answered(m_question, static_cast<ContextStep>(m_group->checkedId()),
                    m_everyChat->isChecked());
}

void ContextCard::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        give();
    else
        QWidget::keyPressEvent(event);
}

void ContextCard::restyle()
{
    m_icon->setPixmap(
        m_theme.icons().pixmap(QStringLiteral("warning"), kIcon, Token::Warn, devicePixelRatioF()));
    m_everyChat->setFont(m_theme.font(TextStyle::Ui));
    update();
}

QString ContextCard::title() const
{
    return m_title->text();
}

ContextOption* ContextCard::option(ContextStep step) const
{
    return m_options.at(static_cast<std::size_t>(step) - 1);
}

// A narrow card leaves the figures to the ring, and has Continue in a line of its own.
void ContextCard::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const bool wide = width() >= kWide * m_theme.textScale();
    m_figure->setVisible(wide);
    m_foot->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void ContextCard::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    drawRounded(painter, rect(), radius::kCard, m_theme.color(Token::Raised),
                m_theme.color(Token::Line));
}

} // namespace ui
