#include "tests/support/engine/base64.h"
#include "tests/support/engine/fixtures.h"

#include "engine/base/byte_order.h"
#include "engine/tensor/dtype.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

namespace {

// One set of raw blocks and the values llama.cpp gives them.
void expectEqualValues(const engine::DTypeInfo& info, const nlohmann::json& set)
{
    const auto raw = test::decodeBase64(set["raw_b64"].get<std::string>());
    const auto expected = test::decodeBase64(set["values_f32_b64"].get<std::string>());
    const auto count = set["n"].get<std::size_t>();
    ASSERT_EQ(raw.size(), count / info.blockElements * info.blockBytes);
    ASSERT_EQ(expected.size(), count * sizeof(float));
    std::vector<float> found(count);
    info.dequantize(reinterpret_cast<const std::byte*>(raw.data()), found.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = engine::loadLittle<float>(
            reinterpret_cast<const std::byte*>(expected.data()) + i * sizeof(float));
        ASSERT_TRUE(found[i] == value || (std::isnan(found[i]) && std::isnan(value)))
            << info.name << " " << set["kind"] << " element " << i << ": expected " << value
            << ", found " << found[i];
    }
}

TEST(DequantizeFixturesTest, EveryTypeGivesTheGoldenValues)
{
    REQUIRE_FIXTURES();
    std::set<std::string> seen;
    const auto folder = test::fixturesFolder() / "quant" / "dequant";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".json") continue;
        std::ifstream file(entry.path());
        const nlohmann::json golden = nlohmann::json::parse(file);
        const engine::DTypeInfo* info = engine::findDType(golden["id"].get<std::uint32_t>());
        ASSERT_NE(info, nullptr) << entry.path();
        EXPECT_EQ(info->blockElements, golden["block_elems"].get<std::uint32_t>()) << info->name;
        EXPECT_EQ(info->blockBytes, golden["block_bytes"].get<std::uint32_t>()) << info->name;
        for (const nlohmann::json& set : golden["sets"])
            expectEqualValues(*info, set);
        seen.emplace(info->name);
    }
    EXPECT_GE(seen.size(), 27U);
}

} // namespace
