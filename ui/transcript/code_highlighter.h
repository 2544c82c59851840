#pragma once

#include <QList>
#include <QString>

#include <memory>

namespace ui {

/// What a stretch of code is, as far as it has a colour of its own.
enum class CodeToken : quint8 { None, Keyword, String, Number, Comment, Function, Type };

struct CodeSpan {
    int start = 0;
    int length = 0;
    CodeToken token = CodeToken::None;

    bool operator==(const CodeSpan&) const = default;
};

/// Highlights the lines of one piece of code in order.
class CodeHighlighter {
public:
    virtual ~CodeHighlighter() = default;
    /// The next line, without its end.
    virtual QList<CodeSpan> next(const QString& line) = 0;
    /// Begins with the first line again.
    virtual void reset() = 0;
};

/// The languages code is written in. Loads what it knows when it is first asked; GUI thread only.
class CodeLanguages {
public:
    CodeLanguages();
    ~CodeLanguages();

    /// "py" is "Python"; what is not known keeps the word the fence has.
    QString nameOf(const QString& info) const;
    /// Null if the language is not known. Must not outlive this.
    std::unique_ptr<CodeHighlighter> highlighter(const QString& info) const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace ui
