#include "ui/main_window/command_palette.h"

#include "ui/main_window/fuzzy_match.h"
#include "ui/theme/icon_cache.h"
#include "ui/widgets/label.h"
#include "ui/widgets/line_field.h"
#include "ui/widgets/overlay_scroll_bar.h"
#include "ui/widgets/paint.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QListView>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QTextLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace ui {

using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

namespace {

constexpr int kWidth = 580;
constexpr int kTop = 88;
constexpr int kListHeight = 330;
constexpr int kLeastAway = 24; ///< from the window's edges
constexpr qsizetype kMostChats = 6;
constexpr qsizetype kAll = 1000;

enum Role : quint16 { NumberRole = Qt::UserRole, IconRole, KeysRole, PlacesRole };

bool isHeading(const QModelIndex& index)
{
    return !index.data(NumberRole).isValid();
}

/// Rows with an icon, a name with the typed letters lit, and a shortcut; headings between them.
class CommandDelegate : public QStyledItemDelegate {
public:
    CommandDelegate(const Theme& theme, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme)
    {
    }

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override
    {
        const bool heading = isHeading(index);
        const double height = heading ? m_theme.lineHeight(TextStyle::Micro) + 12
                                      : m_theme.lineHeight(TextStyle::Ui) + 18;
        return {100, static_cast<int>(std::ceil(height))};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        painter->save();
        const QRect row = option.rect.adjusted(8, 0, -8, 0);
        if (isHeading(index)) {
            painter->setFont(m_theme.font(TextStyle::Micro, QFont::DemiBold));
            painter->setPen(m_theme.color(Token::Text3));
            painter->drawText(row.adjusted(12, 4, -12, 0), Qt::AlignLeft | Qt::AlignVCenter,
                              index.data().toString());
        } else {
            paintCommand(*painter, row, option, index);
        }
        painter->restore();
    }

private:
    void paintCommand(QPainter& painter, const QRect& row, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const
    {
        constexpr int kIcon = 16;
        if (option.state & QStyle::State_Selected)
            fillRounded(painter, row, radius::kControl, m_theme.color(Token::Selected));
        else if (option.state & QStyle::State_MouseOver)
            fillRounded(painter, row, radius::kControl, m_theme.color(Token::Text, 0.06));
        painter.drawPixmap(row.left() + 12, row.center().y() - kIcon / 2 + 1,
                           m_theme.icons().pixmap(index.data(IconRole).toString(), kIcon,
                                                  Token::Text2,
                                                  painter.device()->devicePixelRatioF()));
        const QString keys = index.data(KeysRole).toString();
        painter.setFont(m_theme.font(TextStyle::MonoSmall));
        painter.setPen(m_theme.color(Token::Text2));
        const QRect area = row.adjusted(38, 0, -12, 0);
        painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, keys);
        const int room = area.width() -
                         (keys.isEmpty() ? 0 : painter.fontMetrics().horizontalAdvance(keys) + 16);
        paintName(painter, QRect(area.left(), area.top(), room, area.height()), index);
    }

    void paintName(QPainter& painter, const QRect& area, const QModelIndex& index) const
    {
        const QFont font = m_theme.font(TextStyle::Ui);
        const QString name =
            QFontMetrics(font).elidedText(index.data().toString(), Qt::ElideRight, area.width());
        QList<QTextLayout::FormatRange> lit;
        for (const QVariant& place : index.data(PlacesRole).toList()) {
            if (place.toInt() >= name.size()) break;
            QTextCharFormat format;
            format.setForeground(m_theme.color(Token::Accent));
            format.setFontWeight(QFont::DemiBold);
            lit.append({.start = place.toInt(), .length = 1, .format = format});
        }
        QTextLayout layout(name, font);
        layout.setFormats(lit);
        layout.beginLayout();
        QTextLine line = layout.createLine();
        line.setLineWidth(area.width() * 2); // bold letters are a little wider
        layout.endLayout();
        painter.setPen(m_theme.color(Token::Text));
        painter.setClipRect(area);
        layout.draw(&painter, QPointF(area.left(), area.center().y() - line.height() / 2 + 1));
    }

    const Theme& m_theme;
};

} // namespace

CommandPalette::CommandPalette(const Theme& theme, QWidget* window)
    : Popover(theme, window)
    , m_theme(theme)
    , m_field(new LineField(theme, this))
    , m_list(new QListView(this))
    , m_model(new QStandardItemModel(this))
{
    setAccessibleName(tr("Commands"));
    m_field->setIconName(QStringLiteral("command"));
    m_field->setFrame(false);
    m_field->setPlaceholderText(tr("Type a command, or the title of a chat"));
    m_field->setAccessibleName(tr("Command or chat"));
    m_list->setModel(m_model);
    m_list->setItemDelegate(new CommandDelegate(theme, this));
    m_list->setAccessibleName(tr("Commands and chats"));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->setMouseTracking(true);
    m_list->viewport()->setAutoFillBackground(false);
    new OverlayScrollBar(m_list);
    auto* hint = new Label(theme, tr("↑ ↓ choose   ↵ run   Esc close   > commands   # chats"),
                           TextStyle::Micro, Token::Text3, this);
    hint->setElided(true);
    m_hint = hint;
    auto* column = new QVBoxLayout;
    column->setContentsMargins(10, 10, 10, 10);
    column->addWidget(m_field);
    body()->addLayout(column);
    body()->addWidget(m_list, 1);
    auto* foot = new QVBoxLayout;
    foot->setContentsMargins(20, 8, 20, 10);
    foot->addWidget(m_hint);
    body()->addLayout(foot);
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_list, &QListView::clicked, this, &CommandPalette::run);
    connect(&theme, &Theme::changed, this, &CommandPalette::restyle);
}

// A line below the field and one above the hint.
void CommandPalette::paintEvent(QPaintEvent* event)
{
    Popover::paintEvent(event);
    QPainter painter(this);
    for (const int y : {m_list->geometry().top() - 1, m_list->geometry().bottom() + 1})
        painter.fillRect(QRect(m_list->x(), y, m_list->width(), 1), m_theme.color(Token::Line));
}

void CommandPalette::restyle()
{
    QAbstractItemView& list = *m_list;
    list.doItemsLayout(); // rows are of another height
    list.viewport()->update();
}

void CommandPalette::open(const QList<Command>& commands, const QList<Command>& chats)
{
    m_commands = commands;
    m_chats = chats;
    m_field->clear();
    filter();
    const QSize window = parentWidget()->size();
    const double scale = std::max(1.0, m_theme.textScale());
    const int width = std::min(qRound(kWidth * scale), window.width() - 2 * kLeastAway);
    const int wanted = qRound(kListHeight * scale) + m_field->sizeHint().height() +
                       m_hint->sizeHint().height() + 32;
    const int top = std::min(kTop, std::max(kLeastAway, (window.height() - wanted) / 2));
    const int height = std::min(wanted, window.height() - top - kLeastAway);
    openAt(QRect((window.width() - width) / 2, top, width, height));
    m_field->setFocus();
}

QStringList CommandPalette::rows() const
{
    QStringList rows;
    for (int i = 0; i < m_model->rowCount(); ++i)
        rows += m_model->index(i, 0).data().toString();
    return rows;
}

void CommandPalette::filter()
{
    QString typed = m_field->text().trimmed();
    const bool commandsAlone = typed.startsWith(u'>');
    const bool chatsAlone = typed.startsWith(u'#');
    if (commandsAlone || chatsAlone) typed = typed.sliced(1).trimmed();
    m_model->clear();
    m_shown.clear();
    if (!chatsAlone) addSection(tr("Commands"), m_commands, typed, kAll);
    if (!commandsAlone) addSection(tr("Chats"), m_chats, typed, chatsAlone ? kAll : kMostChats);
    if (m_shown.isEmpty()) {
        auto* nothing = new QStandardItem(tr("Nothing found for “%1”").arg(typed));
        nothing->setFlags(Qt::NoItemFlags);
        m_model->appendRow(nothing);
    }
    move(1);
}

void CommandPalette::addSection(const QString& heading, const QList<Command>& all,
                                const QString& typed, qsizetype most)
{
    struct Found {
        const Command* command;
        FuzzyMatch match;
    };
    QList<Found> found;
    for (const Command& command : all)
        if (const auto match = fuzzyMatch(command.name, typed))
            found += Found{.command = &command, .match = *match};
    std::ranges::stable_sort(found, std::greater(), [](const Found& f) { return f.match.score; });
    if (found.isEmpty()) return;
    auto* title = new QStandardItem(heading);
    title->setFlags(Qt::NoItemFlags);
    m_model->appendRow(title);
    for (const Found& each : std::as_const(found).first(std::min(most, found.size()))) {
        auto* item = new QStandardItem(each.command->name);
        QVariantList places;
        for (const int place : each.match.places)
            places += place;
        const QString keys = each.command->keys.toString(QKeySequence::NativeText);
        item->setData(static_cast<int>(m_shown.size()), NumberRole);
        item->setData(each.command->iconName, IconRole);
        item->setData(keys, KeysRole);
        item->setData(places, PlacesRole);
        item->setData(keys.isEmpty() ? each.command->name
                                     : QString(each.command->name % QStringLiteral(", ") % keys),
                      Qt::AccessibleTextRole);
        m_model->appendRow(item);
        m_shown += *each.command;
    }
}

/// From the row that is chosen, or from before the first; over headings, and round at the ends.
void CommandPalette::move(int step)
{
    const int count = m_model->rowCount();
    int row = m_list->currentIndex().isValid() ? m_list->currentIndex().row() : -1;
    for (int i = 0; i < count; ++i) {
        row = (row + step + count) % count;
        const QModelIndex index = m_model->index(row, 0);
        if (isHeading(index)) continue;
        m_list->setCurrentIndex(index);
        // A first row brings its heading along.
        m_list->scrollTo(row == 1 ? m_model->index(0, 0) : index);
        QAccessibleAnnouncementEvent event(this, index.data(Qt::AccessibleTextRole).toString());
        QAccessible::updateAccessibility(&event);
        return;
    }
}

void CommandPalette::run()
{
    const QModelIndex index = m_list->currentIndex();
    if (!index.isValid() || isHeading(index)) return;
    const std::function<void()> action = m_shown.at(index.data(NumberRole).toInt()).run;
    dismiss(); // it gives the focus back before the command takes it
    action();
}

bool CommandPalette::eventFilter(QObject* object, QEvent* event)
{
    if (object != m_field || event->type() != QEvent::KeyPress)
        return Popover::eventFilter(object, event);
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Down:
        move(1);
        return true;
    case Qt::Key_Up:
        move(-1);
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        run();
        return true;
    default:
        return Popover::eventFilter(object, event);
    }
}

} // namespace ui
