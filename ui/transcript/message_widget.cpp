#include "ui/transcript/message_widget.h"

#include "ui/widgets/icon_button.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QLocale>
#include <QMenu>

namespace ui {

using Token = Theme::Token;
using Action = ActionRow::Action;

namespace {

/// Lies over a message and lets 45 % of it through.
class Veil : public QWidget {
public:
    Veil(const TranscriptStyle& style, QWidget* parent)
        : QWidget(parent)
        , m_style(style)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.fillRect(rect(), m_style.theme().color(Token::Surface, 0.55));
    }

private:
    const TranscriptStyle& m_style;
};

} // namespace

MessageWidget::MessageWidget(const TranscriptParts& parts, const app::Message& message,
                             const QList<Action>& actions, QWidget* parent)
    : QWidget(parent)
    , m_parts(parts)
    , m_message(message)
    , m_actions(new ActionRow(parts.style, actions, this))
{
    setAccessibleName(title());
    connect(m_actions, &ActionRow::triggered, this, [this](Action action) { act(action); });
    connect(m_actions, &ActionRow::branchRequested, this, &MessageWidget::branchRequested);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        const bool within = now && (now == this || isAncestorOf(now));
        if (within == m_focusWithin) return;
        m_focusWithin = within;
        updateActions();
    });
    connect(this, &MessageWidget::surfaceAdded, this, [this](TextSurface* surface) {
        connect(surface, &TextSurface::menuRequested, this,
                [this, surface](const QPoint& position) { showMenu(position, surface); });
    });
}

MessageWidget::~MessageWidget()
{
    // The focus leaves while QWidget is taken down, when there is nothing left here to tell.
    disconnect(qApp, nullptr, this, nullptr);
}

QString MessageWidget::timeText() const
{
    const QLocale locale;
    // The C locale's short form has seconds.
    const QString format = locale.language() == QLocale::C
                               ? QStringLiteral("HH:mm")
                               : locale.timeFormat(QLocale::ShortFormat);
    return locale.toString(m_message.createdAt.time(), format);
}

QString MessageWidget::title() const
{
    const QString time = timeText();
    const bool mine = m_message.role == app::Role::User;
    const QString who = mine ? tr("You") : displayableCode(m_message.modelName);
    return m_message.createdAt.isValid() ? tr("%1, %2").arg(who, time) : who;
}

void MessageWidget::setIsLast(bool last)
{
    if (last == m_isLast) return;
    m_isLast = last;
    updateActions();
}

void MessageWidget::setBranches(int index, int count)
{
    m_branch = index;
    m_branches = count;
    m_actions->setBranches(index, count);
    if (m_columnWidth > 0) arrange();
}

void MessageWidget::setDimmed(bool dimmed)
{
    if (dimmed && !m_veil) {
        m_veil = new Veil(m_parts.style, this);
        m_veil->setGeometry(rect());
        m_veil->show();
    } else if (!dimmed && m_veil) {
        m_veil->deleteLater();
        m_veil = nullptr;
    }
    if (m_veil) m_veil->raise();
}

bool MessageWidget::wantsActions() const
{
    const bool lastReply = m_isLast && m_message.role == app::Role::Assistant;
    return lastReply || m_hovered || m_focusWithin;
}

void MessageWidget::updateActions()
{
    m_actions->setOffered(Action::Continue, m_isLast && app::canBeContinued(m_message));
    m_actions->setShown(wantsActions());
}

void MessageWidget::copyMessage()
{
    QApplication::clipboard()->setText(m_message.text);
    m_actions->showCopied();
    Q_EMIT copyRequested();
}

void MessageWidget::act(Action action)
{
    switch (action) {
    case Action::Copy:
        copyMessage();
        break;
    case Action::Regenerate:
        Q_EMIT regenerateRequested();
        break;
    case Action::Continue:
        Q_EMIT continueRequested();
        break;
    case Action::Delete:
        Q_EMIT deleteRequested();
        break;
    case Action::Edit:
        break;
    }
}

void MessageWidget::showMenu(const QPoint& globalPosition, TextSurface* surface)
{
    QMenu menu;
    if (surface && surface->hasSelection()) {
        menu.addAction(tr("Copy selection"), surface,
                       [surface] { QApplication::clipboard()->setText(surface->selectedText()); });
    }
    menu.addAction(tr("Copy message"), this, &MessageWidget::copyMessage);
    if (surface) menu.addAction(tr("Select all"), surface, &TextSurface::selectAll);
    menu.addSeparator();
    const bool writing = m_message.state == app::MessageState::Writing;
    for (const Action action : {Action::Edit, Action::Continue, Action::Regenerate}) {
        if (!m_actions->isOffered(action) || writing) continue;
        menu.addAction(m_actions->button(action)->accessibleName(), this,
                       [this, action] { act(action); });
    }
    menu.addSeparator();
    menu.addAction(m_actions->button(Action::Delete)->accessibleName(), this,
                   [this] { act(Action::Delete); });
    menu.exec(globalPosition);
}

void MessageWidget::contextMenuEvent(QContextMenuEvent* event)
{
    showMenu(event->globalPos(), nullptr);
}

void MessageWidget::paintFocus(QPainter& painter) const
{
    if (!hasFocus()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_parts.style.color(Token::Focus), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 8, 8);
}

void MessageWidget::enterEvent(QEnterEvent*)
{
    m_hovered = true;
    updateActions();
}

void MessageWidget::leaveEvent(QEvent*)
{
    m_hovered = false;
    updateActions();
}

void MessageWidget::resizeEvent(QResizeEvent*)
{
    if (m_veil) m_veil->setGeometry(rect());
}

void MessageWidget::focusInEvent(QFocusEvent*)
{
    update();
}
void MessageWidget::focusOutEvent(QFocusEvent*)
{
    update();
}

} // namespace ui
