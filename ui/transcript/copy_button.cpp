#include "ui/transcript/copy_button.h"

#include "ui/theme/icon_cache.h"
#include "ui/widgets/paint.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace ui {

using Token = Theme::Token;

namespace {

constexpr int kCopiedMs = 1200;
constexpr int kIconSize = 16;
constexpr int kGap = 6;
constexpr int kPadding = 8;

} // namespace

CopyButton::CopyButton(const TranscriptStyle& style, QWidget* parent)
    : QAbstractButton(parent)
    , m_style(style)
{
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::ArrowCursor);
    setAccessibleName(tr("Copy code"));
    m_copied.setSingleShot(true);
    m_copied.setInterval(kCopiedMs);
    const auto showState = [this] {
        setAccessibleName(saysCopied() ? tr("Copied") : tr("Copy code"));
        update();
    };
    connect(&m_copied, &QTimer::timeout, this, showState);
    connect(this, &QAbstractButton::clicked, this, [this, showState] {
        m_copied.start();
        showState();
    });
}

QString CopyButton::words() const
{
    return saysCopied() ? tr("Copied") : tr("Copy");
}

QSize CopyButton::sizeHint() const
{
    const QFontMetricsF metrics(m_style.theme().font(Theme::TextStyle::Caption));
    const double words =
        std::max(metrics.horizontalAdvance(tr("Copy")), metrics.horizontalAdvance(tr("Copied")));
    return {2 * kPadding + kIconSize + kGap + static_cast<int>(std::ceil(words)), m_style.px(24)};
}

void CopyButton::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const bool lit = underMouse() || isDown();
    if (lit)
        fillRounded(painter, rect(), radius::kControl,
                    m_style.theme().color(Token::Text, isDown() ? 0.09 : 0.06));
    const QFont font = m_style.theme().font(Theme::TextStyle::Caption);
    const QFontMetricsF metrics(font);
    const double wordsWidth = metrics.horizontalAdvance(words());
    const double left = width() - kPadding - wordsWidth - kGap - kIconSize;
    const Token ink = saysCopied() ? Token::Ok : lit ? Token::Text : Token::Text2;
    painter.drawPixmap(QPointF(left, (height() - kIconSize) / 2.0),
                       m_style.theme().icons().pixmap(saysCopied() ? QStringLiteral("check")
                                                                   : QStringLiteral("copy"),
                                                      kIconSize, ink, devicePixelRatioF()));
    painter.setFont(font);
    painter.setPen(m_style.color(saysCopied() ? Token::Text2 : ink));
    painter.drawText(QRectF(left + kIconSize + kGap, 0, wordsWidth + 1, height()),
                     Qt::AlignLeft | Qt::AlignVCenter, words());
}

} // namespace ui
