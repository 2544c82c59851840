#pragma once

#include <cstddef>
#include <span>

namespace engine {

/// Reading a mapped page that is no longer in its file (somebody cut it) would end the program. Of
/// a guarded mapping such a page reads as zeros. Any thread. Has no effect where the system lets
/// nobody shorten a mapped file.
void guardMapping(std::span<const std::byte> mapping);
/// To be called before the mapping ends.
void unguardMapping(std::span<const std::byte> mapping);

} // namespace engine
