#include "ui/theme/page_column.h"

#include <QtMath>

#include <algorithm>

namespace ui {

namespace {

constexpr int kSide = 32;
constexpr int kNarrowSide = 24;
constexpr int kNarrow = 640; ///< pages below this have the narrow sides
constexpr int kLeast = 160;
constexpr int kMost = 720; ///< before the text size

} // namespace

PageColumn pageColumn(int pageWidth, double textScale)
{
    const int side = pageWidth < kNarrow ? kNarrowSide : kSide;
    const int width = std::clamp(pageWidth - 2 * side, kLeast, qRound(kMost * textScale));
    return {.left = (pageWidth - width) / 2, .width = width};
}

} // namespace ui
