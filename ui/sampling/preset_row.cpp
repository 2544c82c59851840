#include "ui/sampling/preset_row.h"

#include "ui/widgets/button.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/line_field.h"
#include "ui/widgets/paint.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QStackedLayout>
#include <QWheelEvent>

namespace ui {

using Token = Theme::Token;

PresetCombo::PresetCombo(const Theme& theme, QWidget* parent)
    : QComboBox(parent)
    , m_theme(theme)
{
    setFont(theme.font(Theme::TextStyle::Ui));
    connect(&theme, &Theme::changed, this, [this] { setFont(m_theme.font(Theme::TextStyle::Ui)); });
}

void PresetCombo::setChanged(bool changed)
{
    if (m_changed == changed) return;
    m_changed = changed;
    update();
}

void PresetCombo::paintEvent(QPaintEvent* event)
{
    QComboBox::paintEvent(event);
    if (!m_changed) return;
    QPainter painter(this);
    const double x = 10 + fontMetrics().horizontalAdvance(currentText()) + 7;
    fillRounded(painter, {std::min(x, width() - 40.0), height() / 2.0 - 3, 6, 6}, 3,
                m_theme.color(Token::Accent));
}

void PresetCombo::wheelEvent(QWheelEvent* event)
{
    if (hasFocus())
        QComboBox::wheelEvent(event);
    else
        event->ignore();
}

PresetRow::PresetRow(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_pages(new QStackedLayout(this))
{
    m_pages->addWidget(buildChooser());
    m_pages->addWidget(buildNamer());
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QWidget* PresetRow::buildChooser()
{
    auto* page = new QWidget(this);
    m_combo = new PresetCombo(m_theme, page);
    m_combo->setAccessibleName(tr("Preset"));
    m_combo->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_save = new Button(m_theme, tr("Save"), Button::Kind::Secondary, page);
    m_save->setToolTip(tr("Save these settings as a preset"));
    m_restore = new IconButton(m_theme, QStringLiteral("reset"), tr("Back to the preset"), page);
    m_restore->setSide(32);
    auto* line = new QHBoxLayout(page);
    line->setContentsMargins(16, 0, 16, 0);
    line->setSpacing(8);
    line->addWidget(m_combo, 1);
    line->addWidget(m_save);
    line->addWidget(m_restore);
    connect(m_combo, &QComboBox::activated, this, &PresetRow::choose);
    connect(m_save, &QPushButton::clicked, this, [this] {
        m_pages->setCurrentIndex(1);
        m_name->clear();
        m_name->setWrong(false);
        m_name->setFocus();
    });
    connect(m_restore, &QAbstractButton::clicked, this, &PresetRow::restoreRequested);
    return page;
}

QWidget* PresetRow::buildNamer()
{
    auto* page = new QWidget(this);
    m_name = new LineField(m_theme, page);
    m_name->setPlaceholderText(tr("Name of the preset"));
    m_name->setAccessibleName(m_name->placeholderText());
    m_name->setMaxLength(60);
    auto* save = new Button(m_theme, tr("Save"), Button::Kind::Primary, page);
    auto* cancel = new IconButton(m_theme, QStringLiteral("close"), tr("Cancel"), page);
    cancel->setSide(32);
    auto* line = new QHBoxLayout(page);
    line->setContentsMargins(16, 0, 16, 0);
    line->setSpacing(8);
    line->addWidget(m_name, 1);
    line->addWidget(save);
    line->addWidget(cancel);
    connect(m_name, &QLineEdit::returnPressed, this, &PresetRow::save);
    connect(m_name, &QLineEdit::textEdited, this, [this] { m_name->setWrong(false); });
    connect(save, &QPushButton::clicked, this, &PresetRow::save);
    connect(cancel, &QAbstractButton::clicked, this, &PresetRow::leaveNamer);
    m_name->installEventFilter(this);
    return page;
}

void PresetRow::leaveNamer()
{
    m_pages->setCurrentIndex(0);
    m_combo->setFocus();
}

// Esc is the field's before it is the window's.
bool PresetRow::eventFilter(QObject* object, QEvent* event)
{
    const bool key = event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress;
    if (object != m_name || !key || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape)
        return QWidget::eventFilter(object, event);
    event->accept();
    if (event->type() == QEvent::KeyPress) leaveNamer();
    return true;
}

void PresetRow::setPresets(const QList<app::SamplingPreset>& presets, const QString& current)
{
    m_presets = presets;
    const QSignalBlocker blocker(m_combo);
    m_combo->clear();
    int index = 0;
    for (int i = 0; i < presets.size(); ++i) {
        const QString name = presets[i].name;
        m_combo->addItem(presets[i].builtIn
                             ? name == QLatin1StringView("Precise")    ? tr("Precise")
                               : name == QLatin1StringView("Balanced") ? tr("Balanced")
                               : name == QLatin1StringView("Creative") ? tr("Creative")
                                                                       : name
                             : name);
        if (name == current) index = i;
    }
    if (presets.isEmpty()) return;
    m_combo->setCurrentIndex(index);
    m_presetSettings = presets[index].settings;
    setSettings(m_settings);
}

void PresetRow::setSettings(const engine::SamplingSettings& settings)
{
    m_settings = settings;
    const bool changed = !app::samePreset(settings, m_presetSettings);
    m_combo->setChanged(changed);
    m_combo->setAccessibleDescription(changed ? tr("changed") : QString());
    m_save->setEnabled(changed);
    m_restore->setEnabled(changed);
}

void PresetRow::choose(int index)
{
    if (index < 0 || index >= m_presets.size()) return;
    m_presetSettings = m_presets[index].settings;
    Q_EMIT presetChosen(m_presets[index].name, m_presetSettings);
}

void PresetRow::save()
{
    const QString name = m_name->text().trimmed();
    bool taken = name.isEmpty();
    for (const app::SamplingPreset& preset : std::as_const(m_presets))
        taken = taken || (preset.builtIn && preset.name.compare(name, Qt::CaseInsensitive) == 0);
    m_name->setWrong(taken);
    if (taken) return;
    Q_EMIT saveRequested(name);
    leaveNamer();
}

} // namespace ui
