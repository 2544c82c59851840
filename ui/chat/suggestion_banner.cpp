#include "ui/chat/suggestion_banner.h"

#include "ui/chat/suggestion_card.h"
#include "ui/widgets/button.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/popover.h"

#include <QAbstractButton>
#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

using Token = Theme::Token;
using TextStyle = Theme::TextStyle;
using Shape = SuggestionCard::Shape;

namespace {

constexpr int kAbove = 5;
constexpr int kBelow = 13;
constexpr int kBelowLine = 5; ///< where no cards follow
constexpr int kGap = 5;
constexpr int kBeside = 10; ///< between cards in a row
constexpr int kStacked = 6; ///< between cards in a column

// The widest is what all have to fit.
int widest(const QList<SuggestionCard*>& cards, Shape shape)
{
    int width = 0;
    for (const SuggestionCard* card : cards)
        width = std::max(width, card->widthFor(shape));
    return width;
}

} // namespace

SuggestionBanner::SuggestionBanner(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_what(new Label(theme, {}, TextStyle::Ui, Token::Text, this))
    , m_offer(new Label(theme, {}, TextStyle::Ui, Token::Text2, this))
    , m_show(new Button(theme, tr("Show bigger ones"), Button::Kind::Ghost, this))
    , m_open(new Button(theme, tr("Open a file…"), Button::Kind::Ghost, this))
    , m_close(new IconButton(theme, QStringLiteral("close"), tr("Close"), this))
    , m_words(new QBoxLayout(QBoxLayout::LeftToRight))
    , m_cardRow(new QWidget(this))
    , m_cards(new QBoxLayout(QBoxLayout::LeftToRight, m_cardRow))
{
    m_what->setWeight(QFont::DemiBold);
    m_show->setSmall(true);
    m_open->setSmall(true);
    m_open->setToolTip(tr("Open a model that is on this computer already"));
    m_cards->setContentsMargins(0, 0, 0, 0);
    m_words->addWidget(m_what);
    m_words->addWidget(m_offer, 1);
    auto* heading = new QHBoxLayout;
    heading->setSpacing(kGap);
    heading->addLayout(m_words, 1);
    auto* buttons = new QHBoxLayout; // beside the first line, and level among themselves
    buttons->setSpacing(kGap);
    for (QWidget* button : std::initializer_list<QWidget*>{m_show, m_open, m_close})
        buttons->addWidget(button, 0, Qt::AlignVCenter);
    heading->addLayout(buttons);
    heading->setAlignment(buttons, Qt::AlignTop);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(kGap);
    column->addLayout(heading);
    column->addWidget(m_cardRow);
    setAccessibleName(tr("Bigger models"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(m_show, &QPushButton::clicked, this, &SuggestionBanner::openCards);
    connect(m_open, &QPushButton::clicked, this, &SuggestionBanner::openFileRequested);
    connect(m_close, &QAbstractButton::clicked, this, &SuggestionBanner::closeRequested);
    connect(&theme, &Theme::changed, this, &SuggestionBanner::arrange);
    setSuggestions({});
}

SuggestionCard* SuggestionBanner::makeCard(const app::ModelSuggestion& model, QWidget* parent)
{
    auto* card = new SuggestionCard(m_theme, model, parent);
    connect(card->get(), &QAbstractButton::clicked, this, [this, card] {
        const QAbstractButton* get = card->get();
        const QPoint position = get->mapToGlobal(get->rect().center());
        if (m_popover != nullptr) m_popover->dismiss();
        Q_EMIT pageRequested(card->page(), position);
    });
    return card;
}

void SuggestionBanner::setSuggestions(const QList<app::ModelSuggestion>& models)
{
    m_models = models;
    qDeleteAll(m_cardWidgets);
    m_cardWidgets.clear();
    m_get.clear();
    for (const app::ModelSuggestion& model : models) {
        SuggestionCard* card = makeCard(model, m_cardRow);
        m_cards->addWidget(card, 1);
        m_cardWidgets += card;
        m_get += card->get();
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
    m_show->setText(m_starterThere ? tr("Show bigger ones") : tr("Show models"));
    arrange();
}

void SuggestionBanner::setSideMargin(int px)
{
    if (m_side == px) return;
    m_side = px;
    arrange();
}

void SuggestionBanner::setFolded(bool folded)
{
    if (m_folded == folded) return;
    m_folded = folded;
    arrange();
}

// --- room ----------------------------------------------------------------------------------------

bool SuggestionBanner::standBeside(int room) const
{
    const auto count = static_cast<int>(m_cardWidgets.size());
    return count * widest(m_cardWidgets, Shape::Tall) + (count - 1) * kBeside <= room;
}

int SuggestionBanner::cardsHeight(int room) const
{
    if (m_cardWidgets.isEmpty()) return 0;
    if (standBeside(room)) return m_cardWidgets.first()->heightFor(Shape::Tall);
    const Shape shape = widest(m_cardWidgets, Shape::Line) <= room ? Shape::Line : Shape::Tall;
    const auto count = static_cast<int>(m_cardWidgets.size());
    return count * m_cardWidgets.first()->heightFor(shape) + (count - 1) * kStacked;
}

SuggestionBanner::Heading SuggestionBanner::heading(int room, bool folded) const
{
    const bool hides = folded && !m_cardWidgets.isEmpty();
    const Button* button = hides ? m_show : m_open;
    const int words = room - button->sizeHint().width() - m_close->sizeHint().width() - 2 * kGap;
    const auto width = [](const Label* label) {
        return label->fontMetrics().horizontalAdvance(label->text()) + 1;
    };
    const int together = width(m_what) + (hides ? 0 : kGap + width(m_offer));
    const int least = std::max(button->sizeHint().height(), m_close->sizeHint().height());
    if (together <= words) return {true, std::max(least, m_what->fontMetrics().height())};
    const auto wrapped = [words](const Label* label) {
        return label->fontMetrics()
            .boundingRect(QRect(0, 0, words, 1000), Qt::TextWordWrap, label->text())
            .height();
    };
    return {false, std::max(least, wrapped(m_what) + (hides ? 0 : wrapped(m_offer)))};
}

int SuggestionBanner::heightFor(int width, bool folded) const
{
    const int room = width - 2 * m_side;
    const int line = kAbove + heading(room, folded).height;
    if (folded || m_cardWidgets.isEmpty()) return line + kBelowLine;
    return line + kGap + cardsHeight(room) + kBelow;
}

void SuggestionBanner::arrange()
{
    const int room = width() - 2 * m_side;
    const bool cards = !m_folded && !m_cardWidgets.isEmpty();
    const Heading lines = heading(room, m_folded);
    m_words->setDirection(lines.oneLine ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_words->setSpacing(lines.oneLine ? kGap : 0);
    for (Label* label : {m_what, m_offer})
        label->setWordWrap(!lines.oneLine);
    m_offer->setVisible(!m_folded || m_cardWidgets.isEmpty());
    m_show->setVisible(m_folded && !m_cardWidgets.isEmpty());
    m_open->setVisible(!m_show->isVisibleTo(this));
    m_cardRow->setVisible(cards);
    const bool beside = standBeside(room);
    const bool line = !beside && widest(m_cardWidgets, Shape::Line) <= room;
    m_cards->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_cards->setSpacing(beside ? kBeside : kStacked);
    for (SuggestionCard* card : std::as_const(m_cardWidgets))
        card->setShape(line ? Shape::Line : Shape::Tall);
    layout()->setContentsMargins(m_side, kAbove, m_side, cards ? kBelow : kBelowLine);
    setFixedHeight(heightFor(width(), m_folded));
    update();
}

void SuggestionBanner::openCards()
{
    delete m_popover;
    m_popover = new Popover(m_theme, window());
    m_popover->setAccessibleName(accessibleName());
    auto* column = new QVBoxLayout;
    column->setContentsMargins(10, 10, 10, 10);
    column->setSpacing(kStacked);
    int width = 0;
    QWidget* first = m_popover;
    for (const app::ModelSuggestion& model : std::as_const(m_models)) {
        SuggestionCard* card = makeCard(model, m_popover);
        if (width == 0) first = card->get();
        column->addWidget(card);
        width = std::max(width, card->widthFor(Shape::Tall));
    }
    m_popover->body()->addLayout(column);
    m_popover->setMinimumWidth(std::min(width + 40, window()->width()));
    connect(m_popover, &Popover::closed, this, &SuggestionBanner::cardsClosed);
    m_popover->openBelow(m_show, Qt::AlignRight);
    first->setFocus(Qt::TabFocusReason);
}

void SuggestionBanner::resizeEvent(QResizeEvent*)
{
    if (m_popover != nullptr) m_popover->dismiss();
    arrange();
}

void SuggestionBanner::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Token::Panel));
    painter.fillRect(QRect(0, height() - 1, width(), 1), m_theme.color(Token::Line));
}

} // namespace ui
