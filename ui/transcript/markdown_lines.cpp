#include "ui/transcript/markdown_lines.h"

#include <algorithm>

namespace ui {

namespace {

constexpr int kTabStop = 4;
constexpr int kMaxDigits = 9;

bool isSpace(QChar c)
{
    return c == u' ' || c == u'\t';
}

qsizetype runLength(QStringView line, QChar character)
{
    qsizetype n = 0;
    while (n < line.size() && line[n] == character)
        ++n;
    return n;
}

int digitsAhead(QStringView line)
{
    int n = 0;
    while (n < line.size() && n <= kMaxDigits && line[n] >= u'0' && line[n] <= u'9')
        ++n;
    return n;
}

bool isOneOf(QChar c, QStringView characters)
{
    return characters.contains(c);
}

} // namespace

int LineCursor::indent() const
{
    int column = m_column + m_cutTab;
    for (qsizetype i = m_position; i < m_line.size() && isSpace(m_line[i]); ++i)
        column += m_line[i] == u'\t' ? kTabStop - column % kTabStop : 1;
    return column - m_column;
}

QStringView LineCursor::ahead() const
{
    qsizetype i = m_position;
    while (i < m_line.size() && isSpace(m_line[i]))
        ++i;
    return m_line.sliced(i);
}

QString LineCursor::rest() const
{
    return QString(m_cutTab, u' ') + m_line.sliced(m_position);
}

void LineCursor::skipColumns(int columns)
{
    const int fromCut = std::min(columns, m_cutTab);
    m_cutTab -= fromCut;
    m_column += fromCut;
    columns -= fromCut;
    while (columns > 0 && m_position < m_line.size() && isSpace(m_line[m_position])) {
        const int width = m_line[m_position] == u'\t' ? kTabStop - m_column % kTabStop : 1;
        const int taken = std::min(width, columns);
        m_column += taken;
        m_cutTab = width - taken;
        columns -= taken;
        ++m_position;
    }
}

void LineCursor::skipCharacters(int count)
{
    m_position = std::min<qsizetype>(m_position + count, m_line.size());
    m_column += count;
}

std::optional<ListMarker> listMarker(QStringView line)
{
    if (line.isEmpty()) return {};
    ListMarker marker;
    if (isOneOf(line[0], u"-+*")) {
        marker.width = 1;
    } else {
        const int digits = digitsAhead(line);
        if (digits == 0 || digits > kMaxDigits || digits >= line.size()) return {};
        if (!isOneOf(line[digits], u".)")) return {};
        marker.ordered = true;
        marker.number = line.first(digits).toInt();
        marker.width = digits + 1;
    }
    if (marker.width < line.size() && !isSpace(line[marker.width])) return {};
    marker.delimiter = line[marker.width - 1];
    marker.isEmpty = line.sliced(marker.width).trimmed().isEmpty();
    return marker;
}

std::optional<FenceMarker> fenceMarker(QStringView line)
{
    if (line.isEmpty() || !isOneOf(line[0], u"`~")) return {};
    FenceMarker fence{.character = line[0], .length = runLength(line, line[0]), .info = {}};
    if (fence.length < 3) return {};
    const QStringView info = line.sliced(fence.length).trimmed();
    if (fence.character == u'`' && info.contains(u'`')) return {};
    fence.info = info.toString();
    return fence;
}

bool closesFence(QStringView line, const FenceMarker& fence)
{
    const qsizetype run = runLength(line, fence.character);
    return run >= fence.length && line.sliced(run).trimmed().isEmpty();
}

int headingLevel(QStringView line)
{
    const qsizetype run = runLength(line, u'#');
    if (run < 1 || run > 6) return 0;
    return run == line.size() || isSpace(line[run]) ? static_cast<int>(run) : 0;
}

QString headingText(QStringView line)
{
    QStringView text = line.sliced(runLength(line, u'#')).trimmed();
    qsizetype end = text.size();
    while (end > 0 && text[end - 1] == u'#')
        --end;
    if (end < text.size() && (end == 0 || isSpace(text[end - 1]))) text = text.first(end);
    return text.trimmed().toString();
}

int underlineLevel(QStringView line)
{
    const QStringView mark = line.trimmed();
    if (mark.isEmpty() || !isOneOf(mark[0], u"=-") || runLength(mark, mark[0]) != mark.size())
        return 0;
    return mark[0] == u'=' ? 1 : 2;
}

bool isRule(QStringView line)
{
    if (line.isEmpty() || !isOneOf(line[0], u"-_*")) return false;
    qsizetype marks = 0;
    for (const QChar c : line) {
        if (c == line[0])
            ++marks;
        else if (!isSpace(c))
            return false;
    }
    return marks >= 3;
}

std::optional<QList<ColumnAlignment>> tableDelimiter(QStringView line)
{
    if (!line.contains(u'-') || !line.contains(u'|')) return {};
    QList<ColumnAlignment> alignments;
    for (const QString& cell : tableCells(line)) {
        QStringView dashes = cell;
        const bool left = dashes.startsWith(u':');
        const bool right = dashes.size() > 1 && dashes.endsWith(u':');
        dashes = dashes.sliced(left).chopped(right);
        if (dashes.isEmpty() || runLength(dashes, u'-') != dashes.size()) return {};
        alignments.append(left && right ? ColumnAlignment::Center
                          : right       ? ColumnAlignment::Right
                          : left        ? ColumnAlignment::Left
                                        : ColumnAlignment::None);
    }
    if (alignments.isEmpty() || alignments.size() > kMaxTableColumns) return {};
    return alignments;
}

QStringList tableCells(QStringView row)
{
    row = row.trimmed();
    if (row.startsWith(u'|')) row = row.sliced(1);
    QStringList cells;
    QString cell;
    for (qsizetype i = 0; i < row.size(); ++i) {
        const bool escaped = row[i] == u'\\' && i + 1 < row.size();
        if (escaped && row[i + 1] == u'|') {
            cell += row[++i];
        } else if (escaped) {
            cell += row[i];
            cell += row[++i];
        } else if (row[i] == u'|') {
            cells.append(cell.trimmed());
            cell.clear();
        } else {
            cell += row[i];
        }
    }
    if (!cell.trimmed().isEmpty() || cells.isEmpty()) cells.append(cell.trimmed());
    return cells;
}

bool isUndecided(QStringView line)
{
    if (line == u"$" || line == u"\\") return true;
    qsizetype i = 0;
    while (i < line.size()) {
        const QStringView rest = line.sliced(i);
        if (isSpace(rest[0]) || isOneOf(rest[0], u">-+*_=#|:")) {
            ++i;
        } else if (isOneOf(rest[0], u"`~")) {
            const qsizetype run = runLength(rest, rest[0]);
            if (run > 2) return false;
            i += run;
        } else if (const int digits = digitsAhead(rest); digits > 0 && digits <= kMaxDigits) {
            i += digits;
            if (i < line.size() && isOneOf(line[i], u".)")) ++i;
        } else {
            return false;
        }
    }
    return true;
}

} // namespace ui
