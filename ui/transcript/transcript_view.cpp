#include "ui/transcript/transcript_view.h"

#include "app/inference/count_text.h"
#include "ui/transcript/link_popup.h"
#include "ui/transcript/message_accessible.h"
#include "ui/transcript/newest_pill.h"
#include "ui/transcript/transcript_column.h"
#include "ui/transcript/transcript_find.h"
#include "ui/transcript/transcript_view_p.h"
#include "ui/transcript/user_message.h"
#include "ui/widgets/marked_scroll_bar.h"

#include <QAccessible>
#include <QApplication>
#include <QKeyEvent>
#include <QResizeEvent>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <cstdlib>

namespace ui {

namespace {

constexpr int kPillDistance = 12; ///< from the lower edge
constexpr int kPillGap = 4;       ///< from a button
constexpr int kFirstSteps = 1;    ///< ahead, of what is new: heights are estimates yet

} // namespace

TranscriptView::TranscriptView(QWidget* parent)
    : QAbstractScrollArea(parent)
    , d(std::make_unique<Private>(this))
{
    installMessageAccessibility();
    setFrameShape(NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    viewport()->setFocusPolicy(Qt::NoFocus);
    setAccessibleName(tr("Conversation"));
    verticalScrollBar()->setSingleStep(40);
}

TranscriptView::~TranscriptView() = default;

void TranscriptView::setTheme(const Theme* theme)
{
    if (d->theme) disconnect(d->theme, nullptr, this, nullptr);
    d->theme = theme;
    connect(theme, &Theme::changed, this, [this] { d->applyTheme(); });
    d->applyTheme();
}

void TranscriptView::setMessages(const QList<app::Message>& messages)
{
    d->column.setMessages(messages);
    d->following = true;
    d->aheadSteps = kFirstSteps;
    d->endFindMarks();
    d->layOut();
    d->searchSoon();
}

void TranscriptView::appendMessage(const app::Message& message)
{
    d->column.append(message);
    if (message.role == app::Role::User) d->setFollowing(true);
    d->layOut();
    d->searchSoon();
}

void TranscriptView::setContextStart(qint64 id, const QString& summary)
{
    d->column.setContextStart(id, summary);
    d->layOut();
}

void TranscriptView::updateMessage(const app::Message& message)
{
    auto* entry = d->column.find(message.id);
    if (!entry) return;
    const bool wasWriting = entry->message.state == app::MessageState::Writing;
    d->column.update(*entry, message);
    d->layOut();
    d->searchSoon();
    if (wasWriting && message.state != app::MessageState::Writing) d->announceEnd(message);
}

void TranscriptView::removeMessage(qint64 id)
{
    d->column.remove(id);
    d->layOut();
    d->searchSoon();
}

void TranscriptView::grow(qint64 id, const app::ReplyGrowth& growth)
{
    auto* entry = d->column.find(id);
    if (!entry || growth.isEmpty()) return;
    entry->pending += growth;
    d->showSoon();
}

void TranscriptView::setReading(qint64 id, int done, int total)
{
    d->setLive(id, {.read = done, .toRead = total});
}

void TranscriptView::setLive(qint64 id, double tokensPerSecond, int tokens, double seconds)
{
    d->setLive(id, {.tokensPerSecond = tokensPerSecond, .tokens = tokens, .seconds = seconds});
}

void TranscriptView::setBranches(qint64 id, int index, int count)
{
    auto* entry = d->column.find(id);
    if (!entry) return;
    entry->branch = index;
    entry->branches = count;
    if (!entry->widget) return;
    entry->widget->setBranches(index, count);
    d->layOut();
}

void TranscriptView::clear()
{
    setMessages({});
}

app::Message TranscriptView::message(qint64 id) const
{
    const auto* entry = d->column.find(id);
    return entry ? d->column.messageOf(*entry) : app::Message();
}

void TranscriptView::startEditing(qint64 id)
{
    auto* entry = d->column.find(id);
    if (!entry || !d->column.isReady()) return;
    d->scrollToMessage(*entry);
    if (auto* user = qobject_cast<UserMessage*>(d->column.widgetOf(*entry))) user->startEditing();
}

bool TranscriptView::isFollowing() const
{
    return d->following;
}

void TranscriptView::scrollToEnd()
{
    d->setFollowing(true);
    d->layOut();
}

void TranscriptView::showMessage(qint64 id)
{
    if (!d->column.find(id)) return;
    d->setFollowing(false);
    d->anchor = {.id = id, .inMessage = {}, .offset = Private::kTopMargin};
    d->layOut();
}

// --- events --------------------------------------------------------------------------------------

bool TranscriptView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::Paint && d->column.isReady()) {
        QPainter painter(viewport());
        painter.fillRect(viewport()->rect(), d->column.style().color(Theme::Token::Surface));
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void TranscriptView::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    d->layOut();
    // What was gone to stays in sight, also where that was before there was room to show it.
    if (d->lastHit) d->bringIntoView(*d->lastHit);
}

void TranscriptView::scrollContentsBy(int, int dy)
{
    d->scrolledBy(dy);
}

void TranscriptView::wheelEvent(QWheelEvent* event)
{
    // At once, whatever the wheel will come to.
    const bool upward = event->angleDelta().y() > 0 || event->pixelDelta().y() > 0;
    if (upward && verticalScrollBar()->maximum() > 0) d->setFollowing(false);
    QAbstractScrollArea::wheelEvent(event);
}

void TranscriptView::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Up:
        d->moveFocus(-1);
        break;
    case Qt::Key_Down:
        d->moveFocus(1);
        break;
    case Qt::Key_PageUp:
        verticalScrollBar()->triggerAction(QScrollBar::SliderPageStepSub);
        break;
    case Qt::Key_PageDown:
        verticalScrollBar()->triggerAction(QScrollBar::SliderPageStepAdd);
        break;
    case Qt::Key_Home:
        verticalScrollBar()->setValue(0);
        break;
    case Qt::Key_End:
        scrollToEnd();
        break;
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

// --- private: layout and scrolling ---------------------------------------------------------------

TranscriptView::Private::Private(TranscriptView* view)
    : q(view)
    , column(view->viewport())
    , bar(new MarkedScrollBar(view))
{
    view->setVerticalScrollBar(bar);
    frame.setSingleShot(true);
    connect(&frame, &QTimer::timeout, q, [this] { showPending(); });
    search.setSingleShot(true);
    search.setInterval(kSearchMs);
    connect(&search, &QTimer::timeout, q, [this] { searchAgain(); });
    lookAhead.setSingleShot(true);
    connect(&lookAhead, &QTimer::timeout, q, [this] {
        ++aheadSteps;
        layOut();
    });
    connect(&column, &TranscriptColumn::heightChanged, q, [this] {
        aheadSteps = kFirstSteps; // all may be new
        layOut();
    });
    connect(&column, &TranscriptColumn::widgetMade, q,
            [this](MessageWidget* widget) { connectWidget(widget); });
    sinceFrame.start();
}

void TranscriptView::Private::applyTheme()
{
    column.setTheme(*theme);
    barMarksAreOld = true;
    if (!pill) {
        pill = new NewestPill(*theme, q);
        connect(pill, &QAbstractButton::clicked, q, &TranscriptView::scrollToEnd);
        pill->hide();
    }
    layOut();
    q->viewport()->update();
}

void TranscriptView::Private::setLive(qint64 id, const LiveNumbers& numbers)
{
    auto* entry = column.find(id);
    if (!entry) return;
    entry->live = numbers;
    entry->liveChanged = true;
    showSoon();
}

/// Tokens are collected for a frame; a single one is shown at once.
void TranscriptView::Private::showSoon()
{
    if (frame.isActive()) return;
    const qint64 rest = kFrameMs - sinceFrame.elapsed();
    frame.start(static_cast<int>(std::max<qint64>(rest, 0)));
}

void TranscriptView::Private::showPending()
{
    sinceFrame.restart();
    if (!column.showPending()) return;
    ++frames;
    layOut();
    if (!findText.isEmpty() && !search.isActive()) search.start();
}

void TranscriptView::Private::layOut()
{
    if (laying || !column.isReady() || q->width() == 0) return;
    laying = true;
    const int height = q->viewport()->height();
    // While it follows, the view ends at the bottom; only a selection lets text grow out of reach.
    const bool selecting = isSelecting();
    if (selecting && bar->maximum() - bar->value() > kNearBottom) setFollowing(false);
    const bool keepsToEnd = following && !selecting;

    column.setViewWidth(q->width());
    column.arrange();
    const int ahead = height * kAhead * aheadSteps / kAheadSteps;
    constexpr int kPasses = 6; // estimates become heights; each pass brings more in sight
    int value = 0;
    for (int pass = 0; pass < kPasses; ++pass) {
        const int most = std::max(0, column.totalHeight() - height);
        value = keepsToEnd ? most : column.heightOf(anchor) - anchor.offset;
        value = std::clamp(value, 0, most);
        if (!column.realize(value - ahead, value + height + ahead)) break;
    }
    const int most = std::max(0, column.totalHeight() - height);
    value = std::clamp(keepsToEnd ? most : column.heightOf(anchor) - anchor.offset, 0, most);
    bar->setPageStep(height);
    bar->setRange(0, most);
    bar->setValue(value);
    column.place(value);
    anchor = column.anchorAt(value);
    updatePill();
    showBarMarks();
    if (aheadSteps < kAheadSteps) lookAhead.start();
    laying = false;
}

void TranscriptView::Private::scrolledBy(int dy)
{
    if (laying) return;
    lastHit.reset();
    returnsToEnd = false;
    if (std::abs(dy) > q->viewport()->height()) aheadSteps = kFirstSteps;
    if (bar->value() >= bar->maximum())
        setFollowing(true);
    else if (dy > 0)
        setFollowing(false);
    anchor = column.anchorAt(bar->value());
    layOut();
}

void TranscriptView::Private::setFollowing(bool follow)
{
    if (follow == following) return;
    following = follow;
    if (follow) anchor = {};
    updatePill();
    Q_EMIT q->followingChanged(follow);
}

void TranscriptView::Private::updatePill()
{
    if (!pill) return;
    const bool away = bar->maximum() - bar->value() > kNearBottom;
    const bool shown = away && !(following && !isSelecting());
    if (shown) pill->setGeometry(placeForPill());
    if (shown && pill->isHidden()) pill->raise();
    pill->setVisible(shown);
}

/// At the lower edge, or above the buttons that are there: it covers nothing one could click.
QRect TranscriptView::Private::placeForPill() const
{
    const QSize size = pill->sizeHint();
    const QRect view = q->viewport()->geometry();
    QRect place(
        {view.x() + (q->width() - size.width()) / 2, view.bottom() - kPillDistance - size.height()},
        size);
    QList<QRect> buttons;
    for (const auto* button : q->viewport()->findChildren<QAbstractButton*>())
        if (button->isVisible()) buttons += QRect(button->mapTo(q, QPoint(0, 0)), button->size());
    std::ranges::sort(buttons, std::ranges::greater(), &QRect::bottom);
    for (const QRect& button : std::as_const(buttons)) {
        if (!button.adjusted(0, -kPillGap, 0, kPillGap).intersects(place)) continue;
        const QRect above = place.translated(0, button.top() - kPillGap - 1 - place.bottom());
        if (above.top() < view.top() + view.height() / 2) break;
        place = above;
    }
    return place;
}

bool TranscriptView::Private::isSelecting() const
{
    return selected && (selected->hasSelection() || selected->isSelecting());
}

void TranscriptView::Private::scrollToMessage(const TranscriptColumn::Entry& entry)
{
    const int height = q->viewport()->height();
    const bool above = entry.top < bar->value();
    const bool below = entry.top + entry.height > bar->value() + height;
    if (above || (below && entry.height >= height))
        bar->setValue(entry.top - kTopMargin);
    else if (below)
        bar->setValue(entry.top + entry.height - height + kTopMargin);
}

void TranscriptView::Private::moveFocus(int step)
{
    auto& entries = column.entries();
    if (entries.empty()) return;
    const auto* now = column.entryOf(QApplication::focusWidget());
    const auto last = std::ssize(entries) - 1;
    const auto index =
        now ? std::clamp<std::ptrdiff_t>(now - entries.data() + step, 0, last) : last;
    const qint64 id = entries[static_cast<size_t>(index)].message.id;
    scrollToMessage(entries[static_cast<size_t>(index)]);
    column.setCurrent(id);
    MessageWidget* widget = column.widgetOf(*column.find(id));
    layOut();
    widget->setFocus(Qt::TabFocusReason);
}

// --- private: what messages ask for --------------------------------------------------------------

void TranscriptView::Private::connectWidget(MessageWidget* widget)
{
    const qint64 id = widget->message().id;
    connect(widget, &MessageWidget::copyRequested, q, [this, id] { Q_EMIT q->copyRequested(id); });
    connect(widget, &MessageWidget::regenerateRequested, q,
            [this, id] { Q_EMIT q->regenerateRequested(id); });
    connect(widget, &MessageWidget::continueRequested, q,
            [this, id] { Q_EMIT q->continueRequested(id); });
    connect(widget, &MessageWidget::deleteRequested, q,
            [this, id] { Q_EMIT q->deleteRequested(id); });
    connect(widget, &MessageWidget::branchRequested, q,
            [this, id](int index) { Q_EMIT q->branchRequested(id, index); });
    connect(widget, &MessageWidget::editRequested, q,
            [this, id](const QString& text) { Q_EMIT q->editRequested(id, text); });
    connect(widget, &MessageWidget::editingChanged, q,
            [this, id](bool editing) { column.setDimmedAfter(id, editing); });
    connect(widget, &MessageWidget::unfolding, q, [this] { setFollowing(false); });
    connect(widget, &MessageWidget::surfaceAdded, q,
            [this](TextSurface* surface) { connectSurface(surface); });
    showMarksIn(*widget);
}

void TranscriptView::Private::connectSurface(TextSurface* surface)
{
    connect(surface, &TextSurface::linkClicked, q,
            [this](const QUrl& url, const QPoint& position) { askToOpen(url, position); });
    connect(surface, &TextSurface::selectionChanged, q, [this, surface] {
        // One selection in the whole transcript.
        if (selected && selected != surface) selected->clearSelection();
        selected = surface;
        updatePill();
    });
}

void TranscriptView::Private::askToOpen(const QUrl& url, const QPoint& position)
{
    if (!openableUrl(url.toString(QUrl::FullyEncoded))) return;
    auto* popup = new LinkPopup(column.style(), url, q);
    connect(popup, &LinkPopup::agreed, q, &TranscriptView::linkActivated);
    popup->openAt(position);
}

void TranscriptView::Private::announceEnd(const app::Message& message)
{
    const QString words =
        message.state == app::MessageState::Failed
            ? message.error
            : tr("Answer finished, %1").arg(app::tokensText(message.stats.tokens));
    QAccessibleAnnouncementEvent event(q, words);
    QAccessible::updateAccessibility(&event);
}

} // namespace ui
