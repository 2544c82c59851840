#pragma once

#include <QColor>
#include <QFont>
#include <QObject>
#include <QPalette>

#include <memory>

namespace ui {

class IconCache;

/// The look as data: colours by token, fonts by text style, icons tinted with both. Passed by
/// reference to whatever paints; widgets connect to changed(). GUI thread only.
class Theme : public QObject {
    Q_OBJECT
public:
    enum class Mode : quint8 { System, Light, Dark };

    enum class Token : quint8 {
        Window,
        Surface,
        Panel,
        Raised,
        Fill,
        Pressed,
        Selected,
        TextSelection,
        Bubble,
        Line,
        Edge,
        Text,
        Text2,
        Text3,
        Disabled,
        Accent,
        AccentHover,
        OnAccent,
        Focus,
        Ember,
        EmberHover,
        OnEmber,
        EmberSoft,
        EmberBar,
        KTopK,
        KTopP,
        KMinP,
        KRepeat,
        KOther,
        Ok,
        OkSoft,
        Warn,
        WarnSoft,
        Bad,
        BadSoft,
        InfoSoft,
        Conf1,
        Conf2,
        Conf3,
        CodeBg,
        SynKeyword,
        SynString,
        SynNumber,
        SynComment,
        SynFunc,
        SynType,
        Shadow,
        Scrim
    };
    static constexpr int kTokenCount = static_cast<int>(Token::Scrim) + 1;

    /// Sizes in px at 96 dpi before the text-size setting. The mono styles have ligatures off.
    enum class TextStyle : quint8 {
        Micro,     ///< 11
        Caption,   ///< 12
        Ui,        ///< 13
        Title,     ///< 14, heads of panes
        Body,      ///< 14, reading
        H3,        ///< 16
        H2,        ///< 18
        H1,        ///< 22
        MonoMicro, ///< 11
        MonoSmall, ///< 11.5, meters
        Mono,      ///< 12, tokens and fields
        Code,      ///< 12.5
    };

    explicit Theme(Mode mode = Mode::System, QObject* parent = nullptr);
    ~Theme() override;

    Mode mode() const { return m_mode; }
    void setMode(Mode mode);
    /// What the mode comes to now.
    bool isDark() const { return m_dark; }

    QColor color(Token token) const;
    QColor color(Token token, double alpha) const;
    /// `base` with the hover overlay (text at 6 %) over it.
    QColor hovered(Token base) const { return overlaid(base, 0.06); }
    /// `base` with the overlay of things that are pressed or on (9 %) over it.
    QColor switchedOn(Token base) const { return overlaid(base, 0.09); }
    QColor overlaid(Token base, double share) const;
    /// What unstyled widgets use.
    QPalette palette() const;

    QFont font(TextStyle style, QFont::Weight weight = QFont::Normal) const;
    /// With figures of one width, for numbers that change while one looks. (Inter then widens
    /// hyphens and full stops too, so it is not for words.)
    QFont tabularFont(TextStyle style, QFont::Weight weight = QFont::Normal) const;
    /// Line height in px of a style, text size included.
    double lineHeight(TextStyle style) const;
    /// Text-size setting, 0.8 to 1.6.
    double textScale() const { return m_textScale; }
    void setTextScale(double scale);

    const IconCache& icons() const { return *m_icons; }

Q_SIGNALS:
    /// Colours or text size are new: repaint, and lay out again.
    void changed();

private:
    void followSystem();

    Mode m_mode;
    bool m_dark = false;
    double m_textScale = 1.0;
    std::unique_ptr<IconCache> m_icons;
};

/// Motion, ms. Zero where the platform asks for less motion.
enum class Motion : quint8 { Fast = 90, Base = 140, Panel = 180 };
int motionMs(Motion motion);

} // namespace ui
