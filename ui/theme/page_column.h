#pragma once

namespace ui {

/// Where what is read and written stands on a page: the transcript, the composer and all between
/// them have these edges. Px from the page's left.
struct PageColumn {
    int left = 0;
    int width = 0;
};

/// In the middle of a page `pageWidth` px wide, with room at its sides, and no wider than lines can
/// be read.
PageColumn pageColumn(int pageWidth, double textScale);

} // namespace ui
