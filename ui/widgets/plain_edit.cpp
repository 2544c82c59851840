#include "ui/widgets/plain_edit.h"

#include <QMimeData>
#include <QTextBlock>
#include <QTextDocumentFragment>

#include <algorithm>
#include <memory>

namespace ui {

namespace {

/// Qt lays a line out as a whole whenever a letter of it changes.
constexpr qsizetype kMostLine = 4000;
constexpr qsizetype kNearSpace = 200;

/// Where an inner line ends that goes on in the next: signs without width that no text has so.
const QString& mark()
{
    static const QString kMark(2, QChar(0x2060)); // word joiner
    return kMark;
}

const QString& cut()
{
    static const QString kCut = mark() % u'\n';
    return kCut;
}

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

QString withCuts(QString text)
{
    text.replace(QStringLiteral("\r\n"), QStringLiteral("\n"));
    constexpr qsizetype kManyLines = 1000;
    const bool manyLines = text.count(u'\n') > kManyLines;
    QString result;
    qsizetype start = 0;
    while (text.size() - start > kMostLine) {
        const QStringView ahead = QStringView(text).sliced(start);
        const qsizetype newline = ahead.first(kMostLine).lastIndexOf(u'\n');
        const qsizetype end = newline >= 0 ? newline + 1 : cutOf(ahead);
        append(result, ahead.first(end), manyLines);
        if (newline < 0 && ahead[end] != u'\n') result += cut();
        start += end;
    }
    append(result, QStringView(text).sliced(start), manyLines);
    return result;
}

QString withoutCuts(QString text)
{
    text.remove(cut());
    return text.remove(mark()); // of two lines the user made one of
}

} // namespace

PlainEdit::PlainEdit(QWidget* parent)
    : QPlainTextEdit(parent)
{
}

QString PlainEdit::text() const
{
    return withoutCuts(toPlainText());
}

void PlainEdit::setText(const QString& text)
{
    setPlainText(withCuts(text));
    moveCursor(QTextCursor::End);
}

void PlainEdit::insertText(const QString& text)
{
    textCursor().insertText(withCuts(text));
    ensureCursorVisible();
}

bool PlainEdit::hasWords() const
{
    for (QTextBlock block = document()->firstBlock(); block.isValid(); block = block.next())
        if (std::ranges::any_of(block.text(), [](QChar c) { return !c.isSpace(); })) return true;
    return false;
}

QMimeData* PlainEdit::createMimeDataFromSelection() const
{
    auto copied = std::make_unique<QMimeData>();
    copied->setText(withoutCuts(textCursor().selection().toPlainText()));
    return copied.release();
}

void PlainEdit::insertFromMimeData(const QMimeData* source)
{
    if (source->hasText() && !isReadOnly()) insertText(source->text());
}

} // namespace ui
