#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace engine {

/// xoshiro256** (Blackman and Vigna 2018) seeded by splitmix64: the same numbers for the same seed
/// on every machine.
class RandomStream {
public:
    void seed(std::uint64_t value)
    {
        for (std::uint64_t& word : m_state) {
            value += 0x9E3779B97F4A7C15U;
            std::uint64_t z = value;
            z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
            z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
            word = z ^ (z >> 31U);
        }
    }

    std::uint64_t next()
    {
        const std::uint64_t result = std::rotl(m_state[1] * 5, 7) * 9;
        const std::uint64_t shifted = m_state[1] << 17U;
        m_state[2] ^= m_state[0];
        m_state[3] ^= m_state[1];
        m_state[1] ^= m_state[2];
        m_state[0] ^= m_state[3];
        m_state[2] ^= shifted;
        m_state[3] = std::rotl(m_state[3], 45);
        return result;
    }

    /// Uniform in [0, 1), 53 bits.
    double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

private:
    std::array<std::uint64_t, 4> m_state{};
};

} // namespace engine
