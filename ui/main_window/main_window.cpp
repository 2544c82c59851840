#include "ui/main_window/main_window.h"

#include "ui/chat/chat_header.h"
#include "ui/chat/chat_page.h"
#include "ui/chat/drop_overlay.h"
#include "ui/chat/title_label.h"
#include "ui/composer/composer.h"
#include "ui/composer/message_edit.h"
#include "ui/main_window/close_guard.h"
#include "ui/main_window/command_palette.h"
#include "ui/main_window/drawer.h"
#include "ui/sampling/knob_row.h"
#include "ui/sampling/knob_slider.h"
#include "ui/sampling/next_token_view.h"
#include "ui/sampling/preset_row.h"
#include "ui/sampling/sampling_panel.h"
#include "ui/sampling/sampling_rail.h"
#include "ui/sampling/token_feed.h"
#include "ui/sidebar/conversation_list.h"
#include "ui/sidebar/sidebar.h"
#include "ui/sidebar/sidebar_rail.h"
#include "ui/transcript/transcript_view.h"
#include "ui/widgets/button.h"
#include "ui/widgets/focus_ring.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/line_field.h"
#include "ui/widgets/popover.h"
#include "ui/widgets/undo_strip.h"

#include <QApplication>
#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QMimeData>
#include <QShortcut>
#include <QSplitter>

#include <algorithm>
#include <functional>
#include <utility>

namespace ui {

namespace {

/// Tells when it has shared its width out.
class PaneSplitter : public QSplitter {
public:
    explicit PaneSplitter(std::function<void()> resized)
        : QSplitter(Qt::Horizontal)
        , m_resized(std::move(resized))
    {
    }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        QSplitter::resizeEvent(event);
        m_resized();
    }

private:
    std::function<void()> m_resized;
};

constexpr QSize kFirstSize(1280, 800);
constexpr QSize kLeastSize(560, 420);
constexpr const auto& kSidebarWidth = app::settings::kSidebarWidth;
constexpr const auto& kSamplingWidth = app::settings::kSamplingWidth;

} // namespace

MainWindow::MainWindow(const Theme& theme, app::ApplicationCore& core)
    : m_theme(theme)
    , m_core(core)
    , m_splitter(new PaneSplitter([this] { shareWidth(); }))
    , m_sidebar(new Sidebar(theme))
    , m_chat(new ChatPage(theme, core))
    , m_sampling(new SamplingPanel(theme, core.settings()))
    , m_sidebarRail(new SidebarRail(theme))
    , m_samplingRail(new SamplingRail(theme, *m_sampling->nextToken()))
    , m_closeGuard(new CloseGuard(core.conversations(), *m_chat->closeCard(), this))
    , m_palette(new CommandPalette(theme, this))
    , m_sidebarWidth(kSidebarWidth.defaultValue)
    , m_samplingWidth(kSamplingWidth.defaultValue)
{
    setWindowTitle(QStringLiteral("Inglenook"));
    setMinimumSize(kLeastSize);
    resize(kFirstSize);
    setAcceptDrops(true);
    build();
    connectSidebar();
    connectSampling();
    addShortcuts();
    connect(&theme, &Theme::changed, this, &MainWindow::arrange);
    connect(m_closeGuard, &CloseGuard::closeRequested, this, &QWidget::close);
    connect(m_palette, &Popover::closed, m_chat, &ChatPage::focusComposer);
    new FocusRing(this);
    new TokenFeed(core.conversations(), core.inference(), *m_sampling->nextToken(), this);
    arrange();
    m_chat->focusComposer();
}

MainWindow::~MainWindow() = default;

void MainWindow::comeToFront()
{
    setWindowState(windowState() & ~Qt::WindowMinimized);
    show();
    raise();
    activateWindow();
}

void MainWindow::openModel(const QString& path)
{
    m_chat->openModel(path);
}

void MainWindow::build()
{
    m_sidebar->setMinimumWidth(kSidebarWidth.minimum);
    m_sidebar->setMaximumWidth(kSidebarWidth.maximum);
    m_sampling->setMaximumWidth(kSamplingWidth.maximum);
    m_splitter->setHandleWidth(1);
    m_splitter->addWidget(m_sidebar);
    m_splitter->addWidget(m_chat);
    m_splitter->addWidget(m_sampling);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setChildrenCollapsible(false);

    auto* central = new QWidget(this);
    auto* line = new QHBoxLayout(central);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    line->addWidget(m_sidebarRail);
    line->addWidget(m_splitter, 1);
    line->addWidget(m_samplingRail);
    setCentralWidget(central);
    connect(m_splitter, &QSplitter::splitterMoved, this, &MainWindow::keepWidth);
    m_sidebarDrawer = new Drawer(m_theme, Qt::LeftEdge, central);
    m_samplingDrawer = new Drawer(m_theme, Qt::RightEdge, central);
}

void MainWindow::connectSidebar()
{
    auto& conversations = m_core.conversations();
    using Controller = app::ConversationController;
    connect(&conversations, &Controller::conversationsChanged, m_sidebar,
            &Sidebar::setConversations);
    connect(&conversations, &Controller::currentConversationChanged, m_sidebar,
            &Sidebar::setOpenConversation);
    connect(&conversations, &Controller::writingConversationChanged, m_sidebar,
            &Sidebar::setWritingConversation);
    connect(m_sidebar, &Sidebar::newChatRequested, this, &MainWindow::newChat);
    connect(m_sidebar, &Sidebar::openRequested, this, [this](qint64 id, qint64 messageId) {
        m_core.conversations().openConversation(id, messageId, m_sidebar->searchField()->text());
        m_chat->focusComposer(); // also where it is open already
        m_sidebarDrawer->dismiss();
    });
    connect(m_sidebar, &Sidebar::renameRequested, &conversations, &Controller::renameConversation);
    connect(m_sidebar, &Sidebar::pinRequested, &conversations, &Controller::setPinned);
    connect(m_sidebar, &Sidebar::deleteRequested, &conversations, &Controller::deleteConversation);
    connect(m_sidebar, &Sidebar::restoreRequested, &conversations,
            &Controller::restoreConversation);
    connect(m_sidebar, &Sidebar::stopRequested, &conversations, &Controller::stop);
    connect(m_sidebar, &Sidebar::searchRequested, &conversations, &Controller::search);
    connect(&conversations, &Controller::searchFinished, m_sidebar, &Sidebar::setSearchHits);
    connect(m_sidebar, &Sidebar::toggleRequested, this, &MainWindow::toggleSidebar);
    connect(m_sidebarRail->openButton(), &QAbstractButton::clicked, this,
            &MainWindow::toggleSidebar);
    connect(m_sidebarRail->newChatButton(), &QAbstractButton::clicked, this, &MainWindow::newChat);
    connect(m_sidebarRail->searchButton(), &QAbstractButton::clicked, this,
            &MainWindow::focusSearch);
    m_sidebar->setConversations(conversations.conversations());
    m_sidebar->setOpenConversation(conversations.currentConversation());
}

void MainWindow::connectSampling()
{
    m_samplingRail->setSettings(m_sampling->settings());
    connect(m_sampling, &SamplingPanel::settingsEdited, this,
            [this](const engine::SamplingSettings& settings) {
                m_core.setSampling(settings);
                m_samplingRail->setSettings(settings);
            });
    connect(m_sampling, &SamplingPanel::stopStringsEdited, &m_core,
            &app::ApplicationCore::setStopStrings);
    connect(m_sampling, &SamplingPanel::closeRequested, this, &MainWindow::toggleSampling);
    connect(m_samplingRail->openButton(), &QAbstractButton::clicked, this,
            &MainWindow::toggleSampling);
    connect(m_chat->header()->samplingButton(), &QAbstractButton::clicked, this,
            &MainWindow::toggleSampling);
}

void MainWindow::addShortcuts()
{
    struct Row {
        QKeySequence keys;
        QString name; ///< empty: not a command of the palette
        QString icon;
        std::function<void()> action;
        bool keepsPopovers = false; ///< it opens and closes one
    };
    const auto icon = [](const char* name) { return QString::fromLatin1(name); };
    const Row rows[] = {
        {Qt::CTRL | Qt::Key_K, {}, {}, [this] { openPalette(); }, true},
        {Qt::CTRL | Qt::Key_N, tr("New chat"), icon("new-chat"), [this] { newChat(); }},
        {Qt::CTRL | Qt::Key_F, tr("Find in this chat"), icon("search"),
         [this] { m_chat->openFind(); }},
        {Qt::CTRL | Qt::SHIFT | Qt::Key_F, tr("Search all chats"), icon("search"),
         [this] { focusSearch(); }},
        {Qt::Key_F2, tr("Rename this chat"), icon("edit"), [this] { renameChat(); }},
        {Qt::CTRL | Qt::Key_R, tr("Write the last answer again"), icon("regenerate"),
         [this] { m_chat->regenerateLast(); }},
        {Qt::CTRL | Qt::SHIFT | Qt::Key_C, tr("Copy the last answer"), icon("copy"),
         [this] { m_chat->copyLastAnswer(); }},
        {Qt::ALT | Qt::Key_Left, tr("Branch before"), icon("branch"),
         [this] { m_core.conversations().stepThroughBranches(-1); }},
        {Qt::ALT | Qt::Key_Right, tr("Branch after"), icon("branch"),
         [this] { m_core.conversations().stepThroughBranches(1); }},
        {Qt::CTRL | Qt::Key_M, tr("Choose a model"), icon("models"),
         [this] { m_chat->openModelPopover(); }, true},
        {Qt::CTRL | Qt::Key_O, tr("Open a model file…"), icon("open"),
         [this] { m_chat->chooseModelFile(); }},
        {Qt::CTRL | Qt::Key_B, tr("Show or hide the sidebar"), icon("panel-left"),
         [this] { toggleSidebar(); }},
        {Qt::CTRL | Qt::Key_J, tr("Show or hide Sampling"), icon("sliders"),
         [this] { toggleSampling(); }},
        {QKeySequence(QKeySequence::Undo), {}, {}, [this] { undoDelete(); }},
        {Qt::Key_Escape, {}, {}, [this] { escape(); }},
        {Qt::Key_F6, {}, {}, [this] { nextPane(); }},
        {Qt::CTRL | Qt::Key_Q, tr("Quit"), icon("close"), [this] { close(); }},
    };
    for (const Row& row : rows) {
        if (!row.name.isEmpty())
            m_commands += Command{
                .name = row.name, .iconName = row.icon, .keys = row.keys, .run = row.action};
        connect(new QShortcut(row.keys, this), &QShortcut::activated, this, [this, row] {
            if (!row.keepsPopovers) dismissPopovers();
            row.action();
        });
    }
}

void MainWindow::openPalette()
{
    if (m_palette->isVisible()) return m_palette->dismiss();
    dismissPopovers();
    m_palette->open(m_commands + presetCommands(), chatCommands());
}

QList<Command> MainWindow::presetCommands() const
{
    PresetCombo* combo = m_sampling->presets()->combo();
    QList<Command> commands;
    for (int i = 0; i < combo->count(); ++i)
        commands += Command{.name = tr("Preset: %1").arg(combo->itemText(i)),
                            .iconName = QStringLiteral("sliders"),
                            .keys = {},
                            .run = [combo, i] {
                                combo->setCurrentIndex(i);
                                Q_EMIT combo->activated(i);
                            }};
    return commands;
}

QList<Command> MainWindow::chatCommands()
{
    QList<Command> commands;
    for (const app::ConversationSummary& chat : m_core.conversations().conversations())
        commands += Command{.name = chat.title,
                            .iconName = QStringLiteral("chat"),
                            .keys = {},
                            .run = [this, id = chat.id] {
                                m_core.conversations().openConversation(id);
                                m_chat->focusComposer();
                            }};
    return commands;
}

// What lies over the window does not stay over what comes next.
void MainWindow::dismissPopovers()
{
    for (Popover* popover : findChildren<Popover*>())
        popover->dismiss();
}

// A pane's words are as wide as the text is large; its edges and sliders are not.
bool MainWindow::hasRoomFor(int needed) const
{
    constexpr double kWords = 0.4;
    return width() >= needed * (1 + kWords * std::max(0.0, m_theme.textScale() - 1));
}

// Rails where the window is too narrow, or where the user closed the pane.
void MainWindow::arrange()
{
    m_sampling->setMinimumWidth(
        std::clamp(m_sampling->widthForWords(), kSamplingWidth.minimum, kSamplingWidth.maximum));
    const bool samplingFits = hasRoomFor(kSamplingNeeds);
    const bool sidebarFits = hasRoomFor(kSidebarNeeds);
    const bool sidebarShown = sidebarFits && m_sidebarOpen;
    placePanel(m_sidebar, m_sidebarDrawer, !sidebarShown, 0);
    placePanel(m_sampling, m_samplingDrawer, !samplingFits, m_splitter->count());
    m_sidebarRail->setVisible(!sidebarShown);
    m_samplingRail->setVisible(!samplingFits);
    if (samplingFits) m_sampling->setVisible(m_samplingOpen);
    IconButton* button = m_chat->header()->samplingButton();
    button->setVisible(samplingFits);
    button->setChecked(samplingFits && m_samplingOpen);
    m_chat->setNarrow(!sidebarFits);
    shareWidth();
}

void MainWindow::placePanel(QWidget* panel, Drawer* drawer, bool inDrawer, int index)
{
    if (inDrawer == drawer->hasPanel()) return;
    if (inDrawer) {
        const int width =
            panel == m_sidebar ? kSidebarWidth.defaultValue : kSamplingWidth.defaultValue;
        drawer->takePanel(panel, std::min(qRound(width * std::max(1.0, m_theme.textScale())),
                                          panel->maximumWidth()));
    } else {
        drawer->releasePanel();
        m_splitter->insertWidget(index, panel);
        m_splitter->setStretchFactor(m_splitter->indexOf(m_chat), 1);
        panel->show();
    }
}

// As the user left it: what a narrow window makes of a pane does not count.
void MainWindow::keepWidth(int, int handle)
{
    const bool left = handle == m_splitter->indexOf(m_chat);
    const int at = left ? m_splitter->indexOf(m_sidebar) : m_splitter->indexOf(m_sampling);
    const int width = m_splitter->sizes().value(at);
    if (width > 0) (left ? m_sidebarWidth : m_samplingWidth) = width;
}

// The panes are as wide as the user left them and the page has the rest. A splitter would take from
// all of them alike, and give back to the page alone.
void MainWindow::shareWidth()
{
    QList<int> sizes = m_splitter->sizes();
    int page = m_splitter->contentsRect().width();
    for (const auto& [pane, width] :
         {std::pair<QWidget*, int>(m_sidebar, m_sidebarWidth), {m_sampling, m_samplingWidth}}) {
        const int at = m_splitter->indexOf(pane);
        if (at < 0 || pane->isHidden()) continue;
        sizes[at] = std::max(width, pane->minimumWidth());
        page -= sizes[at] + m_splitter->handleWidth();
    }
    sizes[m_splitter->indexOf(m_chat)] = std::max(page, 1);
    m_splitter->setSizes(sizes);
}

void MainWindow::toggleSidebar()
{
    if (!hasRoomFor(kSidebarNeeds)) {
        if (m_sidebarDrawer->isOpen())
            m_sidebarDrawer->dismiss();
        else
            m_sidebarDrawer->open();
        return;
    }
    m_sidebarOpen = !m_sidebarOpen;
    arrange();
}

void MainWindow::toggleSampling()
{
    if (!hasRoomFor(kSamplingNeeds)) {
        if (m_samplingDrawer->isOpen())
            m_samplingDrawer->dismiss();
        else
            m_samplingDrawer->open();
        return;
    }
    m_samplingOpen = !m_samplingOpen;
    arrange();
}

// Where the text with the focus has nothing to undo of its own.
void MainWindow::undoDelete()
{
    for (const UndoStrip* strip : {m_chat->undoStrip(), m_sidebar->undoStrip()})
        if (strip->isVisible()) return strip->undoButton()->click();
}

void MainWindow::newChat()
{
    m_core.conversations().newConversation();
    m_sidebarDrawer->dismiss();
    m_chat->focusComposer();
}

void MainWindow::focusSearch()
{
    if (m_sidebarDrawer->hasPanel() && !m_sidebarDrawer->isOpen()) toggleSidebar();
    m_sidebar->searchField()->setFocus();
    m_sidebar->searchField()->selectAll();
}

// In the list the row with the focus, elsewhere the chat that is shown.
void MainWindow::renameChat()
{
    ConversationList* list = m_sidebar->list();
    if (list->hasFocus() && list->currentId() != 0)
        list->edit(list->currentIndex());
    else if (!list->isAncestorOf(QApplication::focusWidget()))
        m_chat->header()->title()->startRenaming();
}

void MainWindow::nextPane()
{
    QWidget* const panes[] = {m_sidebar->list(), m_chat->transcript(), m_chat->composer()->edit(),
                              m_sampling->knobs().first()->slider()};
    QWidget* const focus = QApplication::focusWidget();
    constexpr int kCount = 4;
    int at = 2;
    for (int i = 0; i < kCount; ++i)
        if (focus != nullptr && (panes[i] == focus || panes[i]->isAncestorOf(focus))) at = i;
    for (int step = 1; step <= kCount; ++step) {
        QWidget* const next = panes[(at + step) % kCount];
        if (!next->isVisible()) continue;
        setAttribute(Qt::WA_KeyboardFocusChange); // the ring shows where it went
        next->setFocus(Qt::TabFocusReason);
        return;
    }
}

void MainWindow::escape()
{
    for (Drawer* drawer : {m_sidebarDrawer, m_samplingDrawer})
        if (drawer->isOpen()) {
            drawer->dismiss();
            m_chat->focusComposer();
            return;
        }
    m_chat->escape();
}

void MainWindow::restore()
{
    namespace keys = app::settings;
    const app::Settings& settings = m_core.settings();
    restoreGeometry(settings.get(keys::kWindowGeometry));
    m_sidebarWidth = settings.get(kSidebarWidth);
    m_samplingWidth = settings.get(kSamplingWidth);
    m_sidebarOpen = settings.get(keys::kSidebarOpen);
    m_samplingOpen = settings.get(keys::kSamplingOpen);
    arrange();
}

void MainWindow::save()
{
    namespace keys = app::settings;
    app::Settings& settings = m_core.settings();
    settings.set(keys::kWindowGeometry, saveGeometry());
    settings.set(kSidebarWidth, m_sidebarWidth);
    settings.set(kSamplingWidth, m_samplingWidth);
    settings.set(keys::kSidebarOpen, m_sidebarOpen);
    settings.set(keys::kSamplingOpen, m_samplingOpen);
    settings.save();
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    arrange();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    save();
    if (m_closeGuard->mayClose()) return QMainWindow::closeEvent(event);
    event->ignore();
    comeToFront();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (!event->mimeData()->hasUrls()) return;
    m_chat->dropOverlay()->showFor(event->mimeData()->urls());
    event->acceptProposedAction();
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent*)
{
    m_chat->dropOverlay()->hide();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    m_chat->dropOverlay()->hide();
    m_chat->takeFiles(event->mimeData()->urls());
    event->acceptProposedAction();
}

} // namespace ui
