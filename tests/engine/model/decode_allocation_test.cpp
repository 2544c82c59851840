// A decode step, from logits to logits, must allocate nothing. Every allocation of this program is
// counted.
#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/temp_folder.h"

#include "engine/model/fast_forward_pass.h"
#include "engine/sampling/sampler_chain.h"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

namespace {

std::atomic<long> allocations = 0;

void* counted(std::size_t size, std::size_t alignment) noexcept
{
    ++allocations;
    return alignment > alignof(std::max_align_t)
               ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
               : std::malloc(size);
}

void* countedOrThrow(std::size_t size, std::size_t alignment)
{
    void* memory = counted(size, alignment);
    if (!memory) throw std::bad_alloc();
    return memory;
}

} // namespace

void* operator new(std::size_t size)
{
    return countedOrThrow(size, 0);
}
void* operator new[](std::size_t size)
{
    return countedOrThrow(size, 0);
}
void* operator new(std::size_t size, std::align_val_t alignment)
{
    return countedOrThrow(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment)
{
    return countedOrThrow(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    return counted(size, 0);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept
{
    return counted(size, 0);
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept
{
    return counted(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept
{
    return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete[](void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept
{
    std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
    std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept
{
    std::free(memory);
}

namespace {

TEST(DecodeAllocationTest, ADecodeStepAllocatesNothing)
{
    const test::TempFolder folder;
    test::TinyLlama model;
    model.embeddingLength = 256;
    model.feedForwardLength = 512;
    model.matrixType = engine::DType::Q4_K;
    const auto path = test::buildTinyLlama(model).write(folder.path() / "model.gguf");
    const auto file =
        std::make_shared<const engine::ModelFile>(engine::ModelFile::open(path).value());
    engine::ForwardPassOptions options;
    options.threads = 2;
    const auto pass = engine::createFastForwardPass(file, options).value();
    const auto state = pass->createState(256, engine::KvType::F16).value();
    std::vector<float> logits(static_cast<std::size_t>(pass->vocabularySize()));
    engine::SamplerChain sampler(pass->vocabularySize(), 64);
    engine::SamplingSettings settings;
    settings.repeatPenalty = 1.1F;
    sampler.reset(1);
    std::vector<engine::TokenId> context{1, 2, 3, 4, 5};
    context.reserve(256);
    const engine::ForwardInput prompt{state.get(), context, 1};
    ASSERT_TRUE(pass->compute({&prompt, 1}, logits));

    const long before = allocations;
    bool ok = true;
    for (int i = 0; i < 100; ++i) {
        const engine::TokenId next = sampler.sample(logits, context, settings).id;
        context.push_back(next);
        const engine::ForwardInput input{state.get(), {&next, 1}, 1};
        ok = ok && pass->compute({&input, 1}, logits).has_value();
    }
    const long after = allocations;
    EXPECT_TRUE(ok);
    EXPECT_EQ(after - before, 0);
}

} // namespace
