#include "engine/model/rope.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

namespace engine {

namespace {

/// The (fractional) pair that turns `rotations` times within the original context.
double yarnPair(const RopeHyperparameters& rope, double rotations)
{
    const double positionsPerTurn = rope.originalContextLength / (rotations * 2 * std::numbers::pi);
    return rope.dimensionCount * std::log(positionsPerTurn) /
           (2 * std::log(static_cast<double>(rope.freqBase)));
}

/// How much of pair i keeps its frequency under YaRN: 1 for pairs that turn often within the
/// original context, 0 for those that hardly turn, a ramp between.
std::vector<double> yarnKept(const RopeHyperparameters& rope)
{
    double first = yarnPair(rope, rope.yarnBetaFast);
    double last = yarnPair(rope, rope.yarnBetaSlow);
    if (rope.yarnTruncate) {
        first = std::floor(first);
        last = std::ceil(last);
    }
    first = std::max(0.0, first);
    last = std::min(rope.dimensionCount - 1.0, last);
    std::vector<double> kept(static_cast<std::size_t>(rope.dimensionCount / 2));
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const double ramp = (static_cast<double>(i) - first) / std::max(0.001, last - first);
        kept[i] = (1 - std::clamp(ramp, 0.0, 1.0)) * rope.yarnExtFactor;
    }
    return kept;
}

/// Whether pair `pair` turns by the fourth coordinate, which is 0 in a text.
bool isOfFourthSection(const RopeHyperparameters& rope, int pair)
{
    const auto [time, height, width, fourth] = rope.sections;
    const int all = time + height + width + fourth;
    if (all == 0) return false;
    const int sector = pair % all;
    if (!rope.sectionsInterleaved) return sector >= all - fourth;
    return sector >= 3 * rope.sections[static_cast<std::size_t>(sector % 3)];
}

} // namespace

RopeTable RopeTable::create(const RopeHyperparameters& rope, RopeLayout layout,
                            std::span<const float> factors)
{
    RopeTable table;
    table.layout = layout;
    table.dimensionCount = rope.dimensionCount;
    table.magnitude = rope.magnitude;
    table.frequencies.resize(static_cast<std::size_t>(rope.dimensionCount / 2));
    const bool stretched = rope.scaling == RopeScaling::Linear || rope.scaling == RopeScaling::Yarn;
    std::vector<double> kept(table.frequencies.size(), stretched ? 0.0 : 1.0);
    if (rope.scaling == RopeScaling::Yarn) kept = yarnKept(rope);
    for (std::size_t i = 0; i < table.frequencies.size(); ++i) {
        const double exponent = -2.0 * static_cast<double>(i) / rope.dimensionCount;
        double frequency = std::pow(static_cast<double>(rope.freqBase), exponent);
        if (i < factors.size()) frequency /= static_cast<double>(factors[i]);
        const double slowed = frequency / static_cast<double>(rope.factor);
        table.frequencies[i] = isOfFourthSection(rope, static_cast<int>(i))
                                   ? 0
                                   : slowed * (1 - kept[i]) + frequency * kept[i];
    }
    return table;
}

void RopeTable::angles(int position, std::span<float> cosines, std::span<float> sines) const
{
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        const double angle = position * frequencies[i];
        cosines[i] = static_cast<float>(std::cos(angle)) * magnitude;
        sines[i] = static_cast<float>(std::sin(angle)) * magnitude;
    }
}

void rotate(std::span<float> head, RopeLayout layout, std::span<const float> cosines,
            std::span<const float> sines)
{
    const std::size_t pairs = cosines.size();
    const bool halves = layout == RopeLayout::Halves;
    for (std::size_t i = 0; i < pairs; ++i) {
        float& a = head[halves ? i : 2 * i];
        float& b = head[halves ? i + pairs : 2 * i + 1];
        const float turned = a * cosines[i] - b * sines[i];
        b = a * sines[i] + b * cosines[i];
        a = turned;
    }
}

float alibiSlope(int head, int headCount, float maxBias)
{
    // Slopes are a geometric sequence over the largest power of two of heads; further heads take
    // every other term of the sequence for twice as many.
    int power = 1;
    while (power * 2 <= headCount)
        power *= 2;
    const double exponent =
        head < power ? -static_cast<double>(maxBias) * (head + 1) / power
                     : -static_cast<double>(maxBias) / 2 * (2 * (head - power) + 1) / power;
    return static_cast<float>(std::exp2(exponent));
}

int distanceBucket(int distance, int buckets)
{
    constexpr float kFarthest = 128;
    const int half = buckets / 2;
    const int first = distance > 0 ? half : 0;
    const int away = std::abs(distance);
    const int exact = half / 2;
    if (away < exact) return first + away;
    const float far = std::log(static_cast<float>(away) / static_cast<float>(exact)) /
                      std::log(kFarthest / static_cast<float>(exact)) *
                      static_cast<float>(half - exact);
    return first + std::min(exact + static_cast<int>(far), half - 1);
}

} // namespace engine
