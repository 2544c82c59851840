#pragma once

#include "engine/base/address_sanitizer.h"

#include <ctime>

namespace test {

/// The processor time of this process, all threads, since it was made: however busy the machine is.
class ProcessorTime {
public:
    /// What a build that checks its memory takes is counted as what another would.
    double seconds() const
    {
        constexpr double kSlowness = engine::kAddressSanitizer ? 20 : 1;
        return static_cast<double>(std::clock() - m_start) / CLOCKS_PER_SEC / kSlowness;
    }

private:
    std::clock_t m_start = std::clock();
};

} // namespace test
