#include "ui/transcript/code_highlighter.h"

#include <QHash>

#include <KSyntaxHighlighting/AbstractHighlighter>
#include <KSyntaxHighlighting/Definition>
#include <KSyntaxHighlighting/Format>
#include <KSyntaxHighlighting/Repository>
#include <KSyntaxHighlighting/State>
#include <optional>

namespace ui {

namespace {

using KSyntaxHighlighting::Definition;
using KSyntaxHighlighting::Format;
using TextStyle = KSyntaxHighlighting::Theme::TextStyle;

/// Words models use that are neither a language's name nor the end of a file's.
struct Alias {
    QLatin1StringView word;
    QLatin1StringView name;
};
constexpr Alias kAliases[] = {
    {QLatin1StringView("c++"), QLatin1StringView("C++")},
    {QLatin1StringView("csharp"), QLatin1StringView("C#")},
    {QLatin1StringView("c#"), QLatin1StringView("C#")},
    {QLatin1StringView("console"), QLatin1StringView("Bash")},
    {QLatin1StringView("dockerfile"), QLatin1StringView("Dockerfile")},
    {QLatin1StringView("golang"), QLatin1StringView("Go")},
    {QLatin1StringView("javascript"), QLatin1StringView("JavaScript")},
    {QLatin1StringView("jsx"), QLatin1StringView("JavaScript React (JSX)")},
    {QLatin1StringView("kotlin"), QLatin1StringView("Kotlin")},
    {QLatin1StringView("makefile"), QLatin1StringView("Makefile")},
    {QLatin1StringView("objective-c"), QLatin1StringView("Objective-C")},
    {QLatin1StringView("powershell"), QLatin1StringView("PowerShell")},
    {QLatin1StringView("python3"), QLatin1StringView("Python")},
    {QLatin1StringView("shell"), QLatin1StringView("Bash")},
    {QLatin1StringView("tsx"), QLatin1StringView("TypeScript React (TSX)")},
    {QLatin1StringView("zsh"), QLatin1StringView("Zsh")},
};

CodeToken tokenOf(TextStyle style)
{
    switch (style) {
    case TextStyle::Keyword:
    case TextStyle::ControlFlow:
    case TextStyle::Import:
    case TextStyle::Preprocessor:
        return CodeToken::Keyword;
    case TextStyle::Function:
    case TextStyle::BuiltIn:
    case TextStyle::Extension:
    case TextStyle::Attribute:
        return CodeToken::Function;
    case TextStyle::Char:
    case TextStyle::SpecialChar:
    case TextStyle::String:
    case TextStyle::VerbatimString:
    case TextStyle::SpecialString:
        return CodeToken::String;
    case TextStyle::DecVal:
    case TextStyle::BaseN:
    case TextStyle::Float:
    case TextStyle::Constant:
        return CodeToken::Number;
    case TextStyle::DataType:
        return CodeToken::Type;
    case TextStyle::Comment:
    case TextStyle::Documentation:
    case TextStyle::Annotation:
    case TextStyle::CommentVar:
    case TextStyle::RegionMarker:
    case TextStyle::Information:
    case TextStyle::Warning:
    case TextStyle::Alert:
        return CodeToken::Comment;
    case TextStyle::Normal:
    case TextStyle::Variable:
    case TextStyle::Operator:
    case TextStyle::Others:
    case TextStyle::Error:
        break;
    }
    return CodeToken::None;
}

class SyntaxHighlighter final : public CodeHighlighter,
                                private KSyntaxHighlighting::AbstractHighlighter {
public:
    explicit SyntaxHighlighter(const Definition& definition) { setDefinition(definition); }

    QList<CodeSpan> next(const QString& line) override
    {
        m_spans.clear();
        m_state = highlightLine(line, m_state);
        return m_spans;
    }

    void reset() override { m_state = {}; }

private:
    void applyFormat(int offset, int length, const Format& format) override
    {
        CodeToken token = tokenOf(format.textStyle());
        // Documentation that is a string looks like one.
        const bool isString =
            format.name().contains(QLatin1StringView("string"), Qt::CaseInsensitive);
        if (token == CodeToken::Comment && isString) token = CodeToken::String;
        if (token != CodeToken::None && length > 0)
            m_spans.append({.start = offset, .length = length, .token = token});
    }

    KSyntaxHighlighting::State m_state;
    QList<CodeSpan> m_spans;
};

/// "```python title=x" and "```{.python}" name Python.
QString languageWord(const QString& info)
{
    QString word = info.section(u' ', 0, 0).section(u',', 0, 0).toLower();
    while (word.startsWith(u'{') || word.startsWith(u'.'))
        word.remove(0, 1);
    while (word.endsWith(u'}'))
        word.chop(1);
    return word;
}

} // namespace

struct CodeLanguages::Private {
    std::optional<KSyntaxHighlighting::Repository> repository;
    QHash<QString, Definition> known;

    const Definition& definition(const QString& info)
    {
        const QString word = languageWord(info);
        const auto found = known.constFind(word);
        if (found != known.constEnd()) return *found;
        return *known.insert(word, lookUp(word));
    }

    Definition lookUp(const QString& word)
    {
        if (word.isEmpty()) return {};
        if (!repository) repository.emplace();
        for (const Alias& alias : kAliases)
            if (alias.word == word) return repository->definitionForName(alias.name);
        Definition byFile = repository->definitionForFileName(QStringLiteral("x.") + word);
        if (byFile.isValid()) return byFile;
        const auto definitions = repository->definitions();
        for (const Definition& definition : definitions)
            if (definition.name().compare(word, Qt::CaseInsensitive) == 0) return definition;
        return {};
    }
};

CodeLanguages::CodeLanguages()
    : d(std::make_unique<Private>())
{
}
CodeLanguages::~CodeLanguages() = default;

QString CodeLanguages::nameOf(const QString& info) const
{
    const Definition& definition = d->definition(info);
    return definition.isValid() ? definition.translatedName() : info.section(u' ', 0, 0);
}

std::unique_ptr<CodeHighlighter> CodeLanguages::highlighter(const QString& info) const
{
    const Definition& definition = d->definition(info);
    if (!definition.isValid()) return nullptr;
    return std::make_unique<SyntaxHighlighter>(definition);
}

} // namespace ui
