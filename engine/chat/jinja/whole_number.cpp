#include "engine/chat/jinja/whole_number.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

namespace engine::jinja {

namespace {

constexpr unsigned kLimbBits = 32;
constexpr std::uint64_t kLimbMask = 0xFFFFFFFFU;

std::uint32_t low(std::uint64_t value)
{
    return static_cast<std::uint32_t>(value & kLimbMask);
}

unsigned digitValue(char c)
{
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    return static_cast<unsigned>((c | 0x20) - 'a') + 10;
}

/// rest -= guess * by; true where more was taken than there was.
bool subtractProduct(std::span<std::uint32_t> rest, std::span<const std::uint32_t> by,
                     std::uint64_t guess)
{
    std::uint64_t carry = 0;
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        carry += i < by.size() ? guess * by[i] : 0;
        const std::uint64_t take = (carry & kLimbMask) + borrow;
        carry >>= kLimbBits;
        borrow = rest[i] < take ? 1 : 0;
        rest[i] = low(rest[i] - take);
    }
    return borrow != 0;
}

void addBack(std::span<std::uint32_t> rest, std::span<const std::uint32_t> by)
{
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        sum += rest[i];
        sum += i < by.size() ? by[i] : 0U;
        rest[i] = low(sum);
        sum >>= kLimbBits;
    }
}

} // namespace

WholeNumber::WholeNumber(std::int64_t value)
    : m_negative(value < 0)
{
    auto magnitude = static_cast<std::uint64_t>(value);
    if (m_negative) magnitude = 0 - magnitude;
    m_limbs = {low(magnitude), low(magnitude >> kLimbBits)};
    trim(m_limbs);
}

WholeNumber::WholeNumber(bool negative, Limbs limbs)
    : m_limbs(std::move(limbs))
{
    trim(m_limbs);
    m_negative = negative && !m_limbs.empty();
}

WholeNumber WholeNumber::truncated(double value)
{
    int exponent = 0;
    const double fraction = std::frexp(std::abs(value), &exponent); // in [0.5, 1)
    if (exponent <= 0) return {};
    auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 64));
    Limbs limbs;
    if (exponent <= 64) {
        mantissa >>= static_cast<unsigned>(64 - exponent);
        limbs = {low(mantissa), low(mantissa >> kLimbBits)};
    } else {
        const auto shift = static_cast<unsigned>(exponent - 64);
        limbs.assign(shift / kLimbBits, 0);
        const unsigned bits = shift % kLimbBits;
        limbs.push_back(low(mantissa << bits));
        limbs.push_back(low((mantissa << bits) >> kLimbBits));
        limbs.push_back(bits == 0 ? 0 : low(mantissa >> (64 - bits)));
    }
    return {value < 0, std::move(limbs)};
}

WholeNumber WholeNumber::parse(std::string_view digits, unsigned base)
{
    Limbs limbs;
    for (const char c : digits)
        if (c != '_') multiplyAdd(limbs, base, digitValue(c));
    return {false, std::move(limbs)};
}

std::size_t WholeNumber::bits() const
{
    if (m_limbs.empty()) return 0;
    return m_limbs.size() * kLimbBits - static_cast<std::size_t>(std::countl_zero(m_limbs.back()));
}

std::optional<std::int64_t> WholeNumber::toInteger() const
{
    if (m_limbs.size() > 2) return std::nullopt;
    std::uint64_t magnitude = 0;
    for (std::size_t i = m_limbs.size(); i-- > 0;)
        magnitude = (magnitude << kLimbBits) | m_limbs[i];
    constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
    if (magnitude > kLargest + (m_negative ? 1U : 0U)) return std::nullopt;
    return static_cast<std::int64_t>(m_negative ? 0 - magnitude : magnitude);
}

double WholeNumber::toNumber() const
{
    // The top 64 bits, the lowest of them set where anything below is: then one rounding is right.
    std::uint64_t top = 0;
    const std::size_t all = bits();
    const std::size_t below = all > 64 ? all - 64 : 0;
    bool sticky = false;
    for (std::size_t i = m_limbs.size(); i-- > 0;) {
        const std::size_t first = i * kLimbBits;
        const std::uint64_t limb = m_limbs[i];
        if (first >= below) {
            top |= limb << (first - below);
        } else {
            const std::size_t cut = below - first;
            if (cut < kLimbBits) top |= limb >> cut;
            const std::uint64_t lost = cut < kLimbBits ? limb & ((1ULL << cut) - 1) : limb;
            sticky = sticky || lost != 0;
        }
    }
    if (sticky) top |= 1U;
    const double magnitude = std::ldexp(static_cast<double>(top), static_cast<int>(below));
    return m_negative ? -magnitude : magnitude;
}

std::string WholeNumber::toText(unsigned base) const
{
    if (m_limbs.empty()) return "0";
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (Limbs rest = m_limbs; !rest.empty();)
        text += kDigits[divideBySmall(rest, base)];
    if (m_negative) text += '-';
    std::ranges::reverse(text);
    return text;
}

WholeNumber WholeNumber::negated() const
{
    return {!m_negative, m_limbs};
}

WholeNumber operator+(const WholeNumber& left, const WholeNumber& right)
{
    using W = WholeNumber;
    if (left.m_negative == right.m_negative)
        return {left.m_negative, W::addMagnitudes(left.m_limbs, right.m_limbs)};
    if (W::compareMagnitudes(left.m_limbs, right.m_limbs) < 0)
        return {right.m_negative, W::subtractMagnitudes(right.m_limbs, left.m_limbs)};
    return {left.m_negative, W::subtractMagnitudes(left.m_limbs, right.m_limbs)};
}

WholeNumber operator-(const WholeNumber& left, const WholeNumber& right)
{
    return left + right.negated();
}

WholeNumber operator*(const WholeNumber& left, const WholeNumber& right)
{
    WholeNumber::Limbs product(left.m_limbs.size() + right.m_limbs.size(), 0);
    for (std::size_t i = 0; i < left.m_limbs.size(); ++i) {
        std::uint64_t carry = 0;
        for (std::size_t j = 0; j < right.m_limbs.size(); ++j) {
            carry += static_cast<std::uint64_t>(left.m_limbs[i]) * right.m_limbs[j];
            carry += product[i + j];
            product[i + j] = low(carry);
            carry >>= kLimbBits;
        }
        product[i + right.m_limbs.size()] = low(carry);
    }
    return {left.m_negative != right.m_negative, std::move(product)};
}

std::pair<WholeNumber, WholeNumber> WholeNumber::divide(const WholeNumber& dividend,
                                                        const WholeNumber& divisor)
{
    auto [quotient, rest] = divideMagnitudes(dividend.m_limbs, divisor.m_limbs);
    WholeNumber down(dividend.m_negative != divisor.m_negative, std::move(quotient));
    WholeNumber left(dividend.m_negative, std::move(rest));
    if (!left.isZero() && left.m_negative != divisor.m_negative) {
        down = down - WholeNumber(1);
        left = left + divisor;
    }
    return {std::move(down), std::move(left)};
}

WholeNumber WholeNumber::powerOfTwo(std::size_t exponent)
{
    Limbs limbs(exponent / kLimbBits, 0);
    limbs.push_back(1U << (exponent % kLimbBits));
    return {false, std::move(limbs)};
}

double WholeNumber::quotient(const WholeNumber& dividend, const WholeNumber& divisor)
{
    // At least 64 bits of the quotient, and one more that says whether anything is left.
    const std::size_t wanted = divisor.bits() + 65;
    const std::size_t shift = wanted > dividend.bits() ? wanted - dividend.bits() : 0;
    const WholeNumber magnitude = dividend.m_negative ? dividend.negated() : dividend;
    const auto [whole, rest] =
        divide(magnitude * powerOfTwo(shift), divisor.m_negative ? divisor.negated() : divisor);
    const WholeNumber sticky = whole + whole + WholeNumber(rest.isZero() ? 0 : 1);
    const double number = std::ldexp(sticky.toNumber(), -static_cast<int>(shift) - 1);
    return dividend.m_negative == divisor.m_negative ? number : -number;
}

std::strong_ordering operator<=>(const WholeNumber& left, const WholeNumber& right)
{
    if (left.m_negative != right.m_negative)
        return left.m_negative ? std::strong_ordering::less : std::strong_ordering::greater;
    return left.m_negative ? WholeNumber::compareMagnitudes(right.m_limbs, left.m_limbs)
                           : WholeNumber::compareMagnitudes(left.m_limbs, right.m_limbs);
}

std::strong_ordering WholeNumber::compareMagnitudes(const Limbs& left, const Limbs& right)
{
    if (left.size() != right.size()) return left.size() <=> right.size();
    return std::lexicographical_compare_three_way(left.rbegin(), left.rend(), right.rbegin(),
                                                  right.rend());
}

WholeNumber::Limbs WholeNumber::addMagnitudes(const Limbs& left, const Limbs& right)
{
    Limbs sum;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
        carry += i < left.size() ? left[i] : 0U;
        carry += i < right.size() ? right[i] : 0U;
        sum.push_back(low(carry));
        carry >>= kLimbBits;
    }
    sum.push_back(low(carry));
    return sum;
}

WholeNumber::Limbs WholeNumber::subtractMagnitudes(const Limbs& larger, const Limbs& smaller)
{
    Limbs difference;
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < larger.size(); ++i) {
        const std::uint64_t take = borrow + (i < smaller.size() ? smaller[i] : 0U);
        borrow = larger[i] < take ? 1 : 0;
        difference.push_back(low(larger[i] - take));
    }
    return difference;
}

std::pair<WholeNumber::Limbs, WholeNumber::Limbs>
WholeNumber::divideMagnitudes(const Limbs& dividend, const Limbs& divisor)
{
    if (compareMagnitudes(dividend, divisor) < 0) return {{}, dividend};
    if (divisor.size() == 1) {
        Limbs quotient = dividend;
        const std::uint32_t rest = divideBySmall(quotient, divisor[0]);
        return {std::move(quotient), Limbs{rest}};
    }
    // Long division in base 2^32, the divisor's top bit set first so that each guessed digit is at
    // most two too large (Knuth, The Art of Computer Programming, 4.3.1, algorithm D).
    const auto shift = static_cast<unsigned>(std::countl_zero(divisor.back()));
    const auto shifted = [shift](const Limbs& limbs, std::size_t i) {
        const std::uint64_t high = i < limbs.size() ? limbs[i] : 0U;
        const std::uint64_t lower = i > 0 ? limbs[i - 1] : 0U;
        return low((((high << kLimbBits) | lower) << shift) >> kLimbBits);
    };
    Limbs rest;
    Limbs by;
    for (std::size_t i = 0; i <= dividend.size(); ++i)
        rest.push_back(shifted(dividend, i));
    for (std::size_t i = 0; i < divisor.size(); ++i)
        by.push_back(shifted(divisor, i));
    const std::size_t n = by.size();
    Limbs quotient(dividend.size() - n + 1, 0);
    for (std::size_t at = quotient.size(); at-- > 0;) {
        const std::uint64_t top =
            (static_cast<std::uint64_t>(rest[at + n]) << kLimbBits) | rest[at + n - 1];
        std::uint64_t guess = std::min(top / by[n - 1], kLimbMask);
        std::uint64_t over = top - guess * by[n - 1];
        while (over <= kLimbMask && guess * by[n - 2] > ((over << kLimbBits) | rest[at + n - 2])) {
            --guess;
            over += by[n - 1];
        }
        const std::span<std::uint32_t> part = std::span(rest).subspan(at, n + 1);
        if (subtractProduct(part, by, guess)) {
            --guess;
            addBack(part, by);
        }
        quotient[at] = low(guess);
    }
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t pair = (static_cast<std::uint64_t>(rest[i + 1]) << kLimbBits) | rest[i];
        rest[i] = low(pair >> shift);
    }
    rest.resize(n);
    return {std::move(quotient), std::move(rest)};
}

std::uint32_t WholeNumber::divideBySmall(Limbs& limbs, std::uint32_t divisor)
{
    std::uint64_t rest = 0;
    for (std::size_t i = limbs.size(); i-- > 0;) {
        rest = (rest << kLimbBits) | limbs[i];
        limbs[i] = low(rest / divisor);
        rest %= divisor;
    }
    trim(limbs);
    return low(rest);
}

void WholeNumber::multiplyAdd(Limbs& limbs, std::uint32_t factor, std::uint32_t summand)
{
    std::uint64_t carry = summand;
    for (std::uint32_t& limb : limbs) {
        carry += static_cast<std::uint64_t>(limb) * factor;
        limb = low(carry);
        carry >>= kLimbBits;
    }
    if (carry != 0) limbs.push_back(low(carry));
}

void WholeNumber::trim(Limbs& limbs)
{
    while (!limbs.empty() && limbs.back() == 0)
        limbs.pop_back();
}

} // namespace engine::jinja
