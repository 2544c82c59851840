#pragma once

namespace cli {

/// GB/s that `threads` threads read from memory together, each its own part of a buffer larger than
/// any cache; the best of several passes.
double measureReadBandwidth(int threads);

} // namespace cli
