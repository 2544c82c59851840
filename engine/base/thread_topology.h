#pragma once

namespace engine {

/// Puts the calling thread a little below the others of this process, so that a window on the same
/// core answers at once. Does nothing where the system has no such notion.
void lowerThreadPriority();

} // namespace engine
