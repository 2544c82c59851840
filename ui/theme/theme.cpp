#include "ui/theme/theme.h"

#include "ui/theme/icon_cache.h"
#include "ui/theme/theme_tokens.h"

#include <QApplication>
#include <QFontDatabase>
#include <QScreen>
#include <QStyle>
#include <QStyleHints>

#include <algorithm>

namespace ui {

namespace {

struct StyleRow {
    Theme::TextStyle style;
    double size; // px at 96 dpi
    double line;
    bool mono;
};

using TextStyle = Theme::TextStyle;
constexpr StyleRow kStyles[] = {
    {TextStyle::Micro, 11, 16, false},    {TextStyle::Caption, 12, 16, false},
    {TextStyle::Ui, 13, 18, false},       {TextStyle::Title, 14, 20, false},
    {TextStyle::Body, 14, 22, false},     {TextStyle::H3, 16, 24, false},
    {TextStyle::H2, 18, 26, false},       {TextStyle::H1, 22, 30, false},
    {TextStyle::MonoMicro, 11, 16, true}, {TextStyle::MonoSmall, 11.5, 17, true},
    {TextStyle::Mono, 12, 18, true},      {TextStyle::Code, 12.5, 20, true},
};

constexpr double kLeastText = 11; // px: smaller is not read

const StyleRow& row(TextStyle style)
{
    return kStyles[static_cast<int>(style)];
}

/// Px at 96 dpi.
double scaledSize(const StyleRow& style, double scale)
{
    return std::max(style.size * scale, kLeastText);
}

// The first family of the list that is installed; the system's own otherwise.
QString firstInstalled(std::initializer_list<const char*> families,
                       QFontDatabase::SystemFont fallback)
{
    const QStringList installed = QFontDatabase::families();
    for (const char* family : families)
        if (installed.contains(QLatin1StringView(family))) return QString::fromLatin1(family);
    return QFontDatabase::systemFont(fallback).family();
}

QString readingFamily()
{
    static const QString kFamily = firstInstalled({"Inter"}, QFontDatabase::GeneralFont);
    return kFamily;
}

QString monoFamily()
{
    static const QString kFamily = firstInstalled({"JetBrains Mono"}, QFontDatabase::FixedFont);
    return kFamily;
}

bool systemIsDark()
{
    switch (QGuiApplication::styleHints()->colorScheme()) {
    case Qt::ColorScheme::Dark:
        return true;
    case Qt::ColorScheme::Light:
        return false;
    case Qt::ColorScheme::Unknown:
        break;
    }
    return false;
}

} // namespace

Theme::Theme(Mode mode, QObject* parent)
    : QObject(parent)
    , m_mode(mode)
    , m_icons(std::make_unique<IconCache>(*this))
{
    m_dark = mode == Mode::Dark || (mode == Mode::System && systemIsDark());
    connect(QGuiApplication::styleHints(), &QStyleHints::colorSchemeChanged, this,
            &Theme::followSystem);
}

Theme::~Theme() = default;

void Theme::followSystem()
{
    const bool dark = m_mode == Mode::Dark || (m_mode == Mode::System && systemIsDark());
    if (dark == m_dark) return;
    m_dark = dark;
    m_icons->clear();
    Q_EMIT changed();
}

void Theme::setMode(Mode mode)
{
    m_mode = mode;
    followSystem();
}

QColor Theme::color(Token token) const
{
    const TokenColors& colors = kTokenColors[static_cast<std::size_t>(token)];
    return QColor::fromRgba(m_dark ? colors.dark : colors.light);
}

QColor Theme::color(Token token, double alpha) const
{
    QColor result = color(token);
    result.setAlphaF(static_cast<float>(alpha));
    return result;
}

QColor Theme::overlaid(Token base, double share) const
{
    const QColor below = color(base);
    const QColor above = color(Token::Text);
    const auto mix = [share](int a, int b) { return qRound(a + (b - a) * share); };
    return {mix(below.red(), above.red()), mix(below.green(), above.green()),
            mix(below.blue(), above.blue())};
}

QPalette Theme::palette() const
{
    struct RoleRow {
        QPalette::ColorRole role;
        Token token;
    };
    static constexpr RoleRow kRoles[] = {
        {QPalette::Window, Token::Surface},
        {QPalette::WindowText, Token::Text},
        {QPalette::Base, Token::Raised},
        {QPalette::AlternateBase, Token::Panel},
        {QPalette::Text, Token::Text},
        {QPalette::PlaceholderText, Token::Text3},
        {QPalette::Button, Token::Raised},
        {QPalette::ButtonText, Token::Text},
        {QPalette::BrightText, Token::Bad},
        {QPalette::Light, Token::Raised},
        {QPalette::Midlight, Token::Fill},
        {QPalette::Mid, Token::Line},
        {QPalette::Dark, Token::Edge},
        {QPalette::Shadow, Token::Shadow},
        {QPalette::Link, Token::Accent},
        {QPalette::LinkVisited, Token::Accent},
        {QPalette::ToolTipBase, Token::Text},
        {QPalette::ToolTipText, Token::Surface},
        {QPalette::Accent, Token::Accent},
        {QPalette::HighlightedText, Token::Text},
        {QPalette::Highlight, Token::TextSelection},
    };
    QPalette palette;
    for (const RoleRow& entry : kRoles)
        palette.setColor(entry.role, color(entry.token));
    for (const QPalette::ColorRole role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        palette.setColor(QPalette::Disabled, role, color(Token::Disabled));
    return palette;
}

QFont Theme::font(TextStyle style, QFont::Weight weight) const
{
    const StyleRow& entry = row(style);
    QFont font(entry.mono ? monoFamily() : readingFamily());
    // Point sizes may be fractional, pixel sizes may not.
    const QScreen* screen = QGuiApplication::primaryScreen();
    const double dpi = screen ? screen->logicalDotsPerInchY() : 96.0;
    font.setPointSizeF(scaledSize(entry, m_textScale) * 72.0 / dpi);
    font.setWeight(weight);
    font.setHintingPreference(QFont::PreferNoHinting);
    if (entry.mono) {
        font.setStyleHint(QFont::Monospace);
        font.setFixedPitch(true);
        font.setFeature("liga", 0);
        font.setFeature("calt", 0);
    }
    return font;
}

QFont Theme::tabularFont(TextStyle style, QFont::Weight weight) const
{
    QFont result = font(style, weight);
    if (!row(style).mono) result.setFeature("tnum", 1);
    return result;
}

double Theme::lineHeight(TextStyle style) const
{
    const StyleRow& entry = row(style);
    return entry.line * scaledSize(entry, m_textScale) / entry.size;
}

void Theme::setTextScale(double scale)
{
    const double bounded = std::clamp(scale, 0.8, 1.6);
    if (qFuzzyCompare(bounded, m_textScale)) return;
    m_textScale = bounded;
    Q_EMIT changed();
}

int motionMs(Motion motion)
{
    // Styles answer 0 where the platform asks for less motion.
    const bool animated =
        QApplication::style() == nullptr ||
        QApplication::style()->styleHint(QStyle::SH_Widget_Animation_Duration) > 0;
    return animated ? static_cast<int>(motion) : 0;
}

} // namespace ui
