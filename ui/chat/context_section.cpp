#include "ui/chat/context_section.h"

#include "app/inference/memory_estimate.h"
#include "app/inference/size_text.h"
#include "ui/widgets/label.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLocale>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

using app::ContextStep;
using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

namespace {

constexpr int kLeastContext = 1024;
constexpr int kMostContext = 1 << 20; // for a model that does not say what it was trained for
constexpr int kBytesWidth = 72;
constexpr int kBoxWidth = 210; // of both, so that they end alike

/// Doubling, as far as the model was trained; what is in use and the most there is are among them.
QList<int> contextLengths(const app::LoadedModel& model)
{
    const int most = model.trainedContextLength > 0 ? model.trainedContextLength : kMostContext;
    QList<int> lengths{model.contextLength, most};
    for (qint64 length = kLeastContext; length < most; length *= 2)
        lengths += static_cast<int>(length);
    std::ranges::sort(lengths);
    lengths.erase(std::ranges::unique(lengths).begin(), lengths.end());
    return lengths;
}

} // namespace

ContextSection::ContextSection(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_lengths(new QComboBox(this))
    , m_steps(new QComboBox(this))
    , m_bytes(new Label(theme, {}, TextStyle::Mono, Token::Text2, this))
{
    m_lengths->setToolTip(tr("How much of a chat the model is given. Acts on the next reply."));
    for (QComboBox* box : {m_lengths, m_steps}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        box->setMinimumWidth(kBoxWidth);
    }
    m_bytes->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_bytes->setMinimumWidth(kBytesWidth);
    const std::pair<ContextStep, QString> steps[] = {
        {ContextStep::Ask, tr("Ask")},
        {ContextStep::Longer, tr("Use a longer context")},
        {ContextStep::DropOldest, tr("Drop the oldest messages")},
        {ContextStep::ShortenOldest, tr("Shorten the oldest part")},
        {ContextStep::StopHere, tr("Stop")},
    };
    for (const auto& [step, name] : steps)
        m_steps->addItem(name, QVariant::fromValue(static_cast<int>(step)));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 8, 18, 8);
    column->setSpacing(6);
    QHBoxLayout* length = row(tr("Context, in tokens"), m_lengths);
    length->insertWidget(1, m_bytes);
    column->addLayout(length);
    column->addLayout(row(tr("When it is full"), m_steps));
    const auto restyle = [this] {
        m_lengths->setFont(m_theme.font(TextStyle::Mono));
        m_steps->setFont(m_theme.font(TextStyle::Ui));
    };
    restyle();
    connect(&theme, &Theme::changed, this, restyle);
    connect(m_lengths, &QComboBox::activated, this, [this] {
        showBytes();
        Q_EMIT lengthChosen(m_lengths->currentData().toInt());
    });
    connect(m_steps, &QComboBox::activated, this, [this] {
        Q_EMIT stepChosen(static_cast<ContextStep>(m_steps->currentData().toInt()));
    });
}

QHBoxLayout* ContextSection::row(const QString& name, QComboBox* box)
{
    auto* label = new Label(m_theme, name, TextStyle::Ui, Token::Text, this);
    box->setAccessibleName(name);
    auto* line = new QHBoxLayout;
    line->setSpacing(12);
    line->addWidget(label, 1);
    line->addWidget(box);
    return line;
}

void ContextSection::setContext(const app::LoadedModel& model, int length, ContextStep step)
{
    m_model = model;
    const QLocale locale;
    m_lengths->clear();
    const int automatic = app::effectiveContextLength(0, model.trainedContextLength);
    m_lengths->addItem(tr("Automatic, %1").arg(locale.toString(automatic)), 0);
    for (const int tokens : contextLengths(model))
        m_lengths->addItem(locale.toString(tokens), tokens);
    m_lengths->setCurrentIndex(m_lengths->findData(length == 0 ? 0 : model.contextLength));
    m_steps->setCurrentIndex(m_steps->findData(static_cast<int>(step)));
    showBytes();
}

void ContextSection::showBytes()
{
    const int tokens =
        app::effectiveContextLength(m_lengths->currentData().toInt(), m_model.trainedContextLength);
    m_bytes->setText(app::sizeText(static_cast<quint64>(tokens) * m_model.kvBytesPerToken,
                                   app::SizeKind::Memory));
}

} // namespace ui
