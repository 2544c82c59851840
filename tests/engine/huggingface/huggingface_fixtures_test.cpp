#include "tests/support/engine/fixtures.h"

#include "engine/model/model_file.h"
#include "engine/tokenizer/tokenizer.h"

#include <algorithm>
#include <deque>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

namespace {

std::vector<float> valuesOf(const engine::TensorView& tensor)
{
    std::vector<float> values(static_cast<std::size_t>(tensor.elements()));
    engine::dtypeInfo(tensor.dtype).dequantize(tensor.data, values.data(), values.size());
    return values;
}

/// A folder, and the GGUF file of the same weights.
struct Pair {
    std::string name;
    engine::ModelFile folder;
    engine::ModelFile gguf;
};

std::deque<Pair> openPairs()
{
    std::deque<Pair> pairs;
    const auto root = test::fixturesFolder();
    for (const auto& entry : std::filesystem::directory_iterator(root / "safetensors")) {
        std::ifstream file(entry.path() / "golden.json");
        const auto golden = nlohmann::json::parse(file);
        const auto same = golden["same_weights_as"].get<std::string>();
        const auto gguf = same.starts_with("stories") ? root / "tiny" / (same + "-f32.gguf")
                                                      : root / "arch" / "models" / (same + ".gguf");
        auto folder = engine::ModelFile::open(entry.path());
        auto model = engine::ModelFile::open(gguf);
        EXPECT_TRUE(folder) << entry.path() << ": " << folder.error().message;
        EXPECT_TRUE(model) << gguf << ": " << model.error().message;
        if (folder && model)
            pairs.push_back(
                {entry.path().filename().string(), std::move(*folder), std::move(*model)});
    }
    return pairs;
}

TEST(HuggingFaceFixturesTest, TensorsAreTheGgufFilesOwn)
{
    REQUIRE_FIXTURES();
    const auto pairs = openPairs();
    ASSERT_EQ(pairs.size(), 6U);
    for (const Pair& pair : pairs) {
        EXPECT_EQ(pair.folder.tensors().size(), pair.gguf.tensors().size()) << pair.name;
        const bool rounded = pair.name.ends_with("bf16");
        for (const engine::TensorView& expected : pair.gguf.tensors()) {
            const engine::TensorView* found = pair.folder.find(expected.name);
            ASSERT_NE(found, nullptr) << pair.name << " " << expected.name;
            ASSERT_EQ(found->shape, expected.shape) << pair.name << " " << expected.name;
            const std::vector<float> a = valuesOf(*found);
            const std::vector<float> b = valuesOf(expected);
            for (std::size_t i = 0; i < a.size(); ++i) {
                const float tolerance = rounded ? 0.005F * std::abs(b[i]) : 1e-6F * std::abs(b[i]);
                ASSERT_NEAR(a[i], b[i], tolerance) << pair.name << " " << expected.name << " " << i;
            }
        }
    }
}

TEST(HuggingFaceFixturesTest, KeysAreTheGgufFilesOwn)
{
    REQUIRE_FIXTURES();
    for (const Pair& pair : openPairs()) {
        for (const auto& [key, value] : pair.gguf.metadata().entries()) {
            const bool about = key.starts_with("general.") && key != "general.architecture";
            if (about || key.starts_with("tokenizer.")) continue;
            const engine::MetadataValue* found = pair.folder.metadata().find(key);
            ASSERT_NE(found, nullptr) << pair.name << " " << key;
            if (const auto number = pair.gguf.metadata().number(key))
                EXPECT_FLOAT_EQ(static_cast<float>(pair.folder.metadata().numberOr(key, -1)),
                                static_cast<float>(*number))
                    << pair.name << " " << key;
            else
                EXPECT_EQ(*found, value) << pair.name << " " << key;
        }
    }
}

// Places of the tokens when they are sorted by score, best first: what decides which pair is
// joined.
std::vector<std::size_t> orderOf(const std::vector<double>& scores, std::size_t first)
{
    std::vector<std::size_t> order(scores.size() - first);
    std::iota(order.begin(), order.end(), first);
    std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t i) { return scores[i]; });
    return order;
}

/// The folder's file is followed step by step, the GGUF by its keys: the ids are the same.
void expectSameTokens(const engine::Metadata& found, const engine::Metadata& expected)
{
    const auto ours = engine::Tokenizer::create(found);
    const auto theirs = engine::Tokenizer::create(expected);
    ASSERT_TRUE(ours && theirs);
    for (const char* text : {"Once upon a time", " Once", "a  cat", "", "\u00e9\u2603\n"})
        EXPECT_EQ((*ours)->encode(text, {}), (*theirs)->encode(text, {})) << text;
}

TEST(HuggingFaceFixturesTest, VocabularyIsTheGgufFilesOwn)
{
    REQUIRE_FIXTURES();
    for (const Pair& pair : openPairs()) {
        const engine::Metadata& found = pair.folder.metadata();
        const engine::Metadata& expected = pair.gguf.metadata();
        for (const char* key :
             {"tokenizer.ggml.tokens", "tokenizer.ggml.token_type", "tokenizer.ggml.model"}) {
            ASSERT_NE(found.find(key), nullptr) << key;
            EXPECT_EQ(*found.find(key), *expected.find(key)) << pair.name << " " << key;
        }
        for (const char* key : {"tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id",
                                "tokenizer.ggml.unknown_token_id"})
            EXPECT_EQ(found.integerOr(key, -1), expected.integerOr(key, -2)) << key;
        EXPECT_TRUE(found.booleanOr("tokenizer.ggml.add_bos_token", false));
        EXPECT_FALSE(found.booleanOr("tokenizer.ggml.add_eos_token", true));
        expectSameTokens(found, expected);
        // Bytes and single characters are never joined from others; merges start behind them.
        const auto scores = found.numbers("tokenizer.ggml.scores");
        const auto golden = expected.numbers("tokenizer.ggml.scores");
        ASSERT_TRUE(scores && golden);
        std::size_t merged = 0;
        for (std::size_t i = 259; i < scores->size(); ++i)
            merged += (*scores)[i] < 0 ? 1U : 0U;
        EXPECT_GT(merged, 150U);
        std::vector<double> ours, theirs;
        for (std::size_t i = 259; i < scores->size(); ++i) {
            if ((*scores)[i] == 0) continue; // a single character
            ours.push_back((*scores)[i]);
            theirs.push_back((*golden)[i]);
        }
        EXPECT_EQ(orderOf(ours, 0), orderOf(theirs, 0)) << pair.name;
    }
}

} // namespace
