#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/temp_folder.h"

#include "engine/model/kv_rounding.h"
#include "engine/model/reference_forward_pass.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace engine;
using namespace test;

namespace {

constexpr std::size_t kVocabulary = 384;

class ReferenceForwardPassTest : public testing::Test {
protected:
    void SetUp() override
    {
        const auto path = buildTinyLlama().write(m_folder.path() / "model.gguf");
        m_file = std::make_shared<const ModelFile>(ModelFile::open(path).value());
        m_pass = createReferenceForwardPass(m_file).value();
    }

    std::unique_ptr<SequenceState> newState(KvType kv = KvType::F32, int context = 64)
    {
        return m_pass->createState(context, kv).value();
    }

    std::vector<float> feed(SequenceState& state, std::span<const TokenId> tokens)
    {
        std::vector<float> logits(kVocabulary);
        const ForwardInput input{&state, tokens, 1};
        EXPECT_TRUE(m_pass->compute({&input, 1}, logits));
        return logits;
    }

    TempFolder m_folder;
    std::shared_ptr<const ModelFile> m_file;
    std::unique_ptr<ForwardPass> m_pass;
    std::vector<TokenId> m_tokens{1, 300, 17, 42, 299, 5, 5, 80, 301, 12, 90};
};

TEST_F(ReferenceForwardPassTest, LogitsDoNotDependOnHowTokensAreDivided)
{
    for (const KvType kv : {KvType::F32, KvType::F16, KvType::BF16, KvType::Q8_0}) {
        const auto whole = newState(kv);
        const std::vector<float> together = feed(*whole, m_tokens);
        const auto parts = newState(kv);
        std::vector<float> apart;
        for (const std::size_t size : {1U, 3U, 2U, 1U, 4U})
            apart =
                feed(*parts,
                     std::span(m_tokens).subspan(static_cast<std::size_t>(parts->length()), size));
        EXPECT_EQ(together, apart);
    }
}

TEST_F(ReferenceForwardPassTest, LogitsDoNotDependOnOtherSequences)
{
    const auto alone = newState();
    const std::vector<float> expected = feed(*alone, m_tokens);

    const auto first = newState();
    const auto second = newState();
    const std::vector<TokenId> other{7, 8, 9};
    const ForwardInput inputs[] = {{second.get(), other, 2}, {first.get(), m_tokens, 1}};
    std::vector<float> logits(3 * kVocabulary);
    ASSERT_TRUE(m_pass->compute(inputs, logits));
    EXPECT_TRUE(std::ranges::equal(expected, std::span(logits).subspan(2 * kVocabulary)));
}

TEST_F(ReferenceForwardPassTest, ATruncatedSequenceGoesOnAsIfNeverLonger)
{
    const auto state = newState();
    feed(*state, std::span(m_tokens).first(6));
    EXPECT_EQ(state->truncate(4), 4);
    EXPECT_EQ(state->length(), 4);
    const std::vector<float> again = feed(*state, std::span(m_tokens).subspan(4));
    const auto fresh = newState();
    EXPECT_EQ(again, feed(*fresh, m_tokens));
}

TEST_F(ReferenceForwardPassTest, RefusedInputsChangeNothing)
{
    const auto state = newState(KvType::F32, 8);
    feed(*state, std::span(m_tokens).first(2));
    std::vector<float> logits(kVocabulary);
    const auto codeOf = [&](std::span<const TokenId> tokens, int rows = 1) {
        const ForwardInput input{state.get(), tokens, rows};
        const auto done = m_pass->compute({&input, 1}, logits);
        EXPECT_EQ(state->length(), 2);
        return done ? ErrorCode::Cancelled : done.error().code;
    };
    const std::vector<TokenId> outside{0, static_cast<TokenId>(kVocabulary)};
    const std::vector<TokenId> negative{-1};
    EXPECT_EQ(codeOf(std::span(m_tokens).first(7)), ErrorCode::ContextFull);
    EXPECT_EQ(codeOf(outside), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(negative), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf({}), ErrorCode::InvalidArgument);
    EXPECT_EQ(codeOf(std::span(m_tokens).first(2), 3), ErrorCode::InvalidArgument);
}

TEST(KvRounding, Q8RoundsWithinHalfAStepOfABlockOf32)
{
    RandomNumbers random(3);
    std::vector<float> head = random.normals(40, 1.0); // a whole block and a shorter one
    const std::vector<float> before = head;
    roundKv(head, KvType::Q8_0);
    for (std::size_t i = 0; i < head.size(); ++i) {
        const auto block = std::span(before).subspan(i / 32 * 32, i < 32 ? 32 : 8);
        float largest = 0;
        for (const float value : block)
            largest = std::max(largest, std::fabs(value));
        EXPECT_NEAR(head[i], before[i], static_cast<double>(largest) / 127 * 0.51) << i;
    }
    std::vector<float> zeros(8);
    roundKv(zeros, KvType::Q8_0);
    EXPECT_EQ(zeros, std::vector<float>(8));
}

} // namespace
