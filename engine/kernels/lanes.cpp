#include "engine/kernels/lanes.h"

// clang-format off: foreach_target.h comes before whatever includes highway.h
#include "engine/kernels/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/lanes.cpp"
#include <hwy/foreach_target.h>
#include "engine/kernels/simd-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace engine::HWY_NAMESPACE {

int lanes()
{
    return static_cast<int>(hn::Lanes(Int32Tag()));
}

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine {

HWY_EXPORT(lanes);

int vectorLanes()
{
    return HWY_DYNAMIC_DISPATCH(lanes)();
}

} // namespace engine
#endif
