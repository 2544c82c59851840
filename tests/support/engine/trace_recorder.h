#pragma once

#include "engine/model/forward_pass.h"

#include <string>
#include <vector>

namespace test {

/// Keeps every intermediate of the calls it sees.
class TraceRecorder final : public engine::TraceObserver {
public:
    struct Entry {
        int layer = 0;
        std::string name;
        std::vector<float> values;
    };

    void record(int layer, std::string_view name, std::span<const float> values, int, int) override
    {
        entries.push_back({layer, std::string(name), {values.begin(), values.end()}});
    }

    std::vector<Entry> entries;
};

/// The first intermediate of `actual` that is further from `expected` than `tolerance` times its
/// largest value, as "layer 1, q: ..."; empty where there is none. Intermediates only one of them
/// reports are passed over.
std::string firstDifference(const TraceRecorder& expected, const TraceRecorder& actual,
                            double tolerance);

} // namespace test
