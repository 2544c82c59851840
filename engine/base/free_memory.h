#pragma once

#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace engine {

/// Gives memory that was freed back to the system, where the C library keeps it otherwise. Takes
/// milliseconds; for the end of something large, like loading a model.
inline void returnFreeMemory()
{
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

} // namespace engine
