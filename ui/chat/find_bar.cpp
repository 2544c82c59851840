#include "ui/chat/find_bar.h"

#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/line_field.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QSignalBlocker>

namespace ui {

using Token = Theme::Token;

FindBar::FindBar(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_field(new LineField(theme, this))
    , m_count(new Label(theme, {}, Theme::TextStyle::Caption, Token::Text3, this))
    , m_previous(new IconButton(theme, QStringLiteral("chevron-left"), tr("Previous"), this))
    , m_next(new IconButton(theme, QStringLiteral("chevron-right"), tr("Next"), this))
{
    m_field->setIconName(QStringLiteral("search"));
    m_field->setPlaceholderText(tr("Find in this chat"));
    m_field->setAccessibleName(tr("Find in this chat"));
    m_field->installEventFilter(this);
    m_count->setMinimumWidth(72);
    auto* close = new IconButton(theme, QStringLiteral("close"), tr("Close"), this);
    close->setShortcutHint(QKeySequence(Qt::Key_Escape));
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(20, 8, 12, 8);
    line->setSpacing(4);
    line->addWidget(m_field, 1);
    line->addSpacing(8);
    line->addWidget(m_count);
    line->addWidget(m_previous);
    line->addWidget(m_next);
    line->addWidget(close);
    hide();
    connect(m_field, &QLineEdit::textChanged, this, &FindBar::textChanged);
    connect(m_previous, &QAbstractButton::clicked, this, &FindBar::previousRequested);
    connect(m_next, &QAbstractButton::clicked, this, &FindBar::nextRequested);
    connect(close, &QAbstractButton::clicked, this, &FindBar::dismiss);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void FindBar::open()
{
    show();
    m_field->setFocus();
    m_field->selectAll();
    if (!m_field->text().isEmpty()) Q_EMIT textChanged(m_field->text());
}

void FindBar::showFor(const QString& text)
{
    {
        const QSignalBlocker quiet(m_field);
        m_field->setText(text);
    }
    show();
}

void FindBar::dismiss()
{
    if (!isVisible()) return;
    hide();
    Q_EMIT textChanged({});
    Q_EMIT closed();
}

void FindBar::setResult(int position, int count)
{
    const bool searching = !m_field->text().isEmpty();
    m_count->setText(!searching   ? QString()
                     : count == 0 ? tr("Not in this chat")
                                  : tr("%1 of %2").arg(position).arg(count));
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
