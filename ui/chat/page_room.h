#pragma once

#include <QtTypes>

namespace ui {

/// Heights the parts of the chat page ask for between its header and its composer, px; 0: not
/// shown. Gaps belong to the parts.
struct PageNeeds {
    int notes = 0;        ///< troubles and errors
    int foldedNotes = 0;  ///< with sentences of one line
    int banner = 0;       ///< with its cards
    int foldedBanner = 0; ///< without them
    int pills = 0;
    int least = 0; ///< below this the conversation, or the welcome, says nothing
};

enum class BannerRoom : quint8 { None, Folded, Whole };

/// What each part gets; the conversation has what is left.
struct PageRoom {
    int notes = 0; ///< less than asked for: it scrolls
    bool foldsNotes = false;
    BannerRoom banner = BannerRoom::None;
    bool pills = false;
};

/// Shares `height` where there is not room for all: errors first, but never more than two thirds
/// where the conversation needs the rest, and with sentences of one line where the whole ones would
/// leave none; then the conversation, the banner's line, the questions to begin with, the banner's
/// cards.
PageRoom shareRoom(int height, const PageNeeds& needs);

} // namespace ui
