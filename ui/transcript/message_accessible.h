#pragma once

namespace ui {

/// Makes messages items of a list for assistive technology, with their text as their value. Safe
/// to call more than once.
void installMessageAccessibility();

} // namespace ui
