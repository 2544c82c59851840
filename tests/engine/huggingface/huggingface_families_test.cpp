// Folders of families that are not named or laid out like Llama's.

#include "tests/support/engine/random_model_folder.h"

#include "engine/huggingface/family.h"
#include "engine/huggingface/model_config.h"

#include <cmath>
#include <gtest/gtest.h>

namespace {

using nlohmann::json;
using test::RandomModelFolder;
using test::valuesOf;
using Flags = std::vector<std::int64_t>;

json config(const std::string& huggingFaceClass, json changes)
{
    json all = {{"architectures", {huggingFaceClass}},
                {"hidden_size", 8},
                {"num_hidden_layers", 4},
                {"num_attention_heads", 2},
                {"num_key_value_heads", 1},
                {"intermediate_size", 6},
                {"max_position_embeddings", 64},
                {"rms_norm_eps", 1e-5},
                {"layer_norm_eps", 1e-5},
                {"vocab_size", 4}};
    all.update(changes);
    for (const auto& [name, value] : changes.items())
        if (value.is_null()) all.erase(name);
    return all;
}

struct Described {
    engine::Metadata keys;
    std::string architecture;
    std::string error;

    Flags integers(const std::string& name) const
    {
        return keys.integers(architecture + "." + name).value_or(Flags{});
    }
    std::int64_t integer(const std::string& name) const
    {
        return keys.integerOr(architecture + "." + name, -1);
    }
    double number(const std::string& name) const
    {
        return keys.numberOr(architecture + "." + name, -1);
    }
};

Described describe(const std::string& huggingFaceClass, const json& changes)
{
    Described described;
    const auto file = engine::ModelConfig::fromJson(config(huggingFaceClass, changes));
    const engine::Family* family = engine::findFamily(huggingFaceClass);
    EXPECT_NE(family, nullptr) << huggingFaceClass;
    if (!family) return described;
    described.architecture = family->gguf;
    const auto written = engine::writeHyperparameters(file, *family, described.keys);
    if (!written) described.error = written.error().message;
    return described;
}

RandomModelFolder folder(const std::string& huggingFaceClass, json changes)
{
    RandomModelFolder made(config(huggingFaceClass, std::move(changes)));
    made.add("model.embed_tokens.weight", {4, 8});
    return made;
}

TEST(HuggingFaceFamiliesTest, HybridsSayWhichLayersHaveAttention)
{
    const json kinds = {"mamba", "mamba", "attention", "mamba"};
    const auto granite =
        describe("GraniteMoeHybridForCausalLM", {{"layer_types", kinds},
                                                 {"mamba_n_heads", 4},
                                                 {"position_embedding_type", "nope"},
                                                 {"shared_intermediate_size", 10}});
    EXPECT_EQ(granite.integers("attention.head_count_kv"), (Flags{0, 0, 1, 0}));
    EXPECT_EQ(granite.integer("ssm.inner_size"), 16);
    EXPECT_EQ(granite.integer("feed_forward_length"), 10); // there are no experts
    EXPECT_FALSE(granite.keys.booleanOr("granitehybrid.rope.scaling.finetuned", true));

    const auto jamba =
        describe("JambaForCausalLM", {{"attn_layer_period", 3}, {"attn_layer_offset", 1}});
    EXPECT_EQ(jamba.integers("attention.head_count_kv"), (Flags{0, 1, 0, 0}));
    EXPECT_EQ(jamba.integer("ssm.time_step_rank"), 1);

    for (const json& pattern : {json{{"hybrid_override_pattern", "M*-M"}},
                                json{{"layers_block_type", {"mamba", "attention", "mlp", "mamba"}},
                                     {"num_hidden_layers", nullptr}}}) {
        json changes = {{"mamba_num_heads", 4}, {"mamba_head_dim", 3}};
        changes.update(pattern);
        const auto nemotron = describe("NemotronHForCausalLM", changes);
        EXPECT_EQ(nemotron.integers("attention.head_count_kv"), (Flags{0, 1, 0, 0})) << pattern;
        EXPECT_EQ(nemotron.integers("feed_forward_length"), (Flags{0, 0, 6, 0})) << pattern;
        EXPECT_EQ(nemotron.integer("block_count"), 4);
        EXPECT_EQ(nemotron.integer("ssm.inner_size"), 12);
    }

    const auto qwen =
        describe("Qwen3_5ForCausalLM",
                 {{"linear_num_value_heads", 6},
                  {"linear_value_head_dim", 5},
                  {"linear_num_key_heads", 2},
                  {"linear_key_head_dim", 3},
                  {"head_dim", 16},
                  {"layer_types",
                   {"linear_attention", "full_attention", "linear_attention", "full_attention"}}});
    EXPECT_EQ(qwen.integers("attention.recurrent_layers"), (Flags{1, 0, 1, 0}));
    EXPECT_EQ(qwen.integers("rope.dimension_sections"), (Flags{11, 11, 10, 0}));
    EXPECT_EQ(qwen.integer("rope.dimension_count"), 4);
    EXPECT_EQ(qwen.integer("ssm.inner_size"), 30);
}

TEST(HuggingFaceFamiliesTest, LayersWithAWindowHaveTheirOwnSizes)
{
    const json kinds = {"sliding_attention", "full_attention", "sliding_attention",
                        "full_attention"};
    const auto gemma = describe("Gemma4ForCausalLM", {{"layer_types", kinds},
                                                      {"sliding_window", 16},
                                                      {"head_dim", 4},
                                                      {"global_head_dim", 8},
                                                      {"num_key_value_heads", 2},
                                                      {"num_global_key_value_heads", 1},
                                                      {"num_kv_shared_layers", 1},
                                                      {"use_double_wide_mlp", true}});
    EXPECT_EQ(gemma.integers("attention.head_count_kv"), (Flags{2, 1, 2, 1}));
    EXPECT_EQ(gemma.integers("feed_forward_length"), (Flags{6, 6, 6, 12}));
    EXPECT_EQ(gemma.integer("attention.key_length"), 8);
    EXPECT_EQ(gemma.integer("attention.key_length_swa"), 4);
    EXPECT_EQ(gemma.number("final_logit_softcapping"),
              0); // there is none, whatever the family's is

    const auto mimo = describe("MiMoV2FlashForCausalLM", {{"hybrid_layer_pattern", {0, 1, 1, 0}},
                                                          {"swa_num_key_value_heads", 2},
                                                          {"sliding_window", 16},
                                                          {"head_dim", 8},
                                                          {"v_head_dim", 6},
                                                          {"partial_rotary_factor", 0.5}});
    EXPECT_EQ(mimo.integers("attention.head_count_kv"), (Flags{1, 2, 2, 1}));
    EXPECT_EQ(mimo.integers("attention.sliding_window_pattern"), (Flags{0, 1, 1, 0}));
    EXPECT_EQ(mimo.integer("attention.value_length"), 6);
    EXPECT_EQ(mimo.integer("rope.dimension_count"), 4);

    const auto step =
        describe("Step3p5ForCausalLM", {{"layer_types", kinds},
                                        {"sliding_window", 16},
                                        {"rope_theta", {5e6, 1e4, 5e6, 1e4}},
                                        {"num_attention_groups", 2},
                                        {"attention_other_setting", {{"num_attention_heads", 4}}},
                                        {"swiglu_limits", {nullptr, 7, nullptr, 0.5}}});
    EXPECT_EQ(step.integers("attention.head_count"), (Flags{4, 2, 4, 2}));
    EXPECT_EQ(step.integers("attention.head_count_kv"), (Flags{2, 2, 2, 2}));
    EXPECT_EQ(step.number("rope.freq_base"), 5e6);
    EXPECT_EQ(step.number("rope.freq_base_swa"), 1e4);
    EXPECT_EQ(step.keys.numbers("step35.swiglu_clamp_exp"), (std::vector<double>{0, 7, 0, 0.5}));
}

TEST(HuggingFaceFamiliesTest, WhatNoReaderOfTheFamilyKnowsIsRefused)
{
    const auto error = [](const char* name, const json& changes) {
        return describe(name, changes).error;
    };
    EXPECT_EQ(error("Llama4ForCausalLM", {{"attention_chunk_size", 16}}),
              "config.json: attention_chunk_size: expected 8192, found 16");
    EXPECT_EQ(error("Llama4ForCausalLM", {{"use_qk_norm", false}}),
              "config.json: use_qk_norm: expected true, found false");
    EXPECT_EQ(error("Llama4ForCausalLM", {{"use_qk_norm", false}, {"num_local_experts", 128}}), "");
    EXPECT_EQ(error("Gemma3nForCausalLM", {{"num_kv_shared_layers", 2}}),
              "config.json: num_kv_shared_layers: expected 0, found 2");
    EXPECT_EQ(error("FalconH1ForCausalLM", {{"mamba_rms_norm", true}, {"mamba_n_heads", 2}}),
              "config.json: mamba_norm_before_gate: expected false, found true");
    EXPECT_NE(error("MiMoV2FlashForCausalLM", {{"hybrid_layer_pattern", {1}}}), "");
}

TEST(HuggingFaceFamiliesTest, SizesThatNoModelHasAreHeldBack)
{
    constexpr std::int64_t kHuge = std::int64_t{1} << 40U;
    const json sizes = {{"linear_num_value_heads", kHuge},
                        {"linear_num_key_heads", kHuge},
                        {"linear_value_head_dim", kHuge},
                        {"linear_key_head_dim", kHuge},
                        {"mamba_expand", kHuge},
                        {"mamba_n_heads", kHuge},
                        {"mamba_num_heads", kHuge},
                        {"mamba_head_dim", kHuge},
                        {"expand", kHuge},
                        {"global_head_dim", kHuge},
                        {"layer_types", {"mamba"}},
                        {"layers_block_type", {"mamba"}}};
    for (const engine::Family& family : engine::families()) {
        auto made = folder(std::string(family.huggingFace), sizes);
        made.add("model.layers.0.linear_attn.in_proj_qkv.weight", {12, 8});
        const auto model = made.open(); // the reader of the keys refuses what is left of them
        EXPECT_TRUE(model || !model.error().message.empty()) << family.huggingFace;
    }
}

TEST(HuggingFaceFamiliesTest, WhatAFamilysReaderTakesForGrantedMayBeOtherwise)
{
    const auto listed = describe("SmolLM3ForCausalLM", {{"no_rope_layers", {1, 0, 1, 1}}});
    EXPECT_EQ(listed.integers("attention.rope_pattern"), (Flags{1, 0, 1, 1}));
    const auto every = describe("SmolLM3ForCausalLM", {{"no_rope_layer_interval", 2}});
    EXPECT_EQ(every.integers("attention.rope_pattern"), (Flags{1, 0, 1, 0}));
    for (const char* name : {"Gemma2ForCausalLM", "Gemma3ForCausalLM"})
        EXPECT_FLOAT_EQ(
            static_cast<float>(
                describe(name, {{"query_pre_attn_scalar", 16}}).number("attention.scale")),
            0.25F)
            << name;
    EXPECT_EQ(describe("OlmoeForCausalLM", {{"clip_qkv", 1.5}}).error,
              "config.json: clip_qkv: expected none, found one");
    EXPECT_NE(
        describe("BloomForCausalLM", {{"apply_residual_connection_post_layernorm", true}}).error,
        "");
}

TEST(HuggingFaceFamiliesTest, BigCodesHeadsMayHaveKeysOfTheirOwn)
{
    const json changes = {{"n_head", 2}, {"num_attention_heads", nullptr}};
    auto several = changes;
    several["multi_query"] = false;
    several["num_key_value_heads"] = nullptr;
    for (const bool one : {true, false}) {
        RandomModelFolder made(config("GPTBigCodeForCausalLM", one ? changes : several));
        made.add("transformer.wte.weight", {4, 8});
        made.add("transformer.h.0.attn.c_attn.bias", {one ? 16 : 24});
        const auto model = made.open();
        ASSERT_TRUE(model) << model.error().message;
        const auto& given = made.values("transformer.h.0.attn.c_attn.bias");
        std::vector<float> expected = given;
        if (!one) { // heads of a query, a key and a value of four numbers each
            expected.clear();
            for (const std::ptrdiff_t row : {0, 12, 4, 16, 8, 20})
                expected.insert(expected.end(), given.begin() + row, given.begin() + row + 4);
        }
        EXPECT_EQ(valuesOf(*model, "blk.0.attn_qkv.bias"), expected) << one;
    }
}

TEST(HuggingFaceFamiliesTest, ValueHeadsOfADeltaNetAreTiled)
{
    auto made = folder("Qwen3_5ForCausalLM", {{"linear_num_value_heads", 4},
                                              {"linear_value_head_dim", 2},
                                              {"linear_num_key_heads", 2},
                                              {"linear_key_head_dim", 1}});
    const std::string in = "model.layers.0.linear_attn.";
    made.add(in + "in_proj_qkv.weight", {12, 8}).add(in + "A_log", {4});
    made.add(in + "out_proj.weight", {8, 8}).add(in + "norm.weight", {2});
    made.add("mtp.layers.0.input_layernorm.weight", {8});
    made.add("model.layers.0.input_layernorm.weight", {8});
    const auto model = made.open();
    ASSERT_TRUE(model) << model.error().message;

    // Two queries and two keys, then heads 0 1 | 2 3 as 0 2 1 3, two rows each.
    const auto& given = made.values(in + "in_proj_qkv.weight");
    std::vector<float> expected;
    for (const std::size_t row : {0U, 1U, 2U, 3U, 4U, 5U, 8U, 9U, 6U, 7U, 10U, 11U})
        expected.insert(expected.end(), given.begin() + static_cast<std::ptrdiff_t>(row * 8),
                        given.begin() + static_cast<std::ptrdiff_t>(row * 8 + 8));
    EXPECT_EQ(valuesOf(*model, "blk.0.attn_qkv.weight"), expected);

    const auto& logarithms = made.values(in + "A_log");
    const auto decays = valuesOf(*model, "blk.0.ssm_a");
    ASSERT_EQ(decays.size(), 4U);
    EXPECT_FLOAT_EQ(decays[1], -std::exp(logarithms[2]));

    const auto& out = made.values(in + "out_proj.weight");
    const auto columns = valuesOf(*model, "blk.0.ssm_out.weight");
    ASSERT_EQ(columns.size(), out.size());
    for (std::size_t row = 0; row < 8; ++row)
        for (std::size_t i = 0; i < 8; ++i) {
            constexpr std::size_t kFrom[] = {0, 1, 4, 5, 2, 3, 6, 7};
            EXPECT_EQ(columns[row * 8 + i], out[row * 8 + kFrom[i]]);
        }
    // Norms are stored less one, but for this one.
    EXPECT_EQ(valuesOf(*model, "blk.0.ssm_norm.weight"), made.values(in + "norm.weight"));
    EXPECT_NE(valuesOf(*model, "blk.0.attn_norm.weight"),
              made.values("model.layers.0.input_layernorm.weight"));
}

TEST(HuggingFaceFamiliesTest, FalconH1sMultipliersAreInItsWeights)
{
    auto made = folder("FalconH1ForCausalLM", {{"tie_word_embeddings", true},
                                               {"embedding_multiplier", 2.0},
                                               {"lm_head_multiplier", 0.5},
                                               {"attention_in_multiplier", 3.0},
                                               {"key_multiplier", 0.5},
                                               {"mlp_multipliers", {4.0, 5.0}},
                                               {"ssm_in_multiplier", 2.0},
                                               {"ssm_multipliers", {1.0, 2.0, 3.0, 4.0, 5.0}},
                                               {"mamba_d_ssm", 2},
                                               {"mamba_n_groups", 1},
                                               {"mamba_d_state", 1},
                                               {"mamba_n_heads", 1}});
    made.add("model.layers.0.self_attn.k_proj.weight", {4, 8});
    made.add("model.layers.0.feed_forward.down_proj.weight", {8, 6});
    made.add("model.layers.0.mamba.in_proj.weight", {7, 1});
    const auto model = made.open();
    ASSERT_TRUE(model) << model.error().message;
    const auto factor = [&](const std::string& gguf, const std::string& name, std::size_t at = 0) {
        return valuesOf(*model, gguf)[at] / made.values(name)[at];
    };
    EXPECT_FLOAT_EQ(factor("token_embd.weight", "model.embed_tokens.weight"), 2);
    EXPECT_FLOAT_EQ(factor("output.weight", "model.embed_tokens.weight"), 0.5F);
    EXPECT_FLOAT_EQ(factor("blk.0.attn_k.weight", "model.layers.0.self_attn.k_proj.weight"), 1.5F);
    EXPECT_FLOAT_EQ(factor("blk.0.ffn_down.weight", "model.layers.0.feed_forward.down_proj.weight"),
                    5);
    constexpr float kRows[] = {2, 2, 4, 4, 6, 8, 10}; // z z x x B C dt
    for (std::size_t row = 0; row < 7; ++row)
        EXPECT_FLOAT_EQ(factor("blk.0.ssm_in.weight", "model.layers.0.mamba.in_proj.weight", row),
                        kRows[row]);
}

TEST(HuggingFaceFamiliesTest, NumbersInTensorsBecomeKeys)
{
    auto made = folder("ApertusForCausalLM", json::object());
    made.add("model.layers.1.mlp.act_fn.alpha_p", {1}).add("model.layers.2.mlp.act_fn.beta", {});
    const auto model = made.open();
    ASSERT_TRUE(model) << model.error().message;
    const auto alpha = model->metadata().numbers("xielu.alpha_p").value_or(std::vector<double>{});
    ASSERT_EQ(alpha.size(), 4U);
    EXPECT_EQ(alpha[0], 0);
    EXPECT_FLOAT_EQ(static_cast<float>(alpha[1]),
                    made.values("model.layers.1.mlp.act_fn.alpha_p")[0]);
    const auto beta = model->metadata().numbers("xielu.beta").value_or(std::vector<double>{});
    ASSERT_EQ(beta.size(), 4U);
    EXPECT_EQ(beta[0], 0.5);
    EXPECT_FLOAT_EQ(static_cast<float>(beta[2]), made.values("model.layers.2.mlp.act_fn.beta")[0]);
}

TEST(HuggingFaceFamiliesTest, Llama4sExpertsAreTransposedAndParted)
{
    auto made = folder("Llama4ForCausalLM", {{"num_local_experts", 2}, {"num_experts_per_tok", 1}});
    made.add("model.layers.0.feed_forward.experts.gate_up_proj", {2, 8, 4});
    const auto model = made.open();
    ASSERT_TRUE(model) << model.error().message;
    const auto& given = made.values("model.layers.0.feed_forward.experts.gate_up_proj");
    const auto gate = valuesOf(*model, "blk.0.ffn_gate_exps.weight"); // (expert, 2, 8)
    const auto up = valuesOf(*model, "blk.0.ffn_up_exps.weight");
    ASSERT_EQ(gate.size(), 32U);
    for (std::size_t expert = 0; expert < 2; ++expert)
        for (std::size_t row = 0; row < 2; ++row)
            for (std::size_t column = 0; column < 8; ++column) {
                const std::size_t at = expert * 32 + column * 4 + row;
                EXPECT_EQ(gate[expert * 16 + row * 8 + column], given[at]);
                EXPECT_EQ(up[expert * 16 + row * 8 + column], given[at + 2]);
            }
}

TEST(HuggingFaceFamiliesTest, ExpertsAreTurnedWhereTheirInputsAreInColumns)
{
    const json sizes = {
        {"num_experts", 2}, {"num_experts_per_tok", 1}, {"moe_intermediate_size", 3}};
    for (const bool across : {false, true}) {
        auto made = folder("Qwen3VLMoeForConditionalGeneration", sizes);
        const std::string name = "model.language_model.layers.0.mlp.experts.down_proj";
        made.add(name,
                 across ? std::vector<std::int64_t>{2, 3, 8} : std::vector<std::int64_t>{2, 8, 3});
        const auto model = made.open();
        ASSERT_TRUE(model) << model.error().message;
        const auto down = valuesOf(*model, "blk.0.ffn_down_exps.weight"); // (expert, 8, 3)
        const auto& given = made.values(name);
        ASSERT_EQ(down.size(), given.size());
        EXPECT_EQ(down[24 + 3 * 5 + 2], across ? given[24 + 2 * 8 + 5] : given[24 + 3 * 5 + 2]);
    }
}

TEST(HuggingFaceFamiliesTest, TheWholeModelSaysWhetherItsHeadIsTied)
{
    for (const bool tied : {false, true}) {
        auto made = folder(
            "Qwen3VLForConditionalGeneration",
            {{"tie_word_embeddings", tied}, {"text_config", {{"tie_word_embeddings", !tied}}}});
        made.add("lm_head.weight", {4, 8});
        const auto model = made.open();
        ASSERT_TRUE(model) << model.error().message;
        EXPECT_EQ(model->find("output.weight") == nullptr, tied);
    }
}

TEST(HuggingFaceFamiliesTest, Gemma3nsSmallEmbeddingsReachToTheEndOfTheVocabulary)
{
    auto made = folder("Gemma3nForCausalLM",
                       {{"hidden_size_per_layer_input", 2}, {"num_kv_shared_layers", 0}});
    made.add("model.embed_tokens_per_layer.weight", {3, 8});
    for (const char* stream : {"0", "1", "2"})
        made.add(std::string("model.altup_projections.") + stream + ".weight", {8, 8});
    const auto model = made.open();
    ASSERT_TRUE(model) << model.error().message;
    auto expected = made.values("model.embed_tokens_per_layer.weight");
    expected.resize(32, 0);
    EXPECT_EQ(valuesOf(*model, "per_layer_token_embd.weight"), expected);
    EXPECT_EQ(model->find("altup_proj.weight")->shape[2], 3);
}

TEST(HuggingFaceFamiliesTest, AHeadMayHaveColumnsOfLengthOne)
{
    auto made = folder("BailingMoeForCausalLM", {{"norm_head", true}});
    made.add("lm_head.weight", {4, 8});
    const auto model = made.open();
    ASSERT_TRUE(model) << model.error().message;
    const auto head = valuesOf(*model, "output.weight");
    for (std::size_t column = 0; column < 8; ++column) {
        double squares = 0;
        for (std::size_t row = 0; row < 4; ++row)
            squares += static_cast<double>(head[row * 8 + column]) * head[row * 8 + column];
        EXPECT_NEAR(squares, 1, 1e-5) << column;
    }
}

TEST(HuggingFaceFamiliesTest, JaisScalesWhatItTies)
{
    RandomModelFolder made(config(
        "JAISLMHeadModel",
        {{"mup_embeddings_scale", 2.0}, {"mup_output_alpha", 3.0}, {"mup_width_scale", 0.5}}));
    made.add("transformer.wte.weight", {4, 8});
    const auto model = made.open();
    ASSERT_TRUE(model) << model.error().message;
    const float given = made.values("transformer.wte.weight")[0];
    EXPECT_FLOAT_EQ(valuesOf(*model, "token_embd.weight")[0], given * 2);
    EXPECT_FLOAT_EQ(valuesOf(*model, "output.weight")[0], given * 1.5F);
}

TEST(HuggingFaceFamiliesTest, LayersMayDifferInHeadsAndWidth)
{
    const auto elm = describe("OpenELMForCausalLM", {{"hidden_size", nullptr},
                                                     {"num_hidden_layers", nullptr},
                                                     {"model_dim", 100},
                                                     {"num_transformer_layers", 3},
                                                     {"num_query_heads", {2, 3, 4}},
                                                     {"num_kv_heads", {1, 1, 2}},
                                                     {"ffn_multipliers", {0.5, 1.7, 4.0}},
                                                     {"ffn_dim_divisor", 32},
                                                     {"head_dim", 8},
                                                     {"max_context_length", 99}});
    ASSERT_EQ(elm.error, "");
    EXPECT_EQ(elm.integers("attention.head_count"), (Flags{2, 3, 4}));
    EXPECT_EQ(elm.integers("attention.head_count_kv"), (Flags{1, 1, 2}));
    EXPECT_EQ(elm.integers("feed_forward_length"), (Flags{64, 160, 416}));
    EXPECT_EQ(elm.integer("embedding_length"), 100);
    EXPECT_EQ(elm.integer("context_length"), 99);

    const auto block = [](json heads, bool linear, json factor) {
        return json{{"attention", {{"n_heads_in_group", heads}, {"replace_with_linear", linear}}},
                    {"ffn", {{"ffn_mult", factor}, {"replace_with_linear", false}}}};
    };
    const json blocks = {block(2, false, 96.0), block(nullptr, true, 48.5),
                         block(nullptr, false, nullptr)};
    const auto deci = describe("DeciLMForCausalLM", {{"block_configs", blocks},
                                                     {"num_hidden_layers", 3},
                                                     {"num_attention_heads", 4},
                                                     {"num_key_value_heads", nullptr}});
    EXPECT_EQ(deci.integers("attention.head_count"), (Flags{4, 4, 0}));
    EXPECT_EQ(deci.integers("attention.head_count_kv"), (Flags{2, 0, 0}));
    EXPECT_EQ(deci.integers("feed_forward_length"), (Flags{512, 512, 0}));
    json linear = blocks;
    linear[0]["ffn"]["replace_with_linear"] = true;
    EXPECT_EQ(describe("DeciLMForCausalLM", {{"block_configs", linear}}).error,
              "config.json: block_configs: a network that is one matrix is not read");
}

TEST(HuggingFaceFamiliesTest, KeysOfALayersOwnHeadsArePaired)
{
    auto made = folder("DeciLMForCausalLM", {{"num_key_value_heads_per_layer", {1, 2, 1, 1}}});
    made.add("model.layers.1.self_attn.k_proj.weight", {8, 8}); // two heads of 4
    const auto model = made.open();
    ASSERT_TRUE(model) << model.error().message;
    const auto rows = valuesOf(*model, "blk.1.attn_k.weight");
    const auto& given = made.values("model.layers.1.self_attn.k_proj.weight");
    constexpr std::size_t kFrom[] = {0, 2, 1, 3, 4, 6, 5, 7};
    for (std::size_t row = 0; row < 8; ++row)
        EXPECT_EQ(rows[row * 8], given[kFrom[row] * 8]) << row;
}

TEST(HuggingFaceFamiliesTest, KimiLinearsLayersAreCountedFromOne)
{
    const json sizes = {{"kv_lora_rank", 4},
                        {"qk_rope_head_dim", 2},
                        {"qk_nope_head_dim", 4},
                        {"v_head_dim", 4},
                        {"mla_use_nope", true},
                        {"num_shared_experts", 1},
                        {"num_expert_group", 1},
                        {"moe_router_activation_func", "sigmoid"},
                        {"linear_attn_config",
                         {{"full_attn_layers", {2, 4, 9, 0}},
                          {"num_heads", 2},
                          {"head_dim", 6},
                          {"short_conv_kernel_size", 3}}}};
    const auto kimi = describe("KimiLinearForCausalLM", sizes);
    ASSERT_EQ(kimi.error, "");
    EXPECT_EQ(kimi.integers("attention.head_count_kv"), (Flags{0, 1, 0, 1}));
    EXPECT_EQ(kimi.integer("kda.head_dim"), 6);
    EXPECT_EQ(kimi.integer("ssm.conv_kernel"), 3);
    EXPECT_EQ(kimi.integer("expert_gating_func"), 2);
    json rotated = sizes;
    rotated["mla_use_nope"] = false;
    EXPECT_EQ(describe("KimiLinearForCausalLM", rotated).error,
              "config.json: mla_use_nope: expected true");
}

TEST(HuggingFaceFamiliesTest, WhatSeesOrHearsIsReadAsItsTextPart)
{
    struct Row {
        json text;
        const char* huggingFace;
    };
    const Row rows[] = {
        {{{"model_type", "qwen3"}}, "Qwen3ForCausalLM"},
        {{{"architectures", {"Phi3ForCausalLM"}}, {"model_type", "qwen3"}}, "Phi3ForCausalLM"},
        {{{"model_type", "sounds"}}, nullptr},
        {{{"model_type", 7}, {"architectures", 7}}, nullptr},
        {json::object(), nullptr},
    };
    for (const char* part : {"text_config", "llm_config", "language_config"})
        for (const Row& row : rows) {
            const auto config = engine::ModelConfig::fromJson(
                {{"architectures", {"UnheardOfForConditionalGeneration"}}, {part, row.text}});
            const engine::Family* family = engine::findFamily(config);
            ASSERT_EQ(family == nullptr, row.huggingFace == nullptr) << row.text;
            if (family) {
                EXPECT_EQ(family->huggingFace, row.huggingFace);
            }
        }
    // A class of its own comes first.
    const auto known =
        engine::ModelConfig::fromJson({{"architectures", {"Qwen3_5ForConditionalGeneration"}},
                                       {"text_config", {{"architectures", {"Qwen3ForCausalLM"}}}}});
    EXPECT_EQ(engine::findFamily(known)->gguf, "qwen35");
}

TEST(HuggingFaceFamiliesTest, HeadsMayBeRotatedInPart)
{
    const json half = {{"partial_rotary_factor", 0.5}, {"hidden_size", 16}};
    EXPECT_EQ(describe("LlamaForCausalLM", half).integer("rope.dimension_count"), 4);
    auto made = RandomModelFolder(config("LlamaForCausalLM", half));
    made.add("model.embed_tokens.weight", {4, 16});
    made.add("model.layers.0.self_attn.k_proj.weight", {8, 16}); // one head
    const auto model = made.open();
    ASSERT_TRUE(model) << model.error().message;
    const auto rows = valuesOf(*model, "blk.0.attn_k.weight");
    const auto& given = made.values("model.layers.0.self_attn.k_proj.weight");
    constexpr std::size_t kFrom[] = {0, 2, 1, 3, 4, 5, 6, 7};
    for (std::size_t row = 0; row < 8; ++row)
        EXPECT_EQ(rows[row * 16], given[kFrom[row] * 16]) << row;
}

TEST(HuggingFaceFamiliesTest, WhatIsBesideTheLanguageIsNotRead)
{
    RandomModelFolder made(
        config("UnheardOfForConditionalGeneration", {{"text_config", {{"model_type", "llama"}}}}));
    made.add("model.language_model.embed_tokens.weight", {4, 8})
        .add("model.encoder.layers.0.conv.weight", {3, 3})
        .add("lm_head.weight", {4, 8});
    const auto model = made.open();
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_NE(model->find("output.weight"), nullptr);
    // Without a part of that name a tensor that is not known is an error.
    RandomModelFolder other(config("LlamaForCausalLM", json::object()));
    other.add("model.embed_tokens.weight", {4, 8})
        .add("model.encoder.layers.0.conv.weight", {3, 3});
    EXPECT_FALSE(other.open());
}

TEST(HuggingFaceFamiliesTest, PlamosNormsBeginWithDifferentNumbers)
{
    auto made = folder("Plamo3ForCausalLM", {{"window_size", 16}, {"sliding_window_pattern", 2}});
    const std::string layer = "model.layers.layers.0.";
    made.add(layer + "pre_mixer_norm.weight", {8}).add(layer + "post_mixer_norm.weight", {8});
    made.add(layer + "post_mlp_norm.weight", {8}).add("model.norm.weight", {8});
    const auto model = made.open();
    ASSERT_TRUE(model) << model.error().message;
    const auto added = [&](const std::string& gguf, const std::string& name) {
        return valuesOf(*model, gguf)[3] - made.values(name)[3];
    };
    EXPECT_NEAR(added("blk.0.attn_norm.weight", layer + "pre_mixer_norm.weight"), 1, 1e-6);
    EXPECT_NEAR(added("blk.0.post_attention_norm.weight", layer + "post_mixer_norm.weight"), 0.2,
                1e-6);
    EXPECT_NEAR(added("blk.0.post_ffw_norm.weight", layer + "post_mlp_norm.weight"), 0.0894427,
                1e-6);
    EXPECT_NEAR(added("output_norm.weight", "model.norm.weight"), 1, 1e-6);
    EXPECT_EQ(model->metadata().integers("plamo3.attention.sliding_window_pattern"),
              (Flags{1, 0, 1, 0}));
}

TEST(HuggingFaceFamiliesTest, PlamosQueriesAreGatheredByTheirKeys)
{
    auto made = folder("PlamoForCausalLM", {{"num_attention_heads", 8}, {"n_shared_head", 4}});
    const std::string attention = "model.layers.layers.0.self_attn.";
    made.add(attention + "q_proj.weight", {8, 8}).add(attention + "o_proj.weight", {8, 8});
    const auto model = made.open();
    ASSERT_TRUE(model) << model.error().message;
    const auto query = valuesOf(*model, "blk.0.attn_q.weight");
    const auto output = valuesOf(*model, "blk.0.attn_output.weight");
    constexpr std::size_t kFrom[] = {0, 2, 4, 6, 1, 3, 5, 7}; // two keys, four heads each
    for (std::size_t head = 0; head < 8; ++head) {
        EXPECT_EQ(query[head * 8], made.values(attention + "q_proj.weight")[kFrom[head] * 8]);
        EXPECT_EQ(output[head], made.values(attention + "o_proj.weight")[kFrom[head]]);
    }
}

TEST(HuggingFaceFamiliesTest, Rwkv7sMixesAreStackedInOrder)
{
    auto made = folder("RWKV7ForCausalLM", {{"head_dim", 4}, {"a_low_rank_dim", 2}});
    const std::string layer = "model.layers.0.attn.";
    for (const char* letter : {"a", "g", "k", "r", "v", "w"})
        made.add(layer + "x_" + letter, {1, 1, 8});
    made.add(layer + "a_lora.lora.0.weight", {2, 8}).add(layer + "a_lora.lora.2.weight", {8, 2});
    made.add(layer + "a_lora.lora.2.bias", {8});
    const auto model = made.open();
    ASSERT_TRUE(model) << model.error().message;
    const auto fused = valuesOf(*model, "blk.0.time_mix_lerp_fused.weight");
    ASSERT_EQ(fused.size(), 48U);
    std::size_t place = 0;
    for (const char* letter : {"r", "w", "k", "v", "a", "g"})
        EXPECT_EQ(fused[8 * place++], made.values(layer + "x_" + letter)[0]) << letter;
    EXPECT_EQ(valuesOf(*model, "blk.0.time_mix_a2.weight"),
              made.values(layer + "a_lora.lora.2.weight"));
    EXPECT_EQ(valuesOf(*model, "blk.0.time_mix_a0.weight"),
              made.values(layer + "a_lora.lora.2.bias"));
    EXPECT_EQ(model->metadata().integerOr("rwkv7.attention.iclr_lora_rank", 0), 2);
    EXPECT_EQ(model->metadata().integerOr("rwkv7.attention.decay_lora_rank", 0), 32);
}

} // namespace
