#include "ui/chat/suggestion_banner.h"

#include "ui/theme/icon_cache.h"
#include "ui/widgets/button.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/paint.h"

#include <QAbstractButton>
#include <QHBoxLayout>
#include <QLocale>
#include <QPainter>
#include <QVBoxLayout>

namespace ui {

using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

namespace {

QString roleName(app::ModelSuggestion::Role role)
{
    using Role = app::ModelSuggestion::Role;
    switch (role) {
    case Role::Quickest:
        return SuggestionBanner::tr("Quickest");
    case Role::Balanced:
        return SuggestionBanner::tr("Balanced");
    case Role::Ablest:
        break;
    }
    return SuggestionBanner::tr("Ablest");
}

// "5.0 GB · 23 tok/s"
QString figures(const app::ModelSuggestion& model)
{
    const QLocale locale;
    const QString size = SuggestionBanner::tr("%1 GB").arg(
        locale.toString(static_cast<double>(model.fileBytes) / 1e9, 'f', 1));
    if (model.tokensPerSecond <= 0) return size;
    return SuggestionBanner::tr("%1 · %2 tok/s")
        .arg(size, locale.toString(model.tokensPerSecond, 'f', model.tokensPerSecond < 10 ? 1 : 0));
}

/// The square primary button of a card.
class GetButton : public QAbstractButton {
public:
    GetButton(const Theme& theme, QWidget* parent)
        : QAbstractButton(parent)
        , m_theme(theme)
    {
        setFocusPolicy(Qt::TabFocus);
        setAttribute(Qt::WA_Hover);
        setFixedSize(kSide, kSide);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        const ButtonColors colors =
            buttonColors(m_theme, Button::Kind::Primary, {true, underMouse(), isDown()});
        drawRounded(painter, rect(), radius::kControl, colors.fill, colors.line);
        painter.drawPixmap(QPointF((kSide - kIcon) / 2.0, (kSide - kIcon) / 2.0),
                           m_theme.icons().pixmap(QStringLiteral("globe"), kIcon, Token::OnAccent,
                                                  devicePixelRatioF()));
    }

private:
    static constexpr int kSide = 32;
    static constexpr int kIcon = 16;
    const Theme& m_theme;
};

/// Name and role, size and speed, and the button that leads to the file.
class SuggestionCard : public QWidget {
public:
    SuggestionCard(const Theme& theme, const app::ModelSuggestion& model, QWidget* parent)
        : QWidget(parent)
        , m_theme(theme)
        , m_get(new GetButton(theme, this))
    {
        auto* name = new Label(theme, model.name, TextStyle::Ui, Token::Text, this);
        name->setWeight(QFont::DemiBold);
        name->setElided(true);
        name->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
        auto* role = new Label(theme, roleName(model.role), TextStyle::Caption, Token::Text3, this);
        role->setElided(true);
        auto* numbers = new Label(theme, figures(model), TextStyle::MonoSmall, Token::Text2, this);
        numbers->setElided(true);
        m_get->setToolTip(SuggestionBanner::tr("Show where %1 is downloaded: %2")
                              .arg(model.name, model.page.toString()));
        m_get->setAccessibleName(SuggestionBanner::tr("Get %1, %2, %3")
                                     .arg(model.name, roleName(model.role), figures(model)));
        auto* heading = new QHBoxLayout;
        heading->setSpacing(8);
        heading->addWidget(name);
        heading->addWidget(role, 1);
        auto* words = new QVBoxLayout;
        words->setSpacing(0);
        words->addLayout(heading);
        words->addWidget(numbers);
        auto* line = new QHBoxLayout(this);
        line->setContentsMargins(12, 10, 8, 10);
        line->setSpacing(8);
        line->addLayout(words, 1);
        line->addWidget(m_get);
    }
    QAbstractButton* get() const { return m_get; }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        drawRounded(painter, rect(), radius::kCard, m_theme.color(Token::Raised),
                    m_theme.color(Token::Line));
    }

private:
    const Theme& m_theme;
    QAbstractButton* m_get;
};

} // namespace

SuggestionBanner::SuggestionBanner(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_what(new Label(theme, {}, TextStyle::Ui, Token::Text, this))
    , m_offer(new Label(theme, {}, TextStyle::Ui, Token::Text2, this))
    , m_open(new Button(theme, tr("Open a file…"), Button::Kind::Ghost, this))
    , m_close(new IconButton(theme, QStringLiteral("close"), tr("Close"), this))
    , m_cards(new QHBoxLayout)
{
    m_what->setWeight(QFont::DemiBold);
    m_what->setElided(true);
    m_what->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    m_offer->setElided(true);
    m_open->setSmall(true);
    m_open->setToolTip(tr("Open a model that is on this computer already"));
    m_cards->setSpacing(10);
    auto* heading = new QHBoxLayout;
    heading->setSpacing(5);
    heading->addWidget(m_what);
    heading->addWidget(m_offer, 1);
    heading->addWidget(m_open);
    heading->addWidget(m_close);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(32, 5, 32, 13);
    column->setSpacing(5);
    column->addLayout(heading);
    column->addLayout(m_cards);
    setAccessibleName(tr("Bigger models"));
    connect(m_open, &QPushButton::clicked, this, &SuggestionBanner::openFileRequested);
    connect(m_close, &QAbstractButton::clicked, this, &SuggestionBanner::closeRequested);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
    setSuggestions({});
}

void SuggestionBanner::setSuggestions(const QList<app::ModelSuggestion>& models)
{
    qDeleteAll(m_cardWidgets);
    m_cardWidgets.clear();
    m_get.clear();
    for (const app::ModelSuggestion& model : models) {
        auto* card = new SuggestionCard(m_theme, model, this);
        m_cards->addWidget(card, 1);
        m_cardWidgets += card;
        m_get += card->get();
        connect(card->get(), &QAbstractButton::clicked, this, [this, card, page = model.page] {
            const QAbstractButton* get = card->get();
            Q_EMIT pageRequested(page, get->mapToGlobal(get->rect().center()));
        });
    }
    showWords();
}

void SuggestionBanner::setStarterThere(bool there)
{
    m_starterThere = there;
    showWords();
}

void SuggestionBanner::showWords()
{
    m_what->setText(m_starterThere ? tr("This is the small built-in model.")
                                   : tr("No model is open."));
    m_offer->setText(m_cardWidgets.isEmpty() ? tr("A bigger one opens from a .gguf file.")
                     : m_starterThere        ? tr("These suit your computer better:")
                                             : tr("These suit your computer:"));
}

void SuggestionBanner::setSideMargin(int px)
{
    layout()->setContentsMargins(px, 5, px, 13);
}

void SuggestionBanner::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Token::Panel));
    painter.fillRect(QRect(0, height() - 1, width(), 1), m_theme.color(Token::Line));
}

} // namespace ui
