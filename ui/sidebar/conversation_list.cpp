#include "ui/sidebar/conversation_list.h"

#include "ui/sidebar/conversation_list_model.h"
#include "ui/theme/icon_cache.h"
#include "ui/widgets/line_field.h"
#include "ui/widgets/overlay_scroll_bar.h"
#include "ui/widgets/paint.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui {

using Token = Theme::Token;
using TextStyle = Theme::TextStyle;
using Model = ConversationListModel;

namespace {

constexpr int kSide = 12; // from the list's edge to a row
constexpr int kPad = 8;
constexpr int kIcon = 16;
constexpr int kMore = 24;

qint64 idOf(const QModelIndex& index)
{
    return index.data(Model::IdRole).toLongLong();
}

} // namespace

ConversationDelegate::ConversationDelegate(const Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme)
{
}

QRect ConversationDelegate::moreRect(const QRect& row)
{
    return {row.right() - kSide - kMore - 3, row.center().y() - kMore / 2 + 1, kMore, kMore};
}

QSize ConversationDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const
{
    const bool heading = index.data(Model::HeadingRole).toBool();
    const double height = heading ? m_theme.lineHeight(TextStyle::Micro) + 14
                                  : m_theme.lineHeight(TextStyle::Ui) + 12;
    return {100, static_cast<int>(std::ceil(height))};
}

void ConversationDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const
{
    painter->save();
    const QRect row = option.rect.adjusted(kSide, 0, -kSide, 0);
    if (index.data(Model::HeadingRole).toBool()) {
        painter->setFont(m_theme.font(TextStyle::Micro, QFont::DemiBold));
        painter->setPen(m_theme.color(Token::Text3));
        painter->drawText(row.adjusted(kPad, 10, -kPad, -4), Qt::AlignLeft | Qt::AlignVCenter,
                          index.data().toString());
        painter->restore();
        return;
    }
    const bool selected = option.state & QStyle::State_Selected;
    const bool hovered = option.state & QStyle::State_MouseOver;
    const bool focused = option.state & QStyle::State_HasFocus &&
                         option.widget->window()->testAttribute(Qt::WA_KeyboardFocusChange);
    if (selected)
        fillRounded(*painter, row, radius::kControl, m_theme.color(Token::Selected));
    else if (hovered)
        fillRounded(*painter, row, radius::kControl, m_theme.color(Token::Text, 0.06));
    if (focused)
        drawRounded(*painter, row, radius::kControl, Qt::transparent, m_theme.color(Token::Focus),
                    2);

    const qreal dpr = option.widget->devicePixelRatioF();
    QRect text = row.adjusted(kPad, 0, -kPad, 0);
    if (index.data(Model::PinnedRole).toBool()) {
        painter->drawPixmap(QPoint(text.left(), text.center().y() - kIcon / 2 + 1),
                            m_theme.icons().pixmap(QStringLiteral("pin"), kIcon,
                                                   selected ? Token::Text2 : Token::Text3, dpr));
        text.setLeft(text.left() + kIcon + 8);
    }
    if (selected || hovered || focused) {
        const QRect more = moreRect(option.rect);
        painter->drawPixmap(
            more.center() - QPoint(kIcon / 2 - 1, kIcon / 2 - 1),
            m_theme.icons().pixmap(QStringLiteral("more"), kIcon, Token::Text2, dpr));
        text.setRight(more.left() - 2);
    }
    const bool writing = index.data(Model::WritingRole).toBool();
    const bool unseen = index.data(Model::UnseenRole).toBool();
    if (writing || unseen) {
        fillRounded(*painter, QRectF(text.right() - 5, row.center().y() - 2.5, 6, 6), 3,
                    m_theme.color(writing ? Token::Ember : Token::Accent));
        text.setRight(text.right() - 14);
    }
    const QFont font = m_theme.font(TextStyle::Ui, unseen     ? QFont::DemiBold
                                                   : selected ? QFont::Medium
                                                              : QFont::Normal);
    painter->setFont(font);
    painter->setPen(m_theme.color(Token::Text));
    painter->drawText(
        text, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
        QFontMetrics(font).elidedText(index.data().toString(), Qt::ElideRight, text.width()));
    painter->restore();
}

QWidget* ConversationDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                            const QModelIndex&) const
{
    auto* field = new LineField(m_theme, parent);
    field->setPadding(5, 4);
    field->setMaxLength(200);
    field->setAccessibleName(tr("Title of the chat"));
    return field;
}

void ConversationDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                                const QModelIndex&) const
{
    editor->setGeometry(option.rect.adjusted(kSide, 1, -kSide, -1));
}

void ConversationDelegate::setModelData(QWidget* editor, QAbstractItemModel* model,
                                        const QModelIndex& index) const
{
    model->setData(index, static_cast<LineField*>(editor)->text(), Qt::EditRole);
}

ConversationList::ConversationList(const Theme& theme, QWidget* parent)
    : QListView(parent)
{
    setItemDelegate(new ConversationDelegate(theme, this));
    setAccessibleName(tr("Chats"));
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(ScrollPerPixel);
    setEditTriggers(EditKeyPressed | DoubleClicked);
    setSelectionMode(SingleSelection);
    setFocusPolicy(Qt::TabFocus); // what a press opens decides where the focus goes
    setMouseTracking(true);
    setAttribute(Qt::WA_Hover);
    viewport()->setAutoFillBackground(false);
    new OverlayScrollBar(this);
    connect(&theme, &Theme::changed, this, [this] {
        scheduleDelayedItemsLayout();
        viewport()->update();
    });
}

qint64 ConversationList::currentId() const
{
    return currentIndex().isValid() ? idOf(currentIndex()) : 0;
}

bool ConversationList::isOnMore(const QPoint& position) const
{
    const QModelIndex index = indexAt(position);
    return index.isValid() && idOf(index) != 0 &&
           ConversationDelegate::moreRect(visualRect(index)).contains(position);
}

void ConversationList::keyPressEvent(QKeyEvent* event)
{
    const qint64 id = currentId();
    if (id != 0 && state() != EditingState) {
        switch (event->key()) {
        case Qt::Key_Delete:
            Q_EMIT deleteRequested(id);
            return;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            Q_EMIT openRequested(id);
            return;
        case Qt::Key_Menu:
            Q_EMIT menuRequested(id,
                                 viewport()->mapToGlobal(visualRect(currentIndex()).bottomLeft()));
            return;
        default:
            break;
        }
    }
    QListView::keyPressEvent(event);
}

void ConversationList::mousePressEvent(QMouseEvent* event)
{
    m_pressed = indexAt(event->position().toPoint());
    if (isOnMore(event->position().toPoint())) {
        Q_EMIT menuRequested(idOf(m_pressed), event->globalPosition().toPoint());
        m_pressed = QModelIndex();
        return;
    }
    QListView::mousePressEvent(event);
}

void ConversationList::mouseReleaseEvent(QMouseEvent* event)
{
    QListView::mouseReleaseEvent(event);
    const QModelIndex index = indexAt(event->position().toPoint());
    if (event->button() == Qt::LeftButton && index.isValid() && index == m_pressed &&
        idOf(index) != 0 && state() != EditingState)
        Q_EMIT openRequested(idOf(index));
}

void ConversationList::contextMenuEvent(QContextMenuEvent* event)
{
    const QModelIndex index = indexAt(event->pos());
    if (index.isValid() && idOf(index) != 0) Q_EMIT menuRequested(idOf(index), event->globalPos());
}

} // namespace ui
