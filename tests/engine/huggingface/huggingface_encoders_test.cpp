// Folders of families that turn texts into vectors.

#include "tests/support/engine/random_model_folder.h"

#include "engine/huggingface/family.h"
#include "engine/huggingface/model_config.h"

#include <gtest/gtest.h>

namespace {

using nlohmann::json;
using test::RandomModelFolder;
using test::valuesOf;

json nomicConfig()
{
    return {{"architectures", {"NomicBertModel"}},
            {"n_embd", 8},
            {"n_head", 2},
            {"n_inner", 6},
            {"n_layer", 2},
            {"n_positions", 64},
            {"layer_norm_epsilon", 1e-5},
            {"vocab_size", 4},
            {"num_experts", 3},
            {"moe_top_k", 2},
            {"moe_every_n_layers", 2}};
}

json t5Config()
{
    return {{"architectures", {"T5EncoderModel"}},
            {"d_model", 8},
            {"d_kv", 6},
            {"d_ff", 10},
            {"num_layers", 2},
            {"num_heads", 2},
            {"feed_forward_proj", "gated-gelu"},
            {"vocab_size", 4}};
}

TEST(HuggingFaceEncodersTest, WhatTheFileSaysByAnyNameCounts)
{
    json file = nomicConfig();
    file["moe_every_n_layers"] = 0;
    auto config = engine::ModelConfig::fromJson(file);
    config.setDefaults({{"num_attention_heads", 12}, {"layer_norm_eps", 1e-12}});
    const engine::Family* family = engine::findFamily(config);
    ASSERT_NE(family, nullptr);
    EXPECT_EQ(family->gguf, "nomic-bert");
    engine::Metadata keys;
    ASSERT_TRUE(engine::writeHyperparameters(config, *family, keys));
    EXPECT_EQ(keys.integerOr("nomic-bert.attention.head_count", 0), 2);
    EXPECT_FLOAT_EQ(static_cast<float>(keys.numberOr("nomic-bert.attention.layer_norm_epsilon", 0)),
                    1e-5F);
}

TEST(HuggingFaceEncodersTest, NomicsExpertsAreRowsBelowEachOther)
{
    RandomModelFolder folder(nomicConfig());
    folder.add("embeddings.word_embeddings.weight", {4, 8});
    folder.add("encoder.layers.1.mlp.experts.mlp.w1", {18, 8});
    folder.add("encoder.layers.1.mlp.experts.mlp.w2", {18, 8});
    folder.add("encoder.layers.1.mlp.experts.bias", {8});
    const auto model = folder.open();
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->metadata().stringOr("general.architecture", ""), "nomic-bert-moe");
    EXPECT_EQ(model->metadata().integerOr("nomic-bert-moe.expert_used_count", 0), 2);
    EXPECT_EQ(model->metadata().integerOr("nomic-bert-moe.expert_feed_forward_length", 0), 6);
    EXPECT_EQ(valuesOf(*model, "blk.1.ffn_up_exps.weight"),
              folder.values("encoder.layers.1.mlp.experts.mlp.w1"));
    EXPECT_EQ(valuesOf(*model, "blk.1.ffn_exps.bias"),
              folder.values("encoder.layers.1.mlp.experts.bias"));
    const engine::TensorView* down = model->find("blk.1.ffn_down_exps.weight");
    ASSERT_NE(down, nullptr);
    EXPECT_EQ(down->shape, (std::array<std::int64_t, 4>{6, 8, 3, 1}));
    const auto& given = folder.values("encoder.layers.1.mlp.experts.mlp.w2");
    const std::vector<float> turned = valuesOf(*model, "blk.1.ffn_down_exps.weight");
    for (std::size_t expert = 0; expert < 3; ++expert)
        for (std::size_t inner = 0; inner < 6; ++inner)
            for (std::size_t out = 0; out < 8; ++out)
                EXPECT_EQ(turned[(expert * 8 + out) * 6 + inner],
                          given[(expert * 6 + inner) * 8 + out]);
}

TEST(HuggingFaceEncodersTest, ExpertsWithoutRowsForEachAreRefused)
{
    RandomModelFolder folder(nomicConfig());
    folder.add("embeddings.word_embeddings.weight", {4, 8});
    folder.add("encoder.layers.1.mlp.experts.mlp.w1", {17, 8});
    const auto model = folder.open();
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().message, "tensor encoder.layers.1.mlp.experts.mlp.w1: expected rows "
                                     "for each of 3 experts");
}

TEST(HuggingFaceEncodersTest, T5sHalvesHaveNumbers)
{
    RandomModelFolder folder(t5Config());
    folder.add("shared.weight", {4, 8});
    folder.add("encoder.embed_tokens.weight", {4, 8});
    folder.add("encoder.block.1.layer.0.layer_norm.weight", {8});
    folder.add("encoder.block.1.layer.1.layer_norm.weight", {8});
    folder.add("encoder.block.1.layer.0.SelfAttention.relative_attention_bias.weight", {32, 2});
    folder.add("encoder.block.1.layer.1.DenseReluDense.wi_0.weight", {10, 8});
    const auto model = folder.open();
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(valuesOf(*model, "enc.blk.1.attn_norm.weight"),
              folder.values("encoder.block.1.layer.0.layer_norm.weight"));
    EXPECT_EQ(valuesOf(*model, "enc.blk.1.ffn_norm.weight"),
              folder.values("encoder.block.1.layer.1.layer_norm.weight"));
    EXPECT_NE(model->find("enc.blk.1.attn_rel_b.weight"), nullptr);
    EXPECT_NE(model->find("enc.blk.1.ffn_gate.weight"), nullptr);
    EXPECT_EQ(model->metadata().integerOr("t5encoder.attention.key_length", 0), 6);
    EXPECT_EQ(model->metadata().integerOr("t5encoder.attention.relative_buckets_count", 0), 32);
}

TEST(HuggingFaceEncodersTest, WhatNoReaderOfT5KnowsIsRefused)
{
    const auto refusal = [](json changes) {
        json all = t5Config();
        all.update(changes);
        RandomModelFolder folder(all);
        folder.add("shared.weight", {4, 8});
        const auto model = folder.open();
        return model ? std::string() : model.error().message;
    };
    EXPECT_EQ(refusal({{"relative_attention_max_distance", 256}}),
              "config.json: relative_attention_max_distance: expected 128, found 256");
    EXPECT_EQ(refusal({{"feed_forward_proj", "gated-silu"}}),
              "config.json: feed_forward_proj: expected relu or gated-gelu, found gated-silu");
}

TEST(HuggingFaceEncodersTest, ALlamaMayLookAhead)
{
    const auto config =
        engine::ModelConfig::fromJson({{"architectures", {"LlamaBidirectionalModel"}},
                                       {"hidden_size", 8},
                                       {"num_hidden_layers", 1},
                                       {"num_attention_heads", 2}});
    const engine::Family* family = engine::findFamily(config);
    ASSERT_NE(family, nullptr);
    engine::Metadata keys;
    ASSERT_TRUE(engine::writeHyperparameters(config, *family, keys));
    EXPECT_FALSE(keys.booleanOr("llama-embed.attention.causal", true));
    EXPECT_EQ(keys.integerOr("llama-embed.pooling_type", 0), 1);
}

TEST(HuggingFaceEncodersTest, ModelsThatRankKeepTheirHead)
{
    const auto named = [](const std::string& huggingFaceClass, const std::string& hidden,
                          const std::string& last) {
        RandomModelFolder folder({{"architectures", {huggingFaceClass}},
                                  {"hidden_size", 8},
                                  {"num_hidden_layers", 1},
                                  {"num_attention_heads", 2},
                                  {"intermediate_size", 6},
                                  {"max_position_embeddings", 64},
                                  {"pad_token_id", 1},
                                  {"layer_norm_eps", 1e-5},
                                  {"vocab_size", 4}});
        folder.add("bert.embeddings.word_embeddings.weight", {4, 8});
        folder.add(hidden, {8, 8});
        folder.add(last, {3, 8});
        const auto model = folder.open();
        EXPECT_TRUE(model) << model.error().message;
        if (!model) return;
        EXPECT_EQ(model->metadata().integerOr("bert.pooling_type", 0), 4);
        EXPECT_EQ(valuesOf(*model, "cls.weight"), folder.values(hidden));
        EXPECT_EQ(valuesOf(*model, "cls.output.weight"), folder.values(last));
    };
    named("BertForSequenceClassification", "bert.pooler.dense.weight", "classifier.weight");
    named("XLMRobertaForSequenceClassification", "classifier.dense.weight",
          "classifier.out_proj.weight");
}

} // namespace
