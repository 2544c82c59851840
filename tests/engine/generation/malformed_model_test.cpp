// Models whose fields, tensors, vocabulary or template cannot be right, each with the outcome it
// must have. The numbers are those of the project's list of malformed files.

#include "tests/support/engine/gguf_builder.h"
#include "tests/support/engine/temp_folder.h"

#include "engine/generation/local_model.h"

#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <optional>

namespace {

using engine::DType;
using engine::ErrorCode;
using engine::MetadataValue;
using test::GgufBuilder;

/// No code: the model opens.
struct Case {
    const char* id;
    std::function<void(GgufBuilder&)> change;
    std::optional<ErrorCode> code{};
};

/// One key set to a value.
template <typename T>
std::function<void(GgufBuilder&)> with(std::string key, T value)
{
    return
        [key = std::move(key), value](GgufBuilder& model) { model.set(key, MetadataValue(value)); };
}

std::function<void(GgufBuilder&)> without(std::string key)
{
    return [key = std::move(key)](GgufBuilder& model) { model.erase(key); };
}

engine::Result<std::shared_ptr<engine::LocalModel>> openChanged(const Case& row,
                                                                test::TinyLlama parameters = {})
{
    const test::TempFolder folder;
    GgufBuilder model = test::buildTinyLlama(parameters);
    row.change(model);
    engine::LoadOptions options;
    options.threads = 1;
    return engine::LocalModel::open(model.write(folder.path() / "model.gguf"), options);
}

void check(const std::vector<Case>& cases, test::TinyLlama parameters = {})
{
    for (const Case& row : cases) {
        const auto opened = openChanged(row, parameters);
        if (!row.code) {
            EXPECT_TRUE(opened) << row.id << ": " << opened.error().message;
            continue;
        }
        ASSERT_FALSE(opened) << row.id;
        EXPECT_EQ(opened.error().code, *row.code) << row.id << ": " << opened.error().message;
        EXPECT_FALSE(opened.error().message.empty()) << row.id;
        EXPECT_LT(opened.error().message.size(), 1000U) << row.id;
    }
}

constexpr std::uint64_t kHuge = std::uint64_t{1} << 40U;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(MalformedModel, Architecture)
{
    check({
        {"G099", without("general.architecture"), ErrorCode::MissingMetadata},
        {"G100", with("general.architecture", std::string("foo")),
         ErrorCode::UnsupportedArchitecture},
        {"G101", with("general.architecture", std::string(1U << 20U, 'a')),
         ErrorCode::UnsupportedArchitecture},
    });
}

TEST(MalformedModel, Hyperparameters)
{
    constexpr ErrorCode kBad = ErrorCode::BadMetadata;
    check({
        {"G041", with("llama.rope.freq_base", kNan), kBad},
        {"G102", with("llama.block_count", std::uint64_t{0}), kBad},
        {"G103", with("llama.block_count", std::uint64_t{513}), ErrorCode::MissingTensor},
        {"G104", with("llama.block_count", std::uint64_t{0xFFFFFFFF}), kBad},
        {"G105", with("llama.block_count", std::string("2")), kBad},
        {"G106", with("llama.block_count", std::int64_t{-1}), kBad},
        {"G107", with("llama.attention.head_count", std::uint64_t{0}), kBad},
        {"G108", with("llama.attention.head_count_kv", std::uint64_t{0}), kBad},
        {"G109", with("llama.attention.head_count", std::uint64_t{6}), kBad},
        {"G110", with("llama.attention.head_count_kv", std::uint64_t{8}), kBad},
        {"G111", with("llama.attention.head_count_kv", std::vector<std::uint64_t>{2, 2, 2, 2, 2}),
         kBad},
        {"G112", with("llama.context_length", std::uint64_t{0}), kBad},
        {"G113", with("llama.context_length", kHuge), kBad},
        {"G114", with("llama.rope.dimension_count", std::uint64_t{7}), kBad},
        {"G115", with("llama.rope.freq_base", 0.0), kBad},
        {"G115", with("llama.rope.freq_base", kInfinity), kBad},
        {"G116", with("llama.attention.layer_norm_rms_epsilon", -1.0), kBad},
        {"G116", with("llama.attention.layer_norm_rms_epsilon", kNan), kBad},
        {"G117",
         [](GgufBuilder& model) {
             model.set("llama.expert_count", 4).set("llama.expert_used_count", 5);
         },
         kBad},
        {"G118", with("llama.expert_count", std::uint64_t{1} << 20U), kBad},
    });
}

TEST(MalformedModel, Tensors)
{
    const auto replaced = [](std::string name, GgufBuilder::Shape shape) {
        return [=](GgufBuilder& model) {
            test::RandomNumbers random(1);
            model.eraseTensor(name).randomTensor(name, shape, DType::F32, random, 0.1);
        };
    };
    check({
        {"G119", [](GgufBuilder& model) { model.eraseTensor("blk.1.ffn_up.weight"); },
         ErrorCode::MissingTensor},
        {"G120", replaced("blk.0.ffn_up.weight", {96, 64}), ErrorCode::BadTensor},
        {"G121", replaced("blk.0.surprise.weight", {4, 4})},
        {"G122", replaced("token_embd.weight", {64, 100}), ErrorCode::BadTensor},
        {"G123", [](GgufBuilder& model) { model.eraseTensor("output.weight"); }},
    });
}

/// One entry of one of the vocabulary's arrays.
template <typename T>
std::function<void(GgufBuilder&)> entry(std::string key, std::size_t index, T value)
{
    return [=](GgufBuilder& model) {
        auto values = std::get<std::vector<T>>(*model.metadata().find(key));
        values.at(index) = value;
        model.set(key, MetadataValue(values));
    };
}

TEST(MalformedModel, Vocabulary)
{
    constexpr ErrorCode kBad = ErrorCode::BadMetadata;
    const std::string tokens = "tokenizer.ggml.tokens", scores = "tokenizer.ggml.scores";
    check({
        {"G051", with(tokens, std::vector<std::string>()), kBad},
        {"G124", without("tokenizer.ggml.model"), ErrorCode::MissingMetadata},
        {"G126", with(tokens, std::vector<std::uint64_t>(384)), kBad},
        {"G127", with(scores, std::vector<std::int64_t>(384, 1)), kBad},
        {"G128", with("tokenizer.ggml.token_type", std::vector<std::int64_t>(383, 1)), kBad},
        {"G129", entry(scores, 300, kNan)},
        {"G130", with("tokenizer.ggml.bos_token_id", std::uint64_t{384}), kBad},
        {"G132", without("tokenizer.ggml.eos_token_id")},
        {"G133", entry(tokens, 300, std::string("e"))},
        {"G134", entry(tokens, 300, std::string())},
        {"G135", entry(tokens, 300, std::string(1U << 20U, 'x')), kBad},
        {"G136", entry(tokens, 10, std::string("<0x-1>")), kBad},
        {"G136", entry(tokens, 10, std::string("<0xZZ>")), kBad},
        {"G136", entry(tokens, 10, std::string("<0x>")), kBad},
    });
    test::TinyLlama pairs;
    pairs.vocabulary = test::Vocabulary::BytePairs;
    check({{"G125", with("tokenizer.ggml.pre", std::string("surprise")),
            ErrorCode::UnsupportedTokenizer},
           {"G137", with("tokenizer.ggml.merges", std::vector<std::string>{"a"}), kBad}},
          pairs);
}

/// The model opens all the same, and says that its template is not used.
TEST(MalformedModel, Template)
{
    const std::string doubling = "{% set ns = namespace(s='x') %}{% for i in range(64) %}"
                                 "{% set ns.s = ns.s ~ ns.s %}{% endfor %}{{ ns.s }}";
    const std::vector<std::pair<const char*, std::string>> templates = {
        {"G139", "{{ ''.__class__.__mro__[1].__subclasses__() }}{{ messages.nothing.more }}"},
        {"G140", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"},
        {"G141", "{{ " + std::string(100'000, '(') + " }}"},
        {"G142", "{% for i in range(10**9) %}x{% endfor %}"},
        {"G143", doubling},
        {"G144", "{% surprise %}"},
        {"G145", std::string((1U << 20U) + 1, 'x')},
        {"G146", "{{ '\xFF\xFE' }}{{"},
    };
    for (const auto& [id, source] : templates) {
        const auto opened = openChanged({id, with("tokenizer.chat_template", source)});
        ASSERT_TRUE(opened) << id << ": " << opened.error().message;
        EXPECT_FALSE((*opened)->notice().empty()) << id;
        const std::vector<engine::ChatMessage> messages = {{.role = "user", .content = "hello"}};
        const auto chat = (*opened)->renderChat(messages);
        ASSERT_TRUE(chat) << id << ": " << chat.error().message;
        EXPECT_NE(chat->find("hello"), std::string::npos) << id;
    }
}

} // namespace
