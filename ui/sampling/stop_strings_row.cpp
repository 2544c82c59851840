#include "ui/sampling/stop_strings_row.h"

#include "app/settings/stop_text.h"
#include "ui/theme/icon_cache.h"
#include "ui/widgets/label.h"
#include "ui/widgets/paint.h"

#include <QAbstractButton>
#include <QKeyEvent>
#include <QLineEdit>

#include <algorithm>
#include <cmath>

namespace ui {

using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

namespace {

constexpr int kSide = 16;
constexpr int kBelow = 8;
constexpr int kNameGap = 5; ///< between the name and the field
constexpr int kPad = 5;     ///< in the field
constexpr int kGap = 5;     ///< between chips
constexpr int kLeastField = 64;
constexpr int kHeight = 32; ///< of the field with one line

/// "\n\nUser: ×"
class StopChip : public QAbstractButton {
public:
    StopChip(const Theme& theme, const QString& written, QWidget* parent)
        : QAbstractButton(parent)
        , m_theme(theme)
    {
        setText(written);
        setAccessibleName(StopStringsRow::tr("Remove the stop string %1").arg(written));
        setToolTip(accessibleName());
        setFocusPolicy(Qt::TabFocus);
        setAttribute(Qt::WA_Hover);
    }
    QSize sizeHint() const override
    {
        const QFontMetricsF metrics(m_theme.font(TextStyle::MonoMicro));
        return {static_cast<int>(std::ceil(metrics.horizontalAdvance(text()))) + 2 * kPadding +
                    kCross + 3,
                std::max(24, static_cast<int>(std::ceil(metrics.height())) + 6)};
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        const bool lit = underMouse() || isDown();
        const QRectF tag = QRectF(rect()).adjusted(0, 2, 0, -2);
        fillRounded(painter, tag, radius::kTag,
                    lit ? m_theme.hovered(Token::Fill) : m_theme.color(Token::Fill));
        painter.setFont(m_theme.font(TextStyle::MonoMicro));
        painter.setPen(m_theme.color(lit ? Token::Text : Token::Text2));
        const double room = width() - 2 * kPadding - kCross - 3;
        painter.drawText(
            QRectF(kPadding, 0, room + 1, height()), Qt::AlignLeft | Qt::AlignVCenter,
            QFontMetricsF(painter.font()).elidedText(text(), Qt::ElideRight, room + 1));
        painter.drawPixmap(
            QPointF(width() - kPadding - kCross, std::round((height() - kCross) / 2.0)),
            m_theme.icons().pixmap(QStringLiteral("close"), kCross,
                                   lit ? Token::Text : Token::Text2, devicePixelRatioF()));
    }

private:
    static constexpr int kPadding = 5;
    static constexpr int kCross = 12;
    const Theme& m_theme;
};

} // namespace

StopStringsRow::StopStringsRow(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_name(new Label(theme, tr("Stop strings"), TextStyle::Ui, Token::Text, this))
    , m_when(new Label(theme, tr("from the next reply"), TextStyle::Micro, Token::Text3, this))
    , m_field(new QLineEdit(this))
{
    setAccessibleName(m_name->text());
    m_field->setFrame(false);
    m_field->setPlaceholderText(tr("Add…"));
    m_field->setAccessibleName(tr("Add a stop string"));
    m_field->setAccessibleDescription(
        tr("A reply ends before this text. Enter adds it; \\n is a new line, \\t a tab."));
    m_field->setToolTip(m_field->accessibleDescription());
    m_field->setMaxLength(200);
    m_field->installEventFilter(this);
    m_field->setAttribute(Qt::WA_MacShowFocusRect, false);
    connect(m_field, &QLineEdit::editingFinished, this, &StopStringsRow::addWritten);
    connect(&theme, &Theme::changed, this, &StopStringsRow::restyle);
    restyle();
}

// A field that loses the focus as it goes speaks once more.
StopStringsRow::~StopStringsRow()
{
    m_field->disconnect(this);
}

void StopStringsRow::restyle()
{
    m_field->setFont(m_theme.font(TextStyle::Mono));
    QPalette colors = m_field->palette();
    colors.setColor(QPalette::Base, Qt::transparent);
    colors.setColor(QPalette::Text, m_theme.color(Token::Text));
    colors.setColor(QPalette::PlaceholderText, m_theme.color(Token::Text3));
    m_field->setPalette(colors);
    arrange();
}

void StopStringsRow::setStopStrings(const QStringList& texts)
{
    if (texts == m_texts) return;
    m_texts = texts;
    makeChips();
}

void StopStringsRow::makeChips()
{
    // A chip may be what asks for this.
    for (QAbstractButton* chip : std::as_const(m_chips)) {
        chip->hide();
        chip->deleteLater();
    }
    m_chips.clear();
    for (const QString& text : std::as_const(m_texts)) {
        auto* chip = new StopChip(m_theme, app::writtenStopString(text), this);
        chip->installEventFilter(this);
        chip->show();
        connect(chip, &QAbstractButton::clicked, this,
                [this, chip] { removeAt(m_chips.indexOf(chip)); });
        setTabOrder(m_chips.isEmpty() ? static_cast<QWidget*>(this) : m_chips.last(), chip);
        m_chips += chip;
    }
    if (!m_chips.isEmpty()) setTabOrder(m_chips.last(), m_field);
    arrange();
}

// Chips run on in lines; what is left of the last one is the field's.
void StopStringsRow::arrange()
{
    const QSize name = m_name->sizeHint();
    const QSize when = m_when->sizeHint();
    m_name->setGeometry(kSide, 0, std::min(name.width(), width() - 2 * kSide), name.height());
    const int whenRoom = width() - kSide - m_name->geometry().right() - 1 - 6;
    m_when->setVisible(whenRoom >= when.width());
    m_when->setGeometry(m_name->geometry().right() + 7, 0, when.width(), name.height());

    const int left = kSide + kPad;
    const int right = width() - kSide - kPad;
    const int line = m_chips.isEmpty() ? 24 : m_chips.first()->sizeHint().height();
    const int row = std::max(line, m_field->fontMetrics().height() + 6);
    const int top = name.height() + kNameGap;
    const int upright = std::max(kPad, (kHeight - row) / 2);
    int x = left;
    int y = top + upright;
    for (QAbstractButton* chip : std::as_const(m_chips)) {
        const int width = std::min(chip->sizeHint().width(), right - left);
        if (x > left && x + width > right) {
            x = left;
            y += row;
        }
        chip->setGeometry(x, y + (row - line) / 2, width, line);
        x += width + kGap;
    }
    if (right - x < kLeastField && x > left) {
        x = left;
        y += row;
    }
    m_field->setGeometry(x, y, right - x, row);
    m_frame = QRect(kSide, top, width() - 2 * kSide, y + row + upright - top);
    const int height = m_frame.bottom() + 1 + kBelow;
    if (height != minimumHeight()) setFixedHeight(height);
    update();
}

void StopStringsRow::addWritten()
{
    const QString text = app::stopStringOf(m_field->text());
    m_field->clear();
    const QStringList texts = app::usableStopStrings(m_texts + QStringList(text));
    if (texts == m_texts) return;
    setStopStrings(texts);
    Q_EMIT stopStringsEdited(m_texts);
}

void StopStringsRow::removeAt(qsizetype index)
{
    if (index < 0 || index >= m_texts.size()) return;
    QStringList texts = m_texts;
    texts.removeAt(index);
    setStopStrings(texts);
    QWidget* next = index < m_chips.size() ? static_cast<QWidget*>(m_chips[index]) : m_field;
    next->setFocus(Qt::TabFocusReason);
    Q_EMIT stopStringsEdited(m_texts);
}

bool StopStringsRow::chipKey(qsizetype index, int key)
{
    switch (key) {
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
    case Qt::Key_Return:
    case Qt::Key_Enter:
        removeAt(index);
        return true;
    case Qt::Key_Left:
        m_chips[std::max<qsizetype>(index - 1, 0)]->setFocus(Qt::TabFocusReason);
        return true;
    case Qt::Key_Right: {
        const bool last = index + 1 == m_chips.size();
        (last ? static_cast<QWidget*>(m_field) : m_chips[index + 1])->setFocus(Qt::TabFocusReason);
        return true;
    }
    default:
        return false;
    }
}

bool StopStringsRow::eventFilter(QObject* object, QEvent* event)
{
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) update();
    if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(object, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (object == m_field) {
        const bool back = key == Qt::Key_Backspace || key == Qt::Key_Left;
        if (!back || m_field->cursorPosition() > 0 || m_field->hasSelectedText() ||
            m_chips.isEmpty())
            return QWidget::eventFilter(object, event);
        m_chips.last()->setFocus(Qt::TabFocusReason); // the next Backspace removes it
        return true;
    }
    const qsizetype index = m_chips.indexOf(object);
    return (index >= 0 && chipKey(index, key)) || QWidget::eventFilter(object, event);
}

void StopStringsRow::mousePressEvent(QMouseEvent*)
{
    m_field->setFocus(Qt::MouseFocusReason);
}

void StopStringsRow::resizeEvent(QResizeEvent*)
{
    arrange();
}

void StopStringsRow::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const bool focused = m_field->hasFocus();
    drawRounded(painter, m_frame, radius::kControl, m_theme.color(Token::Raised),
                m_theme.color(focused ? Token::Focus : Token::Edge), focused ? 2 : 1);
}

} // namespace ui
