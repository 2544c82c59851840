#include "ui/widgets/undo_strip.h"

#include "ui/widgets/button.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/paint.h"

#include <QHBoxLayout>

namespace ui {

using Token = Theme::Token;

UndoStrip::UndoStrip(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_text(new Label(theme, {}, Theme::TextStyle::Ui, Token::Text, this))
    , m_undo(new Button(theme, tr("Undo"), Button::Kind::Ghost, this))
{
    m_undo->setSmall(true);
    m_undo->setToolTip(
        tr("Undo %1").arg(QKeySequence(QKeySequence::Undo).toString(QKeySequence::NativeText)));
    m_text->setElided(true);
    auto* close = new IconButton(theme, QStringLiteral("close"), tr("Close"), this);
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(12, 4, 4, 4);
    line->setSpacing(4);
    line->addWidget(m_text, 1);
    line->addWidget(m_undo);
    line->addWidget(close);
    m_timer.setSingleShot(true);
    m_timer.setInterval(kDurationMs);
    hide();
    connect(&m_timer, &QTimer::timeout, this, [this] {
        if (underMouse() || m_undo->hasFocus())
            m_timer.start();
        else
            expire();
    });
    connect(close, &QAbstractButton::clicked, this, &UndoStrip::expire);
    connect(m_undo, &QPushButton::clicked, this, [this] {
        m_timer.stop();
        hide();
        Q_EMIT undoRequested();
    });
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void UndoStrip::offer(const QString& text)
{
    if (isVisible()) Q_EMIT expired(); // the one before
    m_text->setText(text);
    m_timer.start();
    show();
}

QString UndoStrip::text() const
{
    return m_text->text();
}

void UndoStrip::expire()
{
    m_timer.stop();
    hide();
    Q_EMIT expired();
}

void UndoStrip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    drawRounded(painter, rect(), radius::kControl, m_theme.color(Token::Raised),
                m_theme.color(Token::Line));
}

} // namespace ui
