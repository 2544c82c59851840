#include "tests/support/engine/golden_logits.h"

#include "tests/support/engine/fixtures.h"

#include "engine/model/architecture.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

namespace test {

namespace {

nlohmann::json readJson(const std::filesystem::path& path)
{
    std::ifstream file(path);
    return nlohmann::json::parse(file);
}

struct RowDifference {
    double largest = 0;
    double divergence = 0;
    bool sameBest = true;
    double margin = 0; ///< between the golden row's best two
};

std::vector<double> logProbabilities(std::span<const float> row)
{
    const double largest = *std::ranges::max_element(row);
    double sum = 0;
    for (const float value : row)
        sum += std::exp(value - largest);
    std::vector<double> result;
    for (const float value : row)
        result.push_back(value - largest - std::log(sum));
    return result;
}

RowDifference compareRow(std::span<const float> golden, std::span<const float> ours)
{
    RowDifference difference;
    const std::vector<double> p = logProbabilities(golden);
    const std::vector<double> q = logProbabilities(ours);
    for (std::size_t i = 0; i < golden.size(); ++i) {
        // Written so that a NaN counts as far.
        const double distance = std::abs(static_cast<double>(golden[i]) - ours[i]);
        if (!(distance <= difference.largest)) difference.largest = distance;
        difference.divergence += std::exp(p[i]) * (p[i] - q[i]);
    }
    const auto best = std::ranges::max_element(golden);
    difference.sameBest = best - golden.begin() == std::ranges::max_element(ours) - ours.begin();
    std::vector<float> sorted(golden.begin(), golden.end());
    std::ranges::nth_element(sorted, sorted.begin() + 1, std::ranges::greater{});
    difference.margin = static_cast<double>(*best) - sorted[1];
    return difference;
}

double deviation(std::span<const float> values)
{
    const auto count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double squares = 0;
    for (const float value : values)
        squares += (value - mean) * (value - mean);
    return std::sqrt(squares / count);
}

bool isEmbeddingGolden(const std::string& model)
{
    return !readJson(fixturesFolder() / "arch/golden" / (model + ".json")).contains("runs");
}

} // namespace

std::vector<GoldenRun> readArchitectureRuns(const std::string& model)
{
    const std::filesystem::path folder = fixturesFolder() / "arch/golden";
    std::vector<GoldenRun> runs;
    const nlohmann::json entries = readJson(folder / (model + ".json")).at("runs");
    for (const auto& [name, entry] : entries.items())
        runs.push_back({.name = name,
                        .prompt = entry.at("prompt"),
                        .then = entry.at("greedy"),
                        .contextLength = entry.at("n_ctx"),
                        .logits = readNpy(folder / entry.at("logits").get<std::string>())});
    std::ranges::sort(runs, {}, [](const GoldenRun& run) { return run.prompt.size(); });
    return runs;
}

std::vector<GoldenRun> readTrainedRuns(const std::string& model)
{
    const std::filesystem::path folder = fixturesFolder() / "tiny/golden";
    const NpyArray logits = readNpy(folder / (model + ".logits.npy"));
    const nlohmann::json golden = readJson(folder / (model + ".json"));
    std::vector<GoldenRun> runs;
    for (const nlohmann::json& entry : golden.at("runs")) {
        const auto rows = entry.at("logits_rows_in_npy").get<std::pair<int, int>>();
        const int count = rows.second - rows.first;
        const auto begin = logits.values.begin() + std::ptrdiff_t{rows.first} * logits.columns;
        const std::vector<engine::TokenId> greedy = entry.at("greedy");
        runs.push_back(
            {.name = entry.at("prompt"),
             .prompt = entry.at("ids"),
             .then = {greedy.begin(), greedy.begin() + count - 1},
             .contextLength = 512,
             .logits = {.rows = count,
                        .columns = logits.columns,
                        .values = {begin, begin + std::ptrdiff_t{count} * logits.columns}}});
    }
    return runs;
}

std::vector<std::string> goldenModels(bool embedding)
{
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry :
         std::filesystem::directory_iterator(fixturesFolder() / "arch/golden", none)) {
        const std::string name = entry.path().stem().string();
        if (entry.path().extension() != ".json" || name == "measured") continue;
        if (isEmbeddingGolden(name) == embedding) names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
}

std::shared_ptr<const engine::ModelFile> openGoldenModel(const std::string& model)
{
    auto file = engine::ModelFile::open(fixturesFolder() / "arch/models" / (model + ".gguf"));
    if (file) return std::make_shared<const engine::ModelFile>(std::move(*file));
    ADD_FAILURE() << file.error().message;
    return nullptr;
}

LogitRule ruleFor(const engine::ModelFile& file)
{
    const engine::Architecture* row =
        engine::findArchitecture(file.metadata().stringOr("general.architecture", ""));
    const bool plain = std::ranges::all_of(file.tensors(), [](const engine::TensorView& tensor) {
        return tensor.dtype == engine::DType::F32;
    });
    if (!plain) return {.maxDifference = 0.1, .maxDivergence = 1e-3};
    const bool gelu = row != nullptr && (row->activation == engine::ActivationKind::GeluTanh ||
                                         row->activation == engine::ActivationKind::GeluErf);
    return gelu ? kRuleB : kRuleA;
}

GoldenEmbedding readEmbedding(const std::string& model)
{
    const std::filesystem::path folder = fixturesFolder() / "arch/golden";
    const nlohmann::json entry = readJson(folder / (model + ".json"));
    GoldenEmbedding golden{.tokens = entry.at("prompt"), .states{}, .pooled{}};
    for (const auto& [what, file] : entry.at("files").items()) {
        NpyArray array = readNpy(folder / file.get<std::string>());
        (what.starts_with("pooled") ? golden.pooled : golden.states) = std::move(array);
    }
    return golden;
}

GoldenRun readQuantizedRun(const std::string& model, std::string_view suffix)
{
    const std::filesystem::path folder = fixturesFolder() / "quant/golden";
    const nlohmann::json entry = readJson(folder / (model + ".json"));
    return {.name = model,
            .prompt = entry.at("prompt"),
            .then = entry.at("forced_tokens"),
            .contextLength = entry.at("n_ctx"),
            .logits = readNpy(folder / (model + "." + std::string(suffix) + ".npy"))};
}

std::vector<float> logitsOf(engine::ForwardPass& pass, const GoldenRun& run, engine::KvType kv)
{
    const auto state = pass.createState(run.contextLength, kv);
    if (!state) {
        ADD_FAILURE() << state.error().message;
        return {};
    }
    const auto width = static_cast<std::size_t>(pass.vocabularySize());
    std::vector<float> logits((1 + run.then.size()) * width);
    const auto feed = [&](std::span<const engine::TokenId> tokens, std::size_t row) {
        const engine::ForwardInput input{state->get(), tokens, 1};
        const auto done = pass.compute({&input, 1}, std::span(logits).subspan(row * width, width));
        if (!done) ADD_FAILURE() << done.error().message;
    };
    feed(run.prompt, 0);
    for (std::size_t i = 0; i < run.then.size(); ++i)
        feed({&run.then[i], 1}, i + 1);
    return logits;
}

testing::AssertionResult nearVector(std::span<const float> ours, std::span<const float> golden)
{
    if (ours.size() != golden.size())
        return testing::AssertionFailure()
               << ours.size() << " numbers; golden are " << golden.size();
    double largest = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        const double distance = std::abs(static_cast<double>(ours[i]) - golden[i]);
        if (!(distance <= largest)) largest = distance;
    }
    const auto product = [](std::span<const float> a, std::span<const float> b) {
        return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    };
    const double cosine =
        product(ours, golden) / std::sqrt(product(ours, ours) * product(golden, golden));
    largest /= deviation(golden);
    const bool near = cosine >= 0.99999 && largest <= 1e-2;
    return (near ? testing::AssertionSuccess() : testing::AssertionFailure())
           << "cosine " << cosine << ", off by " << largest << " deviations";
}

testing::AssertionResult nearGolden(std::span<const float> logits, const GoldenRun& run,
                                    const LogitRule& rule)
{
    if (logits.size() != run.logits.values.size())
        return testing::AssertionFailure()
               << logits.size() << " logits; golden are " << run.logits.values.size();
    const double unit = deviation(run.logits.values);
    const auto width = static_cast<std::size_t>(run.logits.columns);
    double largest = 0;
    double divergence = 0;
    for (std::size_t begin = 0; begin < logits.size(); begin += width) {
        const RowDifference row = compareRow(std::span(run.logits.values).subspan(begin, width),
                                             logits.subspan(begin, width));
        largest = std::max(largest, row.largest / unit);
        divergence = std::max(divergence, row.divergence);
        const bool near = row.largest <= rule.maxDifference * unit &&
                          row.divergence <= rule.maxDivergence &&
                          (row.sameBest || row.margin <= rule.marginForArgmax * unit);
        if (!near)
            return testing::AssertionFailure()
                   << "row " << begin / width << ": off by " << row.largest / unit
                   << " deviations, divergence " << row.divergence
                   << (row.sameBest ? "" : ", another best token");
    }
    return testing::AssertionSuccess()
           << "off by " << largest << " deviations, divergence " << divergence;
}

} // namespace test
