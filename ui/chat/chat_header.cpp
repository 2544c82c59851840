#include "ui/chat/chat_header.h"

#include "ui/chat/model_chip.h"
#include "ui/chat/title_label.h"
#include "ui/widgets/icon_button.h"

#include <QHBoxLayout>
#include <QPainter>

namespace ui {

namespace {

constexpr int kTopRow = 52;

} // namespace

ChatHeader::ChatHeader(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_title(new TitleLabel(theme, this))
    , m_chip(new ModelChip(theme, this))
    , m_sidebar(new IconButton(theme, QStringLiteral("panel-left"), tr("Show the sidebar"), this))
    , m_find(new IconButton(theme, QStringLiteral("search"), tr("Find in this chat"), this))
    , m_sampling(new IconButton(theme, QStringLiteral("panel-right"), tr("Sampling"), this))
{
    m_sidebar->setShortcutHint(QKeySequence(Qt::CTRL | Qt::Key_B));
    m_sidebar->hide();
    m_find->setShortcutHint(QKeySequence(QKeySequence::Find));
    m_sampling->setShortcutHint(QKeySequence(Qt::CTRL | Qt::Key_J));
    m_sampling->setCheckable(true);
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(20, 0, 12, 1);
    line->setSpacing(12);
    line->addWidget(m_sidebar);
    line->addWidget(m_title, 1);
    line->addWidget(m_chip);
    auto* icons = new QHBoxLayout;
    icons->setSpacing(2);
    icons->addWidget(m_find);
    icons->addWidget(m_sampling);
    line->addLayout(icons);
    setMinimumHeight(kTopRow);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void ChatHeader::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Theme::Token::Surface));
    painter.fillRect(QRect(0, height() - 1, width(), 1), m_theme.color(Theme::Token::Line));
}

} // namespace ui
