// Rows of f32 into a page: keys transposed, (headDim, position), values as they come,
// (position, valueWidth).

#include "engine/kernels/attention.h"
#include "engine/kernels/kv_element.h"

#include <algorithm>
#include <array>

// clang-format off: foreach_target.h comes before whatever includes highway.h
#include "engine/kernels/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/kv_store.cpp"
#include <hwy/foreach_target.h>
#include "engine/kernels/quantize-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace engine::HWY_NAMESPACE {
namespace {

constexpr std::size_t kKeys = kPagePositions;
/// Positions and values of a square that is converted, then written transposed.
constexpr std::size_t kSquareRows = 16;
constexpr std::size_t kSquareColumns = 64;

struct ToF32 {
    using Element = float;
    static HWY_INLINE void convert(FloatVec x, Element* out) { hn::StoreU(x, FloatTag(), out); }
};

struct ToF16 {
    using Element = std::uint16_t;
    static HWY_INLINE void convert(FloatVec x, Element* out)
    {
        const HalfTag dh;
        hn::StoreU(hn::DemoteTo(dh, x), dh, reinterpret_cast<hwy::float16_t*>(out));
    }
};

struct ToBf16 {
    using Element = std::uint16_t;
    /// To nearest even; what is not a number stays so.
    static HWY_INLINE void convert(FloatVec x, Element* out)
    {
        const Uint32Tag du;
        const hn::Rebind<std::uint16_t, Uint32Tag> d16;
        const auto bits = hn::BitCast(du, x);
        const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
        const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7fff)));
        const auto nan = hn::Or(bits, hn::Set(du, 0x400000));
        const auto chosen = hn::IfThenElse(hn::RebindMask(du, hn::IsNaN(x)), nan, rounded);
        hn::StoreU(hn::TruncateTo(d16, hn::ShiftRight<16>(chosen)), d16, out);
    }
};

template <class To>
HWY_INLINE void convertRow(const float* x, std::size_t count, typename To::Element* out)
{
    const FloatTag df;
    const std::size_t lanes = hn::Lanes(df);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        To::convert(hn::LoadU(df, x + i), out + i);
    if (i == count) return;
    std::array<typename To::Element, 16> rest;
    To::convert(hn::LoadN(df, x + i, count - i), rest.data());
    std::copy_n(rest.data(), count - i, out + i);
}

template <class To>
void storeKeys(const KvLayout& layout, const KvRows& rows, std::size_t slot, std::size_t count,
               typename To::Element* keys)
{
    const auto dim = static_cast<std::size_t>(layout.headDim);
    std::array<typename To::Element, kSquareRows * kSquareColumns> square;
    for (std::size_t first = 0; first < count; first += kSquareRows) {
        const std::size_t height = std::min(kSquareRows, count - first);
        for (std::size_t d = 0; d < dim; d += kSquareColumns) {
            const std::size_t width = std::min(kSquareColumns, dim - d);
            for (std::size_t i = 0; i < height; ++i)
                convertRow<To>(rows.keys + (first + i) * rows.keyStride + d, width,
                               square.data() + i * kSquareColumns);
            for (std::size_t j = 0; j < width; ++j)
                for (std::size_t i = 0; i < height; ++i)
                    keys[(d + j) * kKeys + slot + first + i] = square[i * kSquareColumns + j];
        }
    }
}

template <class To>
void storePlain(const KvLayout& layout, const KvRows& rows, std::size_t slot, std::size_t count,
                std::byte* head)
{
    using Element = typename To::Element;
    storeKeys<To>(layout, rows, slot, count, reinterpret_cast<Element*>(head));
    auto* values = reinterpret_cast<Element*>(head + layout.keyBytes());
    for (std::size_t i = 0; i < count; ++i)
        convertRow<To>(rows.values + i * rows.valueStride,
                       static_cast<std::size_t>(layout.headDimValue),
                       values + (slot + i) * layout.valueWidth());
}

/// Runs of 32 values in 8 bits with a scale each; the last may be shorter. `put(run, scale,
/// values)`.
template <class Put>
HWY_INLINE void quantizeRuns(const float* x, std::size_t count, const Put& put)
{
    for (std::size_t begin = 0; begin < count; begin += 32) {
        HWY_ALIGN float run[32] = {};
        std::copy_n(x + begin, std::min<std::size_t>(32, count - begin), run);
        std::int8_t values[32];
        const float scale = quantize32(run, values);
        put(begin, scale, values);
    }
}

void storeQ8(const KvLayout& layout, const KvRows& rows, std::size_t slot, std::size_t count,
             std::byte* head)
{
    const KvQ8View view = kvQ8View(layout, head);
    const std::size_t width = layout.valueWidth();
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = slot + i;
        quantizeRuns(rows.keys + i * rows.keyStride, static_cast<std::size_t>(layout.headDim),
                     [&](std::size_t d, float scale, const std::int8_t* values) {
                         view.keyScales[d / 32 * kKeys + at] = scale;
                         for (std::size_t j = 0; j < 32; ++j)
                             view.keys[(d + j) * kKeys + at] = values[j];
                     });
        quantizeRuns(rows.values + i * rows.valueStride,
                     static_cast<std::size_t>(layout.headDimValue),
                     [&](std::size_t d, float scale, const std::int8_t* values) {
                         view.valueScales[(at * width + d) / 32] = scale;
                         std::copy_n(values, 32, view.values + at * width + d);
                     });
    }
}

} // namespace

void storeRows(const KvLayout& layout, const KvRows& rows, std::size_t slot, std::size_t count,
               std::byte* head)
{
    switch (layout.type) {
    case KvType::F32:
        return storePlain<ToF32>(layout, rows, slot, count, head);
    case KvType::F16:
        return storePlain<ToF16>(layout, rows, slot, count, head);
    case KvType::BF16:
        return storePlain<ToBf16>(layout, rows, slot, count, head);
    case KvType::Q8_0:
        return storeQ8(layout, rows, slot, count, head);
    }
}

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine {

HWY_EXPORT(storeRows);

void storeKv(const KvLayout& layout, const KvRows& rows, int slot, int count, std::byte* head)
{
    HWY_DYNAMIC_DISPATCH(storeRows)(layout, rows, static_cast<std::size_t>(slot),
                                    static_cast<std::size_t>(count), head);
}

} // namespace engine
#endif
