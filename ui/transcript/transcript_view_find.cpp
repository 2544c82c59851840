// The search of TranscriptView.
#include "ui/transcript/transcript_view_p.h"
#include "ui/transcript/wide_surface.h"
#include "ui/widgets/marked_scroll_bar.h"

#include <algorithm>
#include <utility>

namespace ui {

int TranscriptView::setFindText(const QString& text, Qt::CaseSensitivity sensitivity)
{
    return d->startSearch(text, sensitivity);
}

int TranscriptView::findCount() const
{
    return static_cast<int>(d->hits.size());
}

int TranscriptView::findPosition() const
{
    return static_cast<int>(d->hit) + 1;
}

void TranscriptView::findNext()
{
    d->stepTo(d->hit + 1);
}

void TranscriptView::findPrevious()
{
    d->stepTo(std::max<qsizetype>(d->hit, 0) + d->hits.size() - 1);
}

QString TranscriptView::showInMessage(qint64 id, const QString& words)
{
    const auto* entry = d->column.find(id);
    if (!entry) return {};
    const app::Message message = d->column.messageOf(*entry);
    const QString phrase = words.simplified();
    for (const QString& text : QStringList{phrase} + phrase.split(u' ', Qt::SkipEmptyParts)) {
        const QList<FindHit> found = findIn(message, text, Qt::CaseInsensitive);
        if (found.isEmpty()) continue;
        d->lastHit = found.constFirst();
        d->startSearch(text, Qt::CaseInsensitive);
        d->returnsToEnd = false; // it was gone to
        return text;
    }
    showMessage(id);
    return {};
}

int TranscriptView::Private::startSearch(const QString& text, Qt::CaseSensitivity sensitivity)
{
    if (findText.isEmpty()) returnsToEnd = following;
    findText = text;
    findSensitivity = sensitivity;
    hit = -1;
    if (text.isEmpty()) lastHit.reset();
    if (text.isEmpty() && std::exchange(returnsToEnd, false)) q->scrollToEnd();
    collectHits();
    showMarks();
    if (!hits.isEmpty()) goTo(lastHit ? firstHitFrom(*lastHit) : firstHitInView());
    Q_EMIT q->findChanged(q->findPosition(), q->findCount());
    return q->findCount();
}

void TranscriptView::Private::searchSoon()
{
    if (!findText.isEmpty()) search.start();
}

void TranscriptView::Private::searchAgain()
{
    if (findText.isEmpty()) return;
    const FindHit current = hit >= 0 ? hits.at(hit) : FindHit();
    collectHits();
    // One that went leaves its place to the next, and the view where it is.
    hit = current.id == 0 || hits.isEmpty() ? -1 : firstHitFrom(current);
    showMarks();
    Q_EMIT q->findChanged(q->findPosition(), q->findCount());
}

void TranscriptView::Private::collectHits()
{
    hits.clear();
    barMarksAreOld = true;
    if (findText.isEmpty()) return;
    for (const auto& entry : column.entries())
        hits += findIn(column.messageOf(entry), findText, findSensitivity);
}

void TranscriptView::Private::endFindMarks()
{
    hits.clear();
    hit = -1;
    lastHit.reset();
    returnsToEnd = false;
    barMarksAreOld = true;
}

/// After the last comes the first again.
qsizetype TranscriptView::Private::firstHitFrom(const FindHit& start) const
{
    const auto found = std::ranges::lower_bound(hits, start);
    return found == hits.end() ? 0 : found - hits.begin();
}

qsizetype TranscriptView::Private::firstHitInView() const
{
    const int top = q->verticalScrollBar()->value();
    const auto found = std::ranges::find_if(
        hits, [&](const FindHit& candidate) { return topOfHit(candidate) >= top; });
    return found == hits.end() ? 0 : found - hits.begin();
}

/// The line's, as far as it is laid out; else what is known of what it is in.
int TranscriptView::Private::topOfHit(const FindHit& target) const
{
    const auto* entry = column.find(target.id);
    if (!entry) return 0;
    BlockStack* stack = entry->widget ? entry->widget->stackOf(target.part) : nullptr;
    if (!stack) return entry->top;
    const BlockStack::Place place = stack->placeOf(target.block);
    const int stackTop = entry->top + entry->widget->stackTop(target.part);
    if (!place.surface) return stackTop + stack->topOf(target.block);
    const QRectF line = place.surface->placeOf(
        {.fragment = place.fragment + target.fragment, .offset = target.offset}, 1);
    return stackTop + place.surface->mapTo(stack, line.topLeft().toPoint()).y();
}

/// Where it stands in the whole, as far as that is known.
int TranscriptView::Private::barPlaceOf(const FindHit& target,
                                        const TranscriptColumn::Entry& entry) const
{
    BlockStack* stack = entry.widget ? entry.widget->stackOf(target.part) : nullptr;
    if (stack && stack->placeOf(target.block).surface) return topOfHit(target);
    if (stack)
        return entry.top + entry.widget->stackTop(target.part) + stack->topOfShare(target.share);
    const bool folded = target.part == MessageAnchor::Part::Thought;
    return entry.top + (folded ? 0 : qRound(target.share * entry.height));
}

/// Among very many some stand for all: the bar has fewer rows.
void TranscriptView::Private::showBarMarks()
{
    constexpr qsizetype kMost = 2000;
    if (!barMarksAreOld && column.totalHeight() == barMarksHeight) return;
    barMarksAreOld = false;
    barMarksHeight = column.totalHeight();
    QList<double> shares;
    const TranscriptColumn::Entry* entry = nullptr;
    for (qsizetype i = 0; i < hits.size(); i += 1 + hits.size() / kMost) {
        if (!entry || entry->message.id != hits[i].id) entry = column.find(hits[i].id);
        if (entry && barMarksHeight > 0)
            shares += static_cast<double>(barPlaceOf(hits[i], *entry)) / barMarksHeight;
    }
    bar->setMarks(shares, theme->color(Theme::Token::Warn));
}

void TranscriptView::Private::showMarks()
{
    if (column.isReady()) showBarMarks();
    for (auto& entry : column.entries())
        if (entry.widget) showMarksIn(*entry.widget);
}

void TranscriptView::Private::showMarksIn(MessageWidget& widget)
{
    const FindHit current = hit >= 0 ? hits.at(hit) : FindHit{.block = -1};
    for (const auto part : {MessageAnchor::Part::Thought, MessageAnchor::Part::Body}) {
        BlockStack* stack = widget.stackOf(part);
        if (!stack) continue;
        stack->setFindMarks(marks());
        const bool here = hit >= 0 && current.id == widget.message().id && current.part == part;
        stack->setCurrentFind(here ? current.block : -1, current.fragment, current.offset);
    }
}

/// By hand: what is found there is what was sought. After the last comes the first again.
void TranscriptView::Private::stepTo(qsizetype index)
{
    if (hits.isEmpty()) return;
    returnsToEnd = false;
    goTo(index % hits.size());
}

void TranscriptView::Private::goTo(qsizetype index)
{
    hit = index;
    lastHit = hits.at(index);
    if (!column.isReady()) return;
    setFollowing(false);
    bringIntoView(*lastHit);
    showMarks();
    Q_EMIT q->findChanged(q->findPosition(), q->findCount());
}

/// First its message, so that it is real and can be unfolded, then its block, then its line.
void TranscriptView::Private::bringIntoView(const FindHit& target)
{
    const auto* entry = column.find(target.id);
    if (!entry) return;
    if (!entry->widget) {
        anchor = {.id = target.id, .inMessage = {}, .offset = kTopMargin};
        layOut();
    }
    if (!entry->widget) return; // there is no room yet
    entry->widget->reveal(target.part);
    if (BlockStack* stack = entry->widget->stackOf(target.part)) stack->readAll();
    layOut();
    const int third = q->viewport()->height() / 3;
    constexpr int kSteps = 3; // a block that is not real yet tells no lines
    for (int step = 0; step < kSteps; ++step) {
        const int value = q->verticalScrollBar()->value();
        const int line = topOfHit(target) - value;
        if (line >= third / 3 && line <= 2 * third + third / 2) break;
        anchor = {.id = target.id,
                  .inMessage = {.part = target.part, .block = target.block},
                  .offset = 0};
        anchor.offset = column.heightOf(anchor) - (value + line - third);
        layOut();
    }
    showColumnOf(target);
}

/// Scrolls what is wider than the column.
void TranscriptView::Private::showColumnOf(const FindHit& target)
{
    const auto* entry = column.find(target.id);
    BlockStack* stack = entry->widget ? entry->widget->stackOf(target.part) : nullptr;
    if (!stack) return;
    const BlockStack::Place place = stack->placeOf(target.block);
    auto* wide = qobject_cast<WideSurface*>(place.surface);
    if (!wide) return;
    const TextPosition position{.fragment = place.fragment + target.fragment,
                                .offset = target.offset};
    const QRectF rect = wide->placeOf(position, target.length);
    wide->scrollTo(rect.left() + wide->scrolled(), rect.right() + wide->scrolled());
}

} // namespace ui
