#include "engine/cache/kv_cache.h"

#include <gtest/gtest.h>
#include <limits>

namespace {

using engine::KvCache;
using engine::KvLayerShape;

KvLayerShape shape(int window)
{
    return {{engine::KvType::F32, 8, 8}, 2, window};
}

TEST(KvCacheTest, EveryPositionHasItsOwnPage)
{
    const KvLayerShape all = shape(0);
    const auto cache = KvCache::create({&all, 1}, 200, 16).value();
    ASSERT_EQ(cache.pages(0).size(), 4U);
    EXPECT_NE(cache.pages(0)[0], cache.pages(0)[3]);
    EXPECT_TRUE(cache.canRewind(0, 200));
}

TEST(KvCacheTest, AWindowedLayerUsesItsPagesAgain)
{
    const KvLayerShape windowed = shape(100);
    const auto cache = KvCache::create({&windowed, 1}, 10'000, 28).value();
    EXPECT_EQ(cache.pages(0).size(), 157U);
    EXPECT_EQ(cache.pages(0)[0], cache.pages(0)[3]); // 128 positions and a page more
    const KvLayerShape all = shape(0);
    EXPECT_LT(cache.sizeBytes() * 10, KvCache::create({&all, 1}, 10'000, 28)->sizeBytes());
}

TEST(KvCacheTest, AWindowOfAnySizeKeepsNoMoreThanAll)
{
    const KvLayerShape windowed = shape(std::numeric_limits<int>::max());
    const auto cache = KvCache::create({&windowed, 1}, 200, 16).value();
    const KvLayerShape all = shape(0);
    EXPECT_EQ(cache.sizeBytes(), KvCache::create({&all, 1}, 200, 16)->sizeBytes());
    EXPECT_NE(cache.pages(0)[0], cache.pages(0)[3]);
    EXPECT_TRUE(cache.canRewind(0, 200));
}

TEST(KvCacheTest, RewindingStopsWhereAWindowWasUsedAgain)
{
    const KvLayerShape windowed = shape(100);
    const auto cache = KvCache::create({&windowed, 1}, 10'000, 28).value();
    EXPECT_TRUE(cache.canRewind(1000, 1000));
    EXPECT_TRUE(cache.canRewind(990, 1000));
    EXPECT_FALSE(cache.canRewind(500, 1000));
    EXPECT_TRUE(cache.canRewind(0, 190)); // nothing was used again yet
}

TEST(KvCacheTest, LayersWithoutAttentionTakeNoMemory)
{
    const KvLayerShape none;
    EXPECT_EQ(KvCache::create({&none, 1}, 100, 16)->sizeBytes(), 0U);
}

} // namespace
