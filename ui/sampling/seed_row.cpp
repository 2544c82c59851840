#include "ui/sampling/seed_row.h"

#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/line_field.h"

#include <QHBoxLayout>
#include <QRandomGenerator>

#include <utility>

namespace ui {

SeedRow::SeedRow(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_field(new LineField(theme, this))
    , m_dice(new IconButton(theme, QStringLiteral("dice"), tr("Draw a seed and keep it"), this))
{
    m_field->setTextStyle(Theme::TextStyle::Mono);
    m_field->setControlHeight(24);
    m_field->setAlignment(Qt::AlignRight);
    m_field->setPlaceholderText(tr("random"));
    m_field->setAccessibleName(tr("Seed"));
    m_field->setFixedWidth(118);
    m_dice->setSide(24);
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(16, 0, 38, 6);
    line->setSpacing(6);
    line->addWidget(new Label(theme, tr("Seed"), Theme::TextStyle::Ui, Theme::Token::Text, this));
    line->addStretch();
    line->addWidget(m_dice);
    line->addWidget(m_field);
    connect(m_field, &QLineEdit::textEdited, this, &SeedRow::readText);
    connect(m_field, &QLineEdit::editingFinished, this, &SeedRow::endTyping);
    connect(m_dice, &QAbstractButton::clicked, this, [this] {
        // Nine digits are enough, and can be read aloud.
        setSeed(QRandomGenerator::global()->bounded(1'000'000'000U));
        Q_EMIT seedEdited(m_seed);
    });
}

// A field that loses the focus as it goes speaks once more.
SeedRow::~SeedRow()
{
    m_field->disconnect(this);
}

void SeedRow::setSeed(std::optional<quint64> seed)
{
    m_seed = seed;
    m_typing = false;
    m_field->setWrong(false);
    m_field->setText(seed ? QString::number(*seed) : QString());
}

// As in NumberField: what was wrong in the end is taken back with what acted on its way.
void SeedRow::endTyping()
{
    const bool back = m_typing && m_field->isWrong() && m_seed != m_before;
    setSeed(back ? m_before : m_seed);
    if (back) Q_EMIT seedEdited(m_seed);
}

void SeedRow::readText(const QString& text)
{
    if (!std::exchange(m_typing, true)) m_before = m_seed;
    const QString word = text.trimmed();
    bool good = true;
    std::optional<quint64> seed;
    if (!word.isEmpty() && word != tr("random")) seed = word.toULongLong(&good);
    m_field->setWrong(!good);
    if (!good || seed == m_seed) return;
    m_seed = seed;
    Q_EMIT seedEdited(seed);
}

} // namespace ui
