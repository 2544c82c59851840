#include "ui/widgets/empty_state.h"

#include "ui/theme/icon_cache.h"
#include "ui/widgets/label.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace ui {

using Token = Theme::Token;

EmptyState::EmptyState(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_icon(new QLabel(this))
    , m_title(new Label(theme, {}, Theme::TextStyle::Title, Token::Text, this))
    , m_text(new Label(theme, {}, Theme::TextStyle::Ui, Token::Text2, this))
    , m_buttons(new QHBoxLayout)
{
    m_title->setWeight(QFont::DemiBold);
    m_icon->setAlignment(Qt::AlignCenter);
    for (Label* label : {m_title, m_text}) {
        label->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
        label->setWordWrap(true);
    }
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(4);
    column->addStretch(2);
    column->addWidget(m_icon);
    column->addSpacing(6);
    column->addWidget(m_title);
    column->addWidget(m_text);
    column->addSpacing(8);
    m_buttons->setSpacing(8);
    m_buttons->addStretch();
    m_buttons->addStretch();
    column->addLayout(m_buttons);
    column->addStretch(3);
    connect(&theme, &Theme::changed, this, &EmptyState::tint);
}

void EmptyState::setWords(const QString& iconName, const QString& title, const QString& text)
{
    m_iconName = iconName;
    m_title->setText(title);
    m_text->setText(text);
    tint();
}

Button* EmptyState::addButton(const QString& text, Button::Kind kind)
{
    auto* button = new Button(m_theme, text, kind, this);
    button->setSmall(true);
    m_buttons->insertWidget(m_buttons->count() - 1, button);
    return button;
}

QString EmptyState::title() const
{
    return m_title->text();
}

void EmptyState::tint()
{
    m_icon->setPixmap(m_theme.icons().pixmap(m_iconName, 24, Token::Text2, devicePixelRatioF()));
}

} // namespace ui
