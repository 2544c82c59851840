#include "ui/sampling/sampling_rail.h"

#include "ui/sampling/knob_table.h"
#include "ui/sampling/next_token_view.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/paint.h"

#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace ui {

using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

namespace {

constexpr int kLeastWidth = 44;
constexpr double kBarRoom = 28;
constexpr Knob kShown[] = {Knob::Temperature, Knob::TopP, Knob::TopK, Knob::MinP};

} // namespace

SamplingRail::SamplingRail(const Theme& theme, const NextTokenView& source, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_source(source)
    , m_open(new IconButton(theme, QStringLiteral("sliders"), tr("Sampling"), this))
{
    fitWords();
    m_open->setSide(36);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(4, 8, 4, 8);
    column->addWidget(m_open, 0, Qt::AlignHCenter);
    column->addStretch();
    connect(&source, &NextTokenView::previewChanged, this, qOverload<>(&QWidget::update));
    connect(&theme, &Theme::changed, this, &SamplingRail::fitWords);
}

void SamplingRail::fitWords()
{
    const QFontMetricsF metrics(m_theme.font(TextStyle::Micro, QFont::DemiBold));
    int width = kLeastWidth;
    for (const Knob knob : kShown)
        width = std::max(width, static_cast<int>(std::ceil(
                                    metrics.horizontalAdvance(knobSpec(knob).shortLabel()))) +
                                    9);
    setFixedWidth(width);
    update();
}

void SamplingRail::setSettings(const engine::SamplingSettings& settings)
{
    m_settings = settings;
    update();
}

void SamplingRail::mouseReleaseEvent(QMouseEvent*)
{
    m_open->click();
}

void SamplingRail::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.color(Token::Panel));
    painter.fillRect(QRect(0, 0, 1, height()), m_theme.color(Token::Line));
    const double left = std::floor((width() - kBarRoom) / 2);
    double y = 56;
    const ChainPreview* preview = m_source.preview();
    const std::size_t count =
        preview ? std::min<std::size_t>(NextTokenView::kRows, preview->rows.size()) : 0;
    double largest = 1e-9;
    for (std::size_t i = 0; i < count; ++i)
        largest = std::max({largest, preview->rows[i].finalShare, preview->rows[i].modelShare});
    for (std::size_t i = 0; i < count; ++i, y += 7) {
        const PreviewRow& row = preview->rows[i];
        const bool cut = row.cutBy != engine::SamplerStage::Kept;
        const double share = std::sqrt((cut ? row.modelShare : row.finalShare) / largest);
        const QRectF bar(left, y, std::max(4.0, std::round(share * kBarRoom)), 4);
        if (cut)
            drawRounded(painter, bar, 1, Qt::transparent, m_theme.color(stageToken(row.cutBy)));
        else
            fillRounded(painter, bar, 1, m_theme.color(Token::EmberBar));
    }
    y = std::max(y, 56.0 + 70) + 10;
    const double line = m_theme.lineHeight(TextStyle::Micro);
    for (const Knob knob : kShown) {
        const KnobSpec& spec = knobSpec(knob);
        painter.setFont(m_theme.font(TextStyle::Micro, QFont::DemiBold));
        painter.setPen(m_theme.color(spec.token));
        painter.drawText(QRectF(0, y, width(), line), Qt::AlignCenter, spec.shortLabel());
        painter.setFont(m_theme.font(TextStyle::MonoMicro));
        painter.setPen(m_theme.color(Token::Text));
        painter.drawText(QRectF(0, y + line - 1, width(), line), Qt::AlignCenter,
                         spec.format(spec.get(m_settings)));
        y += 2 * line + 8;
    }
}

} // namespace ui
