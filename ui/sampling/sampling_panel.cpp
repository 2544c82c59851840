#include "ui/sampling/sampling_panel.h"

#include "app/settings/sampling_presets.h"
#include "app/settings/settings.h"
#include "app/settings/stop_text.h"
#include "ui/sampling/advanced_section.h"
#include "ui/sampling/knob_row.h"
#include "ui/sampling/next_token_view.h"
#include "ui/sampling/preset_row.h"
#include "ui/sampling/seed_row.h"
#include "ui/sampling/stop_strings_row.h"
#include "ui/theme/icon_cache.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/overlay_scroll_bar.h"

#include <QAbstractButton>
#include <QEvent>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

namespace {

constexpr int kTopRow = 52;
constexpr int kCaptionMs = 200;
constexpr int kRingRoom = 4; // above the first row: what scrolls cuts off what stands over its edge
constexpr Knob kMainKnobs[] = {Knob::Temperature, Knob::TopP, Knob::TopK, Knob::MinP,
                               Knob::RepeatPenalty};

} // namespace

SamplingPanel::SamplingPanel(const Theme& theme, app::Settings& settings, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_settings(settings)
    , m_nextToken(new NextTokenView(theme, this))
    , m_presets(new PresetRow(theme, this))
{
    setAccessibleName(tr("Sampling"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(buildHead());
    auto* tokenLine = new QHBoxLayout;
    tokenLine->setContentsMargins(16, 0, 16, 0);
    tokenLine->addWidget(m_nextToken);
    column->addLayout(tokenLine);
    column->addSpacing(12);
    column->addWidget(m_presets);
    column->addSpacing(10 - kRingRoom);
    column->addWidget(buildKnobs(), 1);
    auto* foot = new Label(theme, tr("Changes apply from the very next token."), TextStyle::Micro,
                           Token::Text3, this);
    foot->setContentsMargins(16, 6, 16, 14);
    foot->setWordWrap(true);
    column->addWidget(foot);

    for (KnobRow* row : std::as_const(m_knobs))
        connectKnob(row);
    connect(m_advanced->seedRow(), &SeedRow::seedEdited, this, [this](std::optional<quint64> seed) {
        engine::SamplingSettings next = m_sampling;
        next.seed = seed;
        apply(next);
    });
    m_advanced->stopStringsRow()->setStopStrings(
        app::usableStopStrings(settings.get(app::settings::kStopStrings)));
    connect(m_advanced->stopStringsRow(), &StopStringsRow::stopStringsEdited, this,
            &SamplingPanel::stopStringsEdited);
    connectPresets();
    m_effectTimer.setSingleShot(true);
    m_effectTimer.setInterval(kCaptionMs);
    connect(&m_effectTimer, &QTimer::timeout, this, &SamplingPanel::updateEffects);
    connect(m_nextToken, &NextTokenView::previewChanged, this, [this] {
        if (!m_effectTimer.isActive()) m_effectTimer.start();
    });
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
    readPresets();
    setSettings(app::loadSampling(settings));
}

QWidget* SamplingPanel::buildHead()
{
    auto* head = new QWidget(this);
    auto* icon = new QLabel(head);
    const auto tint = [this, icon] {
        icon->setPixmap(m_theme.icons().pixmap(QStringLiteral("sliders"), 16, Token::Text,
                                               devicePixelRatioF()));
    };
    tint();
    connect(&m_theme, &Theme::changed, icon, tint);
    auto* title = new Label(m_theme, tr("Sampling"), TextStyle::Title, Token::Text, head);
    title->setWeight(QFont::DemiBold);
    m_close =
        new IconButton(m_theme, QStringLiteral("close"), tr("Close the Sampling panel"), head);
    auto* line = new QHBoxLayout(head);
    line->setContentsMargins(16, 0, 10, 0);
    line->setSpacing(8);
    line->addWidget(icon);
    line->addWidget(title);
    line->addStretch();
    line->addWidget(m_close);
    head->setMinimumHeight(kTopRow);
    connect(m_close, &QAbstractButton::clicked, this, &SamplingPanel::closeRequested);
    return head;
}

QWidget* SamplingPanel::buildKnobs()
{
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, kRingRoom, 0, 0);
    column->setSpacing(0);
    for (const Knob knob : kMainKnobs) {
        auto* row = new KnobRow(m_theme, knobSpec(knob), KnobRow::Shape::Slider, body);
        m_knobs += row;
        column->addWidget(row);
    }
    m_advanced = new AdvancedSection(m_theme, body);
    m_knobs += m_advanced->rows();
    column->addWidget(m_advanced);
    column->addStretch();

    m_scroll = new QScrollArea(this);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setWidget(body);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    new OverlayScrollBar(m_scroll);
    m_scroll->viewport()->setAutoFillBackground(false);
    body->setAutoFillBackground(false);
    // What was opened has its height when the layouts have settled.
    connect(m_advanced->disclosure(), &QAbstractButton::toggled, this, [this](bool open) {
        if (open) QTimer::singleShot(0, this, &SamplingPanel::showAdvanced);
    });
    return m_scroll;
}

// All of it, or from its line on as much as there is room for.
void SamplingPanel::showAdvanced()
{
    QScrollBar* bar = m_scroll->verticalScrollBar();
    const int bottom = m_advanced->geometry().bottom() + 1 - m_scroll->viewport()->height();
    bar->setValue(std::min(m_advanced->y(), std::max(bar->value(), bottom)));
}

void SamplingPanel::connectPresets()
{
    connect(m_presets, &PresetRow::presetChosen, this,
            [this](const QString& name, const engine::SamplingSettings& preset) {
                m_settings.set(app::settings::kPreset, name);
                engine::SamplingSettings next = preset;
                next.seed = m_sampling.seed;
                apply(next);
            });
    connect(m_presets, &PresetRow::restoreRequested, this, [this] {
        engine::SamplingSettings next = m_presets->presetSettings();
        next.seed = m_sampling.seed;
        apply(next);
    });
    connect(m_presets, &PresetRow::saveRequested, this, [this](const QString& name) {
        if (!app::savePreset(m_settings, name, m_sampling)) return;
        m_settings.set(app::settings::kPreset, name);
        readPresets();
        setSettings(m_sampling);
    });
}

void SamplingPanel::connectKnob(KnobRow* row)
{
    connect(row, &KnobRow::valueEdited, this, [this, row](double value) {
        engine::SamplingSettings next = m_sampling;
        row->spec().set(next, value);
        apply(next);
    });
}

void SamplingPanel::readPresets()
{
    m_presets->setPresets(app::samplingPresets(m_settings), m_settings.get(app::settings::kPreset));
}

void SamplingPanel::apply(const engine::SamplingSettings& settings)
{
    setSettings(settings);
    Q_EMIT settingsEdited(m_sampling);
}

void SamplingPanel::setSettings(const engine::SamplingSettings& settings)
{
    m_sampling = settings;
    m_presets->setSettings(settings);
    for (KnobRow* row : std::as_const(m_knobs)) {
        row->setPresetValue(row->spec().get(m_presets->presetSettings()));
        row->setValue(row->spec().get(settings));
    }
    if (m_advanced->seedRow()->seed() != settings.seed)
        m_advanced->seedRow()->setSeed(settings.seed);
    m_nextToken->setSettings(settings);
    m_effectTimer.stop();
    updateEffects(); // a hand on a knob sees its effect at once
}

void SamplingPanel::updateEffects()
{
    for (KnobRow* row : std::as_const(m_knobs))
        row->setEffect(knobEffect(row->spec(), m_sampling, m_nextToken->preview()));
}

int SamplingPanel::widthForWords() const
{
    int width = 0;
    for (const KnobRow* row : m_knobs.first(std::size(kMainKnobs)))
        width = std::max(width, row->widthForWords());
    return width;
}

// Candidates make room for knobs: large text leaves little to either.
void SamplingPanel::shareHeight()
{
    constexpr int kLeastKnobs = 4; // before they scroll
    const int least = kLeastKnobs * m_knobs.first()->sizeHint().height() + kRingRoom;
    const int spare = m_scroll->height() - least;
    const int row = m_nextToken->rowHeight();
    const int more = spare >= 0 ? spare / row : -((row - 1 - spare) / row);
    m_nextToken->setMostRows(m_nextToken->mostRows() + more);
}

bool SamplingPanel::event(QEvent* event)
{
    const bool handled = QWidget::event(event);
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) shareHeight();
    return handled;
}

void SamplingPanel::paintEvent(QPaintEvent*)
{
    QPainter(this).fillRect(rect(), m_theme.color(Token::Panel));
}

} // namespace ui
