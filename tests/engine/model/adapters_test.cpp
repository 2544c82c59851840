// LoRA adapters: a model with one equals the model its changes were added to.

#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/temp_folder.h"
#include "tests/support/engine/tiny_models.h"

#include "engine/model/forward_pass_factory.h"

#include <algorithm>
#include <cmath>
#include <format>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace engine;
using namespace test;

namespace {

constexpr int kRank = 4;
constexpr double kAlpha = 6;
constexpr float kStrength = 0.5F;

class AdaptersTest : public testing::Test {
protected:
    std::shared_ptr<const ModelFile> open(const GgufBuilder& builder)
    {
        const auto path = builder.write(m_folder.path() / std::format("{}.gguf", m_count++));
        Result<ModelFile> file = ModelFile::open(path);
        if (file) return std::make_shared<const ModelFile>(std::move(*file));
        ADD_FAILURE() << file.error().message;
        return nullptr;
    }

    static GgufBuilder emptyAdapter(const std::string& architecture)
    {
        GgufBuilder adapter;
        adapter.set("general.type", MetadataValue(std::string("adapter")));
        adapter.set("adapter.type", MetadataValue(std::string("lora")));
        adapter.set("general.architecture", MetadataValue(architecture));
        adapter.set("adapter.lora.alpha", MetadataValue(kAlpha));
        return adapter;
    }

    /// A change of `name` into `adapter`, and what it makes of the tensor into `merged`.
    void change(const std::string& name, GgufBuilder& adapter, GgufBuilder& merged)
    {
        const auto found = std::ranges::find(merged.tensors(), name, &TensorView::name);
        ASSERT_NE(found, merged.tensors().end()) << name;
        const TensorView tensor = *found;
        const auto inputs = static_cast<std::size_t>(tensor.shape[0]);
        const auto outputs = static_cast<std::size_t>(tensor.shape[1]);
        const auto count = static_cast<std::size_t>(tensor.shape[2]);
        const std::vector<float> a = m_random.normals(inputs * kRank * count, 0.2);
        const std::vector<float> b = m_random.normals(outputs * kRank * count, 0.2);
        GgufBuilder::Shape shape{tensor.shape[0], tensor.shape[1]};
        GgufBuilder::Shape shapeA{tensor.shape[0], kRank};
        GgufBuilder::Shape shapeB{kRank, tensor.shape[1]};
        if (count > 1)
            for (GgufBuilder::Shape* each : {&shape, &shapeA, &shapeB})
                each->push_back(tensor.shape[2]);
        adapter.tensor(name + ".lora_a", shapeA, DType::F32, a);
        adapter.tensor(name + ".lora_b", shapeB, DType::F32, b);
        std::vector<float> values = readVector(tensor);
        const double scale = static_cast<double>(kStrength) * kAlpha / kRank;
        for (std::size_t row = 0; row < outputs * count; ++row)
            for (std::size_t i = 0; i < inputs; ++i)
                for (std::size_t r = 0; r < kRank; ++r)
                    values[row * inputs + i] +=
                        static_cast<float>(scale * static_cast<double>(b[row * kRank + r]) *
                                           a[(row / outputs * kRank + r) * inputs + i]);
        merged.tensor(name, shape, DType::F32, values);
    }

    static std::vector<float> logits(const std::shared_ptr<const ModelFile>& file,
                                     const ForwardPassOptions& options)
    {
        const auto pass = createForwardPass(file, options);
        EXPECT_TRUE(pass) << pass.error().message;
        if (!pass) return {};
        const std::vector<TokenId> tokens{5, 42, 77, 130, 9};
        const auto width = static_cast<std::size_t>((*pass)->vocabularySize());
        std::vector<float> result(tokens.size() * width);
        const auto state = (*pass)->createState(16, KvType::F32).value();
        const ForwardInput input{state.get(), tokens, static_cast<int>(tokens.size())};
        const auto done = (*pass)->compute({&input, 1}, result);
        EXPECT_TRUE(done) << done.error().message;
        return result;
    }

    void expectChanged(const GgufBuilder& model, const std::string& architecture,
                       const std::vector<std::string>& names)
    {
        GgufBuilder adapter = emptyAdapter(architecture);
        GgufBuilder merged = model;
        for (const std::string& name : names)
            change(name, adapter, merged);
        const auto plainFile = open(model);
        const auto mergedFile = open(merged);
        const auto adapterFile = open(adapter);
        for (const bool reference : {true, false}) {
            SCOPED_TRACE(reference ? "reference" : "fast");
            ForwardPassOptions options;
            options.reference = reference;
            const std::vector<float> expected = logits(mergedFile, options);
            const std::vector<float> plain = logits(plainFile, options);
            options.adapters = {{adapterFile, kStrength}};
            const std::vector<float> changed = logits(plainFile, options);
            ASSERT_EQ(changed.size(), expected.size());
            float moved = 0;
            for (std::size_t i = 0; i < changed.size(); ++i) {
                ASSERT_NEAR(changed[i], expected[i], 2e-3) << i;
                moved = std::max(moved, std::abs(plain[i] - changed[i]));
            }
            EXPECT_GT(moved, 0.05F);
        }
    }

    std::string messageOf(const GgufBuilder& adapter)
    {
        ForwardPassOptions options;
        options.adapters = {{open(adapter), 1}};
        const auto pass = createForwardPass(open(buildTinyLlama()), options);
        return pass ? "" : pass.error().message;
    }

    TempFolder m_folder;
    RandomNumbers m_random{7};
    int m_count = 0;
};

TEST_F(AdaptersTest, ChangesOfMatricesAreAdded)
{
    expectChanged(buildTinyLlama(), "llama",
                  {"blk.0.attn_q.weight", "blk.0.attn_output.weight", "blk.1.ffn_down.weight",
                   "blk.1.ffn_gate.weight", "output.weight"});
}

TEST_F(AdaptersTest, ChangesOfFusedMatricesReachTheirParts)
{
    GgufBuilder model = buildTinyModel({.name = "phi3", .architecture = "phi3"});
    for (const char* name : {"attn_q", "attn_k", "attn_v"})
        model.eraseTensor(std::format("blk.0.{}.weight", name));
    model.randomTensor("blk.0.attn_qkv.weight", {64, 64 + 32 + 32}, DType::F32, m_random, 0.15);
    model.eraseTensor("blk.1.ffn_gate.weight");
    model.randomTensor("blk.1.ffn_up.weight", {64, 2 * 96}, DType::F32, m_random, 0.15);
    expectChanged(model, "phi3", {"blk.0.attn_qkv.weight", "blk.1.ffn_up.weight"});
}

TEST_F(AdaptersTest, ChangesOfExpertsAreTheirOwn)
{
    expectChanged(buildTinyModel({.name = "olmoe", .architecture = "olmoe", .experts = true}),
                  "olmoe", {"blk.1.ffn_down_exps.weight", "blk.2.ffn_up_exps.weight"});
}

TEST_F(AdaptersTest, WhatIsNoAdapterForTheModelIsRefused)
{
    GgufBuilder other = emptyAdapter("qwen2");
    EXPECT_NE(messageOf(other).find("general.architecture"), std::string::npos);
    EXPECT_NE(messageOf(buildTinyLlama()).find("general.type"), std::string::npos);

    GgufBuilder merged = buildTinyLlama();
    GgufBuilder half = emptyAdapter("llama");
    change("blk.0.attn_q.weight", half, merged);
    half.eraseTensor("blk.0.attn_q.weight.lora_b");
    EXPECT_EQ(messageOf(half), "tensor `blk.0.attn_q.weight.lora_b` of the adapter is missing");

    GgufBuilder unknown = emptyAdapter("llama");
    unknown.tensor("blk.9.attn_q.weight.lora_a", {64, kRank}, DType::F32,
                   m_random.normals(64 * kRank, 1));
    unknown.tensor("blk.9.attn_q.weight.lora_b", {kRank, 64}, DType::F32,
                   m_random.normals(64 * kRank, 1));
    EXPECT_NE(messageOf(unknown).find("`blk.9.attn_q.weight`"), std::string::npos);

    GgufBuilder wide = emptyAdapter("llama");
    wide.tensor("blk.0.attn_q.weight.lora_a", {32, kRank}, DType::F32,
                m_random.normals(32 * kRank, 1));
    wide.tensor("blk.0.attn_q.weight.lora_b", {kRank, 64}, DType::F32,
                m_random.normals(64 * kRank, 1));
    EXPECT_EQ(messageOf(wide), "tensor `blk.0.attn_q.weight.lora_a` of the adapter has the shape "
                               "[32, 4]; expected [64, 4]");
}

} // namespace
