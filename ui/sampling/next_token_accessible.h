#pragma once

namespace ui {

/// Makes every NextTokenView a list to assistive technology, an item for each row ("slowly, 81.5
/// percent, picked"). May be called more than once.
void installNextTokenAccessible();

} // namespace ui
