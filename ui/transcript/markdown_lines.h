#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <QStringView>

#include <optional>

namespace ui {

/// Walks one line of Markdown; tab stops are four columns wide.
class LineCursor {
public:
    explicit LineCursor(QStringView line)
        : m_line(line)
    {
    }

    /// Columns of white space ahead.
    int indent() const;
    bool isBlank() const { return ahead().isEmpty(); }
    /// What follows the white space ahead.
    QStringView ahead() const;
    /// Everything from here, white space included; a tab cut in two gives the spaces left of it.
    QString rest() const;
    /// Goes over up to `columns` columns of white space.
    void skipColumns(int columns);
    void skipIndent() { skipColumns(indent()); }
    /// Goes over `count` characters that are no white space.
    void skipCharacters(int count);

private:
    QStringView m_line;
    qsizetype m_position = 0;
    int m_column = 0;
    int m_cutTab = 0; ///< columns left of a tab that was gone over in part
};

struct ListMarker {
    bool ordered = false;
    int number = 0;
    QChar delimiter; ///< '-', '+', '*', '.' or ')'
    int width = 0;   ///< characters
    bool isEmpty = false;
};

struct FenceMarker {
    QChar character;
    qsizetype length = 0;
    QString info;

    bool operator==(const FenceMarker&) const = default;
};

enum class ColumnAlignment : quint8 { None, Left, Center, Right };

/// Columns of a table are bounded: what comes from a model must not make layout expensive.
constexpr qsizetype kMaxTableColumns = 32;

// Each looks at a line from its first character that is no white space (CommonMark 0.31, GFM).
std::optional<ListMarker> listMarker(QStringView line);
std::optional<FenceMarker> fenceMarker(QStringView line);
bool closesFence(QStringView line, const FenceMarker& fence);
/// 1 to 6, or 0: no heading.
int headingLevel(QStringView line);
QString headingText(QStringView line);
/// 1 for ===, 2 for ---, or 0: no underline.
int underlineLevel(QStringView line);
bool isRule(QStringView line);
/// The alignments a delimiter row gives.
std::optional<QList<ColumnAlignment>> tableDelimiter(QStringView line);
/// Cells of a row, trimmed, with `\|` turned into `|`.
QStringList tableCells(QStringView row);
/// True if the line, still being written, is nothing but marks whose meaning the next characters
/// decide ("-", "##", "12.", "``").
bool isUndecided(QStringView line);

} // namespace ui
