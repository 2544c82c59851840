// Products with weights in blocks of 32: every output is the chain
//   acc = fma(isum, scaleW * scaleA, acc), then acc = fma(minimumW, scaledSumA, acc) where there is
//   one,
// over its blocks in order; isum is the block's exact integer dot product.

#include "engine/kernels/matmul_kernels.h"

// clang-format off: foreach_target.h comes before whatever includes highway.h
#include "engine/kernels/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/matmul_legacy.cpp"
#include <hwy/foreach_target.h>
#include "engine/kernels/block_product-inl.h"
#include "engine/kernels/weights-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace engine::HWY_NAMESPACE {
namespace {

struct Q4_0 : BlockFormat<18> {
    static constexpr WeightRange kRange = WeightRange::Below16;
    static constexpr int kZero = 8;
    template <int, int g>
    static HWY_INLINE Uint8Vec weights(const std::uint8_t* p, int)
    {
        return nibbles32<g>(p);
    }
    static HWY_INLINE FloatVec scale(const std::uint8_t* p) { return loadHalfs(p + rowBytes(16)); }
};

struct Q4_1 : BlockFormat<20> {
    static constexpr WeightRange kRange = WeightRange::Below16;
    static constexpr bool kMinimum = true;
    template <int, int g>
    static HWY_INLINE Uint8Vec weights(const std::uint8_t* p, int)
    {
        return nibbles32<g>(p);
    }
    static HWY_INLINE FloatVec scale(const std::uint8_t* p) { return loadHalfs(p + rowBytes(16)); }
    static HWY_INLINE FloatVec minimum(const std::uint8_t* p)
    {
        return loadHalfs(p + rowBytes(18));
    }
};

struct Q5_0 : BlockFormat<22> {
    static constexpr WeightRange kRange = WeightRange::Below32;
    static constexpr int kZero = 16;
    template <int, int g>
    static HWY_INLINE Uint8Vec weights(const std::uint8_t* p, int)
    {
        return hn::Or(nibbles32<g>(p), bitsAt4<g>(p + rowBytes(16)));
    }
    static HWY_INLINE FloatVec scale(const std::uint8_t* p) { return loadHalfs(p + rowBytes(20)); }
};

struct Q5_1 : BlockFormat<24> {
    static constexpr WeightRange kRange = WeightRange::Below32;
    static constexpr bool kMinimum = true;
    template <int, int g>
    static HWY_INLINE Uint8Vec weights(const std::uint8_t* p, int)
    {
        return hn::Or(nibbles32<g>(p), bitsAt4<g>(p + rowBytes(16)));
    }
    static HWY_INLINE FloatVec scale(const std::uint8_t* p) { return loadHalfs(p + rowBytes(20)); }
    static HWY_INLINE FloatVec minimum(const std::uint8_t* p)
    {
        return loadHalfs(p + rowBytes(22));
    }
};

struct Q8_0 : BlockFormat<34> {
    static constexpr WeightRange kRange = WeightRange::Signed;
    template <int, int g>
    static HWY_INLINE Uint8Vec weights(const std::uint8_t* p, int)
    {
        return hn::LoadU(Uint8Tag(), p + rowBytes(4 * g));
    }
    static HWY_INLINE FloatVec scale(const std::uint8_t* p) { return loadHalfs(p + rowBytes(32)); }
};

struct Iq4Nl : BlockFormat<18> {
    static constexpr WeightRange kRange = WeightRange::Signed;
    template <int, int g>
    static HWY_INLINE Uint8Vec weights(const std::uint8_t* p, int)
    {
        return iq4Values(nibbles32<g>(p));
    }
    static HWY_INLINE FloatVec scale(const std::uint8_t* p) { return loadHalfs(p + rowBytes(16)); }
};

struct Mxfp4 : BlockFormat<17> {
    static constexpr WeightRange kRange = WeightRange::Below32;
    static constexpr int kZero = 12;
    /// Twice the value of a 4-bit float (E2M1), plus kZero.
    template <int, int g>
    static HWY_INLINE Uint8Vec weights(const std::uint8_t* p, int)
    {
        const Uint8Vec values = hn::Dup128VecFromValues(Uint8Tag(), 12, 13, 14, 15, 16, 18, 20, 24,
                                                        12, 11, 10, 9, 8, 6, 4, 0);
        return hn::TableLookupBytes(values, nibbles32<g>(p));
    }
    /// Half of 2^(e - 127), which is not normal for e < 2.
    static HWY_INLINE FloatVec scale(const std::uint8_t* p)
    {
        const Uint32Tag du;
        const hn::Rebind<std::uint8_t, Uint32Tag> d8;
        const auto e = hn::PromoteTo(du, hn::LoadU(d8, p + rowBytes(16)));
        const auto normal = hn::ShiftLeft<23>(hn::Sub(e, hn::Set(du, 1)));
        const auto small = hn::ShiftLeft<21>(hn::Add(e, hn::Set(du, 1))); // 2^-128, 2^-127
        return hn::BitCast(FloatTag(), hn::IfThenElse(hn::Lt(e, hn::Set(du, 2)), small, normal));
    }
};

} // namespace

QuantKernel legacyKernel(DType type)
{
    switch (type) {
    case DType::Q4_0:
        return blockProduct<Q4_0>;
    case DType::Q4_1:
        return blockProduct<Q4_1>;
    case DType::Q5_0:
        return blockProduct<Q5_0>;
    case DType::Q5_1:
        return blockProduct<Q5_1>;
    case DType::Q8_0:
        return blockProduct<Q8_0>;
    case DType::IQ4_NL:
        return blockProduct<Iq4Nl>;
    case DType::MXFP4:
        return blockProduct<Mxfp4>;
    default:
        return nullptr;
    }
}

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine {

HWY_EXPORT(legacyKernel);

QuantKernel legacyQuantKernel(DType type)
{
    return HWY_DYNAMIC_DISPATCH(legacyKernel)(type);
}

} // namespace engine
#endif
