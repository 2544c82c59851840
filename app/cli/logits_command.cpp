#include "app/cli/generation_options.h"
#include "app/cli/model_argument.h"
#include "app/cli/npy.h"
#include "engine/model/forward_input_check.h"

#include <algorithm>
#include <format>
#include <limits>

namespace cli {

namespace {

struct LogitsOptions {
    std::string model;
    std::vector<int> tokens;
    int last = 1;
    int decode = 0;
    int batch = 512;
    int threads = 0;
    int contextLength = 0;
    std::string kv = "f16";
    std::vector<std::string> adapters;
    bool reference = false;
    std::string out;

    void addTo(CLI::App& program)
    {
        addModel(program, model);
        addTokens(program, tokens)->required();
        program.add_option("--last", last, "rows of the last K given positions")
            ->check(wholeWithin(0, std::numeric_limits<int>::max()))
            ->capture_default_str();
        program.add_option("--decode", decode, "then rows after each of N greedy tokens")
            ->check(tokenCount(0))
            ->capture_default_str();
        program.add_option("--batch", batch, "positions computed together")
            ->check(wholeWithin(1, std::numeric_limits<int>::max()))
            ->capture_default_str();
        program.add_option("--threads", threads, "0: as many as decode fastest")
            ->check(threadCount());
        program.add_option("--ctx", contextLength, "context length (0: as many as are needed)")
            ->check(tokenCount(0));
        program.add_option("--kv", kv, "KV cache type")
            ->check(kvTypeNames())
            ->capture_default_str();
        addAdapters(program, adapters);
        program.add_flag("--reference", reference, "the slow forward pass in f32");
        program.add_option("--out", out, "float32 [K+N, vocabulary]")
            ->required()
            ->check(someText("a file"));
    }
};

/// Computes given tokens in batches, then greedy ones, and collects the rows asked for.
class LogitsRun {
public:
    LogitsRun(engine::ForwardPass& pass, engine::SequenceState& state, const LogitsOptions& options)
        : m_pass(pass)
        , m_state(state)
        , m_options(options)
        , m_vocabulary(static_cast<std::size_t>(pass.vocabularySize()))
    {
    }

    engine::Result<void> prefill(std::span<const int> tokens)
    {
        const auto last = static_cast<std::size_t>(m_options.last);
        // Greedy tokens go on from the last row, wanted or not.
        const std::size_t wanted = std::max<std::size_t>(last, m_options.decode > 0 ? 1 : 0);
        const std::size_t firstRow = tokens.size() - wanted;
        for (std::size_t at = 0; at < tokens.size();) {
            const std::size_t size =
                std::min(tokens.size() - at, static_cast<std::size_t>(m_options.batch));
            const std::size_t rows = at + size > firstRow ? at + size - std::max(at, firstRow) : 0;
            TRY(append(tokens.subspan(at, size), rows));
            at += size;
        }
        if (wanted > last)
            m_rows.erase(m_rows.begin(), m_rows.end() - static_cast<std::ptrdiff_t>(m_vocabulary));
        m_dropFirst = wanted > last;
        return {};
    }

    engine::Result<void> decodeGreedily()
    {
        for (int i = 0; i < m_options.decode; ++i) {
            const auto row = std::span(m_rows).last(m_vocabulary);
            const int next = static_cast<int>(std::ranges::max_element(row) - row.begin());
            TRY(append({&next, 1}, 1));
        }
        return {};
    }

    std::span<const float> rows() const
    {
        return std::span(m_rows).subspan(m_dropFirst ? m_vocabulary : 0);
    }

private:
    engine::Result<void> append(std::span<const int> tokens, std::size_t rows)
    {
        const std::size_t old = m_rows.size();
        m_rows.resize(old + rows * m_vocabulary);
        const engine::ForwardInput input{&m_state, tokens, static_cast<int>(rows)};
        return m_pass.compute({&input, 1}, std::span(m_rows).subspan(old));
    }

    engine::ForwardPass& m_pass;
    engine::SequenceState& m_state;
    const LogitsOptions& m_options;
    std::size_t m_vocabulary;
    std::vector<float> m_rows;
    bool m_dropFirst = false;
};

/// Positions to make room for.
engine::Result<int> contextFor(const LogitsOptions& options)
{
    const std::size_t needed = options.tokens.size() + static_cast<std::size_t>(options.decode);
    const int most = options.contextLength > 0 ? options.contextLength : engine::kMostContextLength;
    if (needed > static_cast<std::size_t>(most))
        return engine::fail(engine::ErrorCode::ContextFull,
                            std::format("{} tokens were asked for, {} holds {}", needed,
                                        options.contextLength > 0 ? "--ctx" : "a context", most));
    return options.contextLength > 0 ? options.contextLength : static_cast<int>(needed);
}

engine::Result<int> computeLogits(const LogitsOptions& options)
{
    TRY_ASSIGN(const int context, contextFor(options));
    engine::LoadOptions load;
    load.threads = options.threads;
    load.reference = options.reference;
    for (const std::string& adapter : options.adapters)
        load.adapters.emplace_back(parseAdapter(adapter));
    TRY_ASSIGN(const std::shared_ptr<engine::Model> model,
               engine::Model::open(options.model, load));
    engine::ForwardPass& pass = model->forwardPass();
    TRY_ASSIGN(const std::unique_ptr<engine::SequenceState> state,
               pass.createState(context, parseKvType(options.kv).value_or(engine::KvType::F16)));
    LogitsRun run(pass, *state, options);
    TRY(run.prefill(options.tokens));
    TRY(run.decodeGreedily());
    const auto columns = static_cast<std::size_t>(pass.vocabularySize());
    TRY(writeNpy(options.out, run.rows(), run.rows().size() / columns, columns));
    return kOk;
}

} // namespace

int runLogits(Arguments arguments)
{
    CLI::App program("Logits of given tokens.", "inglenook-cli logits");
    LogitsOptions options;
    options.addTo(program);
    if (const auto exit = parse(program, arguments)) return *exit;
    if (static_cast<std::size_t>(options.last) > options.tokens.size())
        return refused(program,
                       std::format("--last: expected at most as many rows as there are tokens, {}; "
                                   "found {}",
                                   options.tokens.size(), options.last));
    const auto outcome = computeLogits(options);
    return outcome ? *outcome : failed(outcome.error());
}

} // namespace cli
