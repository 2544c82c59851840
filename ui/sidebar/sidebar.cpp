#include "ui/sidebar/sidebar.h"

#include "ui/sidebar/conversation_list.h"
#include "ui/sidebar/conversation_list_model.h"
#include "ui/sidebar/memory_meter.h"
#include "ui/theme/icon_cache.h"
#include "ui/widgets/button.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/line_field.h"
#include "ui/widgets/paint.h"
#include "ui/widgets/shortcut_menu.h"
#include "ui/widgets/undo_strip.h"

#include <QKeyEvent>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace ui {

using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

namespace {

constexpr int kTopRow = 52;
constexpr int kSide = 12;
constexpr int kSearchPauseMs = 150;

} // namespace

Sidebar::Sidebar(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_model(new ConversationListModel(this))
{
    setAccessibleName(tr("Sidebar"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(buildHead());
    auto* top = new QVBoxLayout;
    top->setContentsMargins(kSide, 0, kSide, 0);
    top->setSpacing(8);
    m_newChat = new Button(theme, tr("New chat"), Button::Kind::Secondary, this);
    m_newChat->setIconName(QStringLiteral("new-chat"));
    m_newChat->setLeftAligned(true);
    m_newChat->setKeyHint(QKeySequence(Qt::CTRL | Qt::Key_N)
                              .toString(QKeySequence::NativeText)
                              .replace(QLatin1Char('+'), QLatin1Char(' ')));
    m_newChat->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_search = new LineField(theme, this);
    m_search->setQuiet(true);
    m_search->setIconName(QStringLiteral("search"));
    m_search->setPlaceholderText(tr("Search chats"));
    m_search->setAccessibleName(tr("Search chats"));
    m_search->installEventFilter(this);
    top->addWidget(m_newChat);
    top->addWidget(m_search);
    column->addLayout(top);
    column->addSpacing(4);
    column->addWidget(buildList(), 1);
    column->addWidget(buildFoot());
    connectList();
    connect(m_newChat, &QPushButton::clicked, this, &Sidebar::newChatRequested);
    connect(m_search, &QLineEdit::textChanged, this, &Sidebar::filter);
    m_searchTimer.setSingleShot(true);
    m_searchTimer.setInterval(kSearchPauseMs);
    connect(&m_searchTimer, &QTimer::timeout, this,
            [this] { Q_EMIT searchRequested(m_search->text().trimmed()); });
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
    updateEmptyState();
}

QWidget* Sidebar::buildHead()
{
    auto* head = new QWidget(this);
    auto* mark = new QLabel(head);
    mark->setPixmap(m_theme.icons().appIcon(20, devicePixelRatioF()));
    auto* name =
        new Label(m_theme, QStringLiteral("Inglenook"), TextStyle::Title, Token::Text, head);
    name->setWeight(QFont::DemiBold);
    m_toggle = new IconButton(m_theme, QStringLiteral("panel-left"), tr("Hide the sidebar"), head);
    m_toggle->setShortcutHint(QKeySequence(Qt::CTRL | Qt::Key_B));
    auto* line = new QHBoxLayout(head);
    line->setContentsMargins(16, 0, 10, 0);
    line->setSpacing(10);
    line->addWidget(mark);
    line->addWidget(name);
    line->addStretch();
    line->addWidget(m_toggle);
    head->setMinimumHeight(kTopRow);
    connect(m_toggle, &QAbstractButton::clicked, this, &Sidebar::toggleRequested);
    return head;
}

QWidget* Sidebar::buildList()
{
    m_pages = new QStackedWidget(this);
    m_list = new ConversationList(m_theme, m_pages);
    m_list->setModel(m_model);
    m_empty = new EmptyState(m_theme, m_pages);
    Button* clear = m_empty->addButton(tr("Clear the search"), Button::Kind::Secondary);
    clear->hide();
    connect(clear, &QPushButton::clicked, m_search, &QLineEdit::clear);
    connect(m_search, &QLineEdit::textChanged, clear,
            [clear](const QString& text) { clear->setVisible(!text.trimmed().isEmpty()); });
    m_pages->addWidget(m_list);
    m_pages->addWidget(m_empty);
    return m_pages;
}

QWidget* Sidebar::buildFoot()
{
    auto* foot = new QWidget(this);
    m_undo = new UndoStrip(m_theme, foot);
    auto* column = new QVBoxLayout(foot);
    column->setContentsMargins(kSide, 8, kSide, 12);
    column->setSpacing(8);
    column->addWidget(m_undo);
    auto* meterLine = new QHBoxLayout;
    meterLine->setContentsMargins(8, 4, 8, 0);
    meterLine->addWidget(new MemoryMeter(m_theme, foot));
    column->addLayout(meterLine);
    return foot;
}

void Sidebar::connectList()
{
    connect(m_list, &ConversationList::openRequested, this, [this](qint64 conversationId) {
        const QModelIndex row = m_model->indexOf(conversationId);
        Q_EMIT openRequested(conversationId,
                             row.data(ConversationListModel::FoundRole).toLongLong());
    });
    connect(m_list, &ConversationList::deleteRequested, this, &Sidebar::removeConversation);
    connect(m_list, &ConversationList::menuRequested, this, &Sidebar::showMenu);
    connect(m_model, &ConversationListModel::titleEdited, this, &Sidebar::renameRequested);
    connect(m_undo, &UndoStrip::undoRequested, this, [this] {
        m_model->setHidden(m_deleted, false);
        Q_EMIT restoreRequested(m_deleted);
        updateEmptyState();
        selectOpen();
    });
}

void Sidebar::setConversations(const QList<app::ConversationSummary>& conversations)
{
    m_model->setToday(QDate::currentDate());
    m_model->setConversations(conversations);
    updateEmptyState();
    selectOpen();
}

void Sidebar::setOpenConversation(qint64 conversationId)
{
    m_open = conversationId;
    m_model->setOpen(conversationId);
    selectOpen();
}

void Sidebar::setWritingConversation(qint64 conversationId)
{
    m_model->setWriting(conversationId);
}

void Sidebar::selectOpen()
{
    const QModelIndex index = m_model->indexOf(m_open);
    if (index.isValid())
        m_list->setCurrentIndex(index);
    else
        m_list->selectionModel()->clear();
}

void Sidebar::filter(const QString& text)
{
    m_model->setFilter(text);
    if (text.trimmed().isEmpty())
        m_searchTimer.stop();
    else
        m_searchTimer.start();
    updateEmptyState();
    selectOpen();
}

void Sidebar::setSearchHits(const QString& text, const QList<app::SearchHit>& hits)
{
    if (text != m_search->text().trimmed()) return;
    m_model->setMessageHits(hits);
    updateEmptyState();
    selectOpen();
}

void Sidebar::updateEmptyState()
{
    const QString wanted = m_search->text().trimmed();
    if (wanted.isEmpty())
        m_empty->setWords(QStringLiteral("chat"), tr("No chats yet"),
                          tr("They will be listed here and stored on this computer only."));
    else
        m_empty->setWords(QStringLiteral("search"), tr("Nothing found for “%1”").arg(wanted),
                          tr("Titles and messages of all chats were searched."));
    m_pages->setCurrentWidget(m_model->conversationCount() == 0 ? static_cast<QWidget*>(m_empty)
                                                                : m_list);
}

void Sidebar::removeConversation(qint64 conversationId)
{
    const QModelIndex index = m_model->indexOf(conversationId);
    if (!index.isValid()) return;
    m_deleted = conversationId;
    m_model->setHidden(conversationId, true);
    updateEmptyState();
    m_undo->offer(tr("Chat deleted"));
    Q_EMIT deleteRequested(conversationId);
}

void Sidebar::renameConversation(qint64 conversationId)
{
    const QModelIndex index = m_model->indexOf(conversationId);
    if (!index.isValid()) return;
    m_list->setCurrentIndex(index);
    m_list->edit(index);
}

void Sidebar::showMenu(qint64 conversationId, const QPoint& globalPosition)
{
    const QModelIndex index = m_model->indexOf(conversationId);
    if (!index.isValid()) return;
    const bool pinned = index.data(ConversationListModel::PinnedRole).toBool();
    auto* menu = new ShortcutMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const IconCache& icons = m_theme.icons();
    if (index.data(ConversationListModel::WritingRole).toBool()) {
        connect(menu->addCommand(icons.icon(QStringLiteral("stop")), tr("Stop the answer")),
                &QAction::triggered, this, &Sidebar::stopRequested);
        menu->addSeparator();
    }
    connect(menu->addCommand(icons.icon(QStringLiteral("pin")), pinned ? tr("Unpin") : tr("Pin")),
            &QAction::triggered, this,
            [this, conversationId, pinned] { Q_EMIT pinRequested(conversationId, !pinned); });
    connect(menu->addCommand(icons.icon(QStringLiteral("edit")), tr("Rename"), Qt::Key_F2),
            &QAction::triggered, this,
            [this, conversationId] { renameConversation(conversationId); });
    menu->addSeparator();
    connect(menu->addCommand(icons.icon(QStringLiteral("trash"), 16, Token::Bad), tr("Delete"),
                             Qt::Key_Delete),
            &QAction::triggered, this,
            [this, conversationId] { removeConversation(conversationId); });
    // The press that opened it moved the mark; only the keyboard keeps it where it is.
    connect(menu, &QMenu::aboutToHide, this, [this] {
        if (!m_list->hasFocus()) selectOpen();
    });
    menu->popup(globalPosition);
}

// Down leads from the search field into the list, Esc clears it.
bool Sidebar::eventFilter(QObject* object, QEvent* event)
{
    if (object == m_search && event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape && !m_search->text().isEmpty()) {
        event->accept(); // Esc is the search's before it is the window's
        return true;
    }
    if (object == m_search && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Down && m_model->conversationCount() > 0) {
            m_list->setFocus();
            if (!m_list->currentIndex().isValid()) m_list->setCurrentIndex(m_model->index(1));
            return true;
        }
        if (key == Qt::Key_Escape && !m_search->text().isEmpty()) {
            m_search->clear();
            return true;
        }
    }
    return QWidget::eventFilter(object, event);
}

void Sidebar::paintEvent(QPaintEvent*)
{
    QPainter(this).fillRect(rect(), m_theme.color(Token::Window));
}

} // namespace ui
