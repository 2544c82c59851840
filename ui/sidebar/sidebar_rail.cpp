#include "ui/sidebar/sidebar_rail.h"

#include "ui/theme/icon_cache.h"
#include "ui/widgets/icon_button.h"

#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

namespace ui {

namespace {

constexpr int kWidth = 52;

} // namespace

SidebarRail::SidebarRail(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_open(new IconButton(theme, QStringLiteral("panel-left"), tr("Show the sidebar"), this))
    , m_newChat(new IconButton(theme, QStringLiteral("new-chat"), tr("New chat"), this))
    , m_search(new IconButton(theme, QStringLiteral("search"), tr("Search chats"), this))
{
    setFixedWidth(kWidth);
    auto* mark = new QLabel(this);
    mark->setPixmap(theme.icons().appIcon(24, devicePixelRatioF()));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 14, 8, 8);
    column->setSpacing(4);
    column->addWidget(mark, 0, Qt::AlignHCenter);
    column->addSpacing(12);
    for (IconButton* button : {m_open, m_newChat, m_search}) {
        button->setSide(36);
        column->addWidget(button, 0, Qt::AlignHCenter);
    }
    column->addStretch();
    m_open->setShortcutHint(QKeySequence(Qt::CTRL | Qt::Key_B));
    m_newChat->setShortcutHint(QKeySequence(Qt::CTRL | Qt::Key_N));
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void SidebarRail::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Theme::Token::Window));
    painter.fillRect(QRect(width() - 1, 0, 1, height()), m_theme.color(Theme::Token::Line));
}

} // namespace ui
