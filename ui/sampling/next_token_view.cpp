#include "ui/sampling/next_token_view.h"

#include "ui/sampling/knob_table.h"
#include "ui/sampling/next_token_accessible.h"

#include <algorithm>
#include <cmath>

namespace ui {

using engine::SamplerStage;

namespace {

constexpr int kUpdateMs = 66; // 15 a second

} // namespace

NextTokenView::NextTokenView(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    installNextTokenAccessible();
    setAccessibleName(tr("Next token"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_throttle.setSingleShot(true);
    m_throttle.setInterval(kUpdateMs);
    connect(&m_throttle, &QTimer::timeout, this, &NextTokenView::showPending);
    m_motion.setStartValue(0.0);
    m_motion.setEndValue(1.0);
    m_motion.setEasingCurve(QEasingCurve::OutCubic);
    connect(&m_motion, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) {
        const double t = value.toDouble();
        for (std::size_t i = 0; i < m_bars.size(); ++i)
            m_bars[i] = {std::lerp(m_from[i].model, m_to[i].model, t),
                         std::lerp(m_from[i].final, m_to[i].final, t)};
        update();
    });
    connect(&theme, &Theme::changed, this, [this] {
        m_keyLines = keyLinesNeeded();
        updateGeometry();
        update();
    });
}

void NextTokenView::setToken(const engine::TokenEvent& event, const QString& before,
                             int vocabularySize)
{
    m_pending = event;
    m_pendingBefore = before;
    m_vocabularySize = vocabularySize;
    if (!m_throttle.isActive()) showPending();
}

void NextTokenView::showPending()
{
    if (!m_pending) return;
    m_event = std::move(*m_pending);
    m_pending.reset();
    m_before = m_pendingBefore;
    m_throttle.start();
    recompute();
}

void NextTokenView::setPhase(Phase phase)
{
    if (phase != Phase::Live) showPending(); // nothing of the last token is left out
    m_phase = phase;
    update();
}

void NextTokenView::setSettings(const engine::SamplingSettings& settings)
{
    m_settings = settings;
    if (m_preview) recompute();
}

void NextTokenView::clear()
{
    m_pending.reset();
    m_preview.reset();
    m_bars.clear();
    m_phase = Phase::Empty;
    Q_EMIT previewChanged();
    update();
}

void NextTokenView::recompute()
{
    m_preview = previewChain(m_event, m_vocabularySize, m_settings);
    startMotion();
    Q_EMIT previewChanged();
    update();
}

void NextTokenView::startMotion()
{
    const std::size_t count = std::min<std::size_t>(kRows, m_preview->rows.size());
    double largest = 1e-9;
    for (std::size_t i = 0; i < count; ++i)
        largest = std::max({largest, m_preview->rows[i].modelShare, m_preview->rows[i].finalShare});
    m_to.resize(count);
    for (std::size_t i = 0; i < count; ++i)
        m_to[i] = {std::sqrt(m_preview->rows[i].modelShare / largest),
                   std::sqrt(m_preview->rows[i].finalShare / largest)};
    const int duration = motionMs(Motion::Fast);
    if (m_bars.size() != count || duration == 0 || !isVisible()) {
        m_motion.stop();
        m_bars = m_to;
        return;
    }
    m_from = m_bars;
    m_motion.stop();
    m_motion.setDuration(duration);
    m_motion.start();
}

void NextTokenView::setMostRows(int rows)
{
    const int most = std::clamp(rows, kLeastRows, kRows);
    if (most == m_mostRows) return;
    m_mostRows = most;
    updateGeometry();
    update();
}

void NextTokenView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (const int lines = keyLinesNeeded(); lines != m_keyLines) {
        m_keyLines = lines;
        updateGeometry();
    }
}

QString NextTokenView::rowDescription(int row) const
{
    const PreviewRow& shown = m_preview->rows[static_cast<std::size_t>(row)];
    const QString text = shown.text.trimmed();
    if (shown.cutBy != SamplerStage::Kept)
        return tr("%1, cut by %2, %3 percent before")
            .arg(text, stageName(shown.cutBy), percentText(shown.modelShare));
    return (shown.picked ? tr("%1, %2 percent, picked") : tr("%1, %2 percent"))
        .arg(text, percentText(shown.finalShare));
}

} // namespace ui
