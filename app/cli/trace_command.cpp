#include "app/cli/command.h"
#include "app/cli/model_argument.h"
#include "engine/engine.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <format>

namespace cli {

namespace {

/// FNV-1a over the bits: equal only where every bit is.
std::uint64_t checksum(std::span<const float> values)
{
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (const float value : values) {
        hash ^= std::bit_cast<std::uint32_t>(value);
        hash *= 0x100000001B3U;
    }
    return hash;
}

class PrintingObserver final : public engine::TraceObserver {
public:
    explicit PrintingObserver(bool json)
        : m_json(json)
    {
    }

    void record(int layer, std::string_view name, std::span<const float> values, int rows,
                int columns) override
    {
        double squares = 0;
        for (const float value : values)
            squares += static_cast<double>(value) * static_cast<double>(value);
        const double rms =
            values.empty() ? 0 : std::sqrt(squares / static_cast<double>(values.size()));
        const std::string sum = std::format("{:016x}", checksum(values));
        if (m_json) {
            print({{"layer", layer},
                   {"name", name},
                   {"shape", {rows, columns}},
                   {"checksum", sum},
                   {"rms", rms}});
            return;
        }
        const std::string place = layer < 0 ? std::string("-") : std::to_string(layer);
        const std::string line = std::format("{:>5}  {:<24} {:>4} x {:<8} {}  rms {:.6g}\n", place,
                                             name, rows, columns, sum, rms);
        std::fputs(line.c_str(), stdout);
    }

private:
    bool m_json;
};

engine::Result<int> trace(const std::string& path, const std::vector<int>& tokens,
                          const engine::LoadOptions& load, bool json)
{
    TRY_ASSIGN(const std::shared_ptr<engine::Model> model, engine::Model::open(path, load));
    engine::ForwardPass& pass = model->forwardPass();
    TRY_ASSIGN(const std::unique_ptr<engine::SequenceState> state,
               pass.createState(static_cast<int>(tokens.size()), engine::KvType::F16));
    std::vector<float> logits(static_cast<std::size_t>(pass.vocabularySize()));
    const std::span<const int> all(tokens);
    if (tokens.size() > 1) {
        const engine::ForwardInput before{state.get(), all.first(tokens.size() - 1), 0};
        TRY(pass.compute({&before, 1}, {}));
    }
    PrintingObserver observer(json);
    pass.setObserver(&observer);
    const engine::ForwardInput last{state.get(), all.last(1), 1};
    const auto outcome = pass.compute({&last, 1}, logits);
    pass.setObserver(nullptr);
    TRY(outcome);
    return kOk;
}

} // namespace

int runTrace(Arguments arguments)
{
    CLI::App program("Shape and checksum of every intermediate of the last given position.",
                     "inglenook-cli trace");
    std::string model;
    std::vector<int> tokens;
    engine::LoadOptions load;
    bool json = false;
    addModel(program, model);
    addTokens(program, tokens)->required();
    program.add_option("--threads", load.threads, "0: as many as decode fastest")
        ->check(threadCount());
    program.add_flag("--reference", load.reference, "the slow forward pass in f32");
    program.add_flag("--json", json, "one JSON object a line");
    if (const auto exit = parse(program, arguments)) return *exit;
    const auto outcome = trace(model, tokens, load, json);
    return outcome ? *outcome : failed(outcome.error());
}

} // namespace cli
