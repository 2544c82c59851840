// States that cannot always be rewound: windows, whose pages are used again, and recurrent layers.

#include "tests/support/engine/temp_folder.h"
#include "tests/support/engine/tiny_models.h"

#include "engine/model/forward_pass_factory.h"

#include <gtest/gtest.h>

using namespace engine;
using namespace test;

namespace {

constexpr std::size_t kVocabulary = 512;
constexpr int kCapacity = 2048; // many times a window's pages

class CheckpointTest : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override
    {
        const TinyModel tiny{.name = GetParam(), .architecture = GetParam()};
        const auto path = buildTinyModel(tiny).write(m_folder.path() / "tiny.gguf");
        ForwardPassOptions options;
        options.threads = 1;
        m_pass = createForwardPass(std::make_shared<const ModelFile>(ModelFile::open(path).value()),
                                   options)
                     .value();
        m_state = newState();
    }

    std::unique_ptr<SequenceState> newState()
    {
        return m_pass->createState(kCapacity, KvType::F16).value();
    }

    /// The logits after position `end` - 1.
    std::vector<float> feedTo(SequenceState& state, int end, int salt = 0)
    {
        std::vector<TokenId> ids;
        for (int i = state.length(); i < end; ++i)
            ids.push_back((i * 37 + 5 + salt) % static_cast<int>(kVocabulary));
        std::vector<float> logits(kVocabulary);
        const ForwardInput input{&state, ids, 1};
        EXPECT_TRUE(m_pass->compute({&input, 1}, logits));
        return logits;
    }

    TempFolder m_folder;
    std::unique_ptr<ForwardPass> m_pass;
    std::unique_ptr<SequenceState> m_state;
};

TEST_P(CheckpointTest, WhatWasRememberedIsThereAfterAnyLength)
{
    feedTo(*m_state, 300);
    m_state->remember();
    feedTo(*m_state, 1300, 1);
    EXPECT_EQ(m_state->truncatedLength(300), 300);
    EXPECT_EQ(m_state->truncatedLength(299) == 0, !m_state->isRewindable());
    const auto twin = m_state->copy().value();
    const auto fresh = newState();
    const std::vector<float> expected = feedTo(*fresh, 700);
    for (SequenceState* each : {m_state.get(), twin.get()}) {
        EXPECT_EQ(each->truncate(300), 300);
        EXPECT_EQ(feedTo(*each, 700), expected);
        // The place lies before what was computed anew.
        EXPECT_EQ(each->truncate(300), 300);
        EXPECT_EQ(feedTo(*each, 700), expected);
    }
}

TEST_P(CheckpointTest, APlaceBeyondTheEndIsForgotten)
{
    feedTo(*m_state, 100);
    m_state->remember();
    feedTo(*m_state, 150);
    m_state->remember();
    EXPECT_EQ(m_state->truncate(120), m_state->isRewindable() ? 120 : 100);
    feedTo(*m_state, 1300, 1);
    const int left = m_state->truncatedLength(150);
    EXPECT_EQ(left, m_state->isRewindable() ? 0 : 100);
    EXPECT_EQ(m_state->truncate(150), left);
    const auto fresh = newState();
    EXPECT_EQ(feedTo(*m_state, 400), feedTo(*fresh, 400));
}

TEST_P(CheckpointTest, WithoutAPlaceEverythingIsComputedAgain)
{
    feedTo(*m_state, 1300);
    EXPECT_EQ(m_state->truncate(300), 0);
    EXPECT_EQ(m_state->length(), 0);
}

TEST_P(CheckpointTest, FewPlacesAreKept)
{
    for (int length = 10; length <= 100; length += 10) {
        feedTo(*m_state, length);
        m_state->remember();
    }
    const std::uint64_t bytes = m_state->usedBytes();
    feedTo(*m_state, 101);
    m_state->remember();
    EXPECT_LE(m_state->usedBytes(), bytes + 100000);
    EXPECT_LE(m_state->usedBytes(), m_state->sizeBytes());
    feedTo(*m_state, 1300);
    EXPECT_EQ(m_state->truncatedLength(101), 101);
    if (m_state->isRewindable()) return;         // a window reaches back from its newest place
    EXPECT_EQ(m_state->truncatedLength(89), 80); // the oldest of 80, 90, 100 and 101
    EXPECT_EQ(m_state->truncatedLength(79), 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, CheckpointTest,
                         testing::Values("gemma2", "gpt-oss", "lfm2", "mamba", "granitehybrid",
                                         "qwen3next", "rwkv6"),
                         [](const auto& row) {
                             std::string name = row.param;
                             std::erase(name, '-');
                             return name;
                         });

} // namespace
