// How NextTokenView draws itself; sizes as in the design's pictures at 100 % text size.

#include "ui/sampling/knob_table.h"
#include "ui/sampling/next_token_view.h"
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

QString percent(double share)
{
    return share >= 0.9995 ? QStringLiteral("100") : QLocale().toString(share * 100, 'f', 1);
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
                          kRows * rowHeight() + 8 + 8 + 3 + micro + 2 + micro + 9;
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
    for (std::size_t i = 0; i < m_bars.size(); ++i)
        paintRow(painter,
                 {inner.left(), y + static_cast<double>(i) * rowHeight(), inner.width(),
                  double(rowHeight())},
                 i);
    y += kRows * rowHeight() + 8;
    const double micro = m_theme.lineHeight(TextStyle::Micro);
    paintSums(painter, {inner.left(), y, inner.width(), 8 + 3 + micro});
    paintKey(painter, {inner.left(), y + 8 + 3 + micro + 2, inner.width(), micro});
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
                     percent(cut ? row.modelShare : row.finalShare));
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
    struct Part {
        SamplerStage stage;
        double share;
    };
    std::vector<Part> parts;
    for (int i = 0; i < ChainPreview::kStages; ++i)
        if (const double share = m_preview->shares[static_cast<std::size_t>(i)];
            share >= 0.0005 || i == 0)
            parts.push_back({static_cast<SamplerStage>(i), share});
    std::stable_sort(parts.begin() + 1, parts.end(),
                     [](const Part& a, const Part& b) { return a.share > b.share; });

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

    // Kept and the two largest cuts by name (three where nothing is left out), then "+2 more".
    const double line = m_theme.lineHeight(TextStyle::Micro);
    QRectF text(area.left(), area.top() + 8 + 3, area.width(), line);
    painter.setFont(m_theme.font(TextStyle::Micro));
    painter.setPen(m_theme.color(Token::Text3));
    painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("%"));
    text.setRight(text.right() - QFontMetricsF(painter.font()).horizontalAdvance(QLatin1Char('%')) -
                  4);
    const std::size_t most = parts.size() <= 4 ? parts.size() : 3;
    std::size_t named = 0;
    for (; named < most; ++named) {
        const QFont::Weight weight = named == 0 ? QFont::DemiBold : QFont::Medium;
        const QString name = stageName(parts[named].stage) % QLatin1Char(' ');
        const QString number = percent(parts[named].share);
        const QFontMetricsF nameMetrics(m_theme.font(TextStyle::Micro, weight));
        const QFontMetricsF numberMetrics(m_theme.tabularFont(TextStyle::Micro, weight));
        const double nameWidth = nameMetrics.horizontalAdvance(name);
        const double width = nameWidth + numberMetrics.horizontalAdvance(number);
        if (width > text.width()) return; // where letters are large the strip speaks for the rest
        painter.setPen(m_theme.color(stageToken(parts[named].stage)));
        painter.setFont(m_theme.font(TextStyle::Micro, weight));
        painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, name);
        painter.setFont(m_theme.tabularFont(TextStyle::Micro, weight));
        painter.drawText(text.adjusted(nameWidth, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         number);
        text.setLeft(text.left() + width + 8);
    }
    if (named == parts.size()) return;
    painter.setFont(m_theme.font(TextStyle::Micro));
    painter.setPen(m_theme.color(Token::Text3));
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                     tr("+%1 more").arg(parts.size() - named));
}

void NextTokenView::paintKey(QPainter& painter, const QRectF& area) const
{
    const QString count =
        m_preview->keptBeyond ? tr("64 or more") : QLocale().toString(m_preview->keptCount);
    painter.setFont(m_theme.font(TextStyle::Micro, QFont::DemiBold));
    painter.setPen(m_theme.color(Token::Text));
    painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter, count);
    QRectF rest = area;
    rest.setLeft(rest.left() + QFontMetricsF(painter.font()).horizontalAdvance(count) + 3);
    painter.setFont(m_theme.font(TextStyle::Micro));
    painter.setPen(m_theme.color(Token::Text3));
    const QString words = tr("of %1 can be picked").arg(QLocale().toString(m_vocabularySize));
    painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, words);
    const QFontMetricsF metrics(painter.font());
    const QString key = tr("model's own");
    const double x = area.right() - metrics.horizontalAdvance(key) - 7;
    if (x < rest.left() + metrics.horizontalAdvance(words) + 8) return;
    painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, key);
    painter.fillRect(QRectF(std::round(x), area.center().y() - 5, 2, 10),
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
