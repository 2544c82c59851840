#include "ui/main_window/fuzzy_match.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace ui {

namespace {

constexpr int kLetter = 1;
constexpr int kBesideTheLast = 5;
constexpr int kBeginsAWord = 8;
constexpr int kNever = std::numeric_limits<int>::min() / 2;

QChar folded(QChar c)
{
    const bool composed = c.decompositionTag() == QChar::Canonical && !c.decomposition().isEmpty();
    return (composed ? c.decomposition().front() : c).toCaseFolded();
}

/// The best score with a typed letter at a place, and the place of the letter before.
struct Step {
    int score = kNever;
    int before = -1;
};

using Row = std::vector<Step>; // by place in the text

int scoreAt(const QString& text, qsizetype place)
{
    const bool begins = place == 0 || !text[place - 1].isLetterOrNumber();
    return kLetter + (begins ? kBeginsAWord : 0);
}

/// Of the first typed letter.
Row firstRow(const QString& text, QChar letter)
{
    Row row(static_cast<size_t>(text.size()));
    for (qsizetype i = 0; i < text.size(); ++i)
        if (folded(text[i]) == letter) row[static_cast<size_t>(i)].score = scoreAt(text, i);
    return row;
}

/// Of a letter behind those of `above`.
Row nextRow(const QString& text, QChar letter, const Row& above)
{
    Row row(above.size());
    Step best; // of the row above, up to the place before
    for (size_t i = 1; i < row.size(); ++i) {
        if (above[i - 1].score > best.score)
            best = {.score = above[i - 1].score, .before = static_cast<int>(i) - 1};
        const auto place = static_cast<qsizetype>(i);
        if (folded(text[place]) != letter || best.score <= 0) continue;
        const int beside = above[i - 1].score + kBesideTheLast;
        row[i] =
            beside >= best.score ? Step{.score = beside, .before = static_cast<int>(i) - 1} : best;
        row[i].score += scoreAt(text, place);
    }
    return row;
}

QString folded(const QString& text)
{
    QString result;
    result.reserve(text.size());
    for (const QChar c : text)
        result += folded(c);
    return result;
}

/// Where what was typed stands in one piece, at a word's beginning if it does at any. Nothing
/// scattered scores higher.
std::optional<FuzzyMatch> matchInOnePiece(const QString& text, const QString& typed)
{
    const QString all = folded(text);
    const QString piece = folded(typed.trimmed());
    qsizetype found = all.indexOf(piece);
    if (piece.isEmpty() || found < 0) return {};
    for (qsizetype at = found; at >= 0; at = all.indexOf(piece, at + 1)) {
        if (scoreAt(all, at) <= scoreAt(all, found)) continue;
        found = at;
        break;
    }
    FuzzyMatch match;
    match.score = scoreAt(all, found);
    for (qsizetype i = 0; i < piece.size(); ++i) {
        match.score += kLetter + kBesideTheLast + kBeginsAWord;
        if (!piece[i].isSpace()) match.places.append(static_cast<int>(found + i));
    }
    return match;
}

} // namespace

std::optional<FuzzyMatch> fuzzyMatch(const QString& text, const QString& typed)
{
    if (auto match = matchInOnePiece(text, typed)) return match;
    std::vector<Row> rows;
    for (const QChar c : typed) {
        if (c.isSpace()) continue;
        const QChar letter = folded(c);
        rows.push_back(rows.empty() ? firstRow(text, letter) : nextRow(text, letter, rows.back()));
    }
    FuzzyMatch match;
    if (rows.empty()) return match;
    const auto best = std::ranges::max_element(rows.back(), {}, &Step::score);
    if (best == rows.back().end() || best->score <= 0) return {};
    match.score = best->score;
    auto at = static_cast<int>(best - rows.back().begin());
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
        match.places.prepend(at);
        at = (*row)[static_cast<size_t>(at)].before;
    }
    return match;
}

} // namespace ui
