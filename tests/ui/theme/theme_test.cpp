#include "ui/theme/icon_cache.h"
#include "ui/theme/theme.h"
#include "ui/theme/theme_tokens.h"

#include <QFontInfo>
#include <QSignalSpy>
#include <QTest>

#include <cmath>

using ui::IconCache;
using ui::Theme;

namespace {

// Contrast as WCAG 2 defines it.
double luminance(const QColor& color)
{
    const auto linear = [](double c) {
        return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
           0.0722 * linear(color.blueF());
}

double contrast(const QColor& a, const QColor& b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

} // namespace

class ThemeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tableFollowsTheEnumeration()
    {
        for (int i = 0; i < Theme::kTokenCount; ++i)
            QCOMPARE(static_cast<int>(ui::kTokenColors[static_cast<std::size_t>(i)].token), i);
    }

    void textIsReadable_data()
    {
        QTest::addColumn<Theme::Mode>("mode");
        QTest::newRow("light") << Theme::Mode::Light;
        QTest::newRow("dark") << Theme::Mode::Dark;
    }

    void textIsReadable()
    {
        QFETCH(const Theme::Mode, mode);
        const Theme theme(mode);
        using Token = Theme::Token;
        const Token surfaces[] = {Token::Window, Token::Surface, Token::Panel, Token::Raised};
        for (const Token text : {Token::Text, Token::Text2, Token::Text3, Token::Accent,
                                 Token::Ember, Token::Ok, Token::Warn, Token::Bad, Token::KTopK,
                                 Token::KTopP, Token::KMinP, Token::KRepeat, Token::KOther})
            for (const Token surface : surfaces) {
                QVERIFY(contrast(theme.color(text), theme.color(surface)) >= 4.5);
                QVERIFY(contrast(theme.color(text), theme.hovered(surface)) >= 4.3);
            }
        QVERIFY(contrast(theme.color(Token::OnAccent), theme.color(Token::AccentHover)) >= 4.5);
        QVERIFY(contrast(theme.color(Token::OnEmber), theme.color(Token::EmberHover)) >= 4.5);
        for (const Token line : {Token::Edge, Token::Focus, Token::EmberBar})
            QVERIFY(contrast(theme.color(line), theme.color(Token::Raised)) >= 3.0);
        // Selected text is readable, and seen to be selected wherever it is.
        const QColor selection = theme.color(Token::TextSelection);
        QCOMPARE(theme.palette().color(QPalette::Highlight), selection);
        QVERIFY(contrast(theme.color(Token::Text), selection) >= 4.5);
        for (const Token below : {Token::Surface, Token::Bubble, Token::Raised, Token::Panel,
                                  Token::CodeBg, Token::Fill})
            QVERIFY(contrast(selection, theme.color(below)) >= 1.6);
    }

    void forcedModesDifferAndAnnounceThemselves()
    {
        Theme theme(Theme::Mode::Light);
        QSignalSpy changed(&theme, &Theme::changed);
        const QColor light = theme.color(Theme::Token::Text);
        theme.setMode(Theme::Mode::Dark);
        QVERIFY(theme.isDark());
        QCOMPARE(changed.count(), 1);
        QVERIFY(theme.color(Theme::Token::Text) != light);
        theme.setMode(Theme::Mode::Dark);
        QCOMPARE(changed.count(), 1);
    }

    void iconsTakeTheTokensColour()
    {
        Theme theme(Theme::Mode::Light);
        for (const qreal dpr : {1.0, 1.5, 2.0}) {
            const QPixmap pixmap =
                theme.icons().pixmap(QStringLiteral("close"), 16, Theme::Token::Ember, dpr);
            QCOMPARE(pixmap.width(), qRound(16 * dpr));
            const QColor centre =
                pixmap.toImage().pixelColor(pixmap.width() / 2, pixmap.height() / 2);
            QVERIFY(centre.alpha() > 128);
            QVERIFY(std::abs(centre.red() - theme.color(Theme::Token::Ember).red()) < 6);
        }
        const QPixmap light =
            theme.icons().pixmap(QStringLiteral("close"), 16, Theme::Token::Text, 1);
        theme.setMode(Theme::Mode::Dark);
        const QPixmap dark =
            theme.icons().pixmap(QStringLiteral("close"), 16, Theme::Token::Text, 1);
        QVERIFY(light.toImage() != dark.toImage());
    }

    void textSizeScalesEveryStyle()
    {
        Theme theme(Theme::Mode::Light);
        const double before = QFontInfo(theme.font(Theme::TextStyle::Body)).pixelSize();
        theme.setTextScale(1.5);
        const double after = QFontInfo(theme.font(Theme::TextStyle::Body)).pixelSize();
        QCOMPARE(before, 14.0);
        QCOMPARE(after, 21.0);
        QCOMPARE(theme.lineHeight(Theme::TextStyle::Body), 33.0);
        theme.setTextScale(0.8);
        QCOMPARE(QFontInfo(theme.font(Theme::TextStyle::H1)).pixelSize(), 18);
        for (const auto style : {Theme::TextStyle::Micro, Theme::TextStyle::Caption,
                                 Theme::TextStyle::MonoMicro, Theme::TextStyle::MonoSmall}) {
            QCOMPARE(QFontInfo(theme.font(style)).pixelSize(), 11);
            QVERIFY(theme.lineHeight(style) >= 14);
        }
        theme.setTextScale(9);
        QCOMPARE(theme.textScale(), 1.6);
    }

    void figuresAreTabular()
    {
        const Theme theme(Theme::Mode::Light);
        const QFontMetricsF metrics(theme.tabularFont(Theme::TextStyle::Ui));
        QCOMPARE(metrics.horizontalAdvance(QStringLiteral("1111")),
                 metrics.horizontalAdvance(QStringLiteral("0808")));
    }
};

QTEST_MAIN(ThemeTest)
#include "theme_test.moc"
