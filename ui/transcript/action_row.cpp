#include "ui/transcript/action_row.h"

#include "ui/widgets/icon_button.h"
#include "ui/widgets/paint.h"

#include <QApplication>
#include <QFontMetricsF>
#include <QKeyEvent>

#include <algorithm>
#include <cmath>

namespace ui {

using Token = Theme::Token;

namespace {

constexpr int kSide = 28;
constexpr int kArrowWidth = 24;
constexpr int kGap = 2;
constexpr int kOutset = 6; ///< the owner lets the row begin this much left of its text
constexpr int kCopiedMs = 1200;

struct ActionLook {
    const char* icon;
    const char* label;
};
constexpr ActionLook kLooks[] = {
    {"copy", QT_TRANSLATE_NOOP("ui::ActionRow", "Copy")},
    {"edit", QT_TRANSLATE_NOOP("ui::ActionRow", "Edit")},
    {"resume", QT_TRANSLATE_NOOP("ui::ActionRow", "Continue")},
    {"regenerate", QT_TRANSLATE_NOOP("ui::ActionRow", "Write again")},
    {"trash", QT_TRANSLATE_NOOP("ui::ActionRow", "Delete")},
};

} // namespace

ActionRow::ActionRow(const TranscriptStyle& style, const QList<Action>& actions, QWidget* parent)
    : QWidget(parent)
    , m_style(style)
    , m_actions(actions)
    , m_previous(
          new IconButton(style.theme(), QStringLiteral("chevron-left"), tr("Branch before"), this))
    , m_next(
          new IconButton(style.theme(), QStringLiteral("chevron-right"), tr("Branch after"), this))
{
    for (const Action action : actions)
        addButton(action);
    connect(m_previous, &QAbstractButton::clicked, this,
            [this] { Q_EMIT branchRequested(m_branch - 1); });
    connect(m_next, &QAbstractButton::clicked, this,
            [this] { Q_EMIT branchRequested(m_branch + 1); });
    m_previous->installEventFilter(this);
    m_next->installEventFilter(this);
    m_copied.setSingleShot(true);
    m_copied.setInterval(kCopiedMs);
    connect(&m_copied, &QTimer::timeout, this, [this] {
        IconButton* copy = button(Action::Copy);
        copy->setIconName(QStringLiteral("copy"));
        copy->setToken(Token::Text2);
        copy->setLabel(tr("Copy"));
    });
    arrange();
}

void ActionRow::addButton(Action action)
{
    const ActionLook& look = kLooks[static_cast<size_t>(action)];
    auto* made =
        new IconButton(m_style.theme(), QString::fromLatin1(look.icon), tr(look.label), this);
    connect(made, &QAbstractButton::clicked, this, [this, action] { Q_EMIT triggered(action); });
    made->installEventFilter(this);
    m_buttons.append(made);
}

IconButton* ActionRow::button(Action action) const
{
    const qsizetype index = m_actions.indexOf(action);
    return index < 0 ? nullptr : m_buttons.at(index);
}

void ActionRow::setShown(bool shown)
{
    if (shown == m_shown) return;
    m_shown = shown;
    arrange();
    update();
}

void ActionRow::setBranches(int index, int count)
{
    m_branch = index;
    m_branches = count;
    arrange();
    update();
}

void ActionRow::setOffered(Action action, bool offered)
{
    if (offered == isOffered(action)) return;
    if (offered)
        m_withheld.removeOne(action);
    else
        m_withheld += action;
    arrange();
    update();
}

bool ActionRow::isOffered(Action action) const
{
    return m_actions.contains(action) && !m_withheld.contains(action);
}

void ActionRow::setNumbers(const QStringList& wordings)
{
    m_numbers = wordings;
    update();
}

QString ActionRow::fittingNumbers() const
{
    constexpr double kGapBefore = 8;
    const double room = width() - buttonsWidth() - kGapBefore;
    const QFontMetricsF metrics(m_style.theme().font(Theme::TextStyle::MonoSmall));
    const auto fitting = std::ranges::find_if(m_numbers, [&](const QString& wording) {
        return metrics.horizontalAdvance(wording) <= room;
    });
    return fitting == m_numbers.end() ? QString() : *fitting;
}

void ActionRow::setLiveLine(const QString& line)
{
    if (line == m_live) return;
    const bool toggles = line.isEmpty() != m_live.isEmpty();
    m_live = line;
    if (toggles) arrange();
    update();
}

void ActionRow::showCopied()
{
    IconButton* copy = button(Action::Copy);
    copy->setIconName(QStringLiteral("check"));
    copy->setToken(Token::Ok);
    copy->setLabel(tr("Copied"));
    m_copied.start();
}

int ActionRow::plainWidth() const
{
    return static_cast<int>(m_buttons.size() - m_withheld.size()) * (kSide + kGap);
}

int ActionRow::buttonsWidth() const
{
    return plainWidth() + (m_branches > 1 ? 2 * kArrowWidth + m_style.px(30) + kGap : 0);
}

QSize ActionRow::sizeHint() const
{
    return {buttonsWidth(), kSide};
}

void ActionRow::arrange()
{
    const bool shown = m_shown && m_live.isEmpty();
    int x = 0;
    const auto place = [&](IconButton* made, int width) {
        made->setGeometry(x, (height() - kSide) / 2, width, kSide);
        made->setVisible(shown);
        x += width + kGap;
    };
    // Delete is away from what is used often, and what comes and goes is behind all others.
    const auto isLate = [](Action action) {
        return action == Action::Delete || action == Action::Continue;
    };
    for (const Action action : std::as_const(m_actions)) {
        if (!isOffered(action))
            button(action)->hide();
        else if (!isLate(action))
            place(button(action), kSide);
    }
    const bool branches = m_branches > 1;
    m_previous->setEnabled(m_branch > 1);
    m_next->setEnabled(m_branch < m_branches);
    if (branches) {
        place(m_previous, kArrowWidth);
        x += m_style.px(30) - kGap;
        place(m_next, kArrowWidth);
    }
    m_previous->setVisible(shown && branches);
    m_next->setVisible(shown && branches);
    for (const Action action : std::as_const(m_actions))
        if (isOffered(action) && isLate(action)) place(button(action), kSide);
}

/// Buttons take up and down for themselves; here they move by message.
bool ActionRow::eventFilter(QObject* object, QEvent* event)
{
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Up || key == Qt::Key_Down) {
            QApplication::sendEvent(this, event);
            return true;
        }
    }
    return QWidget::eventFilter(object, event);
}

void ActionRow::resizeEvent(QResizeEvent*)
{
    arrange();
}

void ActionRow::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QFont font = m_style.theme().font(Theme::TextStyle::MonoSmall);
    painter.setFont(font);
    if (!m_live.isEmpty()) {
        fillRounded(painter, QRectF(kOutset, height() / 2.0 - 3, 6, 6), 3,
                    m_style.color(Token::Ember));
        painter.setPen(m_style.color(Token::Text3));
        painter.drawText(QRectF(kOutset + 14, 0, width() - kOutset - 14, height()),
                         Qt::AlignVCenter | Qt::AlignLeft, m_live);
        return;
    }
    if (!m_shown) return;
    if (m_branches > 1) {
        painter.setPen(m_style.color(Token::Text2));
        const QRectF between(m_previous->geometry().right() + 1, 0,
                             m_next->x() - m_previous->geometry().right() - 1, height());
        painter.drawText(between, Qt::AlignCenter, tr("%1/%2").arg(m_branch).arg(m_branches));
    }
    painter.setPen(m_style.color(Token::Text3));
    painter.drawText(rect(), Qt::AlignVCenter | Qt::AlignRight, fittingNumbers());
}

} // namespace ui
