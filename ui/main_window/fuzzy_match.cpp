#include "ui/main_window/fuzzy_match.h"

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

} // namespace

std::optional<FuzzyMatch> fuzzyMatch(const QString& text, const QString& typed)
{
    QString wanted;
    for (const QChar c : typed)
        if (!c.isSpace()) wanted += folded(c);
    const auto length = static_cast<size_t>(text.size());
    std::vector<std::vector<Step>> steps;
    for (const QChar letter : std::as_const(wanted)) {
        std::vector<Step> row(length);
        Step best; // of the row above, up to the place before
        for (size_t i = 0; i < length; ++i) {
            const auto at = static_cast<qsizetype>(i);
            const bool first = steps.empty();
            if (folded(text[at]) == letter) {
                const bool begins = at == 0 || !text[at - 1].isLetterOrNumber();
                const int here = kLetter + (begins ? kBeginsAWord : 0);
                const int beside =
                    !first && i > 0 ? steps.back()[i - 1].score + kBesideTheLast : kNever;
                if (first)
                    row[i] = {.score = here, .before = -1};
                else if (beside >= best.score && beside > 0)
                    row[i] = {.score = beside + here, .before = static_cast<int>(i) - 1};
                else if (best.score > 0)
                    row[i] = {.score = best.score + here, .before = best.before};
            }
            if (!first && steps.back()[i].score > best.score)
                best = {.score = steps.back()[i].score, .before = static_cast<int>(i)};
        }
        steps.push_back(std::move(row));
    }
    FuzzyMatch match;
    if (steps.empty()) return match;
    int at = -1;
    for (size_t i = 0; i < length; ++i)
        if (steps.back()[i].score > match.score) {
            match.score = steps.back()[i].score;
            at = static_cast<int>(i);
        }
    if (at < 0) return {};
    for (size_t row = steps.size(); row-- > 0; at = steps[row][static_cast<size_t>(at)].before)
        match.places.prepend(at);
    return match;
}

} // namespace ui
