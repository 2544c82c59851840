// Files that cannot be right, each with the outcome it must have. The numbers are those of the
// project's list of malformed files.

#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/processor_time.h"
#include "tests/support/engine/raw_gguf.h"

#include "engine/gguf/gguf_reader.h"

#include <atomic>
#include <cstdlib>
#include <format>
#include <gtest/gtest.h>
#include <limits>
#include <new>
#include <optional>

namespace {

std::atomic<std::size_t> g_largestAllocation = 0;

} // namespace

// Notes the largest piece of memory anything asks for.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    std::size_t largest = g_largestAllocation;
    while (size > largest && !g_largestAllocation.compare_exchange_weak(largest, size)) {
    }
    return std::malloc(size);
}
void* operator new(std::size_t size)
{
    void* memory = ::operator new(size, std::nothrow);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}

namespace {

using engine::ErrorCode;
using test::RawGguf;

constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t kUint8 = 0, kInt32 = 5, kUint32 = 4, kUint64 = 10, kFloat32 = 6, kBool = 7,
                        kString = 8, kArray = 9;

/// No code: the file is taken.
struct Case {
    const char* id;
    std::string file;
    std::optional<ErrorCode> code{};
};

engine::Result<engine::GgufHeader> read(const std::string& file)
{
    return engine::readGgufHeader(std::as_bytes(std::span(file)));
}

void check(const std::vector<Case>& cases)
{
    for (const Case& row : cases) {
        g_largestAllocation = 0;
        const test::ProcessorTime time;
        const auto header = read(row.file);
        const double seconds = time.seconds();
        const std::size_t largest = g_largestAllocation;
        EXPECT_LT(seconds, 0.2) << row.id;
        if (!row.code) {
            EXPECT_TRUE(header) << row.id << ": " << header.error().message;
            continue;
        }
        ASSERT_FALSE(header) << row.id;
        EXPECT_EQ(header.error().code, *row.code) << row.id << ": " << header.error().message;
        EXPECT_FALSE(header.error().message.empty()) << row.id;
        EXPECT_LE(largest, std::max<std::size_t>(row.file.size(), 4096)) << row.id;
    }
}

/// A file of one key that has whatever value `write` writes.
template <typename Write>
std::string oneKey(Write write)
{
    RawGguf file(0, 1);
    write(file);
    return file.bytes();
}

std::string alignment(std::uint64_t value, std::uint32_t type = kUint32)
{
    return RawGguf(0, 1).key("general.alignment", type).u32(value).bytes();
}

/// A file of one tensor "a" with 64 bytes of data.
std::string oneTensor(std::initializer_list<std::uint64_t> shape, std::uint32_t dtype = 0,
                      std::uint64_t offset = 0)
{
    return RawGguf(1, 0).tensor("a", shape, dtype, offset).data(64).bytes();
}

std::string manyKeys(std::size_t count)
{
    RawGguf file(0, count);
    for (std::size_t i = 0; i < count; ++i)
        file.key(std::format("key.{}", i), kUint8).u8(1);
    return file.bytes();
}

TEST(MalformedGgufTest, Beginnings)
{
    const std::string valid = RawGguf(0, 1).architecture().bytes();
    std::vector<Case> cases = {
        {"G001 empty", "", ErrorCode::FileTruncated},
        {"G002 three bytes", "GGU", ErrorCode::FileTruncated},
        {"G003 only the magic", "GGUF", ErrorCode::FileTruncated},
        {"G004 another magic", "FUGG" + valid.substr(4), ErrorCode::NotAModelFile},
        {"G005 ggml", "lmgg" + valid.substr(4), ErrorCode::NotAModelFile},
        {"G005 ggjt", "tjgg" + valid.substr(4), ErrorCode::NotAModelFile},
        {"G006 a web page", "<!DOCTYPE html><html>", ErrorCode::NotAModelFile},
        {"G007 ZIP", "PK\x03\x04............", ErrorCode::NotAModelFile},
        {"G007 safetensors", std::string("\x40\0\0\0\0\0\0\0{\"a\":", 13),
         ErrorCode::NotAModelFile},
        {"G008 a Git LFS pointer", "version https://git-lfs.github.com/spec/v1\n",
         ErrorCode::NotAModelFile},
        {"G009 version 0", RawGguf(0, 0, 0).bytes(), ErrorCode::UnsupportedVersion},
        {"G010 version 1", RawGguf(0, 1, 1).architecture().bytes()},
        {"G011 version 4", RawGguf(0, 0, 4).bytes(), ErrorCode::UnsupportedVersion},
        {"G012 big-endian", RawGguf(0, 1, 3, true).architecture().bytes()},
        {"G012 big-endian, version 2", RawGguf(0, 1, 2, true).architecture().bytes(),
         ErrorCode::UnsupportedVersion},
        {"G013 version 2", RawGguf(0, 1, 2).architecture().bytes()},
        {"G014 2^64-1 tensors", RawGguf(kAll, 0).bytes(), ErrorCode::FileCorrupt},
        {"G015 tensors that wrap", RawGguf(kAll / 88 + 1, 0).bytes(), ErrorCode::FileCorrupt},
        {"G016 65,537 tensors", RawGguf(65'537, 0).bytes(), ErrorCode::FileCorrupt},
        {"G017 2^64-1 keys", RawGguf(0, kAll).bytes(), ErrorCode::FileCorrupt},
        {"G018 keys that wrap", RawGguf(0, kAll / 48 + 1).bytes(), ErrorCode::FileCorrupt},
        {"G019 4,097 keys", manyKeys(4097), ErrorCode::FileCorrupt},
        {"G020 2^32 keys", RawGguf(0, std::uint64_t{1} << 32U).bytes(), ErrorCode::FileCorrupt},
        {"G021 one key too few", RawGguf(0, 2).architecture().bytes(), ErrorCode::FileTruncated},
        {"G022 one key too many", RawGguf(1, 0).architecture().bytes(), ErrorCode::BadTensor},
        {"G023 nothing at all", RawGguf(0, 0).bytes()},
    };
    for (std::size_t length = 4; length < 24; ++length)
        cases.push_back({"G024 cut", valid.substr(0, length), ErrorCode::FileTruncated});
    check(cases);
}

TEST(MalformedGgufTest, Keys)
{
    const auto keyOfLength = [](std::uint64_t length) {
        return RawGguf(0, 1).u64(length).raw("abcdefgh").bytes();
    };
    const auto named = [](std::string_view name) {
        return RawGguf(0, 1).key(name, kUint8).u8(1).bytes();
    };
    check({
        {"G025 2^64-1", keyOfLength(kAll), ErrorCode::FileTruncated},
        {"G026 2^63", keyOfLength(std::uint64_t{1} << 63U), ErrorCode::FileTruncated},
        {"G027 2^32", keyOfLength(std::uint64_t{1} << 32U), ErrorCode::FileTruncated},
        {"G028 one more than there are", keyOfLength(9), ErrorCode::FileTruncated},
        {"G029 empty", named(""), ErrorCode::FileCorrupt},
        {"G030 65,536 bytes", named(std::string(65'536, 'a')), ErrorCode::FileCorrupt},
        {"G030 65,535 bytes", named(std::string(65'535, 'a'))},
        {"G031 with a NUL", named(std::string_view("a\0b", 3)), ErrorCode::FileCorrupt},
        {"G032 no UTF-8", named("a\xFF"), ErrorCode::FileCorrupt},
        {"G033 twice", RawGguf(0, 2).architecture().architecture().bytes(), ErrorCode::BadMetadata},
        {"G034 twice, different",
         RawGguf(0, 2).architecture().key("general.architecture", kString).text("qwen2").bytes(),
         ErrorCode::BadMetadata},
        {"G035 60,000 keys", manyKeys(60'000), ErrorCode::FileCorrupt},
        {"G036 4,096 keys", manyKeys(4096)},
    });
}

TEST(MalformedGgufTest, Values)
{
    const auto valueType = [](std::uint64_t type) {
        return oneKey([type](RawGguf& f) { f.text("k").u32(type).u64(0); });
    };
    const auto array = [](std::uint32_t type, std::uint64_t count) {
        return oneKey([=](RawGguf& f) { f.key("k", kArray).u32(type).u64(count).u64(0).u64(0); });
    };
    const auto nested = [](int depth) {
        return oneKey([depth](RawGguf& f) {
            f.key("k", kArray);
            for (int i = 0; i < depth; ++i)
                f.u32(kArray).u64(1);
            f.u32(kUint8).u64(1).u8(0);
        });
    };
    check({
        {"G037 type 13", valueType(13), ErrorCode::BadMetadata},
        {"G038 type 255", valueType(255), ErrorCode::BadMetadata},
        {"G039 type 2^32-1", valueType(0xFFFFFFFF), ErrorCode::BadMetadata},
        {"G040 a bool of 2", oneKey([](RawGguf& f) { f.key("k", kBool).u8(2); })},
        {"G042 a string of 2^40",
         oneKey([](RawGguf& f) { f.key("k", kString).u64(std::uint64_t{1} << 40U); }),
         ErrorCode::FileTruncated},
        {"G043 a string of 16 MiB + 1",
         oneKey([](RawGguf& f) { f.key("k", kString).text(std::string((16U << 20U) + 1, 'x')); }),
         ErrorCode::FileCorrupt},
        {"G044 a string of any bytes",
         oneKey([](RawGguf& f) { f.key("k", kString).text(std::string_view("\xFF\0x", 3)); })},
        {"G045 2^64-1 elements", array(kUint8, kAll), ErrorCode::FileTruncated},
        {"G046 elements that wrap", array(kUint64, (std::uint64_t{1} << 61U) + 1),
         ErrorCode::FileTruncated},
        {"G047 one more than there are", array(kUint64, 3), ErrorCode::FileTruncated},
        {"G048 an array of arrays", nested(1), ErrorCode::BadMetadata},
        {"G049 10,000 deep", nested(10'000), ErrorCode::BadMetadata},
        {"G050 of type 13", array(13, 1), ErrorCode::BadMetadata},
        {"G051 empty", array(kString, 0)},
        {"G052 the last string cut",
         oneKey([](RawGguf& f) { f.key("k", kArray).u32(kString).u64(2).text("a").u64(9); }),
         ErrorCode::FileTruncated},
        {"G053 2^63 elements", array(kUint8, std::uint64_t{1} << 63U), ErrorCode::FileTruncated},
        {"too many elements", oneKey([](RawGguf& f) {
             f.key("k", kArray)
                 .u32(kUint8)
                 .u64((8U << 20U) + 1)
                 .raw(std::string((8U << 20U) + 1, 1));
         }),
         ErrorCode::FileCorrupt},
    });
}

TEST(MalformedGgufTest, Alignment)
{
    const auto consistent = [](std::uint64_t value) {
        return RawGguf(1, 1)
            .key("general.alignment", kUint32)
            .u32(value)
            .tensor("a", {16})
            .data(64, value)
            .bytes();
    };
    check({
        {"G054 0", alignment(0), ErrorCode::BadMetadata},
        {"G055 3", alignment(3), ErrorCode::BadMetadata},
        {"G056 13", alignment(13), ErrorCode::BadMetadata},
        {"G057 2^31", alignment(0x80000000), ErrorCode::BadMetadata},
        {"G058 2 MiB", alignment(2U << 20U), ErrorCode::BadMetadata},
        {"G059 INT32", alignment(32, kInt32), ErrorCode::BadMetadata},
        {"G060 STRING", RawGguf(0, 1).key("general.alignment", kString).text("32").bytes(),
         ErrorCode::BadMetadata},
        {"G061 an array",
         RawGguf(0, 1).key("general.alignment", kArray).u32(kUint32).u64(1).u32(32).bytes(),
         ErrorCode::BadMetadata},
        {"G059 FLOAT32", alignment(0x42000000, kFloat32), ErrorCode::BadMetadata},
        {"G062 1", consistent(1)},
        {"G062 8", consistent(8)},
        {"G062 64", consistent(64)},
        {"G062 4096", consistent(4096)},
        {"G063 declared 64, laid at 32",
         RawGguf(1, 1)
             .key("general.alignment", kUint32)
             .u32(64)
             .tensor("a", {16}, 0, 32)
             .data(128, 64)
             .bytes(),
         ErrorCode::BadTensor},
    });
}

TEST(MalformedGgufTest, TensorNames)
{
    const auto named = [](std::string_view name) {
        return RawGguf(1, 0).tensor(name, {16}).data(64).bytes();
    };
    check({
        {"G064 2^64-1", RawGguf(1, 0).u64(kAll).raw("abcdefgh").bytes(), ErrorCode::FileTruncated},
        {"G065 63 bytes", named(std::string(63, 'a'))},
        {"G065 64 bytes", named(std::string(64, 'a')), ErrorCode::FileCorrupt},
        {"G066 empty", named(""), ErrorCode::FileCorrupt},
        {"G067 twice", RawGguf(2, 0).tensor("a", {8}).tensor("a", {8}, 0, 32).data(64).bytes(),
         ErrorCode::BadTensor},
        {"G068 a slash", named("a/b"), ErrorCode::FileCorrupt},
        {"G068 a NUL", named(std::string_view("a\0b", 3)), ErrorCode::FileCorrupt},
        {"G068 a control character", named("a\x1B[2J"), ErrorCode::FileCorrupt},
    });
}

TEST(MalformedGgufTest, Shapes)
{
    const std::uint64_t two32 = std::uint64_t{1} << 32U;
    const auto rank = [](std::uint32_t value) {
        return RawGguf(1, 0)
            .text("a")
            .u32(value)
            .u64(1)
            .u64(1)
            .u64(1)
            .u64(1)
            .u64(1)
            .u64(0)
            .data(64)
            .bytes();
    };
    check({
        {"G069 no dimensions", rank(0), ErrorCode::BadTensor},
        {"G070 five", rank(5), ErrorCode::BadTensor},
        {"G071 2^32-1", rank(0xFFFFFFFF), ErrorCode::BadTensor},
        {"G072 0", oneTensor({0}), ErrorCode::BadTensor},
        {"G073 -1", oneTensor({kAll}), ErrorCode::BadTensor},
        {"G074 2^63", oneTensor({std::uint64_t{1} << 63U}), ErrorCode::BadTensor},
        {"G075 wraps to 0", oneTensor({two32, two32}), ErrorCode::BadTensor},
        {"G076 four times 2^16", oneTensor({65536, 65536, 65536, 65536}), ErrorCode::BadTensor},
        {"G077 2^63 in all", oneTensor({two32, two32 / 2}), ErrorCode::BadTensor},
        {"G078 strides wrap", oneTensor({1024, 1024, (std::uint64_t{1} << 42U) + 1, 1}),
         ErrorCode::BadTensor},
        {"G079 type 9999", oneTensor({16}, 9999), ErrorCode::UnsupportedType},
        {"G080 type -1", oneTensor({16}, 0xFFFFFFFF), ErrorCode::UnsupportedType},
        {"G081 Q4_2", oneTensor({32}, 4), ErrorCode::UnsupportedType},
        {"G081 Q4_0_8_8", oneTensor({32}, 33), ErrorCode::UnsupportedType},
        {"G083 half a block", oneTensor({48}, 2), ErrorCode::BadTensor},
        {"G084 bytes that wrap", oneTensor({two32, two32 / 4}, 2), ErrorCode::BadTensor},
    });
    const auto retired = read(oneTensor({32}, 4));
    EXPECT_EQ(retired.error().subject, "retired type Q4_2");
}

TEST(MalformedGgufTest, Offsets)
{
    const auto two = [](std::uint64_t first, std::uint64_t second, std::size_t bytes) {
        return RawGguf(2, 0)
            .tensor("a", {8}, 0, first)
            .tensor("b", {8}, 0, second)
            .data(bytes)
            .bytes();
    };
    const auto bytes = [](std::uint64_t first, std::uint64_t second) {
        return RawGguf(2, 1)
            .key("general.alignment", kUint32)
            .u32(1)
            .tensor("a", {8}, 24, first)
            .tensor("b", {8}, 24, second)
            .data(16, 1)
            .bytes();
    };
    std::string cut = oneTensor({16});
    cut.pop_back();
    std::string large = RawGguf(1, 0).tensor("a", {3U << 20U}).data(12U << 20U).bytes();
    large.resize(large.size() - (10U << 20U));
    check({
        {"G085 not aligned", oneTensor({8}, 0, 4), ErrorCode::BadTensor},
        {"G086 behind the end", oneTensor({8}, 0, 1024), ErrorCode::BadTensor},
        {"G087 ends behind the end", two(0, 64, 64), ErrorCode::BadTensor},
        {"G088 wraps", oneTensor({16}, 0, kAll - 31), ErrorCode::BadTensor},
        {"G089 overlap of a byte", bytes(0, 7), ErrorCode::BadTensor},
        {"G090 the same bytes", two(0, 0, 64), ErrorCode::BadTensor},
        {"G091 a gap", two(0, 64, 96)},
        {"G092 in another order", two(32, 0, 64)},
        {"G093 a MiB more", oneTensor({16}) + std::string(1U << 20U, 'x')},
        {"G094 sizes that sum past 2^64",
         RawGguf(2, 0)
             .tensor("a", {0x7FFFFFFFFFFFFFC0}, 24)
             .tensor("b", {0x7FFFFFFFFFFFFFC0}, 24)
             .bytes(),
         ErrorCode::BadTensor},
        {"G095 the last byte missing", cut, ErrorCode::FileTruncated},
        {"G096 the last 10 MB missing", large, ErrorCode::FileTruncated},
        {"G097 all zero", oneTensor({16})},
        {"G098 all ones", RawGguf(1, 0).tensor("a", {32}, 8).data(64, 32, '\xFF').bytes()},
    });
    EXPECT_EQ(read(cut).error().expected, cut.size() + 1);
    EXPECT_EQ(read(cut).error().found, cut.size());
}

TEST(MalformedGgufTest, TheSameInBigEndianAndInVersion1)
{
    const auto model = [](std::uint32_t version, bool bigEndian) {
        return RawGguf(1, 2, version, bigEndian)
            .architecture()
            .key("n", kUint64)
            .u64(0x0102030405060708)
            .tensor("a", {4, 2})
            .data(32)
            .bytes();
    };
    for (const std::string& file : {model(1, false), model(2, false), model(3, true)}) {
        const auto header = read(file);
        ASSERT_TRUE(header) << header.error().message;
        EXPECT_EQ(header->metadata.integerOr("n", 0), 0x0102030405060708);
        ASSERT_EQ(header->tensors.size(), 1U);
        EXPECT_EQ(header->tensors[0].shape[0], 4);
        EXPECT_EQ(header->tensors[0].sizeBytes, 32U);
    }
}

TEST(MalformedGgufTest, NoFlippedBitAndNoTruncationDoesHarm)
{
    std::string file = RawGguf(2, 4)
                           .architecture()
                           .key("llama.block_count", kUint32)
                           .u32(1)
                           .key("tokens", kArray)
                           .u32(kString)
                           .u64(3)
                           .text("a")
                           .text("bc")
                           .text("")
                           .key("scores", kArray)
                           .u32(kFloat32)
                           .u64(3)
                           .u32(0)
                           .u32(0)
                           .u32(0)
                           .tensor("a", {8, 2})
                           .tensor("b", {32}, 8, 64)
                           .data(98)
                           .bytes();
    ASSERT_TRUE(read(file)) << read(file).error().message;
    g_largestAllocation = 0;
    for (std::size_t length = 0; length < file.size(); ++length)
        EXPECT_FALSE(read(file.substr(0, length))) << length;
    for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
        file[bit / 8] = static_cast<char>(file[bit / 8] ^ 1 << bit % 8);
        read(file);
        file[bit / 8] = static_cast<char>(file[bit / 8] ^ 1 << bit % 8);
    }
    EXPECT_LE(g_largestAllocation, 65'536U);
}

} // namespace
