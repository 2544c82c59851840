#include "ui/sampling/advanced_section.h"

#include "ui/sampling/knob_row.h"
#include "ui/sampling/seed_row.h"
#include "ui/sampling/stop_strings_row.h"
#include "ui/theme/icon_cache.h"
#include "ui/widgets/label.h"
#include "ui/widgets/paint.h"

#include <QAbstractButton>
#include <QVBoxLayout>

#include <cmath>

namespace ui {

using Token = Theme::Token;
using TextStyle = Theme::TextStyle;

namespace {

/// "› Advanced  typical, seed…": a hairline above, the chevron turns when open.
class Disclosure : public QAbstractButton {
public:
    Disclosure(const Theme& theme, const QString& title, const QString& summary, QWidget* parent)
        : QAbstractButton(parent)
        , m_theme(theme)
        , m_summary(summary)
    {
        setText(title);
        setAccessibleName(title);
        setCheckable(true);
        setFocusPolicy(Qt::TabFocus);
        setAttribute(Qt::WA_Hover);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }
    QSize sizeHint() const override
    {
        return {160, static_cast<int>(std::ceil(m_theme.lineHeight(TextStyle::Ui))) + 22};
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.fillRect(QRect(0, 0, width(), 1), m_theme.color(Token::Line));
        if (underMouse())
            painter.fillRect(QRect(0, 1, width(), height() - 1), m_theme.color(Token::Text, 0.04));
        constexpr int kIcon = 14;
        painter.drawPixmap(QPoint(17, (height() - kIcon) / 2 + 1),
                           m_theme.icons().pixmap(isChecked() ? QStringLiteral("chevron-down")
                                                              : QStringLiteral("chevron-right"),
                                                  kIcon, Token::Text, devicePixelRatioF()));
        painter.setFont(m_theme.font(TextStyle::Ui, QFont::DemiBold));
        painter.setPen(m_theme.color(Token::Text));
        QRectF area(39, 0, width() - 55, height());
        painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter, text());
        if (isChecked()) return;
        area.setLeft(area.left() + QFontMetricsF(painter.font()).horizontalAdvance(text()) + 8);
        painter.setFont(m_theme.font(TextStyle::Micro));
        painter.setPen(m_theme.color(Token::Text3));
        painter.drawText(
            area, Qt::AlignLeft | Qt::AlignVCenter,
            QFontMetricsF(painter.font()).elidedText(m_summary, Qt::ElideRight, area.width()));
    }

private:
    const Theme& m_theme;
    QString m_summary;
};

} // namespace

AdvancedSection::AdvancedSection(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_disclosure(
          new Disclosure(theme, tr("Advanced"), tr("typical, penalties, seed, stop strings"), this))
    , m_body(new QWidget(this))
    , m_lines(new QVBoxLayout(m_body))
{
    m_lines->setContentsMargins(0, 2, 0, 8);
    m_lines->setSpacing(0);
    addHeading(tr("Which tokens may be picked"));
    addKnob(Knob::TypicalP, true);
    addHeading(tr("Repetition"));
    addKnob(Knob::PresencePenalty, true);
    addKnob(Knob::FrequencyPenalty, true);
    addKnob(Knob::PenaltyWindow, false);
    addHeading(tr("Output"));
    m_seed = new SeedRow(theme, m_body);
    m_lines->addWidget(m_seed);
    addKnob(Knob::MaxTokens, false);
    m_stops = new StopStringsRow(theme, m_body);
    m_lines->addWidget(m_stops);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 6, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_disclosure);
    column->addWidget(m_body);
    m_body->hide();
    connect(m_disclosure, &QAbstractButton::toggled, m_body, &QWidget::setVisible);
}

bool AdvancedSection::isOpen() const
{
    return m_disclosure->isChecked();
}

void AdvancedSection::setOpen(bool open)
{
    m_disclosure->setChecked(open);
}

void AdvancedSection::addHeading(const QString& text)
{
    auto* heading = new Label(m_theme, text, TextStyle::Micro, Token::Text3, m_body);
    heading->setWeight(QFont::DemiBold);
    heading->setContentsMargins(16, 6, 16, 4);
    m_lines->addWidget(heading);
}

void AdvancedSection::addKnob(Knob knob, bool slider)
{
    auto* row = new KnobRow(m_theme, knobSpec(knob),
                            slider ? KnobRow::Shape::Slider : KnobRow::Shape::FieldOnly, m_body);
    m_rows += row;
    m_lines->addWidget(row);
}

} // namespace ui
