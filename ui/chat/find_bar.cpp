#include "ui/chat/find_bar.h"

#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/line_field.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLocale>
#include <QPainter>
#include <QSignalBlocker>

#include <algorithm>

namespace ui {

using Token = Theme::Token;

namespace {

// Px, those of words before the text size.
constexpr int kLeastSide = 20;
constexpr int kAbove = 6;
constexpr int kRight = 12;      ///< as in the header above
constexpr int kCountWidth = 60; ///< "10 of 12" in its type
constexpr int kLeastField = 120;
constexpr int kMostField = 300;
constexpr int kFieldStretch = 1000; ///< all the room up to its most

} // namespace

FindBar::FindBar(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_field(new LineField(theme, this))
    , m_count(new Label(theme, {}, Theme::TextStyle::MonoSmall, Token::Text2, this))
    , m_previous(new IconButton(theme, QStringLiteral("chevron-up"), tr("Previous"), this))
    , m_next(new IconButton(theme, QStringLiteral("chevron-down"), tr("Next"), this))
    , m_matchCase(new QCheckBox(this))
    , m_close(new IconButton(theme, QStringLiteral("close"), tr("Close"), this))
    , m_line(new QHBoxLayout(this))
{
    m_field->setIconName(QStringLiteral("search"));
    m_field->setPlaceholderText(tr("Find in this chat"));
    m_field->setAccessibleName(tr("Find in this chat"));
    m_field->installEventFilter(this);
    m_previous->setShortcutHint(QKeySequence(Qt::SHIFT | Qt::Key_Return));
    m_next->setShortcutHint(QKeySequence(Qt::Key_Return));
    m_matchCase->setAccessibleName(tr("Match case"));
    m_matchCase->setToolTip(tr("Match case"));
    m_close->setShortcutHint(QKeySequence(Qt::Key_Escape));
    m_line->setSpacing(4);
    m_line->addWidget(m_field, kFieldStretch);
    m_line->addSpacing(8);
    m_line->addWidget(m_count);
    m_line->addWidget(m_previous);
    m_line->addSpacing(4);
    m_line->addWidget(m_next);
    m_line->addSpacing(12);
    m_line->addWidget(m_matchCase);
    m_line->addStretch(1);
    m_line->addWidget(m_close);
    setSideMargin(kLeastSide);
    restyle();
    hide();
    const auto search = [this] { Q_EMIT searchChanged(m_field->text()); };
    connect(m_field, &QLineEdit::textChanged, this, search);
    connect(m_matchCase, &QCheckBox::toggled, this, search);
    connect(m_previous, &QAbstractButton::clicked, this, &FindBar::previousRequested);
    connect(m_next, &QAbstractButton::clicked, this, &FindBar::nextRequested);
    connect(m_close, &QAbstractButton::clicked, this, &FindBar::dismiss);
    connect(&theme, &Theme::changed, this, &FindBar::restyle);
}

Qt::CaseSensitivity FindBar::sensitivity() const
{
    return m_matchCase->isChecked() ? Qt::CaseSensitive : Qt::CaseInsensitive;
}

void FindBar::setSideMargin(int px)
{
    m_line->setContentsMargins(px, kAbove, kRight, kAbove);
    nameMatchCase();
}

void FindBar::restyle()
{
    m_matchCase->setFont(m_theme.font(Theme::TextStyle::Ui));
    m_count->setMinimumWidth(qRound(kCountWidth * m_theme.textScale()));
    m_field->setMaximumWidth(qRound(kMostField * m_theme.textScale()));
    nameMatchCase();
    update();
}

// In full where there is room; the search itself comes first.
void FindBar::nameMatchCase()
{
    const QString name = tr("Match case");
    const QFontMetrics metrics = m_matchCase->fontMetrics();
    const int longer =
        metrics.horizontalAdvance(name) - metrics.horizontalAdvance(m_matchCase->text());
    const int needed = m_line->minimumSize().width() - m_field->minimumSizeHint().width() + longer +
                       qRound(kLeastField * m_theme.textScale());
    const QString shown = needed > width() ? tr("Aa", "match case") : name;
    if (shown != m_matchCase->text()) m_matchCase->setText(shown);
}

void FindBar::resizeEvent(QResizeEvent*)
{
    nameMatchCase();
}

void FindBar::open()
{
    show();
    m_field->setFocus();
    m_field->selectAll();
    if (!m_field->text().isEmpty()) Q_EMIT searchChanged(m_field->text());
}

void FindBar::showFor(const QString& text)
{
    {
        const QSignalBlocker quietField(m_field);
        const QSignalBlocker quietCase(m_matchCase);
        m_field->setText(text);
        m_matchCase->setChecked(false);
    }
    show();
}

void FindBar::dismiss()
{
    if (!isVisible()) return;
    hide();
    Q_EMIT searchChanged({});
    Q_EMIT closed();
}

void FindBar::setResult(int position, int count)
{
    const QLocale locale;
    const bool searching = !m_field->text().isEmpty();
    m_count->setTextStyle(count > 0 ? Theme::TextStyle::MonoSmall : Theme::TextStyle::Caption);
    m_count->setText(!searching ? QString()
                     : count == 0
                         ? tr("Not in this chat")
                         : tr("%1 of %2").arg(locale.toString(position), locale.toString(count)));
    m_previous->setEnabled(count > 0);
    m_next->setEnabled(count > 0);
}

bool FindBar::eventFilter(QObject* object, QEvent* event)
{
    if (object == m_field && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Escape) {
            dismiss();
            return true;
        }
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            if (key->modifiers() & Qt::ShiftModifier)
                Q_EMIT previousRequested();
            else
                Q_EMIT nextRequested();
            return true;
        }
    }
    return QWidget::eventFilter(object, event);
}

void FindBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Token::Panel));
    painter.fillRect(QRect(0, height() - 1, width(), 1), m_theme.color(Token::Line));
}

} // namespace ui
