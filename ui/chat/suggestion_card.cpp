#include "ui/chat/suggestion_card.h"

#include "app/inference/size_text.h"
#include "ui/theme/icon_cache.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/paint.h"

#include <QAbstractButton>
#include <QHBoxLayout>
#include <QLocale>
#include <QPainter>

#include <algorithm>

namespace ui {

using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

namespace {

constexpr int kPadLeft = 12;
constexpr int kPadRight = 8;
constexpr int kGap = 8;
constexpr int kWideGap = 16; ///< between the name and the figures of one line
constexpr int kGetSide = 32;
constexpr int kUpright[] = {10, 6}; ///< padding by shape

QString roleName(app::ModelSuggestion::Role role)
{
    using Role = app::ModelSuggestion::Role;
    switch (role) {
    case Role::Quickest:
        return SuggestionCard::tr("Quickest");
    case Role::Balanced:
        return SuggestionCard::tr("Balanced");
    case Role::Ablest:
        break;
    }
    return SuggestionCard::tr("Ablest");
}

// "5.0 GB · 23 tok/s"
QString figures(const app::ModelSuggestion& model)
{
    QString size = app::sizeText(model.fileBytes, app::SizeKind::File);
    if (model.tokensPerSecond <= 0) return size;
    return SuggestionCard::tr("%1 · %2 tok/s")
        .arg(size,
             QLocale().toString(model.tokensPerSecond, 'f', model.tokensPerSecond < 10 ? 1 : 0));
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
        setFixedSize(kGetSide, kGetSide);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        const ButtonColors colors =
            buttonColors(m_theme, Button::Kind::Primary, {true, underMouse(), isDown()});
        drawRounded(painter, rect(), radius::kControl, colors.fill, colors.line);
        painter.drawPixmap(QPointF((kGetSide - kIcon) / 2.0, (kGetSide - kIcon) / 2.0),
                           m_theme.icons().pixmap(QStringLiteral("globe"), kIcon, Token::OnAccent,
                                                  devicePixelRatioF()));
    }

private:
    static constexpr int kIcon = 16;
    const Theme& m_theme;
};

int widthOf(const Label& label)
{
    return label.fontMetrics().horizontalAdvance(label.text()) + 1;
}

} // namespace

SuggestionCard::SuggestionCard(const Theme& theme, const app::ModelSuggestion& model,
                               QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_page(model.page)
    , m_name(new Label(theme, model.name, TextStyle::Ui, Token::Text, this))
    , m_role(new Label(theme, roleName(model.role), TextStyle::Caption, Token::Text3, this))
    , m_numbers(new Label(theme, figures(model), TextStyle::MonoSmall, Token::Text2, this))
    , m_get(new GetButton(theme, this))
    , m_words(new QBoxLayout(QBoxLayout::TopToBottom))
{
    m_name->setWeight(QFont::DemiBold);
    m_name->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    for (Label* label : {m_name, m_role, m_numbers})
        label->setElided(true);
    m_get->setToolTip(tr("Show where %1 is downloaded: %2").arg(model.name, model.page.toString()));
    m_get->setAccessibleName(tr("Show where %1 is downloaded, %2, %3")
                                 .arg(model.name, roleName(model.role), figures(model)));
    auto* heading = new QHBoxLayout;
    heading->setSpacing(kGap);
    heading->addWidget(m_name);
    heading->addWidget(m_role, 1);
    m_words->addLayout(heading, 1);
    m_words->addWidget(m_numbers);
    auto* line = new QHBoxLayout(this);
    line->setSpacing(kGap);
    line->addLayout(m_words, 1);
    line->addWidget(m_get);
    setShape(Shape::Tall);
}

void SuggestionCard::setShape(Shape shape)
{
    const bool tall = shape == Shape::Tall;
    m_words->setDirection(tall ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    m_words->setSpacing(tall ? 0 : kWideGap);
    m_numbers->setSizePolicy(tall ? QSizePolicy::Preferred : QSizePolicy::Maximum,
                             QSizePolicy::Preferred);
    const int above = kUpright[static_cast<int>(shape)]; // and below
    layout()->setContentsMargins({kPadLeft, above, kPadRight, above});
}

int SuggestionCard::widthFor(Shape shape) const
{
    const int name = widthOf(*m_name) + kGap + widthOf(*m_role);
    const int numbers = widthOf(*m_numbers);
    const int words = shape == Shape::Tall ? std::max(name, numbers) : name + kWideGap + numbers;
    return kPadLeft + words + kGap + kGetSide + kPadRight;
}

int SuggestionCard::heightFor(Shape shape) const
{
    const int name = std::max(m_name->sizeHint().height(), m_role->sizeHint().height());
    const int numbers = m_numbers->sizeHint().height();
    const int words = shape == Shape::Tall ? name + numbers : std::max(name, numbers);
    return std::max(words, kGetSide) + 2 * kUpright[static_cast<int>(shape)];
}

void SuggestionCard::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    drawRounded(painter, rect(), radius::kCard, m_theme.color(Token::Raised),
                m_theme.color(Token::Line));
}

} // namespace ui
