#include "ui/chat/page_room.h"

#include <algorithm>

namespace ui {

PageRoom shareRoom(int height, const PageNeeds& needs)
{
    PageRoom room;
    room.foldsNotes = needs.notes + needs.least > height;
    // Notes scroll; what they are about is to be seen beside them.
    const int most = std::max(height - needs.least, height * 2 / 3);
    room.notes = std::clamp(most, 0, room.foldsNotes ? needs.foldedNotes : needs.notes);
    int left = height - room.notes - needs.least;
    const auto take = [&left](int need) {
        if (need <= 0 || need > left) return false;
        left -= need;
        return true;
    };
    if (take(needs.foldedBanner)) room.banner = BannerRoom::Folded;
    room.pills = take(needs.pills);
    if (room.banner == BannerRoom::Folded && take(needs.banner - needs.foldedBanner))
        room.banner = BannerRoom::Whole;
    return room;
}

} // namespace ui
