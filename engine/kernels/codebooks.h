#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace engine {

/// The code books of the IQ types as kernels look them up: four weights in the bytes of a word.
struct Codebooks {
    std::array<std::uint32_t, 512> iq2Xxs; ///< two words an entry, as in the others of 8 weights
    std::array<std::uint32_t, 1024> iq2Xs;
    std::array<std::uint32_t, 2048> iq2S;
    std::array<std::uint32_t, 256> iq3Xxs;
    std::array<std::uint32_t, 512> iq3S;
    std::array<std::uint32_t, 4096> iq1; ///< eight times -1, 0 or 1
    /// For seven signs, whose parity is the eighth: bytes of 255 where a weight is negative.
    std::array<std::uint32_t, 256> signs;
};

/// Made when first asked for.
const Codebooks& codebooks();

} // namespace engine
