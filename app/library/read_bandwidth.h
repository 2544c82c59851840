#pragma once

#include <cstddef>

namespace app {

/// GB/s that `threads` threads read from memory together, each its own part of a buffer of `bytes`
/// (larger than any cache); the best of `passes`. Any thread; takes some 0.1 s per GiB and pass.
double measureReadBandwidth(int threads, std::size_t bytes = std::size_t{1} << 29U, int passes = 5);

} // namespace app
