#include "ui/chat/chat_page.h"

#include "ui/chat/chat_header.h"
#include "ui/chat/context_card.h"
#include "ui/chat/drop_overlay.h"
#include "ui/chat/find_bar.h"
#include "ui/chat/model_chip.h"
#include "ui/chat/notice_strip.h"
#include "ui/chat/page_room.h"
#include "ui/chat/prompt_pills.h"
#include "ui/chat/suggestion_banner.h"
#include "ui/chat/title_label.h"
#include "ui/chat/welcome_view.h"
#include "ui/composer/composer.h"
#include "ui/composer/message_edit.h"
#include "ui/theme/page_column.h"
#include "ui/transcript/link_popup.h"
#include "ui/transcript/transcript_style.h"
#include "ui/transcript/transcript_view.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/overlay_scroll_bar.h"
#include "ui/widgets/undo_strip.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLocale>
#include <QPainter>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <memory>

namespace ui {

using State = app::InferenceService::ModelState;

namespace {

constexpr int kLiveMs = 200;
constexpr int kFootGap = 8;
constexpr int kFootAbove = 4;
constexpr int kFootBelow = 6;
constexpr int kLeastTranscript = 96; ///< before the text size
constexpr int kLeastWidth = 480;     ///< with a pane beside

/// A letter, not a command. Windows tells AltGr as Ctrl and Alt.
bool isTyped(const QKeyEvent& event)
{
    const Qt::KeyboardModifiers held =
        event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
    const bool letters = held == Qt::NoModifier || held == (Qt::ControlModifier | Qt::AltModifier);
    return letters && !event.text().isEmpty() && event.text().at(0).isPrint();
}

} // namespace

ChatPage::ChatPage(const Theme& theme, app::ApplicationCore& core, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_core(core)
    , m_header(new ChatHeader(theme, this))
    , m_find(new FindBar(theme, this))
    , m_banner(new SuggestionBanner(theme, this))
    , m_pills(new PromptPills(theme, this))
    , m_notice(new NoticeStrip(theme, this))
    , m_storage(new NoticeStrip(theme, this))
    , m_undo(new UndoStrip(theme, this))
    , m_body(new QStackedWidget(this))
    , m_welcome(new WelcomeView(theme, this))
    , m_transcript(new TranscriptView(this))
    , m_error(new FailureCard(theme, this))
    , m_closing(new FailureCard(theme, this))
    , m_context(new ContextCard(theme, this))
    , m_composer(new Composer(theme, this))
    , m_drop(new DropOverlay(theme, this))
{
    m_transcript->setTheme(&theme);
    build();
    connectConversation();
    connectTranscript();
    connectModel();
    connectComposer();
    connectErrors();
    connectFirstRun();
    m_liveTimer.setInterval(kLiveMs);
    connect(&m_liveTimer, &QTimer::timeout, this, &ChatPage::showLive);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
    showMessages();
    showTitle();
    showModelState();
}

void ChatPage::build()
{
    m_body->addWidget(m_welcome);
    m_body->addWidget(m_transcript);
    m_body->setMinimumSize(1, 1); // what else there is has its height first
    auto* notes = new QWidget(this);
    auto* noteColumn = new QVBoxLayout(notes);
    noteColumn->setContentsMargins(0, 0, 0, 0);
    noteColumn->setSpacing(kFootGap);
    for (QWidget* note : notesInOrder()) {
        noteColumn->addWidget(note);
        note->installEventFilter(this);
    }
    m_notes = new QScrollArea(this);
    m_notes->setFrameShape(QFrame::NoFrame);
    m_notes->setWidgetResizable(true);
    m_notes->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_notes->setFocusPolicy(Qt::NoFocus);
    m_notes->setWidget(notes);
    new OverlayScrollBar(m_notes);
    m_notes->viewport()->setAutoFillBackground(false);
    notes->setAutoFillBackground(false);
    m_foot = new QWidget(this);
    auto* foot = new QVBoxLayout(m_foot);
    foot->setSpacing(kFootGap);
    foot->addWidget(m_notes);
    foot->addWidget(m_pills);
    foot->addWidget(m_composer);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    column->addWidget(m_find);
    column->addWidget(m_banner);
    column->addWidget(m_body, 1);
    column->addWidget(m_foot);
}

QList<QWidget*> ChatPage::notesInOrder() const
{
    return {m_closing, m_storage, m_notice, m_error, m_context, m_undo};
}

// The header and the composer are always whole; see shareRoom() for the rest.
void ChatPage::shareHeight()
{
    const auto [side, column] = pageColumn(width(), m_theme.textScale());
    m_foot->layout()->setContentsMargins(side, kFootAbove, width() - side - column, kFootBelow);
    m_banner->setSideMargin(side);
    m_find->setSideMargin(side);
    m_composer->setMostHeight(height() / 2);

    const auto heightOf = [column](const QWidget* widget) {
        return widget->isHidden() ? 0
               : widget->hasHeightForWidth()
                   ? std::max(widget->heightForWidth(column), widget->minimumSizeHint().height())
                   : widget->sizeHint().height();
    };
    PageNeeds needs;
    for (const QWidget* note : notesInOrder()) {
        if (note->isHidden()) continue;
        const auto* strip = qobject_cast<const NoticeStrip*>(note);
        needs.notes += (strip ? strip->heightFor(column, false) : heightOf(note)) + kFootGap;
        needs.foldedNotes += (strip ? strip->heightFor(column, true) : heightOf(note)) + kFootGap;
    }
    // Who searches has no use for it, and much for its room.
    if (m_bannerWanted && m_find->isHidden()) {
        needs.banner = m_banner->heightFor(width(), false);
        needs.foldedBanner = m_banner->heightFor(width(), true);
    }
    if (m_pillsWanted) needs.pills = m_pills->heightForWidth(column) + kFootGap;
    needs.least = m_body->currentWidget() == m_welcome
                      ? m_welcome->leastHeight()
                      : qRound(kLeastTranscript * m_theme.textScale());
    const int fixed = m_header->sizeHint().expandedTo(m_header->minimumSize()).height() +
                      heightOf(m_find) + kFootAbove + m_composer->sizeHint().height() + kFootBelow;
    const PageRoom room = shareRoom(height() - fixed, needs);
    for (NoticeStrip* strip : {m_storage, m_notice})
        strip->setFolded(room.foldsNotes);
    m_notes->setVisible(room.notes > kFootGap);
    m_notes->setFixedHeight(std::max(0, room.notes - kFootGap));
    m_pills->setVisible(room.pills);
    m_banner->setFolded(room.banner == BannerRoom::Folded);
    m_banner->setVisible(room.banner != BannerRoom::None);
}

void ChatPage::connectConversation()
{
    auto& conversations = m_core.conversations();
    using Controller = app::ConversationController;
    connect(&conversations, &Controller::messagesReset, this, [this] {
        m_context->hide();
        showModelState();
        m_composer->setText(m_core.conversations().draft());
        showMessages();
        focusComposer();
    });
    connect(&conversations, &Controller::messageFound, this, &ChatPage::showFound);
    connect(&conversations, &Controller::currentConversationChanged, this, [this] {
        m_liveTimer.stop(); // of the chat before
        m_find->dismiss();
        endNotice(NoticeScope::Chat);
        endNotice(NoticeScope::Shown);
        m_error->setVisible(m_failedChat == m_core.conversations().currentConversation());
        showTitle();
        showModelState();
    });
    connect(&conversations, &Controller::conversationBegan, this, [this](qint64 id) {
        if (m_failedChat == 0) m_failedChat = id;
    });
    connect(&conversations, &Controller::conversationsChanged, this, &ChatPage::showTitle);
    connect(&conversations, &Controller::messageAdded, this, [this](const app::Message& message) {
        m_body->setCurrentWidget(m_transcript);
        m_header->findButton()->show();
        showFirstRun();
        m_transcript->appendMessage(message);
    });
    connect(&conversations, &Controller::messageAppended, m_transcript, &TranscriptView::grow);
    connect(&conversations, &Controller::messageFinished, this,
            [this](const app::Message& message) {
                m_liveTimer.stop();
                m_transcript->updateMessage(message);
            });
    connect(&conversations, &Controller::prefillProgressed, m_transcript,
            &TranscriptView::setReading);
    connect(&conversations, &Controller::tokenDecoded, this, &ChatPage::measure);
    connect(&conversations, &Controller::queueChanged, this, &ChatPage::showQueue);
    connect(&conversations, &Controller::contextUsageChanged, m_composer, &Composer::setContextUse);
    connect(&conversations, &Controller::contextStartChanged, this, &ChatPage::showContextStart);
    connect(&conversations, &Controller::draftReturned, m_composer, &Composer::setText);
    connect(&conversations, &Controller::messageResumed, this, [this](const app::Message& message) {
        m_live.messageId = 0; // its speed is measured anew
        m_transcript->updateMessage(message);
    });
    connect(&conversations, &Controller::writingConversationChanged, this, [this] {
        if (m_core.conversations().writingConversation() != 0) m_context->hide();
        if (isWritingHere()) endNotice(NoticeScope::Chat);
        showModelState();
    });
    connect(&m_core.contextGuide(), &app::ContextGuide::asked, this, &ChatPage::askAboutContext);
    connect(m_context, &ContextCard::answered, this,
            [this](const app::ContextQuestion& question, app::ContextStep step, bool everyChat) {
                m_core.contextGuide().answer(question, step, everyChat);
                showModelState();
                focusComposer();
            });
}

void ChatPage::connectTranscript()
{
    auto& conversations = m_core.conversations();
    connect(m_transcript, &TranscriptView::regenerateRequested, &conversations,
            &app::ConversationController::regenerate);
    connect(m_transcript, &TranscriptView::continueRequested, &conversations,
            &app::ConversationController::continueReply);
    connect(m_transcript, &TranscriptView::deleteRequested, this, &ChatPage::deleteMessage);
    connect(m_undo, &UndoStrip::undoRequested, &conversations,
            &app::ConversationController::restoreMessages);
    connect(m_transcript, &TranscriptView::editRequested, &conversations,
            &app::ConversationController::sendEdited);
    connect(m_transcript, &TranscriptView::branchRequested, this, [this](qint64 id, int index) {
        const app::BranchPosition at = m_core.conversations().branchPosition(id);
        m_core.conversations().stepBranch(id, index - 1 - at.index);
    });
    // The view has asked, and lets only web and mail addresses through.
    connect(m_transcript, &TranscriptView::linkActivated, this,
            [](const QUrl& url) { QDesktopServices::openUrl(url); });
    connect(m_transcript, &TranscriptView::findChanged, m_find, &FindBar::setResult);
    connect(m_find, &FindBar::searchChanged, this, [this](const QString& text) {
        const int count = m_transcript->setFindText(text, m_find->sensitivity());
        m_find->setResult(m_transcript->findPosition(), count);
    });
    connect(m_find, &FindBar::nextRequested, m_transcript, &TranscriptView::findNext);
    connect(m_find, &FindBar::previousRequested, m_transcript, &TranscriptView::findPrevious);
    connect(m_find, &FindBar::closed, this, &ChatPage::focusComposer);
    connect(m_header->findButton(), &QAbstractButton::clicked, this, &ChatPage::openFind);
    connect(m_header->title(), &TitleLabel::renamed, this, [this](const QString& title) {
        m_core.conversations().renameConversation(m_core.conversations().currentConversation(),
                                                  title);
    });
}

void ChatPage::connectComposer()
{
    auto& conversations = m_core.conversations();
    connect(m_composer, &Composer::sendRequested, &conversations,
            &app::ConversationController::send);
    connect(m_composer, &Composer::stopRequested, &conversations,
            &app::ConversationController::stop);
    connect(m_composer, &Composer::textEdited, &conversations,
            &app::ConversationController::setDraft);
    connect(m_composer, &Composer::takeQueuedRequested, this, [this] {
        m_composer->setText(m_core.conversations().takeQueued());
        focusComposer();
    });
    connect(m_composer, &Composer::modelMenuRequested, this, &ChatPage::openModelPopover);
    connect(m_composer->edit(), &MessageEdit::filesGiven, this, &ChatPage::takeFiles);
    connect(m_composer->edit(), &MessageEdit::editLastRequested, this, &ChatPage::editLastMessage);
}

void ChatPage::connectFirstRun()
{
    connect(&m_suggester, &app::ModelSuggester::suggested, m_banner,
            &SuggestionBanner::setSuggestions);
    connect(m_banner, &SuggestionBanner::openFileRequested, this, &ChatPage::chooseModelFile);
    connect(m_banner, &SuggestionBanner::closeRequested, this, [this] { offerModels(false); });
    connect(m_banner, &SuggestionBanner::pageRequested, this, &ChatPage::askAboutPage);
    connect(m_banner, &SuggestionBanner::cardsClosed, this, &ChatPage::focusComposer);
    connect(m_pills, &PromptPills::chosen, &m_core.conversations(),
            &app::ConversationController::send);
}

void ChatPage::connectErrors()
{
    auto& conversations = m_core.conversations();
    using Controller = app::ConversationController;
    connect(m_error, &FailureCard::stepRequested, this, &ChatPage::takeStep);
    connect(m_error, &FailureCard::dismissed, this, &ChatPage::endFailure);
    for (const FailureCard* card : {m_error, m_closing})
        connect(card, &FailureCard::dismissed, this, &ChatPage::focusComposer);
    connect(&conversations, &Controller::errorOccurred, this, [this](const app::UserError& error) {
        m_noticeScope = NoticeScope::Shown;
        m_notice->showNotice(NoticeStrip::Kind::Bad, error.sentence);
    });
    connect(&conversations, &Controller::storageTroubled, this,
            [this](const app::UserError& error) {
                m_storage->showNotice(NoticeStrip::Kind::Warn, error.sentence, false);
                showStorage();
            });
    connect(&conversations, &Controller::storageRecovered, this, &ChatPage::showStorage);
    for (const NoticeStrip* strip : {m_storage, m_notice})
        connect(strip, &NoticeStrip::unfolded, this, &ChatPage::shareHeight);
    const auto show = [this](const QString& sentence) { showNotice(sentence); };
    connect(&conversations, &Controller::noticeRaised, this, show);
    connect(&m_core, &app::ApplicationCore::noticeRaised, this, show);
    connect(&conversations, &Controller::chatNoticeRaised, this,
            [this](const QString& sentence) { showNotice(sentence, NoticeScope::Chat); });
}

void ChatPage::showMessages()
{
    const QList<app::Message> messages = m_core.conversations().messages();
    m_transcript->setMessages(messages);
    showContextStart();
    for (const app::Message& message : messages) {
        const app::BranchPosition at = m_core.conversations().branchPosition(message.id);
        if (at.count > 1) m_transcript->setBranches(message.id, at.index + 1, at.count);
    }
    m_body->setCurrentWidget(messages.isEmpty() ? static_cast<QWidget*>(m_welcome) : m_transcript);
    m_header->findButton()->setVisible(!messages.isEmpty());
    showFirstRun();
}

void ChatPage::showContextStart()
{
    const app::ConversationController& conversations = m_core.conversations();
    m_transcript->setContextStart(conversations.contextStart(), conversations.contextSummary());
}

// What was deleted is offered back at once; the composer has the focus that went with it.
void ChatPage::deleteMessage(qint64 messageId)
{
    const int count = m_core.conversations().deleteMessage(messageId);
    if (count == 0) return;
    const QString words =
        count == 1 ? tr("Message deleted") : tr("%Ln messages deleted", nullptr, count);
    m_undo->offer(words);
    announce(words);
}

void ChatPage::showTitle()
{
    const qint64 id = m_core.conversations().currentConversation();
    const QString title = titleOf(id);
    m_header->title()->setTitle(title.isEmpty() ? tr("New chat") : title);
    m_header->title()->setRenamable(id != 0);
    m_header->findButton()->setVisible(m_body->currentWidget() == m_transcript);
}

QString ChatPage::titleOf(qint64 conversationId) const
{
    for (const app::ConversationSummary& conversation : m_core.conversations().conversations())
        if (conversation.id == conversationId) return conversation.title;
    return {};
}

bool ChatPage::isWritingHere() const
{
    const qint64 writing = m_core.conversations().writingConversation();
    return writing != 0 && writing == m_core.conversations().currentConversation();
}

// Without a model of the user's: what the starter can be asked, and what would be better.
void ChatPage::showFirstRun()
{
    const State state = m_core.inference().modelState();
    const bool ready = state == State::Ready || state == State::Writing;
    const bool starter =
        m_core.isStarter(ready ? m_core.inference().model().path : m_core.wantedModel());
    m_pillsWanted = starter && ready && m_body->currentWidget() == m_welcome;
    m_welcome->setPromptsOffered(!starter);
    m_bannerWanted = starter && m_core.settings().get(app::settings::kOfferModels);
    if (m_bannerWanted) m_suggester.start();
    m_banner->setStarterThere(ready || state == State::Loading);
    shareHeight();
}

void ChatPage::offerModels(bool offer)
{
    m_core.settings().set(app::settings::kOfferModels, offer);
    showFirstRun();
    focusComposer();
}

// As for links in answers: where it leads is shown before anything is opened.
void ChatPage::askAboutPage(const QUrl& page, const QPoint& position)
{
    const auto style = std::make_shared<const TranscriptStyle>(m_theme);
    auto* popup = new LinkPopup(*style, page, this);
    connect(popup, &LinkPopup::agreed, this,
            [style](const QUrl& url) { QDesktopServices::openUrl(url); });
    popup->openAt(position);
}

void ChatPage::showQueue()
{
    QStringList texts;
    const qint64 open = m_core.conversations().currentConversation();
    for (const app::QueuedMessage& message : m_core.conversations().queue())
        if (message.conversationId == open) texts += message.text;
    m_composer->setQueued(texts);
    using Waiting = Composer::WaitingReply;
    const app::WaitingReply reply = m_core.conversations().waitingReply();
    m_composer->setWaitingReply(reply.messageId == 0 ? Waiting::None
                                : reply.anew         ? Waiting::Again
                                                     : Waiting::On);
    m_composer->setOtherChat(
        isWritingHere() ? QString() : titleOf(m_core.conversations().writingConversation()));
}

void ChatPage::askAboutContext(const app::ContextQuestion& question)
{
    if (question.reply.conversationId != m_core.conversations().currentConversation()) return;
    m_context->ask(question, m_core.inference().model().name);
    showModelState();
    announce(m_context->title());
}

void ChatPage::openFind()
{
    if (m_body->currentWidget() == m_transcript) m_find->open();
}

// The words that were sought are found in the chat as if they were sought there.
void ChatPage::showFound(qint64 messageId, const QString& words)
{
    const QString found = m_transcript->showInMessage(messageId, words);
    if (found.isEmpty()) return;
    m_find->showFor(found);
    m_find->setResult(m_transcript->findPosition(), m_transcript->findCount());
}

void ChatPage::setNarrow(bool narrow)
{
    // Between two rails the page is as narrow as its content allows.
    setMinimumWidth(narrow ? 0 : kLeastWidth);
    m_header->chip()->setNarrow(narrow);
    m_composer->setNarrow(narrow);
}

void ChatPage::focusComposer()
{
    m_composer->edit()->setFocus();
}

void ChatPage::editLastMessage()
{
    const QList<app::Message> messages = m_core.conversations().messages();
    const auto last = std::find_if(messages.rbegin(), messages.rend(), [](const auto& message) {
        return message.role == app::Role::User;
    });
    if (last != messages.rend()) m_transcript->startEditing(last->id);
}

void ChatPage::regenerateLast()
{
    const QList<app::Message> messages = m_core.conversations().messages();
    if (!messages.isEmpty()) m_core.conversations().regenerate(messages.last().id);
}

void ChatPage::copyLastAnswer()
{
    const QList<app::Message> messages = m_core.conversations().messages();
    const auto last = std::find_if(messages.rbegin(), messages.rend(), [](const auto& message) {
        return message.role == app::Role::Assistant;
    });
    if (last != messages.rend())
        QGuiApplication::clipboard()->setText(m_transcript->message(last->id).text);
}

bool ChatPage::escape()
{
    if (m_closing->isVisible()) {
        Q_EMIT m_closing->dismissed();
        return true;
    }
    if (m_find->isVisible()) {
        m_find->dismiss();
        return true;
    }
    if (leaveCard()) return true;
    if (m_composer->state() != Composer::State::Writing) return false;
    m_core.conversations().stop();
    return true;
}

// A card that has the focus; the composer's Esc is about the reply.
bool ChatPage::leaveCard()
{
    const QWidget* focus = QApplication::focusWidget();
    if (m_error->isAncestorOf(focus))
        Q_EMIT m_error->dismissed();
    else if (m_context->isAncestorOf(focus))
        m_context->stopHere();
    else
        return false;
    return true;
}

void ChatPage::showNotice(const QString& sentence, NoticeScope scope)
{
    m_noticeScope = scope;
    m_notice->showNotice(NoticeStrip::Kind::Info, sentence);
}

// What it says is no longer so.
void ChatPage::endNotice(NoticeScope scope)
{
    if (m_noticeScope == scope) m_notice->hide();
}

// The card, for good.
void ChatPage::endFailure()
{
    m_failedChat.reset();
    m_error->hide();
}

// One card says it where the window was to be closed.
void ChatPage::showStorage()
{
    m_storage->setVisible(m_core.store().isTroubled() && m_closing->isHidden());
}

// For assistive technology: what happened, never single tokens.
void ChatPage::announce(const QString& sentence)
{
    QAccessibleAnnouncementEvent event(m_transcript, sentence);
    QAccessible::updateAccessibility(&event);
}

void ChatPage::measure(qint64 messageId)
{
    if (m_live.messageId != messageId) {
        m_live.messageId = messageId;
        m_live.tokens = 0;
        m_live.clock.start();
    }
    ++m_live.tokens;
    if (m_liveTimer.isActive() || !isWritingHere()) return;
    m_liveTimer.start();
    showLive();
}

void ChatPage::showLive()
{
    const double seconds = static_cast<double>(m_live.clock.elapsed()) / 1000;
    // The first token ends the prefill; decoding is measured from there.
    const double speed = seconds > 0.05 ? (m_live.tokens - 1) / seconds : 0;
    m_transcript->setLive(m_live.messageId, speed, m_live.tokens, seconds);
}

// Where nothing takes what is typed it is the next message.
void ChatPage::keyPressEvent(QKeyEvent* event)
{
    if (!isTyped(*event) || !m_composer->isVisible()) return QWidget::keyPressEvent(event);
    focusComposer();
    QCoreApplication::sendEvent(m_composer->edit(), event);
}

void ChatPage::paintEvent(QPaintEvent*)
{
    QPainter(this).fillRect(rect(), m_theme.color(Theme::Token::Surface));
}

void ChatPage::resizeEvent(QResizeEvent*)
{
    shareHeight();
    if (m_drop->isVisible()) m_drop->setGeometry(rect());
}

// Something on the page is of another size.
bool ChatPage::event(QEvent* event)
{
    if (event->type() == QEvent::LayoutRequest) shareHeight();
    return QWidget::event(event);
}

// A note that comes or goes is seen at once.
bool ChatPage::eventFilter(QObject* object, QEvent* event)
{
    if (event->type() == QEvent::ShowToParent || event->type() == QEvent::HideToParent) {
        if (object == m_closing) showStorage();
        shareHeight();
    }
    return QWidget::eventFilter(object, event);
}

} // namespace ui
