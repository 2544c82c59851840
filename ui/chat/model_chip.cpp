#include "ui/chat/model_chip.h"

#include "app/inference/size_text.h"
#include "ui/theme/icon_cache.h"
#include "ui/widgets/paint.h"

#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace ui {

using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

namespace {

constexpr double kPadLeft = 10;
constexpr double kPadRight = 8;
constexpr double kGap = 8;
constexpr double kDot = 8;
constexpr int kIcon = 16;
constexpr double kMostName = 220; // before the text size

} // namespace

ModelChip::ModelChip(const Theme& theme, QWidget* parent)
    : QAbstractButton(parent)
    , m_theme(theme)
{
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    describe();
    connect(&theme, &Theme::changed, this, &ModelChip::relayout);
}

void ModelChip::setModel(const QString& name, const QString& quantization, quint64 bytes)
{
    m_name = name;
    m_quantization = quantization;
    m_size = bytes > 0 ? app::sizeText(bytes, app::SizeKind::File) : QString();
    describe();
    relayout();
}

void ModelChip::setState(State state)
{
    if (state == State::Loading && m_state != state) m_progress = 0;
    m_state = state;
    describe();
    relayout();
}

void ModelChip::setProgress(double share)
{
    m_progress = std::clamp(share, 0.0, 1.0);
    describe();
    update();
}

void ModelChip::setNarrow(bool narrow)
{
    m_narrow = narrow;
    relayout();
}

void ModelChip::relayout()
{
    updateGeometry();
    update();
}

QString ModelChip::shownName() const
{
    return m_name.isEmpty() ? tr("No model") : m_name;
}

QString ModelChip::stateWord() const
{
    switch (m_state) {
    case State::NotLoaded:
        return m_name.isEmpty() ? tr("Choose…") : tr("Not loaded");
    case State::Loading:
        return tr("Loading %1 %").arg(qRound(m_progress * 100));
    case State::Ready:
        return tr("Ready");
    case State::Writing:
        return tr("Writing");
    case State::Failed:
        break;
    }
    return tr("Not loaded");
}

void ModelChip::describe()
{
    QStringList parts{shownName()};
    if (!m_quantization.isEmpty()) parts += m_quantization;
    parts += stateWord().toLower();
    setAccessibleName(tr("Model: %1").arg(parts.join(QStringLiteral(", "))));
    setToolTip(accessibleName() % QLatin1Char(' ') %
               QKeySequence(Qt::CTRL | Qt::Key_M).toString(QKeySequence::NativeText));
}

QFont ModelChip::wordFont() const
{
    const bool strong = m_state == State::Writing || m_state == State::Failed;
    return m_theme.tabularFont(TextStyle::Caption, strong ? QFont::DemiBold : QFont::Normal);
}

double ModelChip::widthOf(const Parts& parts) const
{
    const auto text = [this](const QString& words, TextStyle style, QFont::Weight weight) {
        return QFontMetricsF(m_theme.font(style, weight)).horizontalAdvance(words);
    };
    double width = kPadLeft + (m_state == State::Failed ? kIcon : kDot) + kGap +
                   std::min(kMostName * m_theme.textScale(),
                            text(shownName(), TextStyle::Ui, QFont::DemiBold)) +
                   kGap + kIcon + kPadRight;
    if (parts.tag && !m_quantization.isEmpty())
        width += text(m_quantization, TextStyle::MonoMicro, QFont::Normal) + 10 + kGap;
    if (parts.size && !m_size.isEmpty())
        width += text(m_size, TextStyle::Mono, QFont::Normal) + kGap;
    if (parts.word) {
        // Reserved for the widest percentage: the width does not change with the number.
        const QString word = m_state == State::Loading ? tr("Loading %1 %").arg(100) : stateWord();
        width += text(QStringLiteral("·"), TextStyle::Ui, QFont::Normal) + kGap +
                 QFontMetricsF(wordFont()).horizontalAdvance(word) + kGap;
    }
    return std::ceil(width);
}

QSize ModelChip::sizeHint() const
{
    const int height =
        std::max(32, static_cast<int>(std::ceil(m_theme.lineHeight(TextStyle::Ui))) + 12);
    const Parts parts = m_narrow ? Parts{false, false, false} : Parts{};
    return {static_cast<int>(widthOf(parts)), height};
}

QSize ModelChip::minimumSizeHint() const
{
    return {std::min(static_cast<int>(widthOf({false, false, false})), 140), sizeHint().height()};
}

double ModelChip::paintDot(QPainter& painter) const
{
    const double middle = height() / 2.0;
    if (m_state == State::Failed) {
        painter.drawPixmap(QPointF(kPadLeft - 1, std::round(middle - kIcon / 2.0)),
                           m_theme.icons().pixmap(QStringLiteral("error"), kIcon, Token::Bad,
                                                  devicePixelRatioF()));
        return kPadLeft + kIcon;
    }
    const QRectF dot(kPadLeft, middle - kDot / 2, kDot, kDot);
    if (m_state == State::Writing)
        fillRounded(painter, dot.adjusted(-3, -3, 3, 3), 7, m_theme.color(Token::Ember, 0.28));
    if (m_state == State::Ready || m_state == State::Writing)
        fillRounded(painter, dot, 4, m_theme.color(Token::Ember));
    else
        drawRounded(painter, dot, 4, Qt::transparent,
                    m_theme.color(m_state == State::Loading ? Token::Ember : Token::Edge), 1.5);
    return kPadLeft + kDot;
}

double ModelChip::paintTag(QPainter& painter, double x) const
{
    painter.setFont(m_theme.font(TextStyle::MonoMicro));
    const QFontMetricsF metrics(painter.font());
    const double tagHeight = std::ceil(metrics.height()) + 2;
    const QRectF tag(x, std::round((height() - tagHeight) / 2),
                     metrics.horizontalAdvance(m_quantization) + 10, tagHeight);
    fillRounded(painter, tag, radius::kTag, m_theme.color(Token::Fill));
    painter.setPen(m_theme.color(Token::Text2));
    painter.drawText(tag, Qt::AlignCenter, m_quantization);
    return tag.right() + kGap;
}

double ModelChip::paintWord(QPainter& painter, double x) const
{
    painter.setFont(m_theme.font(TextStyle::Ui));
    painter.setPen(m_theme.color(Token::Text3));
    painter.drawText(QRectF(x, 0, 12, height()), Qt::AlignLeft | Qt::AlignVCenter,
                     QStringLiteral("·"));
    x += QFontMetricsF(painter.font()).horizontalAdvance(QStringLiteral("·")) + kGap;
    painter.setFont(wordFont());
    painter.setPen(m_theme.color(m_state == State::Writing  ? Token::Ember
                                 : m_state == State::Failed ? Token::Bad
                                                            : Token::Text2));
    const QString word = stateWord();
    painter.drawText(QRectF(x, 0, width(), height()), Qt::AlignLeft | Qt::AlignVCenter, word);
    return x;
}

void ModelChip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const bool lit = underMouse() || isDown();
    drawRounded(painter, rect(), radius::kControl,
                lit ? m_theme.hovered(Token::Raised) : m_theme.color(Token::Raised),
                m_theme.color(Token::Line));
    // The first of these that fits.
    const Parts choices[] = {
        {true, true, true}, {false, true, true}, {false, false, true}, {false, false, false}};
    Parts parts = choices[3];
    for (const Parts& choice : choices)
        if (!m_narrow && widthOf(choice) <= width()) {
            parts = choice;
            break;
        }
    double x = paintDot(painter) + kGap;
    const double chevron = width() - kPadRight - kIcon;
    painter.setFont(m_theme.font(TextStyle::Ui, QFont::DemiBold));
    painter.setPen(m_theme.color(Token::Text));
    const QFontMetricsF metrics(painter.font());
    const double nameRoom = parts.word ? std::min(kMostName * m_theme.textScale(),
                                                  metrics.horizontalAdvance(shownName()))
                                       : chevron - kGap - x;
    painter.drawText(QRectF(x, 0, nameRoom + 1, height()), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(shownName(), Qt::ElideRight, nameRoom + 1));
    x += nameRoom + kGap;
    if (parts.tag && !m_quantization.isEmpty()) x = paintTag(painter, x);
    if (parts.size && !m_size.isEmpty()) {
        painter.setFont(m_theme.font(TextStyle::Mono));
        painter.setPen(m_theme.color(Token::Text2));
        painter.drawText(QRectF(x, 0, width(), height()), Qt::AlignLeft | Qt::AlignVCenter, m_size);
        x += QFontMetricsF(painter.font()).horizontalAdvance(m_size) + kGap;
    }
    if (parts.word) paintWord(painter, x);
    painter.drawPixmap(QPointF(chevron, std::round((height() - kIcon) / 2.0)),
                       m_theme.icons().pixmap(QStringLiteral("chevron-down"), kIcon, Token::Text2,
                                              devicePixelRatioF()));
    if (m_state != State::Loading) return;
    QPainterPath card;
    card.addRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius::kControl,
                        radius::kControl);
    painter.setClipPath(card);
    painter.fillRect(QRectF(0, height() - 2.5, width() * m_progress, 2),
                     m_theme.color(Token::Ember));
}

} // namespace ui
