#pragma once

namespace engine {

/// 32-bit lanes of the vectors the kernels use on this CPU: 4, 8 or 16.
int vectorLanes();

} // namespace engine
