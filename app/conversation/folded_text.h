#pragma once

#include <QList>
#include <QString>
#include <QStringView>

#include <vector>

namespace app {

/// A stretch of a text, in UTF-16 units.
struct TextRange {
    qsizetype start = 0;
    qsizetype length = 0;

    bool operator==(const TextRange&) const = default;
};

/// A text as it is searched: without accents (the combining diacritical marks of Unicode, composed
/// with their letter or not), white space as one kind and, unless case matters, in folded case
/// (simple case folding). What is found is told as ranges of the text itself, of whole characters
/// with their marks. The cost is linear.
class FoldedText {
public:
    explicit FoldedText(QStringView text, Qt::CaseSensitivity sensitivity = Qt::CaseInsensitive);

    bool isEmpty() const { return m_folded.isEmpty(); }
    /// In order, apart from each other. Both must be folded alike; empty words are nowhere.
    QList<TextRange> occurrencesOf(const FoldedText& words) const;
    bool contains(const FoldedText& words) const { return find(words, 0) >= 0; }
    /// Where the first one begins; -1: nowhere.
    qsizetype indexOf(const FoldedText& words) const;

private:
    /// Where the two texts stop moving in step.
    struct Run {
        qsizetype folded = 0;
        qsizetype source = 0;
        bool oneCharacter = false; ///< all of it stands for one character of the source
    };

    void add(char32_t character, qsizetype at, qsizetype length);
    void addFolded(char32_t character);
    void beginRun(qsizetype source, bool oneCharacter);
    const Run& runOf(qsizetype folded) const;
    bool isBoundary(qsizetype folded) const;
    qsizetype sourceOf(qsizetype folded) const;
    /// The next one at or after a place of the folded text; -1: there is none.
    qsizetype find(const FoldedText& words, qsizetype from) const;

    Qt::CaseSensitivity m_sensitivity;
    QString m_folded;
    std::vector<Run> m_runs; ///< none: both are in step throughout
};

} // namespace app
