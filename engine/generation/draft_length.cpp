#include "engine/generation/draft_length.h"

#include <algorithm>

namespace engine {

namespace {

constexpr double kStepWeight = 0.2;  ///< of the latest step in the mean
constexpr double kGuessWeight = 0.1; ///< of the latest guess
constexpr double kFading = 0.99;     ///< a step, of what sizes that were not used seemed to take
constexpr double kRowCost = 0.05;    ///< of a step, for one row more, until it is known better

} // namespace

double DraftLength::secondsOf(std::size_t rows) const
{
    const double known = m_seconds[rows - 1];
    if (known > 0) return std::max(known, m_seconds[0]);
    return m_seconds[0] * (1 + kRowCost * static_cast<double>(rows - 1));
}

std::size_t DraftLength::choose(std::size_t available) const
{
    // Before the first plain step there is nothing to compare with.
    if (m_seconds[0] == 0) return 0;
    const std::size_t most = std::min(available, kMostRows - 1);
    std::size_t best = 0;
    double tokens = 1;
    double allRight = 1;
    double bestSpeed = tokens / secondsOf(1);
    for (std::size_t guesses = 1; guesses <= most; ++guesses) {
        allRight *= m_rightShare;
        tokens += allRight;
        const double speed = tokens / secondsOf(guesses + 1);
        if (speed <= bestSpeed) continue;
        bestSpeed = speed;
        best = guesses;
    }
    return best;
}

void DraftLength::addStep(std::size_t rows, double seconds)
{
    double& mean = m_seconds[rows - 1];
    mean = mean == 0 ? seconds : mean + kStepWeight * (seconds - mean);
    // A size that was slow once (others had the machine) is tried again after a while.
    for (std::size_t other = 1; other < m_seconds.size(); ++other)
        if (other != rows - 1) m_seconds[other] *= kFading;
}

void DraftLength::addGuess(bool right)
{
    m_rightShare += kGuessWeight * ((right ? 1.0 : 0.0) - m_rightShare);
}

} // namespace engine
