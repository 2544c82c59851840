// The search of TranscriptView.
#include "ui/transcript/transcript_view_p.h"
#include "ui/transcript/wide_surface.h"

#include <QScrollBar>

#include <algorithm>

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
    if (!d->hits.isEmpty()) d->goTo((d->hit + 1) % d->hits.size());
}

void TranscriptView::findPrevious()
{
    if (!d->hits.isEmpty())
        d->goTo((std::max<qsizetype>(d->hit, 0) + d->hits.size() - 1) % d->hits.size());
}

int TranscriptView::Private::startSearch(const QString& text, Qt::CaseSensitivity sensitivity)
{
    findText = text;
    findSensitivity = sensitivity;
    hit = -1;
    collectHits();
    showMarks();
    if (!hits.isEmpty()) goTo(firstHitInView());
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
    hit = hits.indexOf(current);
    showMarks();
    Q_EMIT q->findChanged(q->findPosition(), q->findCount());
}

void TranscriptView::Private::collectHits()
{
    hits.clear();
    if (findText.isEmpty()) return;
    for (const auto& entry : column.entries())
        hits += findIn(column.messageOf(entry), findText, findSensitivity);
}

void TranscriptView::Private::endFindMarks()
{
    hits.clear();
    hit = -1;
}

qsizetype TranscriptView::Private::firstHitInView() const
{
    const int top = q->verticalScrollBar()->value();
    const auto found = std::ranges::find_if(hits, [&](const FindHit& candidate) {
        const auto* entry = column.find(candidate.id);
        if (!entry) return false;
        if (!entry->widget) return entry->top >= top;
        BlockStack* stack = entry->widget->stackOf(candidate.part);
        const int inMessage =
            stack ? entry->widget->stackTop(candidate.part) + stack->topOf(candidate.block) : 0;
        return entry->top + inMessage >= top;
    });
    return found == hits.end() ? 0 : found - hits.begin();
}

void TranscriptView::Private::showMarks()
{
    const FindHit current = hit >= 0 ? hits.at(hit) : FindHit{.block = -1};
    for (auto& entry : column.entries()) {
        if (!entry.widget) continue;
        for (const auto part : {MessageAnchor::Part::Thought, MessageAnchor::Part::Body}) {
            BlockStack* stack = entry.widget->stackOf(part);
            if (!stack) continue;
            stack->setFindMarks(marks());
            const bool here = hit >= 0 && current.id == entry.message.id && current.part == part;
            stack->setCurrentFind(here ? current.block : -1, current.fragment, current.offset);
        }
    }
}

/// Brings an occurrence into view: first its block, so that it is real, then its line.
void TranscriptView::Private::goTo(qsizetype index)
{
    hit = index;
    const FindHit& target = hits.at(index);
    auto* entry = column.find(target.id);
    if (!entry || !column.isReady()) return;
    setFollowing(false);
    MessageWidget* widget = column.widgetOf(*entry);
    widget->reveal(target.part);
    layOut();
    BlockStack* stack = widget->stackOf(target.part);
    if (!stack) return;
    QScrollBar* bar = q->verticalScrollBar();
    const int third = q->viewport()->height() / 3;
    const auto blockTop = [&] {
        return entry->top + widget->stackTop(target.part) + stack->topOf(target.block);
    };
    const int far = blockTop() - bar->value();
    if (far < 0 || far > 2 * third) bar->setValue(blockTop() - third);
    showMarks();
    const BlockStack::Place place = stack->placeOf(target.block);
    if (place.surface) {
        const TextPosition position{.fragment = place.fragment + target.fragment,
                                    .offset = target.offset};
        const QRectF rect = place.surface->placeOf(position, static_cast<int>(findText.size()));
        if (auto* wide = qobject_cast<WideSurface*>(place.surface))
            wide->scrollTo(rect.left() + wide->scrolled(), rect.right() + wide->scrolled());
        const int line = place.surface->mapTo(q->viewport(), rect.topLeft().toPoint()).y();
        if (line < third / 3 || line > 2 * third + third / 2)
            bar->setValue(bar->value() + line - third);
    }
    Q_EMIT q->findChanged(q->findPosition(), q->findCount());
}

} // namespace ui
