#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/random_model_folder.h"
#include "tests/support/engine/safetensors_builder.h"
#include "tests/support/engine/temp_folder.h"

#include "engine/model/model_file.h"

#include <cmath>
#include <format>
#include <gtest/gtest.h>
#include <map>
#include <memory>

namespace {

using engine::ErrorCode;

using test::valuesOf;
using Folder = test::RandomModelFolder;

/// Rows of `columns` values in the given order.
std::vector<float> rows(const std::vector<float>& values, std::size_t columns,
                        const std::vector<std::size_t>& order)
{
    std::vector<float> picked;
    for (const std::size_t row : order)
        picked.insert(picked.end(), values.begin() + static_cast<std::ptrdiff_t>(row * columns),
                      values.begin() + static_cast<std::ptrdiff_t>((row + 1) * columns));
    return picked;
}

nlohmann::json config(const std::string& architecture)
{
    return {{"architectures", {architecture}}, {"hidden_size", 8},
            {"num_hidden_layers", 1},          {"num_attention_heads", 2},
            {"num_key_value_heads", 1},        {"intermediate_size", 6},
            {"max_position_embeddings", 64},   {"rms_norm_eps", 1e-5},
            {"layer_norm_eps", 1e-5},          {"vocab_size", 4}};
}

Folder llama(nlohmann::json changes = nlohmann::json::object())
{
    nlohmann::json all = config("LlamaForCausalLM");
    all.update(changes);
    Folder folder(all);
    folder.add("model.embed_tokens.weight", {4, 8}).add("model.norm.weight", {8});
    folder.add("lm_head.weight", {4, 8});
    folder.add("model.layers.0.input_layernorm.weight", {8});
    folder.add("model.layers.0.self_attn.q_proj.weight", {8, 8});
    folder.add("model.layers.0.self_attn.k_proj.weight", {4, 8});
    folder.add("model.layers.0.self_attn.v_proj.weight", {4, 8});
    folder.add("model.layers.0.self_attn.o_proj.weight", {8, 8});
    return folder;
}

TEST(HuggingFaceModelTest, LlamasHeadsAreTurnedToPairs)
{
    const Folder folder = llama();
    const auto model = folder.open();
    ASSERT_TRUE(model) << model.error().message;
    // Two heads of four rows: halves (0 1)(2 3) become pairs (0 2)(1 3).
    EXPECT_EQ(
        valuesOf(*model, "blk.0.attn_q.weight"),
        rows(folder.values("model.layers.0.self_attn.q_proj.weight"), 8, {0, 2, 1, 3, 4, 6, 5, 7}));
    EXPECT_EQ(valuesOf(*model, "blk.0.attn_k.weight"),
              rows(folder.values("model.layers.0.self_attn.k_proj.weight"), 8, {0, 2, 1, 3}));
    EXPECT_EQ(valuesOf(*model, "blk.0.attn_v.weight"),
              folder.values("model.layers.0.self_attn.v_proj.weight"));
    EXPECT_EQ(valuesOf(*model, "output.weight"), folder.values("lm_head.weight"));
    const engine::Metadata& keys = model->metadata();
    EXPECT_EQ(keys.stringOr("general.architecture", ""), "llama");
    EXPECT_EQ(keys.integerOr("llama.attention.head_count_kv", 0), 1);
    EXPECT_EQ(keys.integerOr("llama.rope.dimension_count", 0), 4);
    EXPECT_EQ(keys.integerOr("tokenizer.ggml.eos_token_id", -1), 3);
}

TEST(HuggingFaceModelTest, ATiedHeadIsLeftOut)
{
    const auto model = llama({{"tie_word_embeddings", true}}).open();
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->find("output.weight"), nullptr);
}

TEST(HuggingFaceModelTest, Llama3sRotationFactorsBecomeATensor)
{
    const auto model = llama({{"rope_theta", 500000.0},
                              {"rope_scaling",
                               {{"rope_type", "llama3"},
                                {"factor", 8.0},
                                {"low_freq_factor", 1.0},
                                {"high_freq_factor", 4.0},
                                {"original_max_position_embeddings", 8192}}}})
                           .open();
    ASSERT_TRUE(model) << model.error().message;
    // Wavelengths 6.3 (short) and 4443 (between 2048 and 8192).
    const auto factors = valuesOf(*model, "rope_freqs.weight");
    ASSERT_EQ(factors.size(), 2U);
    EXPECT_EQ(factors[0], 1.0F);
    const double wavelength = 2 * M_PI * std::sqrt(500000.0);
    const double smooth = (8192 / wavelength - 1) / 3;
    EXPECT_NEAR(factors[1], 1 / ((1 - smooth) / 8 + smooth), 1e-5);
    EXPECT_FALSE(model->metadata().contains("llama.rope.scaling.type"));
}

TEST(HuggingFaceModelTest, YarnSaysWhatTheConfigurationSays)
{
    const auto yarn = [](nlohmann::json scaling) {
        scaling["rope_type"] = "yarn";
        scaling["original_max_position_embeddings"] = 64;
        return llama({{"max_position_embeddings", 256}, {"rope_scaling", scaling}}).open();
    };
    struct {
        nlohmann::json scaling;
        double factor, magnitude; // 0: not in the keys
    } const cases[] = {
        {{{"factor", 4.0}}, 4, 0},
        {{{"factor", nullptr}}, 4, 0},
        {{{"factor", 4.0}, {"attention_factor", 1.5}}, 4, 1.5},
        {{{"factor", 4.0}, {"mscale", 1.0}, {"mscale_all_dim", 1.0}}, 4, 1},
    };
    for (const auto& [scaling, factor, magnitude] : cases) {
        const auto model = yarn(scaling);
        ASSERT_TRUE(model) << scaling << model.error().message;
        const auto& keys = model->metadata();
        EXPECT_DOUBLE_EQ(keys.numberOr("llama.rope.scaling.factor", 0), factor) << scaling;
        EXPECT_NEAR(keys.numberOr("llama.rope.scaling.yarn_attn_factor", 0), magnitude, 1e-6)
            << scaling;
        EXPECT_TRUE(keys.booleanOr("llama.rope.scaling.yarn_truncate", true));
    }
    const auto untruncated = yarn({{"factor", 4.0}, {"truncate", false}});
    ASSERT_TRUE(untruncated) << untruncated.error().message;
    EXPECT_FALSE(untruncated->metadata().booleanOr("llama.rope.scaling.yarn_truncate", true));
}

TEST(HuggingFaceModelTest, ExpertsAreStacked)
{
    nlohmann::json all = config("MixtralForCausalLM");
    all["num_local_experts"] = 2;
    all["num_experts_per_tok"] = 1;
    Folder folder(all);
    folder.add("model.embed_tokens.weight", {4, 8});
    folder.add("model.layers.0.block_sparse_moe.gate.weight", {2, 8});
    for (int expert = 0; expert < 2; ++expert) {
        const std::string prefix =
            std::format("model.layers.0.block_sparse_moe.experts.{}.", expert);
        folder.add(prefix + "w1.weight", {6, 8});
        folder.add(prefix + "w2.weight", {8, 6});
        folder.add(prefix + "w3.weight", {6, 8});
    }
    const auto model = folder.open();
    ASSERT_TRUE(model) << model.error().message;
    std::vector<float> both = folder.values("model.layers.0.block_sparse_moe.experts.0.w2.weight");
    const auto& second = folder.values("model.layers.0.block_sparse_moe.experts.1.w2.weight");
    both.insert(both.end(), second.begin(), second.end());
    EXPECT_EQ(valuesOf(*model, "blk.0.ffn_down_exps.weight"), both);
    EXPECT_EQ(model->find("blk.0.ffn_gate_exps.weight")->shape,
              (std::array<std::int64_t, 4>{8, 6, 2, 1}));
    EXPECT_NE(model->find("blk.0.ffn_gate_inp.weight"), nullptr);
    EXPECT_EQ(model->metadata().integerOr("llama.expert_used_count", 0), 1);
}

TEST(HuggingFaceModelTest, Gpt2sMatricesAreTransposed)
{
    Folder folder({{"architectures", {"GPT2LMHeadModel"}},
                   {"n_embd", 4},
                   {"n_layer", 1},
                   {"n_head", 2},
                   {"n_positions", 16},
                   {"layer_norm_epsilon", 1e-5}});
    folder.add("wte.weight", {4, 4}).add("wpe.weight", {16, 4});
    folder.add("h.0.attn.c_attn.weight", {4, 12}).add("h.0.attn.c_attn.bias", {12});
    folder.add("h.0.attn.bias", {1, 1, 16, 16});
    const auto model = folder.open();
    ASSERT_TRUE(model) << model.error().message;
    const auto& stored = folder.values("h.0.attn.c_attn.weight");
    const auto found = valuesOf(*model, "blk.0.attn_qkv.weight");
    for (std::size_t row = 0; row < 12; ++row) {
        for (std::size_t column = 0; column < 4; ++column)
            ASSERT_EQ(found[row * 4 + column], stored[column * 12 + row]);
    }
    EXPECT_EQ(valuesOf(*model, "blk.0.attn_qkv.bias"), folder.values("h.0.attn.c_attn.bias"));
    EXPECT_EQ(model->metadata().integerOr("gpt2.feed_forward_length", 0), 16);
}

TEST(HuggingFaceModelTest, FusedQueriesKeysAndValuesAreSorted)
{
    // GPT-NeoX: query, key and value of each head; two heads of two.
    nlohmann::json neox = config("GPTNeoXForCausalLM");
    neox["hidden_size"] = 4;
    neox.erase("num_key_value_heads");
    Folder folder(neox);
    folder.add("gpt_neox.embed_in.weight", {4, 4});
    folder.add("gpt_neox.layers.0.attention.query_key_value.weight", {12, 4});
    folder.add("gpt_neox.layers.0.attention.query_key_value.bias", {12});
    const auto model = folder.open();
    ASSERT_TRUE(model) << model.error().message;
    const std::vector<std::size_t> order = {0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11};
    EXPECT_EQ(valuesOf(*model, "blk.0.attn_qkv.weight"),
              rows(folder.values("gpt_neox.layers.0.attention.query_key_value.weight"), 4, order));
    EXPECT_EQ(valuesOf(*model, "blk.0.attn_qkv.bias"),
              rows(folder.values("gpt_neox.layers.0.attention.query_key_value.bias"), 1, order));
}

TEST(HuggingFaceModelTest, InternLmsGroupsBecomeThreeTensors)
{
    // Four heads of two in two groups: q q k v, q q k v.
    nlohmann::json internlm = config("InternLM2ForCausalLM");
    internlm["num_attention_heads"] = 4;
    internlm["num_key_value_heads"] = 2;
    Folder folder(internlm);
    folder.add("model.tok_embeddings.weight", {4, 8}).add("output.weight", {4, 8});
    folder.add("model.layers.0.attention.wqkv.weight", {16, 8});
    const auto model = folder.open();
    ASSERT_TRUE(model) << model.error().message;
    const auto& stored = folder.values("model.layers.0.attention.wqkv.weight");
    EXPECT_EQ(valuesOf(*model, "blk.0.attn_q.weight"), rows(stored, 8, {0, 1, 2, 3, 8, 9, 10, 11}));
    EXPECT_EQ(valuesOf(*model, "blk.0.attn_k.weight"), rows(stored, 8, {4, 5, 12, 13}));
    EXPECT_EQ(valuesOf(*model, "blk.0.attn_v.weight"), rows(stored, 8, {6, 7, 14, 15}));
}

TEST(HuggingFaceModelTest, GemmasNormsGetTheirOne)
{
    Folder folder(config("Gemma2ForCausalLM"));
    folder.add("model.embed_tokens.weight", {4, 8}).add("model.norm.weight", {8});
    folder.add("model.layers.0.post_attention_layernorm.weight", {8});
    folder.add("model.layers.0.pre_feedforward_layernorm.weight", {8});
    folder.add("lm_head.weight", {4, 8});
    const auto model = folder.open();
    ASSERT_TRUE(model) << model.error().message;
    const auto& stored = folder.values("model.layers.0.post_attention_layernorm.weight");
    const auto found = valuesOf(*model, "blk.0.post_attention_norm.weight");
    for (std::size_t i = 0; i < 8; ++i)
        EXPECT_EQ(found[i], stored[i] + 1.0F);
    EXPECT_NE(model->find("blk.0.ffn_norm.weight"), nullptr);
    EXPECT_EQ(model->find("output.weight"), nullptr);
}

TEST(HuggingFaceModelTest, LatentKeysAndValuesAreSplitAndTheKeysTurned)
{
    nlohmann::json deepseek = config("DeepseekV2ForCausalLM");
    deepseek.update({{"num_key_value_heads", 2},
                     {"kv_lora_rank", 3},
                     {"qk_rope_head_dim", 2},
                     {"qk_nope_head_dim", 2},
                     {"v_head_dim", 1}});
    Folder folder(deepseek);
    folder.add("model.embed_tokens.weight", {4, 8});
    folder.add("model.layers.0.self_attn.kv_b_proj.weight", {6, 3}); // k k v, k k v
    const auto model = folder.open();
    ASSERT_TRUE(model) << model.error().message;
    const auto& stored = folder.values("model.layers.0.self_attn.kv_b_proj.weight");
    EXPECT_EQ(valuesOf(*model, "blk.0.attn_v_b.weight"), rows(stored, 3, {2, 5}));
    const auto keys = valuesOf(*model, "blk.0.attn_k_b.weight");
    for (std::size_t head = 0; head < 2; ++head) {
        for (std::size_t rank = 0; rank < 3; ++rank) {
            for (std::size_t i = 0; i < 2; ++i)
                ASSERT_EQ(keys[head * 6 + rank * 2 + i], stored[(head * 3 + i) * 3 + rank]);
        }
    }
    EXPECT_EQ(model->metadata().integerOr("deepseek2.attention.key_length", 0), 5);
    EXPECT_EQ(model->metadata().integerOr("deepseek2.attention.key_length_mla", 0), 4);
    EXPECT_EQ(model->metadata().integerOr("deepseek2.attention.head_count_kv", 0), 1);
}

TEST(HuggingFaceModelTest, GptOssBlocksAreRepacked)
{
    nlohmann::json all = config("GptOssForCausalLM");
    all.update({{"num_local_experts", 1}, {"quantization_config", {{"quant_method", "mxfp4"}}}});
    // One expert, two rows (a gate, an up) of one block: byte i holds elements 2i and 2i + 1.
    std::string codes;
    for (int row = 0; row < 2; ++row) {
        for (int i = 0; i < 16; ++i)
            codes += static_cast<char>((2 * i + row) % 16 | (2 * i + 1 + row) % 16 << 4);
    }
    test::SafetensorsBuilder builder;
    const std::vector<float> embedding(32, 1.0F);
    builder.tensor("model.embed_tokens.weight", {4, 8}, embedding)
        .raw("model.layers.0.mlp.experts.gate_up_proj_blocks", "U8", {1, 2, 1, 16}, codes)
        .raw("model.layers.0.mlp.experts.gate_up_proj_scales", "U8", {1, 2, 1}, "\x7F\x80");
    const test::TempFolder folder;
    test::writeTinyTokenizer(folder.path());
    folder.write("model.safetensors", builder.bytes());
    folder.write("config.json", all.dump());
    const auto model = engine::ModelFile::open(folder.path());
    ASSERT_TRUE(model) << model.error().message;
    constexpr float kE2m1[] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6, 0, -0.5F, -1, -1.5F, -2, -3, -4, -6};
    const auto gate = valuesOf(*model, "blk.0.ffn_gate_exps.weight");
    const auto up = valuesOf(*model, "blk.0.ffn_up_exps.weight");
    for (std::size_t i = 0; i < 32; ++i) {
        EXPECT_EQ(gate[i], kE2m1[i % 16]);
        EXPECT_EQ(up[i], 2 * kE2m1[(i + 1) % 16]);
    }
}

void expectError(const Folder& folder, ErrorCode code, std::string_view subject)
{
    const auto model = folder.open();
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, code) << model.error().message;
    EXPECT_TRUE(model.error().message.contains(subject) || model.error().subject == subject)
        << model.error().message;
}

TEST(HuggingFaceModelTest, WhatCannotBeReadIsNamed)
{
    expectError(Folder(config("Foo9ForCausalLM")), ErrorCode::UnsupportedArchitecture,
                "Foo9ForCausalLM");
    Folder unmapped = llama();
    unmapped.add("model.layers.0.self_attn.strange.weight", {1});
    expectError(unmapped, ErrorCode::BadTensor, "model.layers.0.self_attn.strange.weight");
    expectError(llama({{"quantization_config", {{"quant_method", "gptq"}}}}),
                ErrorCode::UnsupportedType, "gptq");
    expectError(llama({{"num_attention_heads", 3}}), ErrorCode::BadTensor,
                "model.layers.0.self_attn.q_proj.weight");
    expectError(llama({{"num_hidden_layers", 100000}}), ErrorCode::BadMetadata,
                "num_hidden_layers");
    expectError(llama({{"num_hidden_layers", "one"}}), ErrorCode::MissingMetadata,
                "num_hidden_layers");

    nlohmann::json moe = config("Qwen3MoeForCausalLM");
    moe["num_experts"] = 2;
    Folder half(moe);
    half.add("model.embed_tokens.weight", {4, 8});
    half.add("model.layers.0.mlp.experts.1.up_proj.weight", {6, 8});
    expectError(half, ErrorCode::MissingTensor, "blk.0.ffn_up_exps.weight");
    Folder third(moe);
    third.add("model.embed_tokens.weight", {4, 8});
    third.add("model.layers.0.mlp.experts.2.up_proj.weight", {6, 8});
    expectError(third, ErrorCode::BadTensor, "model.layers.0.mlp.experts.2.up_proj.weight");
    Folder headless(config("LlamaForCausalLM"));
    headless.add("model.norm.weight", {8});
    expectError(headless, ErrorCode::MissingTensor, "token_embd.weight");
}

TEST(HuggingFaceModelTest, AFolderThatIsNoModelIsNamed)
{
    const test::TempFolder folder;
    EXPECT_EQ(engine::ModelFile::open(folder.path()).error().code, ErrorCode::NotAModelFile);
    folder.write("config.json", config("LlamaForCausalLM").dump());
    folder.write("pytorch_model.bin", "PK");
    const auto model = engine::ModelFile::open(folder.path());
    EXPECT_EQ(model.error().code, ErrorCode::NotAModelFile);
    EXPECT_TRUE(model.error().message.contains("pytorch_model.bin")) << model.error().message;
    for (const char* json : {"", "[]", "{", "7", "nul"}) {
        folder.write("config.json", json);
        EXPECT_EQ(engine::ModelFile::open(folder.path()).error().code, ErrorCode::FileCorrupt);
    }
}

TEST(HuggingFaceModelTest, SaysWhatAFolderLacks)
{
    const test::TempFolder folder;
    const auto error = [&](const char* file = "") {
        return engine::ModelFile::open(folder.path() / file).error();
    };
    EXPECT_TRUE(error().message.contains("config.json and *.safetensors")) << error().message;
    EXPECT_EQ(error().subject, "a folder without a model");
    folder.write("adapter_config.json", "{}");
    EXPECT_EQ(error().subject, "a LoRA adapter");
    folder.write("a.gguf", "GGUF");
    folder.write("b.gguf", "GGUF");
    EXPECT_TRUE(error().message.contains("2 GGUF files")) << error().message;
    folder.write("model.safetensors", "");
    EXPECT_TRUE(error("model.safetensors").message.contains("expected config.json beside it"))
        << error("model.safetensors").message;
    std::filesystem::remove(folder.path() / "model.safetensors");
    folder.write("config.json", config("LlamaForCausalLM").dump());
    EXPECT_EQ(error().subject, "a folder without weights");
}

TEST(HuggingFaceModelTest, SaysWhereJsonEnds)
{
    const Folder folder = llama();
    ASSERT_TRUE(folder.open());
    const auto message = [&](std::string_view json) {
        folder.files().write("tokenizer.json", json);
        return engine::ModelFile::open(folder.path()).error().message;
    };
    EXPECT_EQ(message(R"({"model": {"vocab": {"a": 1,)"),
              "tokenizer.json: the JSON ends too early, after 28 bytes; the file is incomplete");
    EXPECT_EQ(message(""), "tokenizer.json: the file is empty");
    EXPECT_EQ(message(R"({"model": <html>})"),
              "tokenizer.json: expected JSON, found something else at byte 11");
    EXPECT_EQ(message(std::string(200, '[') + std::string(200, ']')),
              "tokenizer.json: expected JSON of at most 128 levels");
}

TEST(HuggingFaceModelTest, ShardsStayInTheFolder)
{
    const Folder folder = llama();
    ASSERT_TRUE(folder.open());
    const auto withIndex = [&](std::string_view file, std::string_view tensor) {
        folder.files().write("model.safetensors.index.json",
                             nlohmann::json{{"weight_map", {{tensor, file}}}}.dump());
        return engine::ModelFile::open(folder.path());
    };
    EXPECT_TRUE(withIndex("model.safetensors", "lm_head.weight"));
    EXPECT_EQ(withIndex("../model.safetensors", "a").error().code, ErrorCode::FileCorrupt);
    EXPECT_EQ(withIndex("/etc/passwd", "a").error().code, ErrorCode::FileCorrupt);
    EXPECT_EQ(withIndex("none.safetensors", "a").error().code, ErrorCode::FileNotFound);
    const auto missing = withIndex("model.safetensors", "model.layers.7.gone.weight");
    EXPECT_EQ(missing.error().code, ErrorCode::MissingTensor);
    EXPECT_EQ(missing.error().subject, "model.layers.7.gone.weight");
}

TEST(HuggingFaceModelTest, ShardsNeedNoIndex)
{
    const Folder folder = llama();
    ASSERT_TRUE(folder.open());
    const auto rename = [&](const char* from, const char* to) {
        std::filesystem::rename(folder.path() / from, folder.path() / to);
    };
    rename("model.safetensors", "weights.safetensors");
    EXPECT_TRUE(engine::ModelFile::open(folder.path()));
    rename("weights.safetensors", "model-00002-of-00002.safetensors");
    const auto half = engine::ModelFile::open(folder.path());
    EXPECT_EQ(half.error().code, ErrorCode::FileNotFound);
    EXPECT_EQ(half.error().subject, "model-00001-of-00002.safetensors");
    const float value[] = {1};
    folder.files().write(
        "model-00001-of-00002.safetensors",
        test::SafetensorsBuilder().tensor("rotary_emb.inv_freq", {1}, value).bytes());
    const auto both = engine::ModelFile::open(folder.path());
    EXPECT_TRUE(both) << both.error().message;
    folder.files().write("model-00001-of-00002.safetensors",
                         test::SafetensorsBuilder().tensor("lm_head.weight", {1}, value).bytes());
    const auto twice = engine::ModelFile::open(folder.path());
    EXPECT_EQ(twice.error().code, ErrorCode::BadTensor);
    EXPECT_EQ(twice.error().subject, "lm_head.weight");
}

TEST(HuggingFaceModelTest, NumbersThatNoModelHasAreRefusedBeforeAnythingIsMade)
{
    const nlohmann::json scaling = {{"rope_type", "llama3"}, {"factor", 8.0}};
    expectError(llama({{"head_dim", std::int64_t{1} << 40U}, {"rope_scaling", scaling}}),
                ErrorCode::BadMetadata, "head_dim");
    expectError(llama({{"partial_rotary_factor", 1e300}}), ErrorCode::BadMetadata,
                "partial_rotary_factor");
    expectError(llama({{"partial_rotary_factor", -1}}), ErrorCode::BadMetadata,
                "partial_rotary_factor");
    const Folder folder = llama();
    ASSERT_TRUE(folder.open());
    folder.files().write("config.json", "{\"text_config\":" + std::string(1'000'000, '[') + "}");
    EXPECT_EQ(engine::ModelFile::open(folder.path()).error().code, ErrorCode::FileCorrupt);
    // As deep, and valid.
    folder.files().write("config.json", "{\"text_config\":" + std::string(100'000, '[') +
                                            std::string(100'000, ']') + "}");
    EXPECT_EQ(engine::ModelFile::open(folder.path()).error().code, ErrorCode::FileCorrupt);
}

} // namespace
