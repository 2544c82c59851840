#include "ui/composer/message_edit.h"

#include <QKeyEvent>
#include <QMimeData>
#include <QPainter>
#include <QTextBlock>
#include <QTextLayout>
#include <QUrl>

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

constexpr int kMargin = 4; // the document's own, all round

} // namespace

MessageEdit::MessageEdit(const Theme& theme, QWidget* parent)
    : PlainEdit(parent)
    , m_theme(theme)
{
    setAccessibleName(tr("Message"));
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setTabChangesFocus(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    viewport()->setAutoFillBackground(false);
    document()->setDocumentMargin(kMargin);
    restyle();
    connect(document(), &QTextDocument::contentsChanged, this, &MessageEdit::grow);
    connect(&theme, &Theme::changed, this, &MessageEdit::restyle);
}

void MessageEdit::restyle()
{
    setFont(m_theme.font(Theme::TextStyle::Body));
    QPalette colors = palette();
    colors.setColor(QPalette::Text, m_theme.color(Theme::Token::Text));
    colors.setColor(QPalette::PlaceholderText, Qt::transparent); // see paintEvent()
    colors.setColor(QPalette::Base, Qt::transparent);
    setPalette(colors);
    grow();
}

int MessageEdit::heightFor(int lines) const
{
    const QFontMetricsF metrics(font());
    return static_cast<int>(std::ceil(lines * metrics.lineSpacing())) + 2 * kMargin + 1;
}

void MessageEdit::setMostHeight(int px)
{
    const double line = QFontMetricsF(font()).lineSpacing();
    const int most = std::clamp(static_cast<int>(px / line), 1, kMostLines);
    if (most == m_mostLines) return;
    m_mostLines = most;
    grow();
}

// The plain text layout counts its height in lines.
void MessageEdit::grow()
{
    const int lines = static_cast<int>(std::ceil(document()->size().height()));
    const int shown = std::clamp(lines, 1, m_mostLines);
    setVerticalScrollBarPolicy(lines > m_mostLines ? Qt::ScrollBarAsNeeded
                                                   : Qt::ScrollBarAlwaysOff);
    if (shown == m_lines && height() == heightFor(shown)) return;
    m_lines = shown;
    updateGeometry();
}

QSize MessageEdit::sizeHint() const
{
    return {240, heightFor(m_lines)};
}

QSize MessageEdit::minimumSizeHint() const
{
    return {80, heightFor(m_lines)};
}

void MessageEdit::resizeEvent(QResizeEvent* event)
{
    PlainEdit::resizeEvent(event);
    grow();
}

// The base class would break a long hint into a second line that is not there.
void MessageEdit::paintEvent(QPaintEvent* event)
{
    PlainEdit::paintEvent(event);
    const QTextBlock block = document()->firstBlock();
    if (!document()->isEmpty() || !block.layout()->preeditAreaText().isEmpty()) return;
    QPainter painter(viewport());
    painter.setFont(font());
    painter.setPen(m_theme.color(Theme::Token::Text3));
    const QRectF line = blockBoundingGeometry(block).translated(contentOffset());
    const double room = viewport()->width() - 2 * kMargin;
    painter.drawText(QRectF(line.x() + kMargin, line.y(), room, line.height()),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(font()).elidedText(placeholderText(), Qt::ElideRight, room));
}

// Without anything of its own to undo it leaves Ctrl+Z to the window.
bool MessageEdit::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && !document()->isUndoAvailable() &&
        static_cast<QKeyEvent*>(event)->matches(QKeySequence::Undo)) {
        event->ignore();
        return true;
    }
    return PlainEdit::event(event);
}

void MessageEdit::keyPressEvent(QKeyEvent* event)
{
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && !(event->modifiers() & (Qt::ShiftModifier | Qt::AltModifier))) {
        Q_EMIT sendRequested();
        return;
    }
    if (event->key() == Qt::Key_Up && event->modifiers() == Qt::NoModifier &&
        document()->isEmpty()) {
        Q_EMIT editLastRequested();
        return;
    }
    PlainEdit::keyPressEvent(event);
}

void MessageEdit::focusInEvent(QFocusEvent* event)
{
    PlainEdit::focusInEvent(event);
    Q_EMIT focusChanged();
}

void MessageEdit::focusOutEvent(QFocusEvent* event)
{
    PlainEdit::focusOutEvent(event);
    Q_EMIT focusChanged();
}

// Files go to the window, which says what it does with them; text comes in plain.
bool MessageEdit::canInsertFromMimeData(const QMimeData* source) const
{
    return source->hasText() && !source->hasUrls();
}

void MessageEdit::insertFromMimeData(const QMimeData* source)
{
    if (source->hasUrls() && source->urls().constFirst().isLocalFile())
        Q_EMIT filesGiven(source->urls());
    else
        PlainEdit::insertFromMimeData(source);
}

} // namespace ui
