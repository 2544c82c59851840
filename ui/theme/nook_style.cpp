#include "ui/theme/nook_style.h"

#include "ui/theme/icon_cache.h"
#include "ui/widgets/button.h"
#include "ui/widgets/line_field.h"
#include "ui/widgets/paint.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>

#include <algorithm>

namespace ui {

using Token = Theme::Token;

namespace {

constexpr int kScrollBarExtent = 12;
constexpr int kMenuIcon = 16;
constexpr int kMenuItemHeight = 28;
constexpr int kMenuPadding = 12;
constexpr int kFocusMargin = 4;

} // namespace

bool hasTranslucentPopups()
{
    return QGuiApplication::platformName() != QLatin1StringView("xcb");
}

NookStyle::NookStyle(const Theme& theme)
    : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion")))
    , m_theme(theme)
{
}

void NookStyle::polish(QWidget* widget)
{
    QProxyStyle::polish(widget);
    if (qobject_cast<QMenu*>(widget) != nullptr && hasTranslucentPopups()) {
        widget->setWindowFlag(Qt::FramelessWindowHint);
        widget->setAttribute(Qt::WA_TranslucentBackground);
    }
}

void NookStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                              QPainter* painter, const QWidget* widget) const
{
    switch (element) {
    case PE_PanelLineEdit:
        drawField(*option, *painter, widget);
        return;
    case PE_FrameFocusRect:
        return; // FocusRing, or the widget itself
    case PE_IndicatorCheckBox:
    case PE_IndicatorRadioButton:
        drawIndicator(element, *option, *painter);
        return;
    case PE_PanelMenu:
        drawRounded(*painter, option->rect, hasTranslucentPopups() ? radius::kCard : 0.5,
                    m_theme.color(Token::Raised), m_theme.color(Token::Line));
        return;
    case PE_FrameMenu:
        return;
    case PE_PanelTipLabel:
        painter->fillRect(option->rect, m_theme.color(Token::Text));
        return;
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void NookStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                            const QWidget* widget) const
{
    switch (element) {
    case CE_FocusFrame:
        drawFocusFrame(*option, *painter);
        return;
    case CE_PushButtonBevel:
        drawPushButton(*option, *painter);
        return;
    case CE_ComboBoxLabel:
        drawComboLabel(*option, *painter);
        return;
    case CE_MenuItem:
        drawMenuItem(*option, *painter, widget);
        return;
    case CE_MenuEmptyArea:
        return;
    case CE_Splitter:
        painter->fillRect(option->rect, m_theme.color(Token::Line));
        return;
    default:
        QProxyStyle::drawControl(element, option, painter, widget);
    }
}

void NookStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                   QPainter* painter, const QWidget* widget) const
{
    switch (control) {
    case CC_ComboBox:
        drawComboBox(*option, *painter, widget);
        return;
    case CC_ScrollBar:
        drawScrollBar(*option, *painter, widget);
        return;
    default:
        QProxyStyle::drawComplexControl(control, option, painter, widget);
    }
}

void NookStyle::drawField(const QStyleOption& option, QPainter& painter,
                          const QWidget* widget) const
{
    const auto* field = qobject_cast<const LineField*>(widget);
    const auto* edit = qobject_cast<const QLineEdit*>(widget);
    if (edit != nullptr && !edit->hasFrame()) return;
    const bool focused = option.state & State_HasFocus;
    const Token line = field && field->isWrong()   ? Token::Bad
                       : focused                   ? Token::Focus
                       : field && field->isQuiet() ? Token::Line
                                                   : Token::Edge;
    painter.save();
    if (!(option.state & State_Enabled)) painter.setOpacity(0.45);
    drawRounded(painter, option.rect, radius::kControl, m_theme.color(Token::Raised),
                m_theme.color(line), focused ? 2 : 1);
    painter.restore();
}

void NookStyle::drawFocusFrame(const QStyleOption& option, QPainter& painter) const
{
    drawRounded(painter, option.rect, radius::kCard, Qt::transparent, m_theme.color(Token::Focus),
                2);
}

void NookStyle::drawPushButton(const QStyleOption& option, QPainter& painter) const
{
    const ButtonColors colors =
        buttonColors(m_theme, Button::Kind::Secondary,
                     {bool(option.state & State_Enabled), bool(option.state & State_MouseOver),
                      bool(option.state & State_Sunken)});
    drawRounded(painter, option.rect, radius::kControl, colors.fill, colors.line);
}

void NookStyle::drawComboBox(const QStyleOption& option, QPainter& painter,
                             const QWidget* widget) const
{
    painter.save();
    if (!(option.state & State_Enabled)) painter.setOpacity(0.45);
    drawRounded(painter, option.rect, radius::kControl, m_theme.color(Token::Raised),
                m_theme.color(Token::Edge));
    constexpr int kArrow = 16;
    const qreal dpr = widget ? widget->devicePixelRatioF() : 1.0;
    painter.drawPixmap(
        QPoint(option.rect.right() - kArrow - 8, option.rect.center().y() - kArrow / 2 + 1),
        m_theme.icons().pixmap(QStringLiteral("chevron-down"), kArrow, Token::Text2, dpr));
    painter.restore();
}

void NookStyle::drawComboLabel(const QStyleOption& option, QPainter& painter) const
{
    const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(&option);
    if (combo == nullptr) return;
    painter.setPen(m_theme.color(option.state & State_Enabled ? Token::Text : Token::Disabled));
    const QRect text = option.rect.adjusted(10, 0, -30, 0);
    painter.drawText(
        text, Qt::AlignLeft | Qt::AlignVCenter,
        option.fontMetrics.elidedText(combo->currentText, Qt::ElideRight, text.width()));
}

void NookStyle::drawMenuItem(const QStyleOption& option, QPainter& painter,
                             const QWidget* widget) const
{
    const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(&option);
    if (item == nullptr) return;
    const QRect row = option.rect;
    if (item->menuItemType == QStyleOptionMenuItem::Separator) {
        painter.fillRect(QRect(row.left(), row.center().y(), row.width(), 1),
                         m_theme.color(Token::Line));
        return;
    }
    const bool enabled = option.state & State_Enabled;
    if (enabled && option.state & State_Selected)
        fillRounded(painter, QRectF(row).adjusted(5, 0, -5, 0), radius::kTag,
                    m_theme.color(Token::Selected));
    const qreal dpr = widget ? widget->devicePixelRatioF() : 1.0;
    if (!item->icon.isNull())
        painter.drawPixmap(QPoint(row.left() + kMenuPadding, row.center().y() - kMenuIcon / 2 + 1),
                           item->icon.pixmap(QSize(kMenuIcon, kMenuIcon), dpr,
                                             enabled ? QIcon::Normal : QIcon::Disabled));
    else if (item->checked)
        painter.drawPixmap(
            QPoint(row.left() + kMenuPadding, row.center().y() - kMenuIcon / 2 + 1),
            m_theme.icons().pixmap(QStringLiteral("check"), kMenuIcon, Token::Accent, dpr));
    const QStringList parts = item->text.split(QLatin1Char('\t'));
    const QRect text = row.adjusted(kMenuPadding + kMenuIcon + 10, 0, -kMenuPadding, 0);
    painter.setFont(item->font);
    painter.setPen(m_theme.color(enabled ? Token::Text : Token::Disabled));
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextHideMnemonic, parts.first());
    if (parts.size() < 2) return;
    painter.setFont(m_theme.font(Theme::TextStyle::MonoMicro));
    painter.setPen(m_theme.color(Token::Text3));
    painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter, parts.last());
}

void NookStyle::drawScrollBar(const QStyleOptionComplex& option, QPainter& painter,
                              const QWidget* widget) const
{
    const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(&option);
    if (bar == nullptr || bar->maximum <= bar->minimum) return;
    const QRect handle = proxy()->subControlRect(CC_ScrollBar, &option, SC_ScrollBarSlider, widget);
    const bool held = option.activeSubControls & SC_ScrollBarSlider && option.state & State_Sunken;
    const bool hovered = option.state & State_MouseOver;
    const QRectF pill = bar->orientation == Qt::Vertical ? QRectF(handle).adjusted(3, 2, -3, -2)
                                                         : QRectF(handle).adjusted(2, 3, -2, -3);
    fillRounded(painter, pill, 3, m_theme.color(Token::Text, held ? 0.45 : hovered ? 0.34 : 0.2));
}

void NookStyle::drawIndicator(PrimitiveElement element, const QStyleOption& option,
                              QPainter& painter) const
{
    const bool on = option.state & State_On;
    const QRectF box = QRectF(option.rect).adjusted(0.75, 0.75, -0.75, -0.75);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    if (!(option.state & State_Enabled)) painter.setOpacity(0.45);
    painter.setPen(QPen(m_theme.color(on ? Token::Accent : Token::Edge), 1.5));
    painter.setBrush(m_theme.color(on ? Token::Accent : Token::Raised));
    const double corner = element == PE_IndicatorRadioButton ? box.width() / 2 : radius::kTag;
    painter.drawRoundedRect(box, corner, corner);
    if (on && element == PE_IndicatorRadioButton)
        fillRounded(painter, box.adjusted(4, 4, -4, -4), 4, m_theme.color(Token::OnAccent));
    else if (on)
        painter.drawPixmap(option.rect.topLeft(),
                           m_theme.icons().pixmap(QStringLiteral("check"), option.rect.width(),
                                                  Token::OnAccent,
                                                  painter.device()->devicePixelRatioF()));
    painter.restore();
}

QRect NookStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option,
                                SubControl subControl, const QWidget* widget) const
{
    if (control == CC_ComboBox && subControl == SC_ComboBoxEditField)
        return option->rect.adjusted(2, 0, -28, 0);
    if (control == CC_ScrollBar) {
        // No arrow buttons: the groove takes the whole bar.
        const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
        if (subControl == SC_ScrollBarAddLine || subControl == SC_ScrollBarSubLine) return {};
        if (bar != nullptr && subControl == SC_ScrollBarGroove) return option->rect;
        if (bar != nullptr && subControl == SC_ScrollBarSlider) {
            const bool vertical = bar->orientation == Qt::Vertical;
            const int length = vertical ? option->rect.height() : option->rect.width();
            const qint64 range = qint64(bar->maximum) - bar->minimum;
            const int handle = range > 0
                                   ? std::max(28, static_cast<int>(qint64(length) * bar->pageStep /
                                                                   (range + bar->pageStep)))
                                   : length;
            const int start = sliderPositionFromValue(
                bar->minimum, bar->maximum, bar->sliderPosition, length - handle, bar->upsideDown);
            return vertical ? QRect(option->rect.x(), option->rect.y() + start,
                                    option->rect.width(), handle)
                            : QRect(option->rect.x() + start, option->rect.y(), handle,
                                    option->rect.height());
        }
    }
    return QProxyStyle::subControlRect(control, option, subControl, widget);
}

QSize NookStyle::sizeFromContents(ContentsType type, const QStyleOption* option,
                                  const QSize& contents, const QWidget* widget) const
{
    QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
    switch (type) {
    case CT_ComboBox:
        size.setHeight(std::max(32, contents.height() + 12));
        return size;
    case CT_PushButton:
        size.setHeight(std::max(32, size.height()));
        return size;
    case CT_MenuItem: {
        const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
        if (item == nullptr) return size;
        if (item->menuItemType == QStyleOptionMenuItem::Separator) return {size.width(), 9};
        size.setHeight(std::max(kMenuItemHeight, item->fontMetrics.height() + 10));
        size.setWidth(size.width() + 2 * kMenuPadding + kMenuIcon);
        return size;
    }
    default:
        return size;
    }
}

int NookStyle::pixelMetric(PixelMetric metric, const QStyleOption* option,
                           const QWidget* widget) const
{
    switch (metric) {
    case PM_ScrollBarExtent:
        return kScrollBarExtent;
    case PM_ScrollBarSliderMin:
        return 28;
    case PM_ScrollView_ScrollBarOverlap:
        return 0;
    case PM_SplitterWidth:
        return 1;
    case PM_MenuHMargin:
        return 0;
    case PM_MenuVMargin:
        return 5;
    case PM_MenuPanelWidth:
        return 1;
    case PM_FocusFrameHMargin:
    case PM_FocusFrameVMargin:
        return kFocusMargin;
    case PM_ToolTipLabelFrameWidth:
        return 5;
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
        return 16;
    case PM_CheckBoxLabelSpacing:
    case PM_RadioButtonLabelSpacing:
        return 8;
    case PM_DefaultFrameWidth:
        return qobject_cast<const QLineEdit*>(widget)
                   ? 1
                   : QProxyStyle::pixelMetric(metric, option, widget);
    case PM_TextCursorWidth:
        return 1;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int NookStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                         QStyleHintReturn* result) const
{
    switch (hint) {
    case SH_FocusFrame_AboveWidget:
        return 1;
    case SH_FocusFrame_Mask:
    case SH_ScrollBar_Transient:
        return 0;
    case SH_ScrollBar_LeftClickAbsolutePosition:
        return 1;
    case SH_ComboBox_Popup:
        return 0;
    case SH_ToolTipLabel_Opacity:
        return 255;
    case SH_EtchDisabledText:
    case SH_DitherDisabledText:
    case SH_ScrollView_FrameOnlyAroundContents:
        return 0;
    default:
        return QProxyStyle::styleHint(hint, option, widget, result);
    }
}

} // namespace ui
