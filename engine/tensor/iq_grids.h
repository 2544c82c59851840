#pragma once

#include <array>
#include <cstdint>

namespace engine {

// The code books of the IQ types, from the GGUF format. An entry packs the level numbers of its
// elements, first element in the lowest bits.

/// IQ1_S, IQ1_M: 8 elements of 2 bits; 0, 1, 2 mean -1, 0, 1.
extern const std::array<std::uint16_t, 2048> kIq1Grid;

/// IQ2_XXS, IQ2_XS, IQ2_S: 8 elements of 2 bits, numbers of kIq2Levels.
extern const std::array<std::uint16_t, 256> kIq2XxsGrid;
extern const std::array<std::uint16_t, 512> kIq2XsGrid;
extern const std::array<std::uint16_t, 1024> kIq2SGrid;

/// IQ3_XXS: 4 elements of 3 bits, numbers of kIq3XxsLevels.
extern const std::array<std::uint16_t, 256> kIq3XxsGrid;

/// IQ3_S: 4 elements of 3 bits; n means 2n + 1.
extern const std::array<std::uint16_t, 512> kIq3SGrid;

/// One level more than the code books use, so that any two bits index it.
inline constexpr std::array<float, 4> kIq2Levels = {8, 25, 43, 0};
inline constexpr std::array<float, 8> kIq3XxsLevels = {4, 12, 20, 28, 36, 44, 52, 62};

/// IQ4_NL, IQ4_XS: the 16 values of a code.
inline constexpr std::array<float, 16> kIq4Levels = {-127, -104, -83, -65, -49, -35, -22, -10,
                                                     1,    13,   25,  38,  53,  69,  89,  113};

} // namespace engine
