#pragma once

#include <QList>
#include <QString>

#include <optional>

namespace ui {

/// Where the letters of what was typed stand in a text, and how well.
struct FuzzyMatch {
    int score = 0; ///< more is better
    QList<int> places;
};

/// Matches if the letters of `typed` are in `text` in their order, others between them; accents,
/// case and spaces do not count. Beginnings of words and letters side by side score more. The best
/// of all ways is taken, in time proportional to the product of both lengths.
std::optional<FuzzyMatch> fuzzyMatch(const QString& text, const QString& typed);

} // namespace ui
