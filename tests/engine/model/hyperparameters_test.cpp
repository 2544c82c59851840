#include "engine/model/hyperparameters.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <string>
#include <utility>

using namespace engine;

namespace {

/// A model's header with what every reader wants; tests change one thing.
ModelFile header(const std::string& architecture = "llama")
{
    ModelFile file;
    Metadata& metadata = file.mutableMetadata();
    metadata.set("general.architecture", architecture);
    const auto set = [&](const std::string& key, MetadataValue value) {
        metadata.set(architecture + '.' + key, std::move(value));
    };
    set("context_length", std::uint64_t{2048});
    set("embedding_length", std::uint64_t{64});
    set("block_count", std::uint64_t{8});
    set("feed_forward_length", std::uint64_t{96});
    set("attention.head_count", std::uint64_t{4});
    set("attention.head_count_kv", std::uint64_t{2});
    set("attention.layer_norm_rms_epsilon", 1e-5);
    set("attention.layer_norm_epsilon", 1e-5);
    return file;
}

Error failure(const ModelFile& file)
{
    const auto model = Hyperparameters::read(file);
    return model ? Error{} : model.error();
}

TEST(Hyperparameters, KeepTheWordsOfTheKeys)
{
    const auto model = Hyperparameters::read(header());
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->architecture->name, "llama");
    EXPECT_EQ(model->blockCount, 8);
    EXPECT_EQ(model->layers.size(), 8U);
    EXPECT_EQ(model->layers[3].headCount, 4);
    EXPECT_EQ(model->layers[3].headCountKv, 2);
    EXPECT_EQ(model->layers[3].keyLength, 16);
    EXPECT_EQ(model->layers[3].keyWidth(), 32);
    EXPECT_EQ(model->rope.dimensionCount, 16);
    EXPECT_EQ(model->rope.freqBase, 10000.0F);
    EXPECT_EQ(model->vocabularySize, 0);
}

TEST(Hyperparameters, NameAnUnknownArchitecture)
{
    const Error error = failure(header("foo9"));
    EXPECT_EQ(error.code, ErrorCode::UnsupportedArchitecture);
    EXPECT_EQ(error.subject, "foo9");
    EXPECT_EQ(error.message, "this model is `foo9`; Inglenook does not know it yet");
}

struct BadValue {
    const char* key;
    MetadataValue value;
};

TEST(Hyperparameters, RefuseWhatCannotBeAndNameTheKey)
{
    const BadValue cases[] = {
        {"llama.block_count", std::uint64_t{0}},
        {"llama.block_count", std::uint64_t{1} << 31},
        {"llama.block_count", std::int64_t{-1}},
        {"llama.block_count", std::string("many")},
        {"llama.embedding_length", std::uint64_t{0}},
        {"llama.embedding_length", std::numeric_limits<std::uint64_t>::max()},
        {"llama.context_length", std::uint64_t{0}},
        {"llama.attention.head_count", std::uint64_t{0}},
        {"llama.attention.head_count", std::uint64_t{1} << 40},
        {"llama.attention.head_count", std::vector<std::uint64_t>{4, 4}},
        {"llama.attention.head_count_kv", std::uint64_t{3}},
        {"llama.attention.head_count_kv", std::uint64_t{0}},
        {"llama.attention.key_length", std::uint64_t{0}},
        {"llama.attention.key_length", std::uint64_t{1} << 33},
        {"llama.attention.layer_norm_rms_epsilon", std::numeric_limits<double>::quiet_NaN()},
        {"llama.attention.layer_norm_rms_epsilon", -1.0},
        {"llama.feed_forward_length", std::uint64_t{1} << 40},
        {"llama.rope.freq_base", 0.0},
        {"llama.rope.freq_base", std::numeric_limits<double>::infinity()},
        {"llama.rope.dimension_count", std::uint64_t{15}},
        {"llama.rope.dimension_count", std::uint64_t{18}},
        {"llama.rope.scaling.type", std::string("sideways")},
        {"llama.rope.scaling.factor", -4.0},
        {"llama.expert_count", std::uint64_t{1} << 30},
        {"llama.nextn_predict_layers", std::uint64_t{8}},
        {"llama.pooling_type", std::uint64_t{9}},
    };
    for (const auto& [key, value] : cases) {
        SCOPED_TRACE(key);
        ModelFile file = header();
        file.mutableMetadata().set(key, value);
        const Error error = failure(file);
        EXPECT_EQ(error.code, ErrorCode::BadMetadata) << error.message;
        EXPECT_EQ(error.subject, key);
        EXPECT_NE(error.message.find(key), std::string::npos) << error.message;
    }
}

TEST(Hyperparameters, NameAMissingKey)
{
    for (const char* key : {"block_count", "embedding_length", "attention.head_count",
                            "attention.layer_norm_rms_epsilon"}) {
        ModelFile file = header();
        ModelFile other;
        for (const auto& [name, value] : file.metadata().entries())
            if (name != std::string("llama.") + key) other.mutableMetadata().set(name, value);
        const Error error = failure(other);
        EXPECT_EQ(error.code, ErrorCode::MissingMetadata) << key;
        EXPECT_EQ(error.subject, std::string("llama.") + key);
    }
}

TEST(Hyperparameters, LeaveOutLayersThatPredictFurtherTokens)
{
    ModelFile file = header("glm4moe");
    file.mutableMetadata().set("glm4moe.nextn_predict_layers", std::uint64_t{1});
    const auto model = Hyperparameters::read(file);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->blockCount, 7);
}

TEST(Hyperparameters, WindowsFollowTheFamilysPeriod)
{
    ModelFile file = header("gemma3");
    file.mutableMetadata().set("gemma3.attention.sliding_window", std::uint64_t{32});
    const auto model = Hyperparameters::read(file);
    ASSERT_TRUE(model) << model.error().message;
    for (std::size_t i = 0; i < 8; ++i)
        EXPECT_EQ(model->layers[i].slidingWindow, i == 5 ? 0 : 32) << i;
    EXPECT_EQ(model->ropeSliding.freqBase, 10000.0F);
}

TEST(Hyperparameters, AnArraySaysWhichLayersHaveAWindow)
{
    ModelFile file = header("gemma3");
    Metadata& metadata = file.mutableMetadata();
    metadata.set("gemma3.attention.sliding_window", std::uint64_t{32});
    metadata.set("gemma3.attention.sliding_window_pattern",
                 std::vector<bool>{true, false, true, true, false, false, true, true});
    const auto model = Hyperparameters::read(file);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_TRUE(model->layers[0].windowed);
    EXPECT_FALSE(model->layers[1].windowed);
    EXPECT_TRUE(model->layers[7].windowed);
}

TEST(Hyperparameters, LayersWithoutKvHeadsHaveTheOtherMixer)
{
    ModelFile file = header("lfm2");
    Metadata& metadata = file.mutableMetadata();
    metadata.set("lfm2.attention.head_count_kv",
                 std::vector<std::uint64_t>{0, 0, 2, 0, 0, 2, 0, 0});
    metadata.set("lfm2.shortconv.l_cache", std::uint64_t{3});
    const auto model = Hyperparameters::read(file);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->layers[0].mixer, MixerKind::ShortConvolution);
    EXPECT_EQ(model->layers[2].mixer, MixerKind::Attention);
    EXPECT_TRUE(model->hasRecurrentLayers());
}

TEST(Hyperparameters, LayersWithQueryHeadsAloneAreProjections)
{
    ModelFile file = header("deci");
    Metadata& metadata = file.mutableMetadata();
    metadata.set("deci.attention.head_count", std::vector<std::uint64_t>{4, 4, 0, 4, 4, 4, 4, 4});
    metadata.set("deci.attention.head_count_kv",
                 std::vector<std::uint64_t>{2, 0, 0, 1, 2, 2, 2, 2});
    const auto model = Hyperparameters::read(file);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->layers[0].mixer, MixerKind::Attention);
    EXPECT_EQ(model->layers[1].mixer, MixerKind::Projection);
    EXPECT_EQ(model->layers[2].mixer, MixerKind::None);
    EXPECT_EQ(model->layers[3].headCountKv, 1);
    EXPECT_FALSE(model->hasRecurrentLayers());
}

/// A header whose context is stretched four times by YaRN.
ModelFile stretched(const std::string& architecture)
{
    ModelFile file = header(architecture);
    Metadata& metadata = file.mutableMetadata();
    metadata.set(architecture + ".rope.scaling.type", std::string("yarn"));
    metadata.set(architecture + ".rope.scaling.factor", 4.0);
    metadata.set(architecture + ".attention.kv_lora_rank", std::uint64_t{32});
    return file;
}

TEST(Hyperparameters, AYarnFactorStandsInPlaceOfThePapers)
{
    const auto magnitude = [](const std::string& architecture, std::optional<double> factor) {
        ModelFile file = stretched(architecture);
        if (factor)
            file.mutableMetadata().set(architecture + ".rope.scaling.yarn_attn_factor", *factor);
        const auto model = Hyperparameters::read(file);
        return model ? model->rope.magnitude : 0.0F;
    };
    const float paper = 1 + 0.1F * std::log(4.0F);
    EXPECT_NEAR(magnitude("llama", std::nullopt), paper, 1e-6);
    EXPECT_NEAR(magnitude("llama", 1.5), 1.5, 1e-6);
    EXPECT_NEAR(magnitude("grok", 1.5), 1.5 * paper, 1e-6);
}

TEST(Hyperparameters, YarnOfCompressedAttentionIsInTheScale)
{
    const auto read = [](const std::string& architecture, double multiplier) {
        ModelFile file = stretched(architecture);
        file.mutableMetadata().set(architecture + ".rope.scaling.yarn_log_multiplier", multiplier);
        return Hyperparameters::read(file).value();
    };
    const auto logarithm = [](float m) { return 1 + 0.1F * m * std::log(4.0F); };
    const Hyperparameters two = read("deepseek2", 0.05);
    EXPECT_NEAR(two.rope.magnitude, 1, 1e-6);
    EXPECT_NEAR(two.attentionScale, std::pow(logarithm(0.5F), 2) / 4, 1e-6);
    const Hyperparameters four = read("mistral4", 0.05);
    EXPECT_NEAR(four.rope.magnitude, logarithm(1) / logarithm(0.5F), 1e-6);
    EXPECT_NEAR(four.attentionScale, std::pow(logarithm(1), 2) / 4, 1e-6);

    // A magnitude that the file gives is of the rotated part alone.
    ModelFile file = stretched("deepseek2");
    file.mutableMetadata().set("deepseek2.rope.scaling.yarn_log_multiplier", 0.05);
    file.mutableMetadata().set("deepseek2.rope.scaling.yarn_attn_factor", 1.5);
    const Hyperparameters given = Hyperparameters::read(file).value();
    EXPECT_NEAR(given.rope.magnitude, 1.5, 1e-6);
    EXPECT_NEAR(given.attentionScale, std::pow(logarithm(0.5F), 2) / 4, 1e-6);
}

TEST(Hyperparameters, AListSaysWhichLayersRotate)
{
    ModelFile file = header("smollm3");
    std::vector<std::uint64_t> pattern(Hyperparameters::read(file).value().layers.size(), 1);
    ASSERT_GT(pattern.size(), 3U);
    EXPECT_FALSE(Hyperparameters::read(file).value().layers[3].usesRope);
    pattern[0] = 0;
    file.mutableMetadata().set("smollm3.attention.rope_pattern", pattern);
    const auto model = Hyperparameters::read(file).value();
    EXPECT_FALSE(model.layers[0].usesRope);
    EXPECT_TRUE(model.layers[3].usesRope);
}

TEST(Hyperparameters, RotarySectionsAreOfFamiliesThatHaveThem)
{
    for (const auto& [name, layout] :
         {std::pair{"ernie4_5", RopeLayout::Adjacent}, std::pair{"glm4", RopeLayout::Halves}}) {
        ModelFile file = header(name);
        file.mutableMetadata().set(std::string(name) + ".rope.dimension_sections",
                                   std::vector<std::uint64_t>{3, 3, 1, 1});
        const auto model = Hyperparameters::read(file);
        ASSERT_TRUE(model) << model.error().message;
        EXPECT_EQ(model->ropeLayout, layout) << name;
        EXPECT_EQ(model->rope.sections[3], layout == RopeLayout::Halves ? 1 : 0) << name;
    }
}

TEST(Hyperparameters, LayersMayRunSeveralTimes)
{
    ModelFile file = header("nanbeige");
    file.mutableMetadata().set("nanbeige.num_loops", std::uint64_t{3});
    const auto model = Hyperparameters::read(file);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->blockCount, 24);
    EXPECT_EQ(model->ownBlockCount, 8);
    EXPECT_TRUE(model->normsBetweenLoops);
    for (std::size_t i = 0; i < 24; ++i)
        EXPECT_EQ(model->layers.at(i).kvLayer, static_cast<int>(i));
    file.mutableMetadata().set("nanbeige.num_loops", std::uint64_t{200});
    EXPECT_EQ(failure(file).subject, "nanbeige.num_loops");
}

TEST(Hyperparameters, WindowsOnlyWhereTheFileHasTheKey)
{
    ModelFile file = header("smallthinker");
    EXPECT_EQ(Hyperparameters::read(file).value().layers[1].slidingWindow, 0);
    EXPECT_TRUE(Hyperparameters::read(file).value().layers[0].usesRope);
    file.mutableMetadata().set("smallthinker.attention.sliding_window", std::uint64_t{8});
    const auto model = Hyperparameters::read(file).value();
    EXPECT_EQ(model.layers[0].slidingWindow, 0);
    EXPECT_FALSE(model.layers[0].usesRope);
    EXPECT_EQ(model.layers[1].slidingWindow, 4096);
}

TEST(Hyperparameters, LeadingDenseLayersRotateWithoutAWindow)
{
    ModelFile file = header("cohere2moe");
    Metadata& metadata = file.mutableMetadata();
    metadata.set("cohere2moe.attention.sliding_window", std::uint64_t{8});
    metadata.set("cohere2moe.leading_dense_block_count", std::uint64_t{1});
    const auto model = Hyperparameters::read(file).value();
    EXPECT_FALSE(model.layers[0].windowed || model.layers[4].windowed);
    EXPECT_TRUE(model.layers[0].usesRope);
    EXPECT_FALSE(model.layers[4].usesRope);
    EXPECT_EQ(model.norm, NormKind::Rms); // the header has that epsilon
}

TEST(Hyperparameters, RecurrentStatesAreBounded)
{
    ModelFile file = header("mamba2");
    Metadata& metadata = file.mutableMetadata();
    metadata.set("mamba2.ssm.conv_kernel", std::uint64_t{4});
    metadata.set("mamba2.ssm.inner_size", std::uint64_t{1} << 20);
    metadata.set("mamba2.ssm.state_size", std::uint64_t{4096});
    metadata.set("mamba2.ssm.time_step_rank", std::uint64_t{16});
    EXPECT_EQ(failure(file).subject, "mamba2.ssm.state_size");
    metadata.set("mamba2.ssm.state_size", std::uint64_t{16});
    metadata.set("mamba2.ssm.time_step_rank", std::uint64_t{7});
    EXPECT_EQ(failure(file).subject, "mamba2.ssm.inner_size");
}

} // namespace
