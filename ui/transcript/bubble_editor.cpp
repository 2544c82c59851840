#include "ui/transcript/bubble_editor.h"

#include "ui/widgets/button.h"
#include "ui/widgets/paint.h"
#include "ui/widgets/plain_edit.h"

#include <QAbstractTextDocumentLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QTextBlock>

#include <algorithm>
#include <cmath>

namespace ui {

using Token = Theme::Token;

namespace {

constexpr int kMaxLines = 16;

} // namespace

BubbleEditor::BubbleEditor(const TranscriptStyle& style, const QString& text, int branch,
                           QWidget* parent)
    : QWidget(parent)
    , m_style(style)
    , m_original(text)
    , m_branch(branch)
    , m_edit(new PlainEdit(this))
    , m_cancel(new Button(style.theme(), tr("Cancel"), Button::Kind::Secondary, this))
    , m_send(new Button(style.theme(), tr("Send as branch %1").arg(branch), Button::Kind::Primary,
                        this))
{
    m_edit->setText(text);
    m_edit->setFrameShape(QFrame::NoFrame);
    m_edit->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_edit->setFont(style.theme().font(Theme::TextStyle::Body));
    m_edit->document()->setDocumentMargin(0);
    m_edit->viewport()->setAutoFillBackground(false);
    m_edit->setAccessibleName(tr("Message"));
    m_edit->setTabChangesFocus(true);
    m_edit->installEventFilter(this);
    m_cancel->setSmall(true);
    m_send->setSmall(true);
    m_send->setIconName(QStringLiteral("branch"));
    connect(m_cancel, &QAbstractButton::clicked, this, &BubbleEditor::cancelled);
    connect(m_send, &QAbstractButton::clicked, this, &BubbleEditor::send);
    connect(m_edit->document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged,
            this, [this] {
                if (textHeight() != m_shownHeight) Q_EMIT heightChanged();
            });
    connect(m_edit, &QPlainTextEdit::textChanged, this,
            [this] { m_send->setEnabled(m_edit->hasWords()); });
}

QString BubbleEditor::text() const
{
    return m_edit->text();
}

void BubbleEditor::takeFocus()
{
    m_edit->setFocus(Qt::OtherFocusReason);
    m_edit->moveCursor(QTextCursor::End);
}

int BubbleEditor::textHeight() const
{
    const int lines =
        std::clamp(static_cast<int>(m_edit->document()->size().height()), 1, kMaxLines);
    return static_cast<int>(std::ceil(lines * QFontMetricsF(m_edit->font()).lineSpacing())) + 4;
}

int BubbleEditor::layOut(int width)
{
    const QSize send = m_send->sizeHint();
    const QSize cancel = m_cancel->sizeHint();
    const int left = 15;
    m_edit->setGeometry(left, 11, width - 2 * left, 1000); // wraps before the height is asked
    m_shownHeight = textHeight();
    m_edit->setGeometry(left, 11, width - 2 * left, m_shownHeight);
    const int y = 11 + m_shownHeight + 10;
    m_send->setGeometry(width - 11 - send.width(), y, send.width(), send.height());
    m_cancel->setGeometry(m_send->x() - 8 - cancel.width(), y, cancel.width(), cancel.height());
    return y + send.height() + 11;
}

void BubbleEditor::send()
{
    const QString edited = text();
    if (edited.trimmed().isEmpty()) return;
    if (edited == m_original)
        Q_EMIT cancelled();
    else
        Q_EMIT sent(edited);
}

bool BubbleEditor::eventFilter(QObject* object, QEvent* event)
{
    if (object == m_edit && event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    if (object != m_edit || event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(object, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    if (key->key() == Qt::Key_Escape) {
        Q_EMIT cancelled();
        return true;
    }
    if (enter && !key->modifiers().testFlag(Qt::ShiftModifier)) {
        send();
        return true;
    }
    return false;
}

void BubbleEditor::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    drawRounded(painter, rect(), radius::kBubble, m_style.color(Token::Raised),
                m_style.color(Token::Focus), 2);
    const QFont font = m_style.theme().font(Theme::TextStyle::Micro);
    painter.setFont(font);
    painter.setPen(m_style.color(Token::Text3));
    const QRect words(15, m_cancel->y(), m_cancel->x() - 15 - 8, m_cancel->height());
    const QString line = tr("The old version stays as branch %1.").arg(m_branch - 1);
    painter.drawText(words, Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(line, Qt::ElideRight, words.width()));
}

} // namespace ui
