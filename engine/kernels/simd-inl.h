// Tags and loads shared by the kernels; compiled once per target.
#if defined(ENGINE_KERNELS_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ENGINE_KERNELS_SIMD_INL_H
#undef ENGINE_KERNELS_SIMD_INL_H
#else
#define ENGINE_KERNELS_SIMD_INL_H
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace engine::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// At most 16 lanes: what every layout and every sum is made for.
using Int32Tag = hn::CappedTag<std::int32_t, 16>;
using Uint32Tag = hn::RebindToUnsigned<Int32Tag>;
using FloatTag = hn::RebindToFloat<Int32Tag>;
using Uint8Tag = hn::Repartition<std::uint8_t, Int32Tag>;
using Int8Tag = hn::Repartition<std::int8_t, Int32Tag>;
using Int16Tag = hn::Repartition<std::int16_t, Int32Tag>;
using Uint16Tag = hn::Repartition<std::uint16_t, Int32Tag>;
using HalfTag = hn::Rebind<hwy::float16_t, FloatTag>;
using Bfloat16Tag = hn::Rebind<hwy::bfloat16_t, FloatTag>;

using Int32Vec = hn::Vec<Int32Tag>;
using FloatVec = hn::Vec<FloatTag>;
using Uint8Vec = hn::Vec<Uint8Tag>;
using Int8Vec = hn::Vec<Int8Tag>;
using Int16Vec = hn::Vec<Int16Tag>;

/// As many f16 as there are 32-bit lanes, widened exactly.
HWY_INLINE FloatVec loadHalfs(const std::uint8_t* p)
{
    return hn::PromoteTo(FloatTag(),
                         hn::LoadU(HalfTag(), reinterpret_cast<const hwy::float16_t*>(p)));
}

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif // per-target include guard
