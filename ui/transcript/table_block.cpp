#include "ui/transcript/table_block.h"

#include "ui/widgets/paint.h"

#include <QPaintEvent>

#include <algorithm>

namespace ui {

using Token = Theme::Token;

namespace {

constexpr double kSidePadding = 14;
constexpr double kUprightPadding = 4;
constexpr double kLeastColumn = 96; ///< text wraps into no less, padding included

} // namespace

bool isNumber(QStringView cell)
{
    cell = cell.trimmed();
    if (cell.isEmpty() || cell == u"-" || cell == u"\u2013" || cell == u"\u2014") return true;
    qsizetype digits = 0;
    qsizetype letters = 0;
    for (const QChar c : cell) {
        if (c.isDigit())
            ++digits;
        else if (c.isLetter())
            ++letters;
        else if (!c.isSpace() &&
                 !QStringView(u"+-\u2212\u2013.,:%~\u2248<>=()/*_$\u20AC\u00A3\u00B0\u00D7'")
                      .contains(c))
            return false;
    }
    constexpr qsizetype kUnit = 5;
    const QChar first = *std::ranges::find_if(cell, [](QChar c) { return c != u'*' && c != u'_'; });
    return digits > 0 && letters <= kUnit && !first.isLetter();
}

TableBlock::TableBlock(const TranscriptStyle& style, QWidget* parent)
    : WideSurface(style, parent)
{
    setAccessibleName(tr("Table"));
}

TableBlock::Cell TableBlock::makeCell(const QString& source, TextRole role, bool open) const
{
    LaidText text(parseInline(source, {.open = open, .breakTags = true}), style().look(role),
                  style());
    constexpr double kUnbroken = 1e5;
    text.layOut(kUnbroken);
    const double natural = text.usedWidth();
    return {.text = std::move(text), .natural = natural};
}

void TableBlock::setBlock(const MarkdownBlock& block)
{
    const QStringList sources = block.text.split(u'\n');
    const bool sameColumns = block.alignments == m_block.alignments;
    const bool wasOpen = m_block.open;
    m_block = block;
    if (!sameColumns) {
        m_rows.clear();
        m_columns.assign(static_cast<size_t>(block.alignments.size()), {});
        for (size_t i = 0; i < m_columns.size(); ++i)
            m_columns[i].alignment = block.alignments[static_cast<qsizetype>(i)];
    }
    size_t same = 0;
    while (same < m_rows.size() && same < static_cast<size_t>(sources.size()) &&
           m_rows[same].source == sources[static_cast<qsizetype>(same)])
        ++same;
    // The last row was completed for the time being.
    if (wasOpen && same > 0 && same == m_rows.size()) --same;
    m_rows.erase(m_rows.begin() + static_cast<std::ptrdiff_t>(same), m_rows.end());
    for (auto i = static_cast<qsizetype>(same); i < sources.size(); ++i)
        addRow(sources[i], block.open && i + 1 == sources.size());
    measureColumns();
    if (m_width > 0) layOut(m_width);
    textChangedFrom(static_cast<int>(same * m_columns.size()));
    update();
}

void TableBlock::addRow(const QString& source, bool open)
{
    Row row{.source = source, .cells = {}};
    const QStringList cells = tableCells(source);
    const bool head = hasHead() && m_rows.empty();
    for (qsizetype i = 0; i < std::ssize(m_columns); ++i) {
        const QString cell = cells.value(i);
        const TextRole role = head             ? TextRole::TableHead
                              : isNumber(cell) ? TextRole::TableNumber
                                               : TextRole::TableCell;
        row.cells.push_back(makeCell(cell, role, open && i + 1 == cells.size()));
    }
    m_rows.push_back(std::move(row));
}

void TableBlock::measureColumns()
{
    const size_t firstBody = hasHead() ? 1 : 0;
    for (size_t i = 0; i < m_columns.size(); ++i) {
        Column& column = m_columns[i];
        column.natural = 0;
        column.numeric = m_rows.size() > firstBody;
        for (size_t row = 0; row < m_rows.size(); ++row) {
            const Cell& cell = m_rows[row].cells[i];
            column.natural = std::max(column.natural, cell.natural);
            if (row >= firstBody && !isNumber(cell.text.text())) column.numeric = false;
        }
        column.natural += 2 * style().px(kSidePadding);
    }
}

/// In less a number would be two numbers, and a word two words; a word wider than the table has no
/// room whole.
double TableBlock::leastOf(size_t column, double room)
{
    const Column& wanted = m_columns[column];
    if (wanted.numeric) return wanted.natural;
    double word = 0;
    for (Row& row : m_rows) {
        Cell& cell = row.cells[column];
        if (cell.word < 0) cell.word = cell.text.wordWidth();
        word = std::max(word, cell.word);
    }
    const double padding = 2 * style().px(kSidePadding);
    const double least = std::max<double>(style().px(kLeastColumn), word + padding);
    return std::min({wanted.natural, least, room});
}

/// Gives every column what it wants where that fits; otherwise the wide ones share what the
/// narrow ones leave, and none is narrower than its least.
void TableBlock::fitColumns(double room)
{
    const double left = room - 1 - static_cast<double>(m_columns.size()); // without the lines
    double natural = 0;
    for (Column& column : m_columns) {
        column.width = column.natural;
        natural += column.natural;
    }
    if (natural > left) {
        std::vector<double> least;
        least.reserve(m_columns.size());
        for (size_t i = 0; i < m_columns.size(); ++i)
            least.push_back(leastOf(i, left));
        const auto widthAt = [&](size_t i, double most) {
            return std::floor(std::clamp(most, least[i], std::max(least[i], m_columns[i].natural)));
        };
        // The most that a column may have, so that all of them together fill the room.
        double low = 0;
        double high = left;
        while (high - low > 0.5) {
            const double most = (low + high) / 2;
            double sum = 0;
            for (size_t i = 0; i < m_columns.size(); ++i)
                sum += widthAt(i, most);
            (sum > left ? high : low) = most;
        }
        for (size_t i = 0; i < m_columns.size(); ++i)
            m_columns[i].width = widthAt(i, low);
    }
    double x = 1;
    for (Column& column : m_columns) {
        column.left = x;
        x += column.width + 1;
    }
}

int TableBlock::layOut(int width)
{
    m_width = width;
    fitColumns(width);
    placeRows();
    updateScrollBar();
    const int bar = contentWidth() > width ? 10 : 0;
    return m_rows.empty() ? 0 : qRound(m_rows.back().top + m_rows.back().height) + 1 + bar;
}

void TableBlock::placeRows()
{
    double y = 1;
    for (Row& row : m_rows) {
        row.top = y;
        row.height = style().look(TextRole::TableCell).lineHeight;
        for (size_t i = 0; i < row.cells.size(); ++i) {
            row.cells[i].text.layOut(m_columns[i].width - 2 * style().px(kSidePadding));
            row.height = std::max(row.height, row.cells[i].text.height());
        }
        row.height += 2 * style().px(kUprightPadding);
        y += row.height + 1;
    }
}

Qt::Alignment TableBlock::alignmentOf(size_t column) const
{
    switch (m_columns[column].alignment) {
    case ColumnAlignment::Left:
        return Qt::AlignLeft;
    case ColumnAlignment::Center:
        return Qt::AlignHCenter;
    case ColumnAlignment::Right:
        return Qt::AlignRight;
    case ColumnAlignment::None:
        break;
    }
    return m_columns[column].numeric ? Qt::AlignRight : Qt::AlignLeft;
}

int TableBlock::fragmentCount() const
{
    return static_cast<int>(m_rows.size() * m_columns.size());
}

const LaidText& TableBlock::fragment(int index) const
{
    const auto i = static_cast<size_t>(index);
    return m_rows[i / m_columns.size()].cells[i % m_columns.size()].text;
}

QPointF TableBlock::origin(int index) const
{
    const auto i = static_cast<size_t>(index);
    const Row& row = m_rows[i / m_columns.size()];
    const Column& column = m_columns[i % m_columns.size()];
    const LaidText& cell = row.cells[i % m_columns.size()].text;
    const double padding = style().px(kSidePadding);
    // The room of a cell that wraps is its layout's width: that aligns by itself.
    const double spare = std::max(0.0, column.width - 2 * padding - cell.usedWidth());
    const Qt::Alignment alignment = alignmentOf(i % m_columns.size());
    double x = column.left + padding;
    if (cell.isRightToLeft())
        x += 0;
    else if (alignment == Qt::AlignRight)
        x += spare;
    else if (alignment == Qt::AlignHCenter)
        x += std::floor(spare / 2);
    return {x - scrolled(), row.top + style().px(kUprightPadding)};
}

int TableBlock::fragmentAt(QPointF point) const
{
    const auto belowRow = std::ranges::upper_bound(m_rows, point.y(), {}, &Row::top);
    const auto right =
        std::ranges::upper_bound(m_columns, point.x() + scrolled(), {}, &Column::left);
    const auto row = std::max<std::ptrdiff_t>(belowRow - m_rows.begin() - 1, 0);
    const auto column = std::max<std::ptrdiff_t>(right - m_columns.begin() - 1, 0);
    return static_cast<int>(row * std::ssize(m_columns) + column);
}

QString TableBlock::separatorAfter(int index) const
{
    const bool rowEnds = (static_cast<size_t>(index) + 1) % m_columns.size() == 0;
    return rowEnds ? QStringLiteral("\n") : QStringLiteral("\t");
}

double TableBlock::contentWidth() const
{
    return m_columns.empty() ? 0 : m_columns.back().left + m_columns.back().width + 1;
}

void TableBlock::setCaret(bool shown)
{
    if (shown == m_caret) return;
    m_caret = shown;
    update();
}

void TableBlock::paintEvent(QPaintEvent* event)
{
    if (m_rows.empty() || m_columns.empty()) return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor line = style().color(Token::Line);
    const double left = -scrolled();
    const double right = contentWidth() - scrolled();
    const double bottom = m_rows.back().top + m_rows.back().height;
    if (hasHead())
        painter.fillRect(QRectF(left, 0, right - left, m_rows.front().top + m_rows.front().height),
                         style().color(Token::Panel));
    painter.fillRect(QRectF(left, 0, right - left, 1), line);
    for (const Row& row : m_rows)
        painter.fillRect(QRectF(left, row.top + row.height, right - left, 1), line);
    painter.fillRect(QRectF(left, 0, 1, bottom), line);
    for (const Column& column : m_columns)
        painter.fillRect(QRectF(column.left + column.width - scrolled(), 0, 1, bottom), line);

    const QRectF clip = event->rect();
    const auto columns = static_cast<int>(m_columns.size());
    const int first = fragmentAt(clip.topLeft()) / columns * columns;
    const int last = fragmentAt(clip.bottomLeft()) / columns * columns + columns;
    for (int i = first; i < std::min(last, fragmentCount()); ++i)
        drawFragment(painter, i, clip);
    if (!m_caret) return;
    const QStringList cells = tableCells(m_rows.back().source);
    const int cell = std::clamp(static_cast<int>(cells.size()) - 1, 0, columns - 1);
    const int end = fragmentCount() - columns + cell;
    drawCaret(painter, origin(end) + fragment(end).endPoint());
}

} // namespace ui
