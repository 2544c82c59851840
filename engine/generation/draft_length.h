#pragma once

#include <array>
#include <cstddef>

namespace engine {

/// How many guessed tokens are worth a place in the next decode step, from what steps of every size
/// took and how often guesses were right. What it answers changes the speed, never the text.
class DraftLength {
public:
    /// Rows of a step: the token at hand and so many guesses less one.
    static constexpr std::size_t kMostRows = 8;

    /// Guesses to try of `available`.
    std::size_t choose(std::size_t available) const;
    /// A step of so many rows took so long.
    void addStep(std::size_t rows, double seconds);
    /// A guess was looked at.
    void addGuess(bool right);

private:
    double secondsOf(std::size_t rows) const;

    std::array<double, kMostRows> m_seconds{}; // by rows less one; 0: not seen yet
    double m_rightShare = 0.8;
};

} // namespace engine
