#include "ui/chat/failure_card.h"

#include "ui/theme/icon_cache.h"
#include "ui/widgets/button.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/paint.h"
#include "ui/widgets/quiet_button.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPlainTextEdit>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

namespace {

constexpr int kTile = 36;
constexpr int kIcon = 16;

} // namespace

FailureCard::FailureCard(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_title(new Label(theme, {}, TextStyle::Title, Token::Text, this))
    , m_text(new Label(theme, {}, TextStyle::Ui, Token::Text2, this))
    , m_icon(new QLabel(this))
    , m_buttons(new FlowLayout(8))
    , m_disclosure(new QuietButton(theme, QStringLiteral("chevron-right"), tr("Details"), this))
    , m_details(new QPlainTextEdit(this))
{
    m_title->setWeight(QFont::DemiBold);
    m_title->setWordWrap(true);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_icon->setFixedSize(kTile, kTile);
    m_icon->setAlignment(Qt::AlignCenter);
    m_disclosure->setCheckable(true);
    m_details->setReadOnly(true);
    m_details->setFrameShape(QFrame::NoFrame);
    m_details->setLineWrapMode(QPlainTextEdit::WidgetWidth);
    m_details->setMaximumHeight(120);
    m_details->setAccessibleName(tr("Details"));
    m_details->hide();
    auto* close = new IconButton(theme, QStringLiteral("close"), tr("Close"), this);

    auto* words = new QVBoxLayout;
    words->setSpacing(3);
    words->addWidget(m_title);
    words->addWidget(m_text);
    words->addSpacing(9);
    words->addLayout(m_buttons);
    words->addSpacing(4);
    auto* fold = new QHBoxLayout;
    fold->setContentsMargins(-QuietButton::kPad, 0, 0, 0); // its icon is flush with the text
    fold->addWidget(m_disclosure);
    fold->addStretch();
    words->addLayout(fold);
    words->addWidget(m_details);
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(16, 14, 12, 14);
    line->setSpacing(14);
    line->addWidget(m_icon, 0, Qt::AlignTop);
    line->addLayout(words, 1);
    line->addWidget(close, 0, Qt::AlignTop);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    connect(m_disclosure, &QAbstractButton::toggled, this, [this](bool open) {
        m_disclosure->setIconName(open ? QStringLiteral("chevron-down")
                                       : QStringLiteral("chevron-right"));
        m_details->setVisible(open);
    });
    connect(close, &QAbstractButton::clicked, this, &FailureCard::dismissed);
    connect(&theme, &Theme::changed, this, &FailureCard::restyle);
    restyle();
    hide();
}

void FailureCard::restyle()
{
    m_icon->setPixmap(
        m_theme.icons().pixmap(QStringLiteral("error"), kIcon, Token::Bad, devicePixelRatioF()));
    m_details->setFont(m_theme.font(TextStyle::MonoSmall));
    QPalette colors = m_details->palette();
    colors.setColor(QPalette::Base, m_theme.color(Token::CodeBg));
    colors.setColor(QPalette::Text, m_theme.color(Token::Text2));
    m_details->setPalette(colors);
    update();
}

QString FailureCard::stepName(Step step) const
{
    switch (step) {
    case Step::ChooseFile:
        return tr("Choose another file…");
    case Step::CopyDetails:
        return tr("Copy details");
    case Step::LoadAnyway:
        return tr("Load anyway");
    case Step::CopyUnsaved:
        return tr("Copy what is not saved");
    case Step::CloseAnyway:
        return tr("Close anyway");
    case Step::Retry:
        break;
    }
    return tr("Try again");
}

void FailureCard::showError(const QString& title, const app::UserError& error,
                            const QList<Step>& steps)
{
    m_title->setText(title);
    m_text->setText(error.sentence);
    m_details->setPlainText(error.details);
    m_disclosure->setVisible(!error.details.isEmpty());
    m_disclosure->setChecked(false);
    for (QWidget* button : std::as_const(m_steps))
        button->deleteLater();
    m_steps.clear();
    for (qsizetype i = 0; i < steps.size(); ++i) {
        const Step step = steps[i];
        auto* button = new Button(m_theme, stepName(step),
                                  i == 0 ? Button::Kind::Primary : Button::Kind::Secondary, this);
        m_buttons->addWidget(button);
        m_steps.insert(step, button);
        connect(button, &QPushButton::clicked, this, [this, step] {
            if (step == Step::CopyDetails)
                QGuiApplication::clipboard()->setText(m_title->text() % QLatin1Char('\n') %
                                                      m_text->text() % QLatin1Char('\n') %
                                                      m_details->toPlainText());
            Q_EMIT stepRequested(step);
        });
    }
    show();
}

QString FailureCard::title() const
{
    return m_title->text();
}

QString FailureCard::text() const
{
    return m_text->text();
}

QWidget* FailureCard::stepButton(Step step) const
{
    return m_steps.value(step);
}

// Qt's buttons know the space bar only.
void FailureCard::keyPressEvent(QKeyEvent* event)
{
    auto* button = qobject_cast<QAbstractButton*>(focusWidget());
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && button != nullptr && button->hasFocus() && !event->isAutoRepeat())
        button->click();
    else
        QWidget::keyPressEvent(event);
}

void FailureCard::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    drawRounded(painter, rect(), radius::kCard, m_theme.color(Token::Raised),
                m_theme.color(Token::Line));
    fillRounded(painter, m_icon->geometry(), radius::kCard, m_theme.color(Token::BadSoft));
}

} // namespace ui
