#include "ui/transcript/link_popup.h"

#include "ui/theme/nook_style.h"
#include "ui/widgets/button.h"
#include "ui/widgets/focus_ring.h"
#include "ui/widgets/paint.h"

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QScreen>

#include <algorithm>

namespace ui {

using Token = Theme::Token;

namespace {

constexpr int kWidth = 340;
constexpr int kPadding = 14;
constexpr qsizetype kMaxLines = 6;
/// The shadow's room around the card.
constexpr QMargins kShadow{4, 2, 4, 9};

QStringList broken(const QString& text, const QFontMetricsF& metrics, double width)
{
    QStringList lines{QString()};
    for (const QChar c : text) {
        if (metrics.horizontalAdvance(lines.last() + c) > width) lines.append(QString());
        lines.last() += c;
    }
    if (lines.size() > kMaxLines) {
        lines.resize(kMaxLines);
        lines.last().chop(1);
        lines.last() += QChar(0x2026);
    }
    return lines;
}

} // namespace

LinkPopup::LinkPopup(const TranscriptStyle& style, const QUrl& url, QWidget* parent)
    : QWidget(parent, Qt::Popup | Qt::FramelessWindowHint | Qt::NoDropShadowWindowHint)
    , m_style(style)
    , m_shadow(hasTranslucentPopups() ? kShadow : QMargins())
    , m_address(url.toString(QUrl::FullyEncoded))
    , m_open(new Button(style.theme(), tr("Open"), Button::Kind::Primary, this))
    , m_copy(new Button(style.theme(), tr("Copy address"), Button::Kind::Secondary, this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setAttribute(Qt::WA_TranslucentBackground, hasTranslucentPopups());
    setAccessibleName(tr("Open %1?").arg(m_address));
    new FocusRing(this);
    m_open->setSmall(true);
    m_copy->setSmall(true);
    connect(m_open, &QAbstractButton::clicked, this, [this, url] {
        Q_EMIT agreed(url);
        close();
    });
    connect(m_copy, &QAbstractButton::clicked, this, [this] {
        QApplication::clipboard()->setText(m_address);
        close();
    });
    const QFont mono = style.theme().font(Theme::TextStyle::Mono);
    const int width = style.px(kWidth);
    m_lines = broken(m_address, QFontMetricsF(mono), width - 2.0 * kPadding);
    int y = m_shadow.top() + kPadding + style.px(18) + 6;
    y += static_cast<int>(m_lines.size()) * style.px(18) + 12;
    const QSize open = m_open->sizeHint();
    const QSize copy = m_copy->sizeHint();
    const int right = m_shadow.left() + width - kPadding;
    m_open->setGeometry(right - open.width(), y, open.width(), open.height());
    m_copy->setGeometry(m_open->x() - 8 - copy.width(), y, copy.width(), copy.height());
    y += open.height() + kPadding + m_shadow.bottom();
    setFixedSize(width + m_shadow.left() + m_shadow.right(), y);
}

void LinkPopup::openAt(const QPoint& globalPosition)
{
    QPoint place = globalPosition + QPoint(-24, 14);
    if (const QScreen* screen = QGuiApplication::screenAt(globalPosition)) {
        const QRect room = screen->availableGeometry();
        place.setX(
            std::clamp(place.x(), room.left(), std::max(room.left(), room.right() - width())));
        if (place.y() + height() > room.bottom()) place.setY(globalPosition.y() - 14 - height());
    }
    move(place);
    show();
    m_open->setFocus();
}

void LinkPopup::keyPressEvent(QKeyEvent* event)
{
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && !event->isAutoRepeat())
        (m_copy->hasFocus() ? m_copy : m_open)->click();
    else
        QWidget::keyPressEvent(event);
}

void LinkPopup::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QRectF card = QRectF(rect()).marginsRemoved(m_shadow);
    const double corner = m_shadow.isNull() ? 0 : radius::kCard;
    if (!m_shadow.isNull()) drawShadow(painter, card, corner, m_style.theme());
    drawRounded(painter, card, corner, m_style.color(Token::Raised), m_style.color(Token::Line));
    double y = card.top() + kPadding;
    const auto line = [&](const QString& text, Theme::TextStyle style, Token ink) {
        painter.setFont(m_style.theme().font(style));
        painter.setPen(m_style.color(ink));
        painter.drawText(QRectF(card.left() + kPadding, y, card.width(), m_style.px(18)),
                         Qt::AlignVCenter | Qt::AlignLeft, text);
        y += m_style.px(18);
    };
    line(tr("Open this address in the browser?"), Theme::TextStyle::Ui, Token::Text);
    y += 6;
    for (const QString& text : m_lines)
        line(text, Theme::TextStyle::Mono, Token::Text2);
}

} // namespace ui
