// Weights that are no numbers: a reply must end with an error that says so, wherever they are.

#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/temp_folder.h"

#include "engine/generation/local_model.h"
#include "engine/generation/local_session.h"
#include "engine/tensor/dtype.h"

#include <gtest/gtest.h>

namespace {

using engine::DType;
using engine::ErrorCode;

/// All bits set: no number in every type of floats and in every scale of a block.
void damage(test::GgufBuilder& model, const std::string& name)
{
    const auto found = std::ranges::find(model.tensors(), name, &engine::TensorView::name);
    ASSERT_NE(found, model.tensors().end()) << name;
    const engine::TensorView tensor = *found;
    const test::GgufBuilder::Shape shape(tensor.shape.begin(), tensor.shape.begin() + tensor.rank);
    model.eraseTensor(name).rawTensor(name, shape, tensor.dtype,
                                      std::vector<std::byte>(tensor.sizeBytes, std::byte{0xFF}));
}

engine::Result<engine::GenerationResult> reply(const std::filesystem::path& path,
                                               const engine::LoadOptions& load,
                                               std::optional<engine::KvType> kv, int& seen)
{
    TRY_ASSIGN(const std::shared_ptr<engine::LocalModel> model,
               engine::LocalModel::open(path, load));
    TRY_ASSIGN(const std::unique_ptr<engine::Session> session,
               engine::LocalSession::create(model, {.kv = kv}));
    engine::SamplingSettings settings;
    settings.maxTokens = 8;
    engine::GenerationCallbacks callbacks;
    callbacks.settings = [&settings] { return settings; };
    callbacks.token = [&seen](const engine::TokenEvent&) { ++seen; };
    return session->generate(std::vector<engine::TokenId>{5, 6, 7}, {}, callbacks, {});
}

void expectAnError(const test::TinyLlama& parameters, const std::string& tensor, bool reference,
                   std::optional<engine::KvType> kv = {})
{
    SCOPED_TRACE(std::string(engine::dtypeInfo(parameters.matrixType).name) + " " + tensor +
                 (reference ? " (reference)" : ""));
    const test::TempFolder folder;
    test::GgufBuilder model = test::buildTinyLlama(parameters);
    damage(model, tensor);
    engine::LoadOptions load;
    load.threads = 1;
    load.reference = reference;
    int seen = 0;
    const auto result = reply(model.write(folder.path() / "model.gguf"), load, kv, seen);
    ASSERT_FALSE(result) << "\"" << result->text << "\"";
    EXPECT_EQ(result.error().code, ErrorCode::FileCorrupt) << result.error().message;
    EXPECT_NE(result.error().message.find("not finite"), std::string::npos);
    EXPECT_EQ(seen, 0);
}

constexpr std::array kTensors = {
    "token_embd.weight",     "blk.0.attn_norm.weight", "blk.0.attn_q.weight",
    "blk.0.attn_k.weight",   "blk.0.attn_v.weight",    "blk.0.attn_output.weight",
    "blk.1.ffn_norm.weight", "blk.1.ffn_gate.weight",  "blk.1.ffn_up.weight",
    "blk.1.ffn_down.weight", "output_norm.weight",     "output.weight"};

TEST(DamagedWeights, EndAReplyWithAnError)
{
    for (const DType type : {DType::F32, DType::F16, DType::BF16, DType::Q4_0, DType::Q8_0,
                             DType::Q4_K, DType::Q6_K}) {
        test::TinyLlama parameters;
        parameters.matrixType = type;
        parameters.embeddingLength = 256;
        parameters.feedForwardLength = 256;
        for (const char* tensor : kTensors)
            expectAnError(parameters, tensor, false);
    }
}

TEST(DamagedWeights, EndAReplyOfTheSlowPassToo)
{
    for (const char* tensor : kTensors)
        expectAnError({}, tensor, true);
}

TEST(DamagedWeights, AreNotLostInACache)
{
    for (const engine::KvType kv :
         {engine::KvType::F32, engine::KvType::F16, engine::KvType::BF16, engine::KvType::Q8_0})
        for (const char* tensor :
             {"blk.0.attn_q.weight", "blk.0.attn_k.weight", "blk.0.attn_v.weight"})
            expectAnError({}, tensor, false, kv);
}

} // namespace
