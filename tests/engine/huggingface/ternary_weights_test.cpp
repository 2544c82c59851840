// Folders whose matrices are -1, 0 and 1 times one number (BitNet).

#include "tests/support/engine/safetensors_builder.h"

#include "engine/huggingface/ternary_weights.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace engine;

namespace {

constexpr float kScale = 1.5F;

nlohmann::json quantization(const std::string& linear, const std::string& mode)
{
    return {{"architectures", {"BitNetForCausalLM"}},
            {"quantization_config",
             {{"quant_method", "bitnet"}, {"linear_class", linear}, {"quantization_mode", mode}}}};
}

struct Read {
    std::string bytes;
    ModelFile model;
    std::vector<SafetensorsEntry> tensors;
    std::string error;

    std::vector<float> values(const std::string& name) const
    {
        const auto found = std::ranges::find(tensors, name, &SafetensorsEntry::name);
        if (found == tensors.end()) return {};
        const DTypeInfo& info = dtypeInfo(*found->type->dtype);
        std::vector<float> all(found->data.size() / info.blockBytes);
        info.dequantize(found->data.data(), all.data(), all.size());
        return all;
    }
};

Read read(const test::SafetensorsBuilder& builder, const nlohmann::json& config)
{
    Read result;
    result.bytes = builder.bytes();
    result.tensors = readSafetensors(std::as_bytes(std::span(result.bytes))).value();
    const auto done =
        readTernaryWeights(result.tensors, ModelConfig::fromJson(config), result.model);
    if (!done) result.error = done.error().message;
    return result;
}

/// 8 rows of 2, four to a byte: rows 0 and 1 in the lowest bits, rows 6 and 7 in the highest.
test::SafetensorsBuilder packed(bool withScale)
{
    test::SafetensorsBuilder builder;
    const std::string bytes = {'\x24', '\x61', '\x02', '\x10'};
    builder.raw("l.q_proj.weight", "U8", {2, 2}, bytes);
    if (withScale) builder.tensor("l.q_proj.weight_scale", {1}, std::vector{kScale});
    builder.tensor("norm.weight", {2}, std::vector{0.25F, 0.5F});
    return builder;
}

TEST(TernaryWeights, AreTakenOutOfTheirBytes)
{
    const Read given = read(packed(true), quantization("autobitlinear", "offline"));
    ASSERT_EQ(given.error, "");
    ASSERT_EQ(given.tensors.size(), 2U); // the scale is in the weights
    EXPECT_EQ(given.tensors[0].shape, (std::vector<std::int64_t>{8, 2}));
    std::vector<float> all;
    for (const unsigned shift : {0U, 2U, 4U, 6U})
        for (const unsigned byte : {0x24U, 0x61U, 0x02U, 0x10U})
            all.push_back(kScale * (static_cast<float>((byte >> shift) & 3U) - 1));
    EXPECT_EQ(given.values("l.q_proj.weight"), all);
    EXPECT_EQ(given.values("norm.weight"), (std::vector{0.25F, 0.5F}));
}

TEST(TernaryWeights, OfTheFirstKindAreDividedByTheirNumber)
{
    const Read given = read(packed(true), quantization("bitlinear", "offline"));
    ASSERT_EQ(given.error, "");
    const std::vector<float> values = given.values("l.q_proj.weight");
    ASSERT_EQ(values.size(), 16U);
    EXPECT_NEAR(std::ranges::max(values), 1 / kScale, 1e-3);
}

TEST(TernaryWeights, NeedTheirNumber)
{
    EXPECT_EQ(read(packed(false), quantization("autobitlinear", "offline")).error,
              "tensor l.q_proj.weight_scale is missing");
    test::SafetensorsBuilder builder = packed(false);
    builder.tensor("l.q_proj.weight_scale", {1}, std::vector{0.0F});
    EXPECT_EQ(read(builder, quantization("autobitlinear", "offline")).error,
              "tensor l.q_proj.weight_scale: expected one number that is not 0");
    nlohmann::json config = quantization("autobitlinear", "offline");
    config["quantization_config"]["use_rms_norm"] = true;
    EXPECT_EQ(read(packed(true), config).error,
              "config.json: use_rms_norm: expected false, found true");
}

TEST(TernaryWeights, AreMadeOfWhatWasTrained)
{
    test::SafetensorsBuilder builder;
    builder.tensor("l.q_proj.weight", {2, 2}, std::vector{0.25F, -1.0F, 2.0F, 0.75F});
    builder.tensor("embed_tokens.weight", {2, 2}, std::vector{0.25F, -1.0F, 2.0F, 0.75F});
    const Read given = read(builder, quantization("autobitlinear", "online"));
    ASSERT_EQ(given.error, "");
    EXPECT_EQ(given.values("l.q_proj.weight"), (std::vector{0.0F, -1.0F, 1.0F, 1.0F}));
    EXPECT_EQ(given.values("embed_tokens.weight"), (std::vector{0.25F, -1.0F, 2.0F, 0.75F}));
}

TEST(TernaryWeights, OtherFoldersAreLeftAlone)
{
    const Read given = read(packed(true), {{"architectures", {"LlamaForCausalLM"}}});
    EXPECT_EQ(given.error, "");
    EXPECT_EQ(given.tensors.size(), 3U);
}

} // namespace
