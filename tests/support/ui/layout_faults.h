#pragma once

#include <QStringList>
#include <QWidget>

namespace test {

/// What is wrong with where the visible widgets below `root` stand, one line each: outside their
/// parent, over another of the same layout, or words that are cut without an ellipsis. What scrolls
/// is checked for its width only; the transcript's column, which places itself, not at all.
QStringList layoutFaults(const QWidget& root);

} // namespace test
