#include "tests/support/engine/safetensors_builder.h"

#include "engine/huggingface/safetensors.h"

#include <cstring>
#include <format>
#include <gtest/gtest.h>

namespace {

using engine::ErrorCode;

engine::Result<std::vector<engine::SafetensorsEntry>> read(const std::string& file)
{
    return engine::readSafetensors(std::as_bytes(std::span(file)));
}

std::string withHeader(std::string_view header, std::string_view data = {})
{
    return test::safetensorsFile(header, data);
}

TEST(SafetensorsTest, ReadsTensorsAndIgnoresMetadata)
{
    const std::string file = withHeader(
        R"({"__metadata__":{"format":"pt"},"b":{"dtype":"BF16","shape":[2,1],"data_offsets":[4,8]},)"
        R"("a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}   )",
        "abcdefgh");
    const auto tensors = read(file);
    ASSERT_TRUE(tensors) << tensors.error().message;
    ASSERT_EQ(tensors->size(), 2U);
    EXPECT_EQ((*tensors)[0].name, "b");
    EXPECT_EQ((*tensors)[0].shape, (std::vector<std::int64_t>{2, 1}));
    EXPECT_EQ((*tensors)[0].type->dtype, engine::DType::BF16);
    EXPECT_EQ(std::memcmp((*tensors)[0].data.data(), "efgh", 4), 0);
    EXPECT_TRUE((*tensors)[1].shape.empty());
}

TEST(SafetensorsTest, AnEmptyFileOfTensorsIsAFile)
{
    EXPECT_TRUE(read(withHeader("{}")));
}

struct Malformed {
    const char* what;
    std::string file;
    ErrorCode code;
};

std::vector<Malformed> malformed()
{
    const auto one = [](std::string_view type, std::string_view shape, std::string_view offsets,
                        std::string_view data) {
        return withHeader(std::format(R"({{"a":{{"dtype":"{}","shape":{},"data_offsets":{}}}}})",
                                      type, shape, offsets),
                          data);
    };
    std::string lying = withHeader("{}");
    lying[7] = '\x7f';
    std::string longer = withHeader("{}");
    longer[0] = 100;
    return {
        {"nothing", "", ErrorCode::FileTruncated},
        {"seven bytes", "1234567", ErrorCode::FileTruncated},
        {"a header of 2^63 bytes", lying, ErrorCode::FileCorrupt},
        {"a header behind the end", longer, ErrorCode::FileTruncated},
        {"an empty header", withHeader(""), ErrorCode::FileCorrupt},
        {"no JSON", withHeader("{\"a\":"), ErrorCode::FileCorrupt},
        {"JSON and more", withHeader("{}x"), ErrorCode::FileCorrupt},
        {"a list", withHeader("[]"), ErrorCode::FileCorrupt},
        {"a number", withHeader("7"), ErrorCode::FileCorrupt},
        {"a tensor that is a number", withHeader(R"({"a":7})"), ErrorCode::FileCorrupt},
        {"a tensor that lacks a member", withHeader(R"({"a":{"dtype":"F32","shape":[1]}})"),
         ErrorCode::FileCorrupt},
        {"a tensor with one more", withHeader(R"({"a":{"dtype":"F32","shape":[],"x":[]}})"),
         ErrorCode::FileCorrupt},
        {"a member twice", withHeader(R"({"a":{"dtype":"F32","dtype":"F32"}})"),
         ErrorCode::FileCorrupt},
        {"a tensor twice",
         withHeader(R"({"a":{"dtype":"I8","shape":[1],"data_offsets":[0,1]},)"
                    R"("a":{"dtype":"I8","shape":[1],"data_offsets":[0,1]}})",
                    "x"),
         ErrorCode::FileCorrupt},
        {"metadata of numbers", withHeader(R"({"__metadata__":{"a":1}})"), ErrorCode::FileCorrupt},
        {"lists in lists", one("F32", "[[1]]", "[0,4]", "1234"), ErrorCode::FileCorrupt},
        {"a negative dimension", one("F32", "[-1]", "[0,4]", "1234"), ErrorCode::FileCorrupt},
        {"a fraction", one("F32", "[1.5]", "[0,4]", "1234"), ErrorCode::FileCorrupt},
        {"nine dimensions", one("I8", "[1,1,1,1,1,1,1,1,1]", "[0,1]", "1"), ErrorCode::FileCorrupt},
        {"an unknown type", one("F3", "[1]", "[0,4]", "1234"), ErrorCode::UnsupportedType},
        {"a product that wraps to 0", one("F32", "[4294967296,4294967296]", "[0,0]", ""),
         ErrorCode::BadTensor},
        {"a dimension of 2^64-1", one("I8", "[0,18446744073709551615]", "[0,0]", ""),
         ErrorCode::BadTensor},
        {"a shape for more bytes", one("F32", "[2]", "[0,4]", "1234"), ErrorCode::BadTensor},
        {"half a byte", one("F4", "[1]", "[0,1]", "1"), ErrorCode::BadTensor},
        {"one offset", one("F32", "[1]", "[4]", "1234"), ErrorCode::BadTensor},
        {"offsets turned round", one("F32", "[1]", "[4,0]", "1234"), ErrorCode::BadTensor},
        {"data behind the end", one("F32", "[1]", "[0,4]", "123"), ErrorCode::FileTruncated},
        {"an offset of 2^64-4",
         one("F32", "[1]", "[18446744073709551612,18446744073709551615]", ""),
         ErrorCode::BadTensor},
        {"data of nobody", one("F32", "[1]", "[0,4]", "12345678"), ErrorCode::FileCorrupt},
        {"a gap", one("F32", "[1]", "[4,8]", "12345678"), ErrorCode::BadTensor},
        {"an overlap",
         withHeader(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                    R"("b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})",
                    "123456"),
         ErrorCode::BadTensor},
    };
}

TEST(SafetensorsTest, RefusesWhatCannotBeRight)
{
    for (const Malformed& row : malformed()) {
        const auto tensors = read(row.file);
        ASSERT_FALSE(tensors) << row.what;
        EXPECT_EQ(tensors.error().code, row.code) << row.what << ": " << tensors.error().message;
        EXPECT_FALSE(tensors.error().message.empty()) << row.what;
    }
}

TEST(SafetensorsTest, DeepNestingEndsInAnError)
{
    const std::string deep = std::string(1'000'000, '[');
    EXPECT_FALSE(read(withHeader(deep)));
    EXPECT_FALSE(read(withHeader(R"({"a":{"dtype":"F32","shape":)" + deep)));
}

TEST(SafetensorsTest, EveryTruncationIsRefused)
{
    const std::string file = withHeader(
        R"({"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}})", std::string(24, 'x'));
    ASSERT_TRUE(read(file));
    for (std::size_t length = 0; length < file.size(); ++length)
        EXPECT_FALSE(read(file.substr(0, length))) << length;
}

} // namespace
