#pragma once

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

namespace test {

inline std::filesystem::path fixturesFolder()
{
    const char* set = std::getenv("INGLENOOK_FIXTURES");
    return set ? std::filesystem::path(set) : std::filesystem::path(INGLENOOK_FIXTURES);
}

} // namespace test

/// First line of a test that needs the golden files: skipped where they are absent, failed where
/// INGLENOOK_REQUIRE_FIXTURES says they must be there.
#define REQUIRE_FIXTURES()                                                                         \
    do {                                                                                           \
        if (!std::filesystem::exists(test::fixturesFolder() / "INDEX.md")) {                       \
            if (std::getenv("INGLENOOK_REQUIRE_FIXTURES"))                                         \
                FAIL() << "fixtures must be at " << test::fixturesFolder();                        \
            GTEST_SKIP() << "no fixtures at " << test::fixturesFolder();                           \
        }                                                                                          \
    } while (false)
