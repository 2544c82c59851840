#include "engine/huggingface/family.h"
#include "engine/huggingface/family_defaults.h"
#include "engine/huggingface/model_config.h"

#include <gtest/gtest.h>

namespace {

using nlohmann::json;

engine::ModelConfig configOf(const json& file, const json& defaults)
{
    auto config = engine::ModelConfig::fromJson(file);
    config.setDefaults(defaults);
    return config;
}

/// The GGUF keys that a small config.json of that class leads to.
engine::Metadata keysOf(const std::string& huggingFaceClass, json file)
{
    file.update(
        {{"architectures", {huggingFaceClass}}, {"hidden_size", 64}, {"num_hidden_layers", 4}});
    auto config = engine::ModelConfig::fromJson(file);
    config.setDefaults(json::parse(engine::familyDefaults(huggingFaceClass)));
    engine::Metadata metadata;
    const engine::Family* family = engine::findFamily(huggingFaceClass);
    EXPECT_NE(family, nullptr) << huggingFaceClass;
    if (!family) return metadata;
    const auto written = engine::writeHyperparameters(config, *family, metadata);
    EXPECT_TRUE(written) << written.error().message;
    return metadata;
}

TEST(FamilyDefaultsTest, CountWhereTheFileSaysNothing)
{
    const json defaults = {{"width", 7}, {"on", true}, {"other_name", 9}};
    EXPECT_EQ(configOf(json::object(), defaults).integer("width"), 7);
    EXPECT_EQ(configOf({{"width", 3}}, defaults).integer("width"), 3);
    EXPECT_TRUE(configOf(json::object(), defaults).booleanOr("on", false));
    // Nothing is something too, as is the same by another name.
    EXPECT_EQ(configOf({{"width", nullptr}}, defaults).integer("width"), std::nullopt);
    EXPECT_EQ(configOf({{"text_config", {{"width", nullptr}}}}, defaults).integer("width"),
              std::nullopt);
    EXPECT_EQ(configOf({{"a_name", nullptr}}, defaults).integer({"a_name", "other_name"}),
              std::nullopt);
}

TEST(FamilyDefaultsTest, EveryRowIsJson)
{
    for (const engine::Family& family : engine::families())
        EXPECT_TRUE(
            json::parse(engine::familyDefaults(family.huggingFace), nullptr, false).is_object())
            << family.huggingFace;
}

TEST(FamilyDefaultsTest, ReachTheKeys)
{
    const auto dots =
        keysOf("Dots1ForCausalLM", {{"n_routed_experts", 4}, {"num_experts_per_tok", 2}});
    EXPECT_EQ(dots.integerOr("dots1.expert_gating_func", 0), 2);
    EXPECT_FALSE(dots.booleanOr("dots1.expert_weights_norm", true));
    const auto cohere = keysOf("Cohere2ForCausalLM", {{"num_attention_heads", 4}});
    EXPECT_DOUBLE_EQ(cohere.numberOr("cohere2.logit_scale", 0), 0.0625);
    EXPECT_EQ(cohere.integerOr("cohere2.attention.sliding_window", 0), 4096);
    const auto smol = keysOf("SmolLM3ForCausalLM", json::object());
    EXPECT_DOUBLE_EQ(smol.numberOr("smollm3.rope.freq_base", 0), 2e6);
    const auto gptOss = keysOf("GptOssForCausalLM", json::object());
    EXPECT_EQ(gptOss.stringOr("gpt-oss.rope.scaling.type", ""), "yarn");
    const auto neox =
        keysOf("GPTNeoXForCausalLM",
               {{"num_attention_heads", 4}, {"rope_parameters", {{"partial_rotary_factor", 0.5}}}});
    EXPECT_EQ(neox.integerOr("gptneox.rope.dimension_count", 0), 8); // not the class's quarter
}

TEST(FamilyDefaultsTest, WindowsAreListedLayerByLayer)
{
    const auto pattern = [](const std::string& name, const json& file) {
        const auto keys = keysOf(name, file);
        const std::string architecture(engine::findFamily(name)->gguf);
        return keys.integers(architecture + ".attention.sliding_window_pattern")
            .value_or(std::vector<std::int64_t>{});
    };
    using Flags = std::vector<std::int64_t>;
    EXPECT_EQ(pattern("MistralForCausalLM", json::object()), (Flags{1, 1, 1, 1}));
    EXPECT_EQ(pattern("MistralForCausalLM", {{"sliding_window", nullptr}}), Flags{});
    EXPECT_EQ(
        pattern("Qwen2ForCausalLM",
                {{"sliding_window", 8}, {"use_sliding_window", true}, {"max_window_layers", 3}}),
        (Flags{0, 0, 0, 1}));
    EXPECT_EQ(pattern("Qwen2ForCausalLM", {{"sliding_window", 8}}), (Flags{0, 0, 0, 0}));
    EXPECT_EQ(pattern("Exaone4ForCausalLM", json::object()), (Flags{1, 1, 1, 0}));
    EXPECT_EQ(pattern("Gemma3ForCausalLM", {{"layer_types",
                                             {"full_attention", "sliding_attention",
                                              "full_attention", "sliding_attention"}}}),
              (Flags{0, 1, 0, 1}));
}

} // namespace
