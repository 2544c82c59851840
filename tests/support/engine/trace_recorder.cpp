#include "tests/support/engine/trace_recorder.h"

#include <algorithm>
#include <cmath>
#include <format>

namespace test {

namespace {

double largest(const std::vector<float>& values)
{
    double most = 0;
    for (const float value : values)
        most = std::max(most, std::abs(static_cast<double>(value)));
    return most;
}

double distance(const std::vector<float>& a, const std::vector<float>& b)
{
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])) <= most))
            most = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    return most;
}

} // namespace

std::string firstDifference(const TraceRecorder& expected, const TraceRecorder& actual,
                            double tolerance)
{
    auto next = actual.entries.begin();
    for (const TraceRecorder::Entry& entry : expected.entries) {
        const auto match = std::find_if(next, actual.entries.end(), [&](const auto& other) {
            return other.layer == entry.layer && other.name == entry.name;
        });
        if (match == actual.entries.end()) continue;
        next = match + 1;
        const std::string place =
            entry.layer < 0 ? entry.name : std::format("layer {}, {}", entry.layer, entry.name);
        if (match->values.size() != entry.values.size())
            return std::format("{}: {} values, expected {}", place, match->values.size(),
                               entry.values.size());
        const double off = distance(entry.values, match->values);
        if (!(off <= tolerance * largest(entry.values)))
            return std::format("{}: off by {:.3g} where the largest is {:.3g}", place, off,
                               largest(entry.values));
    }
    return {};
}

} // namespace test
