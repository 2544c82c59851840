// How NextTokenView draws itself; sizes as in the design's pictures at 100 % text size.

#include "ui/sampling/knob_table.h"
#include "ui/sampling/next_token_view.h"
#include "ui/sampling/sum_legend.h"
#include "ui/theme/icon_cache.h"
#include "ui/widgets/paint.h"

#include <QLocale>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace ui {

using engine::SamplerStage;
using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

namespace {

constexpr double kPadX = 13;
constexpr double kHead = 17;
constexpr double kArrow = 14;
constexpr double kTextRoom = 78;
constexpr double kNumberRoom = 38;
constexpr double kGap = 4;
constexpr double kMark = 2;    // width of the mark of the key
constexpr double kMarkGap = 5; // between it and its name, before the text size
constexpr double kKeyGap = 8;  // before the mark, before the text size

QString markName()
{
    return NextTokenView::tr("model's own");
}

// A token's piece as one line of visible signs; what leads is told apart from the word.
struct VisiblePiece {
    QString lead; // "·" for a space
    QString rest;
};

VisiblePiece visiblePiece(const QString& piece)
{
    if (piece.isEmpty()) return {{}, QStringLiteral("␃")};
    VisiblePiece visible;
    qsizetype start = 0;
    if (piece.front() == QLatin1Char(' ')) {
        visible.lead = QStringLiteral("·");
        start = 1;
    }
    for (const QChar c : QStringView(piece).sliced(start)) {
        if (c == QLatin1Char('\n'))
            visible.rest += QStringLiteral("⏎");
        else if (c == QLatin1Char('\t'))
            visible.rest += QStringLiteral("⇥");
        else if (c == QLatin1Char(' '))
            visible.rest += QStringLiteral("·");
        else if (c.isPrint())
            visible.rest += c;
        else
            visible.rest += QChar(0xFFFD);
    }
    return visible;
}

QString oneLine(QString text)
{
    for (QChar& c : text)
        if (c.isSpace()) c = QLatin1Char(' ');
    return text;
}

} // namespace

int NextTokenView::rowHeight() const
{
    return static_cast<int>(std::ceil(20 * m_theme.textScale()));
}

QRect NextTokenView::rowRect(int row) const
{
    const int top = static_cast<int>(std::lround(10 + 6 + 6 + (kHead + 24) * m_theme.textScale()));
    return {static_cast<int>(kPadX), top + row * rowHeight(), width() - 2 * static_cast<int>(kPadX),
            rowHeight()};
}

QSize NextTokenView::sizeHint() const
{
    const double micro = m_theme.lineHeight(TextStyle::Micro);
    const double height = 10 + kHead * m_theme.textScale() + 6 + 24 * m_theme.textScale() + 6 +
                          m_mostRows * rowHeight() + 8 + 8 + 3 + micro + 2 + m_keyLines * micro + 9;
    return {288, static_cast<int>(std::ceil(height))};
}

QSize NextTokenView::minimumSizeHint() const
{
    return {256, sizeHint().height()};
}

void NextTokenView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    drawRounded(painter, rect(), radius::kCard, m_theme.color(Token::Raised),
                m_theme.color(Token::Line));
    const double scale = m_theme.textScale();
    const QRectF inner = QRectF(rect()).adjusted(kPadX, 10, -kPadX, -9);
    paintHead(painter, {inner.left(), inner.top(), inner.width(), kHead * scale});
    if (!m_preview || m_phase == Phase::Empty) {
        paintEmpty(painter, inner);
        return;
    }
    double y = inner.top() + kHead * scale + 6;
    paintContext(painter, {inner.left(), y, inner.width(), 24 * scale});
    y += 24 * scale + 6;
    for (int i = 0; i < rowCount(); ++i)
        paintRow(painter, {inner.left(), y + i * rowHeight(), inner.width(), double(rowHeight())},
                 static_cast<std::size_t>(i));
    y += m_mostRows * rowHeight() + 8;
    const double micro = m_theme.lineHeight(TextStyle::Micro);
    paintSums(painter, {inner.left(), y, inner.width(), 8 + 3 + micro});
    paintKey(painter, {inner.left(), y + 8 + 3 + micro + 2, inner.width(), m_keyLines * micro});
}

void NextTokenView::paintHead(QPainter& painter, const QRectF& area) const
{
    painter.setFont(m_theme.font(TextStyle::Caption, QFont::DemiBold));
    painter.setPen(m_theme.color(Token::Text));
    painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter, tr("Next token"));
    if (!m_preview || m_phase == Phase::Empty) return;
    const bool live = m_phase == Phase::Live;
    const QString word = live ? tr("live") : tr("last token");
    painter.setFont(m_theme.font(TextStyle::Micro, live ? QFont::DemiBold : QFont::Normal));
    painter.setPen(m_theme.color(live ? Token::Ember : Token::Text3));
    painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, word);
    if (!live) return;
    const double width = QFontMetricsF(painter.font()).horizontalAdvance(word);
    fillRounded(painter, {area.right() - width - 11, area.center().y() - 3, 6, 6}, 3,
                m_theme.color(Token::Ember));
}

void NextTokenView::paintContext(QPainter& painter, const QRectF& area) const
{
    fillRounded(painter, area, radius::kTag, m_theme.color(Token::Panel));
    const QRectF caret(area.right() - 13, area.center().y() - 7, 7, 14);
    fillRounded(painter, caret, radius::kBar, m_theme.color(Token::Ember));
    painter.setFont(m_theme.font(TextStyle::Mono));
    painter.setPen(m_theme.color(Token::Text2));
    const QRectF text(area.left() + 6, area.top(), caret.left() - 3 - area.left() - 6,
                      area.height());
    painter.drawText(
        text, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine,
        QFontMetricsF(painter.font()).elidedText(oneLine(m_before), Qt::ElideLeft, text.width()));
}

void NextTokenView::paintRow(QPainter& painter, const QRectF& area, std::size_t index) const
{
    const PreviewRow& row = m_preview->rows[index];
    const bool cut = row.cutBy != SamplerStage::Kept;
    const double scale = m_theme.textScale();
    if (row.picked) {
        QPainterPath arrow;
        const double middle = area.center().y();
        arrow.moveTo(area.left() + 1, middle - 4);
        arrow.lineTo(area.left() + 7, middle);
        arrow.lineTo(area.left() + 1, middle + 4);
        arrow.closeSubpath();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.fillPath(arrow, m_theme.color(Token::Ember));
    }
    const VisiblePiece piece = visiblePiece(row.text);
    const QFont font = m_theme.font(TextStyle::Mono, row.picked ? QFont::DemiBold : QFont::Normal);
    const QFontMetricsF metrics(font);
    painter.setFont(font);
    const double textRoom = kTextRoom * scale;
    QRectF text(area.left() + kArrow, area.top(), textRoom, area.height());
    painter.setPen(m_theme.color(Token::Text3));
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, piece.lead);
    text.setLeft(text.left() + metrics.horizontalAdvance(piece.lead));
    painter.setPen(m_theme.color(cut ? Token::Text3 : Token::Text));
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(piece.rest, Qt::ElideRight, text.width()));

    const double numberRoom = kNumberRoom * scale;
    const double left = area.left() + kArrow + textRoom + kGap;
    paintBar(painter, {left, area.top(), area.right() - numberRoom - kGap - left, area.height()},
             row, m_bars[index]);
    painter.setFont(m_theme.font(TextStyle::MonoMicro, row.picked ? QFont::Bold : QFont::Normal));
    painter.setPen(m_theme.color(cut ? Token::Text3 : row.picked ? Token::Ember : Token::Text));
    painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter,
                     percentText(cut ? row.modelShare : row.finalShare));
}

void NextTokenView::paintBar(QPainter& painter, const QRectF& room, const PreviewRow& row,
                             const Bar& bar) const
{
    const double middle = room.center().y();
    const auto width = [&](double share) {
        return std::max(2.0, std::round(share * room.width()));
    };
    if (row.cutBy == SamplerStage::Kept) {
        fillRounded(painter, {room.left(), middle - 6, width(bar.final), 12}, radius::kBar,
                    m_theme.color(row.picked ? Token::Ember : Token::EmberBar));
        const double x = room.left() + std::min(room.width() - 2, width(bar.model) - 1);
        painter.fillRect(QRectF(x - 1, middle - 7, 4, 14), m_theme.color(Token::Raised));
        painter.fillRect(QRectF(x, middle - 7, 2, 14),
                         m_theme.color(row.lowered ? Token::KRepeat : Token::Text2));
        return;
    }
    const QColor color = m_theme.color(stageToken(row.cutBy));
    const QRectF hatch(room.left(), middle - 6, width(bar.model), 12);
    paintHatched(painter, hatch, stageToken(row.cutBy));
    const QString name = stageName(row.cutBy);
    painter.setFont(m_theme.font(TextStyle::Micro, QFont::Medium));
    const double nameWidth = QFontMetricsF(painter.font()).horizontalAdvance(name);
    // Beside the bar, or at the end of the room over it where the bar leaves no space.
    const double x = std::min(hatch.right() + 6, room.right() - nameWidth);
    if (x < hatch.right() + 3)
        fillRounded(painter, {x - 3, middle - 6, nameWidth + 3, 12}, radius::kBar,
                    m_theme.color(Token::Raised));
    painter.setPen(color);
    painter.drawText(QRectF(x, room.top(), nameWidth + 1, room.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, name);
}

void NextTokenView::paintHatched(QPainter& painter, const QRectF& bar, Token token) const
{
    painter.setBrushOrigin(bar.topLeft());
    fillRounded(painter, bar, radius::kBar, hatchBrush(m_theme.color(token), devicePixelRatioF()));
    drawRounded(painter, bar, radius::kBar, Qt::transparent, m_theme.color(token, 0.45));
}

void NextTokenView::paintSums(QPainter& painter, const QRectF& area) const
{
    const std::vector<StageShare> parts = stageShares(*m_preview);

    // The cuts from the right, each wide enough to be seen; what is kept takes the rest.
    constexpr double kStripGap = 2;
    constexpr double kLeastPart = 4;
    double right = area.right();
    for (std::size_t i = parts.size() - 1; i > 0; --i) {
        const double width = std::max(kLeastPart, std::round(parts[i].share * area.width()));
        paintHatched(painter, {right - width, area.top(), width, 8}, stageToken(parts[i].stage));
        right -= width + kStripGap;
    }
    fillRounded(painter, {area.left(), area.top(), std::max(kLeastPart, right - area.left()), 8},
                radius::kBar, m_theme.color(Token::EmberBar));

    paintLegend(painter, {area.left(), area.top() + 8 + 3, area.width(),
                          m_theme.lineHeight(TextStyle::Micro)});
}

void NextTokenView::paintLegend(QPainter& painter, const QRectF& area) const
{
    painter.setFont(m_theme.font(TextStyle::Micro));
    painter.setPen(m_theme.color(Token::Text3));
    painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("%"));
    QRectF text = area;
    text.setRight(text.right() - QFontMetricsF(painter.font()).horizontalAdvance(QLatin1Char('%')) -
                  4);
    const SumLegend legend = sumLegend(stageShares(*m_preview), m_theme, text.width());
    for (const SumLegend::Entry& entry : legend.entries) {
        const QFont::Weight weight = legendWeight(entry.stage);
        painter.setPen(m_theme.color(stageToken(entry.stage)));
        painter.setFont(m_theme.font(TextStyle::Micro, weight));
        painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, entry.name);
        painter.setFont(m_theme.tabularFont(TextStyle::Micro, weight));
        painter.drawText(text.adjusted(entry.nameWidth, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         entry.number);
        text.setLeft(text.left() + entry.width + legendGap(m_theme));
    }
    painter.setFont(m_theme.font(TextStyle::Micro));
    painter.setPen(m_theme.color(Token::Text3));
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, legend.more);
}

double NextTokenView::keyRoom() const
{
    return width() - 2 * kPadX;
}

double NextTokenView::keyWidth() const
{
    return kMark + kMarkGap * m_theme.textScale() +
           QFontMetricsF(m_theme.font(TextStyle::Micro)).horizontalAdvance(markName());
}

double NextTokenView::widthOf(const PickedText& text) const
{
    return QFontMetricsF(m_theme.font(TextStyle::Micro, QFont::DemiBold))
               .horizontalAdvance(text.count) +
           QFontMetricsF(m_theme.font(TextStyle::Micro))
               .horizontalAdvance(QLatin1Char(' ') % text.words);
}

double NextTokenView::keyGap() const
{
    return kKeyGap * m_theme.textScale();
}

// However many can be picked the view is as high.
int NextTokenView::keyLinesNeeded() const
{
    const double widest = widthOf({.count = tr("64 or more"), .words = tr("can be picked")});
    return widest + keyGap() + keyWidth() > keyRoom() ? 2 : 1;
}

NextTokenView::PickedText NextTokenView::pickedText() const
{
    const QLocale locale;
    PickedText text{.count = m_preview->keptBeyond ? tr("64 or more")
                                                   : locale.toString(m_preview->keptCount),
                    .words = tr("of %1 can be picked").arg(locale.toString(m_vocabularySize))};
    const double beside = m_keyLines == 1 ? keyGap() + keyWidth() : 0;
    if (widthOf(text) + beside > keyRoom()) text.words = tr("can be picked");
    return text;
}

void NextTokenView::paintKey(QPainter& painter, const QRectF& area) const
{
    const double line = area.height() / m_keyLines;
    const PickedText text = pickedText();
    QRectF first(area.left(), area.top(), area.width(), line);
    painter.setFont(m_theme.font(TextStyle::Micro, QFont::DemiBold));
    painter.setPen(m_theme.color(Token::Text));
    painter.drawText(first, Qt::AlignLeft | Qt::AlignVCenter, text.count);
    first.setLeft(first.left() + QFontMetricsF(painter.font()).horizontalAdvance(text.count));
    painter.setFont(m_theme.font(TextStyle::Micro));
    painter.setPen(m_theme.color(Token::Text3));
    painter.drawText(first, Qt::AlignLeft | Qt::AlignVCenter, QLatin1Char(' ') % text.words);
    const QRectF last(area.left(), area.bottom() - line, area.width(), line);
    painter.drawText(last, Qt::AlignRight | Qt::AlignVCenter, markName());
    painter.fillRect(
        QRectF(std::round(last.right() - keyWidth()), last.center().y() - 5, kMark, 10),
        m_theme.color(Token::Text2));
}

void NextTokenView::paintEmpty(QPainter& painter, const QRectF& area) const
{
    constexpr int kIcon = 24;
    painter.setFont(m_theme.font(TextStyle::Caption));
    const QString words = tr("Appears as soon as the model writes. You can set the knobs now.");
    const QRectF room(area.center().x() - 100, area.top(), 200, area.height());
    const QRectF text = QFontMetricsF(painter.font())
                            .boundingRect(room, Qt::AlignHCenter | Qt::TextWordWrap, words);
    const double height = kIcon + 8 + text.height();
    const double top = area.center().y() - height / 2 + 6;
    painter.drawPixmap(
        QPointF(std::round(area.center().x() - kIcon / 2.0), std::round(top)),
        m_theme.icons().pixmap(QStringLiteral("tokens"), kIcon, Token::Text3, devicePixelRatioF()));
    painter.setPen(m_theme.color(Token::Text3));
    painter.drawText(QRectF(room.left(), top + kIcon + 8, room.width(), text.height() + 2),
                     Qt::AlignHCenter | Qt::TextWordWrap, words);
}

} // namespace ui
