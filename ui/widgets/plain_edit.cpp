#include "ui/widgets/plain_edit.h"

#include <QKeyEvent>
#include <QMimeData>
#include <QTextBlock>

#include <algorithm>
#include <memory>

namespace ui {

namespace {

/// Qt lays a line out as a whole whenever a letter of it changes.
constexpr qsizetype kMostLine = 4000;
constexpr qsizetype kNearSpace = 200;

/// Of a block: the line of the block before goes on in it, there is no end of a line between them.
constexpr int kGoesOn = QTextFormat::UserProperty + 1;

bool goesOn(const QTextBlock& block)
{
    return block.blockFormat().boolProperty(kGoesOn);
}

void setGoesOn(const QTextBlock& block, bool on)
{
    if (goesOn(block) == on) return;
    QTextBlockFormat format = block.blockFormat();
    if (on)
        format.setProperty(kGoesOn, true);
    else
        format.clearProperty(kGoesOn);
    QTextCursor(block).setBlockFormat(format);
}

/// A text as blocks of a document, and which of them go on from the one before.
struct CutText {
    QString text;
    QList<int> goingOn; ///< from the first block, which is 0
};

/// After the last space if there is one near, never within a pair of surrogates.
qsizetype cutOf(QStringView line)
{
    const qsizetype space = line.first(kMostLine).lastIndexOf(u' ');
    if (space >= kMostLine - kNearSpace) return space + 1;
    return line[kMostLine - 1].isHighSurrogate() ? kMostLine - 1 : kMostLine;
}

/// A block of the document for each of thousands of lines takes long to make: then lines end inside
/// of blocks.
void append(QString& result, QStringView piece, bool manyLines)
{
    const qsizetype start = result.size();
    result += piece;
    if (!manyLines || piece.isEmpty()) return;
    std::replace(result.begin() + start, result.end() - 1, QChar(u'\n'),
                 QChar(QChar::LineSeparator));
}

CutText withCuts(QString text)
{
    text.replace(QStringLiteral("\r\n"), QStringLiteral("\n"));
    constexpr qsizetype kManyLines = 1000;
    const bool manyLines = text.count(u'\n') > kManyLines;
    CutText result;
    int block = 0;
    qsizetype start = 0;
    while (text.size() - start > kMostLine) {
        const QStringView ahead = QStringView(text).sliced(start);
        const qsizetype newline = ahead.first(kMostLine).lastIndexOf(u'\n');
        const qsizetype end = newline >= 0 ? newline + 1 : cutOf(ahead);
        append(result.text, ahead.first(end), manyLines);
        block +=
            manyLines ? (newline >= 0 ? 1 : 0) : static_cast<int>(ahead.first(end).count(u'\n'));
        if (newline < 0 && ahead[end] != u'\n') {
            result.text += u'\n';
            result.goingOn += ++block;
        }
        start += end;
    }
    append(result.text, QStringView(text).sliced(start), manyLines);
    return result;
}

/// Of the blocks from `first` to `last` those in `goingOn`, counted from the first, and no others.
void markGoingOn(QTextBlock first, const QTextBlock& last, const QList<int>& goingOn)
{
    auto next = goingOn.begin();
    const int start = first.blockNumber();
    while (first != last) {
        first = first.next();
        const bool on = next != goingOn.end() && first.blockNumber() - start == *next;
        if (on) ++next;
        setGoesOn(first, on);
    }
}

} // namespace

PlainEdit::PlainEdit(QWidget* parent)
    : QPlainTextEdit(parent)
{
}

QString PlainEdit::text() const
{
    return textBetween(0, document()->characterCount() - 1);
}

QString PlainEdit::textBetween(int from, int to) const
{
    QString text;
    const QTextBlock first = document()->findBlock(from);
    for (QTextBlock block = first; block.isValid() && block.position() <= to;
         block = block.next()) {
        if (block != first && !goesOn(block)) text += u'\n';
        const int start = std::max(from - block.position(), 0);
        text += QStringView(block.text())
                    .first(std::min(to - block.position(), block.length() - 1))
                    .sliced(start);
    }
    return text.replace(QChar::LineSeparator, u'\n');
}

void PlainEdit::setText(const QString& text)
{
    const CutText cut = withCuts(text);
    document()->setUndoRedoEnabled(false); // there is nothing before a text that was set
    setPlainText(cut.text);
    QTextCursor edit(document());
    edit.beginEditBlock();
    markGoingOn(document()->firstBlock(), document()->lastBlock(), cut.goingOn);
    edit.endEditBlock();
    document()->setUndoRedoEnabled(true);
    moveCursor(QTextCursor::End);
}

void PlainEdit::insertText(const QString& text)
{
    const CutText cut = withCuts(text);
    QTextCursor edit = textCursor();
    edit.beginEditBlock();
    const int start = edit.selectionStart();
    edit.insertText(cut.text);
    // A new block is made like the one it is cut off.
    markGoingOn(document()->findBlock(start), edit.block(), cut.goingOn);
    edit.endEditBlock();
    ensureCursorVisible();
}

bool PlainEdit::hasWords() const
{
    for (QTextBlock block = document()->firstBlock(); block.isValid(); block = block.next())
        if (std::ranges::any_of(block.text(), [](QChar c) { return !c.isSpace(); })) return true;
    return false;
}

void PlainEdit::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::InsertParagraphSeparator) && !isReadOnly())
        insertText(QStringLiteral("\n"));
    else
        QPlainTextEdit::keyPressEvent(event);
}

QMimeData* PlainEdit::createMimeDataFromSelection() const
{
    auto copied = std::make_unique<QMimeData>();
    const QTextCursor cursor = textCursor();
    copied->setText(textBetween(cursor.selectionStart(), cursor.selectionEnd()));
    return copied.release();
}

void PlainEdit::insertFromMimeData(const QMimeData* source)
{
    if (source->hasText() && !isReadOnly()) insertText(source->text());
}

} // namespace ui
