#include "ui/chat/title_label.h"

#include "ui/widgets/label.h"
#include "ui/widgets/line_field.h"

#include <QApplication>
#include <QKeyEvent>

#include <algorithm>
#include <utility>

namespace ui {

namespace {

constexpr int kLeastCharacters = 10;

} // namespace

TitleLabel::TitleLabel(const Theme& theme, QWidget* parent)
    : QStackedWidget(parent)
    , m_label(new Label(theme, {}, Theme::TextStyle::Title, Theme::Token::Text, this))
    , m_field(new LineField(theme, this))
{
    m_label->setWeight(QFont::DemiBold);
    m_label->setElided(true);
    m_field->setMaxLength(200);
    m_field->setAccessibleName(tr("Title of the chat"));
    addWidget(m_label);
    addWidget(m_field);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_field->installEventFilter(this);
    connect(m_field, &QLineEdit::editingFinished, this, [this] { finish(true); });
}

// A field that loses the focus as it goes speaks once more.
TitleLabel::~TitleLabel()
{
    m_field->disconnect(this);
}

void TitleLabel::setTitle(const QString& title)
{
    m_label->setText(title);
    m_label->setToolTip(title);
    updateGeometry();
    setAccessibleName(title);
}

QString TitleLabel::title() const
{
    return m_label->text();
}

QSize TitleLabel::minimumSizeHint() const
{
    const QFontMetrics metrics = m_label->fontMetrics();
    const int whole = metrics.horizontalAdvance(m_label->text()) + 2;
    const int least = metrics.averageCharWidth() * kLeastCharacters;
    return {std::min(whole, least), QStackedWidget::minimumSizeHint().height()};
}

void TitleLabel::startRenaming()
{
    if (!m_renamable || m_renaming) return;
    m_renaming = true;
    m_before = QApplication::focusWidget();
    m_field->setText(m_label->text());
    setCurrentWidget(m_field);
    m_field->selectAll();
    m_field->setFocus();
}

void TitleLabel::finish(bool keep)
{
    // The field that goes loses the focus, and says once more that it is finished.
    if (!std::exchange(m_renaming, false)) return;
    const bool focused = m_field->hasFocus();
    setCurrentWidget(m_label);
    if (focused && m_before) m_before->setFocus();
    const QString title = m_field->text().simplified();
    if (keep && !title.isEmpty() && title != m_label->text()) Q_EMIT renamed(title);
}

// Esc is the field's before it is the window's.
bool TitleLabel::eventFilter(QObject* object, QEvent* event)
{
    if (object == m_field && event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    return QStackedWidget::eventFilter(object, event);
}

void TitleLabel::mouseDoubleClickEvent(QMouseEvent*)
{
    startRenaming();
}

void TitleLabel::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && currentWidget() == m_field)
        finish(false);
    else if (event->key() == Qt::Key_F2)
        startRenaming();
    else
        QStackedWidget::keyPressEvent(event);
}

} // namespace ui
