#include "engine/generation/draft_length.h"

#include <gtest/gtest.h>

namespace {

using engine::DraftLength;

TEST(DraftLengthTest, NoGuessesBeforeAPlainStepWasTimed)
{
    EXPECT_EQ(DraftLength().choose(7), 0U);
}

TEST(DraftLengthTest, TriesWhatIsThereFirst)
{
    DraftLength length;
    length.addStep(1, 0.01);
    EXPECT_EQ(length.choose(7), 7U);
    EXPECT_EQ(length.choose(3), 3U);
    EXPECT_EQ(length.choose(0), 0U);
}

TEST(DraftLengthTest, WrongGuessesEndIt)
{
    DraftLength length;
    length.addStep(1, 0.01);
    for (std::size_t rows = 2; rows <= DraftLength::kMostRows; ++rows)
        length.addStep(rows, 0.01 * (1 + 0.3 * static_cast<double>(rows - 1)));
    for (int i = 0; i < 60; ++i)
        length.addGuess(false);
    EXPECT_EQ(length.choose(7), 0U);
    for (int i = 0; i < 60; ++i)
        length.addGuess(true);
    EXPECT_GT(length.choose(7), 0U);
}

TEST(DraftLengthTest, ASizeThatWasSlowOnceIsTriedAgain)
{
    DraftLength length;
    length.addStep(1, 0.01);
    for (std::size_t rows = 2; rows <= DraftLength::kMostRows; ++rows)
        length.addStep(rows, 1);
    EXPECT_EQ(length.choose(7), 0U);
    for (int i = 0; i < 600; ++i)
        length.addStep(1, 0.01);
    EXPECT_GT(length.choose(7), 0U);
}

} // namespace
