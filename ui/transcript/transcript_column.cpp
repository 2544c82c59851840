#include "ui/transcript/transcript_column.h"

#include "ui/theme/page_column.h"
#include "ui/transcript/context_line.h"
#include "ui/transcript/user_message.h"

#include <QApplication>

#include <algorithm>
#include <utility>

namespace ui {

namespace {

constexpr int kTopPadding = 16;
constexpr int kBottomPadding = 18;
constexpr int kBeforeReply = 12;
constexpr int kBeforeQuestion = 20;

int gapBefore(const app::Message& message)
{
    return message.role == app::Role::User ? kBeforeQuestion : kBeforeReply;
}

} // namespace

TranscriptColumn::TranscriptColumn(QWidget* viewport)
    : m_viewport(viewport)
{
}

void TranscriptColumn::setTheme(const Theme& theme)
{
    for (Entry& entry : m_entries)
        dropWidget(entry);
    // In place: widgets on their way out still refer to it.
    if (m_style)
        *m_style = TranscriptStyle(theme);
    else
        m_style = std::make_unique<TranscriptStyle>(theme);
    m_viewWidth = 0;
}

// --- messages ------------------------------------------------------------------------------------

TranscriptColumn::Entry* TranscriptColumn::find(qint64 id)
{
    const auto found = std::ranges::find_if(
        m_entries, [id](const Entry& entry) { return entry.message.id == id; });
    return found == m_entries.end() ? nullptr : &*found;
}

const TranscriptColumn::Entry* TranscriptColumn::find(qint64 id) const
{
    return const_cast<TranscriptColumn*>(this)->find(id);
}

void TranscriptColumn::setMessages(const QList<app::Message>& messages)
{
    for (Entry& entry : m_entries)
        dropWidget(entry);
    m_entries.clear();
    m_current = 0;
    m_contextStart = 0;
    for (const app::Message& message : messages) {
        if (message.role == app::Role::System) continue;
        m_entries.emplace_back().message = message;
        m_entries.back().height = estimate(m_entries.back());
    }
    updateLast();
}

void TranscriptColumn::append(const app::Message& message)
{
    if (message.role == app::Role::System) return;
    m_entries.emplace_back().message = message;
    m_entries.back().height = estimate(m_entries.back());
    updateLast();
}

void TranscriptColumn::remove(qint64 id)
{
    Entry* entry = find(id);
    if (!entry) return;
    dropWidget(*entry);
    m_entries.erase(m_entries.begin() + (entry - m_entries.data()));
    updateLast();
}

void TranscriptColumn::updateLast()
{
    for (Entry& entry : m_entries)
        if (entry.widget) entry.widget->setIsLast(&entry == &m_entries.back());
    const bool known = find(m_current) != nullptr;
    if (!m_entries.empty() && !known) setCurrent(m_entries.back().message.id);
}

app::Message TranscriptColumn::messageOf(const Entry& entry) const
{
    app::Message message = entry.widget ? entry.widget->message() : entry.message;
    message += entry.pending;
    return message;
}

void TranscriptColumn::update(Entry& entry, const app::Message& message)
{
    if (entry.widget) {
        if (!entry.pending.isEmpty()) entry.widget->grow(entry.pending);
        entry.widget->setMessage(message);
    }
    entry.pending.clear();
    entry.message = message;
    if (!entry.widget) entry.height = estimate(entry);
}

bool TranscriptColumn::showPending()
{
    bool changed = false;
    for (Entry& entry : m_entries) {
        if (entry.pending.isEmpty() && !entry.liveChanged) continue;
        changed = true;
        auto* reply = qobject_cast<ReplyMessage*>(entry.widget);
        if (entry.liveChanged && reply) reply->setLive(entry.live);
        if (!entry.pending.isEmpty()) {
            if (entry.widget) {
                entry.widget->grow(entry.pending);
            } else {
                entry.message += entry.pending;
                entry.height = estimate(entry);
            }
        }
        entry.pending.clear();
        entry.liveChanged = false;
    }
    return changed;
}

// --- widgets -------------------------------------------------------------------------------------

int TranscriptColumn::estimate(const Entry& entry) const
{
    if (!m_style || m_columnWidth == 0) return 0;
    MarkdownBlock block;
    block.kind = MarkdownBlock::Kind::Plain;
    block.text = entry.message.role == app::Role::User
                     ? UserMessage::shownText(entry.message.text, entry.whole)
                     : entry.message.text;
    return estimatedHeight(block, m_columnWidth, *m_style) + 2 * m_style->px(24);
}

MessageWidget* TranscriptColumn::widgetOf(Entry& entry)
{
    if (!entry.widget) makeWidget(entry);
    return entry.widget;
}

void TranscriptColumn::makeWidget(Entry& entry)
{
    const TranscriptParts parts{.style = *m_style, .languages = m_languages};
    if (entry.message.role == app::Role::User) {
        entry.widget = new UserMessage(parts, entry.message, entry.whole, m_viewport);
    } else {
        auto* reply = new ReplyMessage(parts, entry.message, entry.memory, m_viewport);
        reply->setLive(entry.live);
        entry.widget = reply;
    }
    entry.widget->setBranches(entry.branch, entry.branches);
    entry.widget->setIsLast(&entry == &m_entries.back());
    entry.widget->setFocusPolicy(entry.message.id == m_current ? Qt::TabFocus : Qt::NoFocus);
    connect(entry.widget, &MessageWidget::heightChanged, this, &TranscriptColumn::heightChanged);
    Q_EMIT widgetMade(entry.widget);
    entry.widget->setColumnWidth(m_columnWidth);
    entry.height = entry.widget->messageHeight();
}

void TranscriptColumn::dropWidget(Entry& entry)
{
    if (!entry.widget) return;
    if (const auto* reply = qobject_cast<ReplyMessage*>(entry.widget))
        entry.memory = reply->memory();
    if (const auto* user = qobject_cast<UserMessage*>(entry.widget)) entry.whole = user->isWhole();
    entry.message = entry.widget->message();
    entry.widget->hide();
    entry.widget->deleteLater();
    entry.widget = nullptr;
}

TranscriptColumn::Entry* TranscriptColumn::entryOf(const QWidget* widget)
{
    for (Entry& entry : m_entries) {
        if (!entry.widget || !widget) continue;
        if (entry.widget == widget || entry.widget->isAncestorOf(widget)) return &entry;
    }
    return nullptr;
}

void TranscriptColumn::setCurrent(qint64 id)
{
    m_current = id;
    for (Entry& entry : m_entries) {
        if (!entry.widget) continue;
        entry.widget->setFocusPolicy(entry.message.id == id ? Qt::TabFocus : Qt::NoFocus);
    }
}

void TranscriptColumn::setDimmedAfter(qint64 id, bool dimmed)
{
    bool after = false;
    for (Entry& entry : m_entries) {
        if (after && entry.widget) entry.widget->setDimmed(dimmed);
        after = after || entry.message.id == id;
    }
}

void TranscriptColumn::setContextStart(qint64 id, const QString& summary)
{
    m_contextStart = id;
    m_contextSummary = summary;
    delete std::exchange(m_contextLine, nullptr);
    arrange();
}

// --- geometry ------------------------------------------------------------------------------------

void TranscriptColumn::setViewWidth(int viewWidth)
{
    if (viewWidth == m_viewWidth || !m_style) return;
    m_viewWidth = viewWidth;
    const PageColumn column = pageColumn(viewWidth, m_style->theme().textScale());
    m_columnLeft = column.left;
    m_columnWidth = column.width;
    for (Entry& entry : m_entries) {
        if (entry.widget) {
            entry.widget->setColumnWidth(m_columnWidth);
            entry.height = entry.widget->messageHeight();
        } else {
            entry.height = estimate(entry);
        }
    }
    arrange();
}

void TranscriptColumn::arrange()
{
    int y = kTopPadding;
    bool line = false;
    for (Entry& entry : m_entries) {
        if (&entry != &m_entries.front()) y += gapBefore(entry.message);
        if (entry.message.id == m_contextStart && m_contextStart != 0) {
            line = true;
            m_contextTop = y;
            y += m_style->px(ContextLine::kHeight) + kBeforeQuestion;
        }
        if (entry.widget) entry.height = entry.widget->messageHeight();
        entry.top = y;
        y += entry.height;
    }
    m_totalHeight = m_entries.empty() ? 0 : y + kBottomPadding;
    if (line && m_contextLine == nullptr) {
        m_contextLine = new ContextLine(*m_style, m_contextSummary, m_viewport);
    } else if (!line) {
        delete std::exchange(m_contextLine, nullptr);
    }
}

bool TranscriptColumn::realize(int top, int bottom)
{
    const int before = m_totalHeight;
    for (Entry& entry : m_entries) {
        const bool near = entry.top < bottom && entry.top + entry.height > top;
        if (near) {
            MessageWidget* widget = widgetOf(entry);
            widget->realize(top - entry.top, bottom - entry.top);
            const int grown = widget->messageHeight() - entry.height;
            entry.height += grown;
            bottom += grown; // what it pushed out of reach can wait, but the visible must be there
        } else if (entry.widget) {
            const QWidget* focus = QApplication::focusWidget();
            const auto* user = qobject_cast<UserMessage*>(entry.widget);
            const bool used = focus && (focus == entry.widget || entry.widget->isAncestorOf(focus));
            if (!used && !(user && user->isEditing())) dropWidget(entry);
        }
    }
    arrange();
    return m_totalHeight != before;
}

void TranscriptColumn::place(int scrolled)
{
    const int left = m_columnLeft - kBleed;
    if (m_contextLine != nullptr) {
        m_contextLine->setGeometry(m_columnLeft, m_contextTop - scrolled, m_columnWidth,
                                   m_style->px(ContextLine::kHeight));
        m_contextLine->show();
    }
    for (Entry& entry : m_entries) {
        if (!entry.widget) continue;
        entry.widget->setGeometry(left, entry.top - scrolled, m_columnWidth + 2 * kBleed,
                                  entry.height);
        if (entry.widget->isHidden()) entry.widget->show();
    }
}

TranscriptColumn::Anchor TranscriptColumn::anchorAt(int scrolled) const
{
    for (const Entry& entry : m_entries) {
        if (entry.top + entry.height <= scrolled) continue;
        MessageAnchor anchor;
        if (entry.widget && entry.top < scrolled)
            anchor = entry.widget->anchorAt(scrolled - entry.top);
        return {.id = entry.message.id,
                .inMessage = anchor,
                .offset = entry.top + anchor.top - scrolled};
    }
    return {};
}

int TranscriptColumn::heightOf(const Anchor& anchor) const
{
    const Entry* entry = find(anchor.id);
    if (!entry) return 0;
    return entry->top + (entry->widget ? entry->widget->topOf(anchor.inMessage) : 0);
}

} // namespace ui
