#include "engine/kernels/aligned_buffer.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <vector>
#ifdef __linux__
#include <unistd.h>
#endif

namespace {

using engine::AlignedBuffer;

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

TEST(AlignedBuffer, BeginsAtACacheLineAndIsZero)
{
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{4097}, 3 * kMegabyte + 1}) {
        const auto buffer = AlignedBuffer::allocate(bytes);
        ASSERT_TRUE(buffer);
        EXPECT_EQ(buffer->size(), bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer->data()) % 64, 0);
        for (std::size_t i = 0; i < bytes; ++i)
            ASSERT_EQ(buffer->data()[i], std::byte{0});
    }
}

TEST(AlignedBuffer, RefusesWhatCannotBe)
{
    const auto buffer = AlignedBuffer::allocate(SIZE_MAX - 1);
    ASSERT_FALSE(buffer);
    EXPECT_EQ(buffer.error().code, engine::ErrorCode::OutOfMemory);
}

#ifdef __linux__
std::size_t residentBytes()
{
    std::ifstream file("/proc/self/statm");
    std::size_t size = 0, resident = 0;
    file >> size >> resident;
    return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(AlignedBuffer, TakesNoMoreMemoryThanWasAskedFor)
{
    constexpr std::size_t kBytes = 2 * kMegabyte + 64 * 1024;
    constexpr std::size_t kCount = 20;
    const std::size_t before = residentBytes();
    std::vector<AlignedBuffer> buffers;
    for (std::size_t i = 0; i < kCount; ++i) {
        buffers.push_back(std::move(*AlignedBuffer::allocate(kBytes)));
        std::memset(buffers.back().data(), 1, kBytes);
    }
    EXPECT_LT(residentBytes() - before, kCount * kBytes * 11 / 10);
}
#endif

} // namespace
