#pragma once

#include "ui/transcript/inline_text.h"

#include <QHash>

#include <array>
#include <vector>

namespace ui {

/// Reads one run of inline Markdown into pieces, pairs the marks, and joins the pieces.
class InlineParser {
public:
    InlineParser(QStringView source, InlineOptions options);

    InlineText parse();

private:
    /// Text, or marks that are text as long as nothing pairs them.
    struct Piece {
        QString text;
        InlineStyles styles;
        int link = -1;
    };
    struct Delimiter {
        size_t piece = 0;
        QChar character;
        int length = 0; ///< what is left of it
        int original = 0;
        bool canOpen = false;
        bool canClose = false;
        bool removed = false;
    };
    struct Bracket {
        size_t piece = 0;
        size_t delimiters = 0; ///< how many there were before it
        qsizetype source = 0;  ///< where it stands
        bool image = false;
        bool active = true;
    };
    /// A style from one piece up to another, that one excluded.
    struct StyledRange {
        size_t first = 0;
        size_t end = 0;
        InlineStyle style = InlineStyle::Bold;
    };

    void readNext();
    bool readMark(QChar c);
    void readBackslash();
    void readBackticks();
    void readDelimiters();
    void readOpenBracket(bool image);
    void readCloseBracket();
    void readAngle();
    void readEntity();
    void readLineEnd();
    bool readDollars();
    bool readAddress();
    bool readMath(QStringView closer, qsizetype opener);
    void readRest(InlineStyle style, qsizetype start);

    QStringView ahead() const { return m_source.sliced(m_position); }
    void addText(QStringView text);
    void addPiece(const QString& text, InlineStyles styles = {});
    void addLink(const QString& text, const QUrl& url);
    int linkOf(const QUrl& url);

    std::optional<QString> readDestination(qsizetype& position) const;
    void closeLink(const Bracket& bracket, const QUrl& url, qsizetype after);
    void closePicture(const Bracket& bracket, const QString& address, qsizetype after);
    void dropFrom(const Bracket& bracket);
    void linkFrom(const Bracket& bracket, const QUrl& url);

    void pairDelimiters(size_t bottom);
    bool pairCloser(size_t closer, size_t bottom);
    void closeOpenDelimiters();
    void holdBackEnd();
    void holdBackBracket();
    InlineText joined() const;

    QStringView m_source;
    InlineOptions m_options;
    qsizetype m_position = 0;
    std::vector<Piece> m_pieces;
    std::vector<Delimiter> m_delimiters;
    std::vector<Bracket> m_brackets;
    std::vector<StyledRange> m_ranges;
    QList<QUrl> m_links;
    QHash<qsizetype, QList<qsizetype>> m_backticks; ///< places of runs by length
    bool m_lastIsText = false;                      ///< the last piece takes more text
};

} // namespace ui
