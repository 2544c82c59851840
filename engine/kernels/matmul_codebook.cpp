// Products with weights from code books (IQ1 ... IQ3) and with base-3 digits (TQ1_0): a super-block
// of a group of rows is decoded to bytes, then multiplied as any signed 8-bit weights are.

#include "engine/kernels/codebooks.h"
#include "engine/kernels/matmul_kernels.h"

// clang-format off: foreach_target.h comes before whatever includes highway.h
#include "engine/kernels/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/matmul_codebook.cpp"
#include <hwy/foreach_target.h>
#include "engine/kernels/block_product-inl.h"
#include "engine/kernels/weights-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace engine::HWY_NAMESPACE {
namespace {

using Uint32Vec = hn::Vec<Uint32Tag>;

/// A super-block of a group, decoded.
struct Decoded {
    HWY_ALIGN std::uint8_t weights[64 * 64]; ///< (run, g, lane, 4)
    HWY_ALIGN std::uint8_t
        halfScales[8 * 64]; ///< (run, lane): those of both halves, two empty bytes
    PreparedScales scales;

    HWY_INLINE void put(int run, int g, Uint32Vec w)
    {
        const Uint8Tag d8;
        const auto at = static_cast<std::size_t>(8 * run + g) * hn::Lanes(d8);
        hn::Store(hn::BitCast(d8, w), d8, weights + at);
    }
    HWY_INLINE void putHalfScales(int run, Uint32Vec low, Uint32Vec high)
    {
        const Uint8Tag d8;
        const auto both = hn::Or(low, hn::ShiftLeft<8>(high));
        hn::Store(hn::BitCast(d8, both), d8,
                  halfScales + static_cast<std::size_t>(run) * hn::Lanes(d8));
    }
    HWY_INLINE void putScale(int run, FloatVec scale)
    {
        hn::Store(scale, FloatTag(), scales.scale(run));
    }
};

/// How tileRun() reads a decoded super-block; `record` is a Decoded.
template <bool kHalf>
struct DecodedFormat : BlockFormat<0> {
    static constexpr WeightRange kRange = WeightRange::Signed;
    static constexpr int kSubBlocks = 8;
    static constexpr bool kHalfScales = kHalf;
    static constexpr bool kPrepares = true;
    template <int, int g>
    static HWY_INLINE Uint8Vec weights(const std::uint8_t* record, int sub)
    {
        return loadPlane(record, 8 * sub + g);
    }
    static HWY_INLINE Int8Vec halfScales(const std::uint8_t* record, int sub)
    {
        return hn::BitCast(Int8Tag(), loadPlane(record + offsetof(Decoded, halfScales), sub));
    }
};

HWY_INLINE Uint32Vec dwords(const std::uint8_t* p, int index)
{
    return hn::BitCast(Uint32Tag(), loadPlane(p, index));
}

/// (v >> shift) & mask in every lane.
HWY_INLINE Uint32Vec bits(Uint32Vec v, int shift, std::uint32_t mask)
{
    return hn::And(hn::ShiftRightSame(v, shift), hn::Set(Uint32Tag(), mask));
}

/// Byte number `index` of a row's run of bytes that begins at dword `first`.
HWY_INLINE Uint32Vec byteOf(const std::uint8_t* p, int first, int index)
{
    return bits(dwords(p, first + index / 4), index % 4 * 8, 255);
}

HWY_INLINE Uint32Vec lookUp(const std::uint32_t* book, Uint32Vec index)
{
    return hn::GatherIndex(Uint32Tag(), book, hn::BitCast(Int32Tag(), index));
}

/// Word `half` of an entry of two.
HWY_INLINE Uint32Vec lookUpHalf(const std::uint32_t* book, Uint32Vec index, int half)
{
    return lookUp(book + half, hn::Add(index, index));
}

/// Bytes of 255 where the low four bits are set.
HWY_INLINE Uint32Vec masksOf(Uint32Vec fourBits)
{
    const Uint32Tag du;
    const Uint8Tag d8;
    const auto ones = hn::And(hn::Mul(fourBits, hn::Set(du, 0x00204081)), hn::Set(du, 0x01010101));
    return hn::BitCast(du, hn::Sub(hn::Zero(d8), hn::BitCast(d8, ones)));
}

/// Negates the bytes where `masks` is 255.
HWY_INLINE Uint32Vec negateBytes(Uint32Vec w, Uint32Vec masks)
{
    const Uint8Tag d8;
    const auto flipped = hn::BitCast(d8, hn::Xor(w, masks));
    return hn::BitCast(Uint32Tag(), hn::Sub(flipped, hn::BitCast(d8, masks)));
}

/// 2 code + 1.
HWY_INLINE Uint32Vec oddScale(Uint32Vec code)
{
    return hn::Add(hn::Add(code, code), hn::Set(Uint32Tag(), 1));
}

HWY_INLINE FloatVec toFloat(Uint32Vec v)
{
    return hn::ConvertTo(FloatTag(), hn::BitCast(Int32Tag(), v));
}

/// 4-bit scales for each 16 weights, two a byte, from dword `first` on.
HWY_INLINE void decodeHalfScales(const std::uint8_t* p, int first, FloatVec d, Decoded& out)
{
    for (int run = 0; run < 8; ++run) {
        const auto codes = byteOf(p, first, run);
        out.putHalfScales(run, oddScale(bits(codes, 0, 15)), oddScale(bits(codes, 4, 15)));
        out.putScale(run, d);
    }
}

struct Iq2Xxs {
    static constexpr int kBlockBytes = 66;
    using Format = DecodedFormat<false>;
    static HWY_INLINE void decode(const std::uint8_t* p, const Codebooks& books, Decoded& out)
    {
        const auto d = hn::Mul(loadHalfs(p + rowBytes(64)), hn::Set(FloatTag(), 0.125f));
        for (int run = 0; run < 8; ++run) {
            const auto signs = dwords(p, 2 * run + 1);
            for (int g = 0; g < 8; ++g) {
                const auto w = lookUpHalf(books.iq2Xxs.data(), byteOf(p, 2 * run, g / 2), g % 2);
                const auto seven = bits(signs, g / 2 * 7, 127);
                out.put(run, g, negateBytes(w, lookUpHalf(books.signs.data(), seven, g % 2)));
            }
            out.putScale(run, hn::Mul(d, toFloat(oddScale(hn::ShiftRight<28>(signs)))));
        }
    }
};

struct Iq2Xs {
    static constexpr int kBlockBytes = 74;
    using Format = DecodedFormat<true>;
    static HWY_INLINE void decode(const std::uint8_t* p, const Codebooks& books, Decoded& out)
    {
        const auto d = hn::Mul(loadHalfs(p + rowBytes(72)), hn::Set(FloatTag(), 0.125f));
        decodeHalfScales(p, 16, d, out);
        for (int run = 0; run < 8; ++run) {
            for (int g = 0; g < 8; ++g) {
                const auto word = bits(dwords(p, 2 * run + g / 4), g / 2 % 2 * 16, 0xffff);
                const auto w = lookUpHalf(books.iq2Xs.data(), bits(word, 0, 511), g % 2);
                const auto seven = hn::ShiftRight<9>(word);
                out.put(run, g, negateBytes(w, lookUpHalf(books.signs.data(), seven, g % 2)));
            }
        }
    }
};

struct Iq2S {
    static constexpr int kBlockBytes = 82;
    using Format = DecodedFormat<true>;
    static HWY_INLINE void decode(const std::uint8_t* p, const Codebooks& books, Decoded& out)
    {
        const auto d = hn::Mul(loadHalfs(p + rowBytes(80)), hn::Set(FloatTag(), 0.125f));
        decodeHalfScales(p, 18, d, out);
        for (int run = 0; run < 8; ++run) {
            const auto highs = byteOf(p, 16, run);
            for (int g = 0; g < 8; ++g) {
                const auto high = bits(highs, g / 2 * 2, 3);
                const auto index = hn::Or(byteOf(p, run, g / 2), hn::ShiftLeft<8>(high));
                const auto w = lookUpHalf(books.iq2S.data(), index, g % 2);
                const auto four = bits(dwords(p, 8 + run), 4 * g, 15);
                out.put(run, g, negateBytes(w, masksOf(four)));
            }
        }
    }
};

struct Iq3Xxs {
    static constexpr int kBlockBytes = 98;
    using Format = DecodedFormat<false>;
    static HWY_INLINE void decode(const std::uint8_t* p, const Codebooks& books, Decoded& out)
    {
        const auto d = hn::Mul(loadHalfs(p + rowBytes(96)), hn::Set(FloatTag(), 0.25f));
        for (int run = 0; run < 8; ++run) {
            const auto signs = dwords(p, 16 + run);
            for (int g = 0; g < 8; ++g) {
                const auto w = lookUp(books.iq3Xxs.data(), byteOf(p, 2 * run, g));
                const auto seven = bits(signs, g / 2 * 7, 127);
                out.put(run, g, negateBytes(w, lookUpHalf(books.signs.data(), seven, g % 2)));
            }
            out.putScale(run, hn::Mul(d, toFloat(oddScale(hn::ShiftRight<28>(signs)))));
        }
    }
};

struct Iq3S {
    static constexpr int kBlockBytes = 110;
    using Format = DecodedFormat<false>;
    static HWY_INLINE void decode(const std::uint8_t* p, const Codebooks& books, Decoded& out)
    {
        const auto d = loadHalfs(p + rowBytes(108));
        for (int run = 0; run < 8; ++run) {
            const auto highs = byteOf(p, 16, run);
            for (int g = 0; g < 8; ++g) {
                const auto high = hn::ShiftLeft<8>(bits(highs, g, 1));
                const auto w = lookUp(books.iq3S.data(), hn::Or(byteOf(p, 2 * run, g), high));
                out.put(run, g, negateBytes(w, masksOf(bits(dwords(p, 18 + run), 4 * g, 15))));
            }
            const auto code = bits(dwords(p, 26), 4 * run, 15);
            out.putScale(run, hn::Mul(d, toFloat(oddScale(code))));
        }
    }
};

/// Adds -1 to every byte where `negative`, else 1: the shift of an eighth.
HWY_INLINE Uint32Vec shiftBytes(Uint32Vec w, Uint32Vec negative)
{
    const Uint32Tag du;
    const Uint8Tag d8;
    const auto minus = hn::Ne(negative, hn::Zero(du));
    const auto shift = hn::IfThenElse(minus, hn::Set(du, 0xffffffff), hn::Set(du, 0x01010101));
    return hn::BitCast(du, hn::Add(hn::BitCast(d8, w), hn::BitCast(d8, shift)));
}

struct Iq1S {
    static constexpr int kBlockBytes = 50;
    using Format = DecodedFormat<false>;
    static HWY_INLINE void decode(const std::uint8_t* p, const Codebooks& books, Decoded& out)
    {
        const auto d = hn::Mul(loadHalfs(p + rowBytes(48)), hn::Set(FloatTag(), 0.125f));
        for (int run = 0; run < 8; ++run) {
            const auto word = bits(dwords(p, 8 + run / 2), run % 2 * 16, 0xffff);
            const auto negative = bits(word, 15, 1);
            for (int g = 0; g < 8; ++g) {
                const auto high = bits(word, g / 2 * 3, 7);
                const auto index = hn::Or(byteOf(p, run, g / 2), hn::ShiftLeft<8>(high));
                out.put(run, g, shiftBytes(lookUpHalf(books.iq1.data(), index, g % 2), negative));
            }
            out.putScale(run, hn::Mul(d, toFloat(oddScale(bits(word, 12, 7)))));
        }
    }
};

struct Iq1M {
    static constexpr int kBlockBytes = 56;
    using Format = DecodedFormat<true>;
    /// The top nibbles of four 16-bit words.
    static HWY_INLINE FloatVec superScale(const std::uint8_t* p)
    {
        const hn::Rebind<std::uint16_t, Uint32Tag> d16;
        const auto first = dwords(p, 12), second = dwords(p, 13);
        const auto low = hn::Or(bits(first, 12, 0xf), bits(first, 24, 0xf0));
        const auto high = hn::Or(bits(second, 12, 0xf), bits(second, 24, 0xf0));
        const auto half = hn::Or(low, hn::ShiftLeft<8>(high));
        return hn::PromoteTo(FloatTag(), hn::BitCast(HalfTag(), hn::TruncateTo(d16, half)));
    }
    static HWY_INLINE void decode(const std::uint8_t* p, const Codebooks& books, Decoded& out)
    {
        const auto d = hn::Mul(superScale(p), hn::Set(FloatTag(), 0.125f));
        for (int run = 0; run < 8; ++run) {
            const auto word = bits(dwords(p, 12 + run / 4), run / 2 % 2 * 16, 0xffff);
            const int at = run % 2 * 6;
            out.putHalfScales(run, oddScale(bits(word, at, 7)), oddScale(bits(word, at + 3, 7)));
            out.putScale(run, d);
            for (int g = 0; g < 8; ++g) {
                const auto four = bits(dwords(p, 8 + run / 2), run % 2 * 16 + g / 2 * 4, 15);
                const auto high = hn::ShiftLeft<8>(bits(four, 0, 7));
                const auto w =
                    lookUpHalf(books.iq1.data(), hn::Or(byteOf(p, run, g / 2), high), g % 2);
                out.put(run, g, shiftBytes(w, bits(four, 3, 1)));
            }
        }
    }
};

/// Bytes hold fractions of 256 whose base-3 digits are the weights, plus one; 3 times a fraction,
/// less its whole part, has the next digit in front.
struct TQ1_0 {
    static constexpr int kBlockBytes = 54;
    using Format = DecodedFormat<false>;
    static HWY_INLINE Uint32Vec digit(Uint8Vec fraction)
    {
        const Uint8Tag d8;
        const auto one = hn::Set(d8, 1);
        const auto ones = hn::IfThenElseZero(hn::Ge(fraction, hn::Set(d8, 86)), one);
        const auto twos = hn::IfThenElseZero(hn::Ge(fraction, hn::Set(d8, 171)), one);
        return hn::BitCast(Uint32Tag(), hn::Sub(hn::Add(ones, twos), one));
    }
    /// The digits of dword `dword`, the first to vector `vector` (counted through all runs), the
    /// next `step` further on.
    static HWY_INLINE void decodeDword(const std::uint8_t* p, int dword, int digits, int vector,
                                       int step, Decoded& out)
    {
        auto fraction = loadPlane(p, dword);
        for (int n = 0; n < digits; ++n, vector += step) {
            out.put(vector / 8, vector % 8, digit(fraction));
            fraction = hn::Add(hn::Add(fraction, fraction), fraction);
        }
    }
    static HWY_INLINE void decode(const std::uint8_t* p, const Codebooks&, Decoded& out)
    {
        for (int i = 0; i < 8; ++i)
            decodeDword(p, i, 5, i, 8, out);
        for (int i = 0; i < 4; ++i)
            decodeDword(p, 8 + i, 5, 40 + i, 4, out);
        decodeDword(p, 12, 4, 60, 1, out);
        const auto d = loadHalfs(p + rowBytes(52));
        for (int run = 0; run < 8; ++run)
            out.putScale(run, d);
    }
};

template <class Format, TileShape kShape>
HWY_NOINLINE void multiplyDecoded(const TileGroups& groups, const TileTokens& tokens)
{
    for (int sub = 0; sub < Format::kSubBlocks; ++sub)
        tileRun<Format, 0, kShape>(groups, sub, tokens);
}

template <class Decoder, TileShape kShape>
HWY_INLINE void decodedTile(const QuantTile& tile)
{
    using Format = typename Decoder::Format;
    const Codebooks& books = codebooks();
    Decoded decoded[kShape == TileShape::TwoGroups ? 2 : 1];
    const auto group = [&](Decoded& one, float* sums) {
        return TileGroup{reinterpret_cast<const std::uint8_t*>(&one), one.scales, sums};
    };
    const TileGroups groups{group(decoded[0], tile.sums),
                            group(decoded[std::size(decoded) - 1],
                                  tile.sums + (std::size(decoded) - 1) * QuantTile::kGroupSums)};
    TileTokens tokens{tile.blocks, static_cast<std::size_t>(tile.tokens)};
    for (std::size_t b = 0, at = 0; b < tile.blockCount; b += Format::kSubBlocks) {
        Decoder::decode(tile.group + at, books, decoded[0]);
        if constexpr (kShape == TileShape::TwoGroups)
            Decoder::decode(tile.nextGroup + at, books, decoded[1]);
        multiplyDecoded<Format, kShape>(groups, tokens);
        at += rowBytes(Decoder::kBlockBytes);
        tokens.blocks += Format::kSubBlocks * tokens.count * QuantizedBlock::kTokenBytes;
    }
}

template <class Decoder>
void decodedProduct(const QuantTile& tile)
{
    if (tile.tokens == 1)
        decodedTile<Decoder, TileShape::OneToken>(tile);
    else if (tile.nextGroup == nullptr)
        decodedTile<Decoder, TileShape::OneGroup>(tile);
    else
        decodedTile<Decoder, TileShape::TwoGroups>(tile);
}

} // namespace

QuantKernel codebookKernel(DType type)
{
    switch (type) {
    case DType::IQ2_XXS:
        return decodedProduct<Iq2Xxs>;
    case DType::IQ2_XS:
        return decodedProduct<Iq2Xs>;
    case DType::IQ2_S:
        return decodedProduct<Iq2S>;
    case DType::IQ3_XXS:
        return decodedProduct<Iq3Xxs>;
    case DType::IQ3_S:
        return decodedProduct<Iq3S>;
    case DType::IQ1_S:
        return decodedProduct<Iq1S>;
    case DType::IQ1_M:
        return decodedProduct<Iq1M>;
    case DType::TQ1_0:
        return decodedProduct<TQ1_0>;
    default:
        return nullptr;
    }
}

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine {

HWY_EXPORT(codebookKernel);

QuantKernel codebookQuantKernel(DType type)
{
    return HWY_DYNAMIC_DISPATCH(codebookKernel)(type);
}

} // namespace engine
#endif
