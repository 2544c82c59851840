#pragma once

#include "engine/chat/jinja/value.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace engine::jinja {

/// A whole number of any size, for what does not fit 64 bits. The callers bound the size.
class WholeNumber {
public:
    WholeNumber() = default;
    explicit WholeNumber(std::int64_t value);
    /// Truncates. REQUIRES: value is finite.
    static WholeNumber truncated(double value);
    /// Nothing but digits of the base (2 to 16), at least one; `_` is skipped.
    static WholeNumber parse(std::string_view digits, unsigned base);

    bool isZero() const { return m_limbs.empty(); }
    bool isNegative() const { return m_negative; }
    std::size_t bits() const; ///< of the magnitude
    std::optional<std::int64_t> toInteger() const;
    double toNumber() const; ///< rounded to nearest; may be infinite
    std::string toText(unsigned base = 10) const;

    WholeNumber negated() const;
    friend WholeNumber operator+(const WholeNumber& left, const WholeNumber& right);
    friend WholeNumber operator-(const WholeNumber& left, const WholeNumber& right);
    friend WholeNumber operator*(const WholeNumber& left, const WholeNumber& right);
    /// Quotient rounded down, and what is left, which has the divisor's sign. REQUIRES: divisor is
    /// not 0.
    static std::pair<WholeNumber, WholeNumber> divide(const WholeNumber& dividend,
                                                      const WholeNumber& divisor);
    /// The quotient rounded to the nearest float. REQUIRES: divisor is not 0.
    static double quotient(const WholeNumber& dividend, const WholeNumber& divisor);
    friend std::strong_ordering operator<=>(const WholeNumber& left, const WholeNumber& right);
    friend bool operator==(const WholeNumber& left, const WholeNumber& right) = default;

private:
    using Limbs = std::vector<std::uint32_t>; // little-endian, no leading zeros

    WholeNumber(bool negative, Limbs limbs);
    static WholeNumber powerOfTwo(std::size_t exponent);
    static std::strong_ordering compareMagnitudes(const Limbs& left, const Limbs& right);
    static Limbs addMagnitudes(const Limbs& left, const Limbs& right);
    static Limbs subtractMagnitudes(const Limbs& larger, const Limbs& smaller);
    static std::pair<Limbs, Limbs> divideMagnitudes(const Limbs& dividend, const Limbs& divisor);
    static std::uint32_t divideBySmall(Limbs& limbs, std::uint32_t divisor);
    static void multiplyAdd(Limbs& limbs, std::uint32_t factor, std::uint32_t summand);
    static void trim(Limbs& limbs);

    bool m_negative = false;
    Limbs m_limbs;
};

/// A WholeNumber as a value.
class BigInteger final : public Object {
public:
    explicit BigInteger(WholeNumber number)
        : Object(Kind::BigInteger)
        , m_number(std::move(number))
    {
    }
    const WholeNumber& number() const { return m_number; }

private:
    WholeNumber m_number;
};

} // namespace engine::jinja
