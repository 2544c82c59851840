#include "app/cli/generation_options.h"
#include "app/cli/model_argument.h"
#include "app/library/read_bandwidth.h"
#include "engine/base/thread_pool.h"
#include "engine/model/forward_input_check.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <format>
#include <limits>
#include <memory>
#include <vector>
#ifdef __linux__
#include <fstream>
#include <unistd.h>
#endif

namespace cli {

namespace {

using Clock = std::chrono::steady_clock;

struct BenchOptions {
    std::string model;
    int prompt = 512;
    int generate = 128;
    int threads = 0;
    int repetitions = 3;
    int depth = 0;
    int batch = 512;
    int sequences = 1;
    std::string kv = "f16";
    bool json = false;

    void addTo(CLI::App& program)
    {
        addModel(program, model);
        const auto count = [&](const char* name, int& value, const char* help) {
            program.add_option(name, value, help)->check(tokenCount(0))->capture_default_str();
        };
        count("-p", prompt, "prompt tokens");
        count("-n", generate, "decoded tokens");
        program.add_option("-t,--threads", threads, "0: as many as decode fastest")
            ->check(threadCount())
            ->capture_default_str();
        count("-d", depth, "tokens already in the context before each measurement");
        program.add_option("-r", repetitions, "repetitions; medians are printed")
            ->check(wholeWithin(1, 1'000'000))
            ->capture_default_str();
        program.add_option("-b,--batch", batch, "positions computed together in prefill")
            ->check(wholeWithin(1, std::numeric_limits<int>::max()))
            ->capture_default_str();
        program.add_option("-s,--sequences", sequences, "decoded side by side, in one pass")
            ->check(wholeWithin(1, 1024))
            ->capture_default_str();
        program.add_option("--kv", kv, "KV cache type")
            ->check(kvTypeNames())
            ->capture_default_str();
        program.add_flag("--json", json, "print one JSON object");
    }
};

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What the system holds in memory for this process; what the model says of itself where the system
/// does not tell.
std::uint64_t residentBytes(const engine::Model& model)
{
#ifdef __linux__
    std::ifstream file("/proc/self/statm");
    std::uint64_t size = 0, resident = 0;
    if (file >> size >> resident)
        return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
#endif
    return model.residentBytes();
}

double median(std::vector<double> values)
{
    if (values.empty()) return 0;
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Says on stderr how far a measurement is that takes long.
class Progress {
public:
    void begin(std::string_view what, int count)
    {
        m_what = what;
        m_count = count;
        m_next = Clock::now() + kInterval;
    }
    void say(int done)
    {
        if (done >= m_count || Clock::now() < m_next) return;
        m_next = Clock::now() + kInterval;
        std::fputs(std::format("{}: {} of {} tokens\n", m_what, done, m_count).c_str(), stderr);
    }

private:
    static constexpr std::chrono::seconds kInterval{10};

    std::string_view m_what;
    int m_count = 0;
    Clock::time_point m_next;
};

class Bench {
public:
    using States = std::vector<std::unique_ptr<engine::SequenceState>>;

    Bench(engine::Model& model, States& states, const BenchOptions& options)
        : m_pass(model.forwardPass())
        , m_states(states)
        , m_options(options)
        , m_logits(static_cast<std::size_t>(m_pass.vocabularySize()) * states.size())
    {
    }

    engine::Result<void> firstToken() { return append(*m_states.front(), 1, "first token"); }

    /// Tokens per second of a prompt read on top of the depth.
    engine::Result<double> measurePrefill()
    {
        TRY(fillToDepth(*m_states.front()));
        const Clock::time_point start = Clock::now();
        TRY(append(*m_states.front(), m_options.prompt, "prefill"));
        return m_options.prompt / secondsSince(start);
    }

    /// Tokens per second of all sequences together, each `count` long on top of the depth.
    engine::Result<double> measureDecode(int count)
    {
        for (const auto& state : m_states)
            TRY(fillToDepth(*state));
        const Clock::time_point start = Clock::now();
        m_progress.begin("decode", count);
        for (int i = 0; i < count; ++i) {
            TRY(decode());
            m_progress.say(i + 1);
        }
        return count * static_cast<double>(m_states.size()) / secondsSince(start);
    }

private:
    engine::Result<void> fillToDepth(engine::SequenceState& state)
    {
        state.truncate(std::min(m_options.depth, state.length()));
        return append(state, m_options.depth - state.length(), "depth");
    }

    engine::Result<void> append(engine::SequenceState& state, int count, std::string_view what)
    {
        m_progress.begin(what, count);
        for (const int all = count; count > 0;) {
            const int size = std::min(count, m_options.batch);
            drawTokens(size);
            const bool last = size == count;
            const engine::ForwardInput input{&state, m_tokens, last ? 1 : 0};
            TRY(m_pass.compute({&input, 1}, logits(last ? 1 : 0)));
            count -= size;
            m_progress.say(all - count);
        }
        return {};
    }

    engine::Result<void> decode()
    {
        drawTokens(static_cast<int>(m_states.size()));
        m_inputs.clear();
        for (std::size_t i = 0; i < m_states.size(); ++i)
            m_inputs.push_back({m_states[i].get(), std::span(m_tokens).subspan(i, 1), 1});
        return m_pass.compute(m_inputs, logits(m_states.size()));
    }

    void drawTokens(int count)
    {
        m_tokens.resize(static_cast<std::size_t>(count));
        for (int& token : m_tokens)
            token = static_cast<int>((m_next = m_next * 1103515245U + 12345U) >> 8U) %
                    m_pass.vocabularySize();
    }
    std::span<float> logits(std::size_t rows)
    {
        return std::span(m_logits).first(rows * static_cast<std::size_t>(m_pass.vocabularySize()));
    }

    engine::ForwardPass& m_pass;
    States& m_states;
    const BenchOptions& m_options;
    std::vector<float> m_logits;
    std::vector<int> m_tokens;
    std::vector<engine::ForwardInput> m_inputs;
    Progress m_progress;
    std::uint32_t m_next = 1;
};

struct Figures {
    std::vector<double> prefill;
    std::vector<double> decode;
    std::vector<double> bandwidth;
    double loadSeconds = 0;
    double firstTokenSeconds = 0;    ///< from the start of loading to a token's logits
    std::uint64_t residentBytes = 0; ///< at the end, with the KV cache
    std::uint64_t kvBytes = 0;       ///< of the context made for the measurement, in f16
};

void report(const BenchOptions& options, const engine::ModelInfo& info, const Figures& figures)
{
    const double prefill = median(figures.prefill);
    const double decode = median(figures.decode);
    const double bandwidth = median(figures.bandwidth);
    const double bytesPerToken =
        static_cast<double>(info.weightBytesPerToken) / options.sequences +
        static_cast<double>(info.kvBytesPerToken) * (options.depth + options.generate / 2.0);
    const double read = decode * bytesPerToken / 1e9;
    const double share = bandwidth > 0 ? read / bandwidth : 0;
    if (options.json) {
        print({{"model", info.name},
               {"quantization", info.quantization},
               {"threads", options.threads},
               {"depth", options.depth},
               {"sequences", options.sequences},
               {"prompt_tokens", options.prompt},
               {"generated_tokens", options.generate},
               {"prefill_tokens_per_s", prefill},
               {"decode_tokens_per_s", decode},
               {"read_gb_per_s", read},
               {"bandwidth_gb_per_s", bandwidth},
               {"bandwidth_share", share},
               {"prefill_gops", prefill * 2 * static_cast<double>(info.multiplyAddsPerToken) / 1e9},
               {"load_seconds", figures.loadSeconds},
               {"first_token_seconds", figures.firstTokenSeconds},
               {"resident_bytes", figures.residentBytes},
               {"kv_bytes", figures.kvBytes},
               {"file_bytes", info.fileBytes}});
        return;
    }
    const std::string text = std::format(
        "{} {}, {} threads, depth {}{}\nprefill  {:10.1f} tok/s  ({} tokens)\n"
        "decode   {:10.1f} tok/s  ({} tokens; {:.1f} GB/s, {:.0f} % of {:.1f} GB/s "
        "read bandwidth)\n"
        "load     {:10.2f} s      (first token after {:.2f} s; resident {:.0f} MB, "
        "file {:.0f} MB)\n",
        info.name, info.quantization, options.threads, options.depth,
        options.sequences > 1 ? std::format(", {} sequences", options.sequences) : "", prefill,
        options.prompt, decode, options.generate, read, 100 * share, bandwidth, figures.loadSeconds,
        figures.firstTokenSeconds, static_cast<double>(figures.residentBytes) / 1e6,
        static_cast<double>(info.fileBytes) / 1e6);
    std::fputs(text.c_str(), stdout);
}

engine::Result<int> bench(BenchOptions options)
{
    if (options.threads == 0) options.threads = engine::defaultThreadCount();
    engine::LoadOptions load;
    load.threads = options.threads;
    // The sum of two counts fits an int, as each is at most a context.
    const int context = options.depth + std::max({options.prompt, options.generate, 1});
    if (context > engine::kMostContextLength)
        return engine::fail(engine::ErrorCode::ContextFull,
                            std::format("{} tokens were asked for, a context holds {}", context,
                                        engine::kMostContextLength));
    Figures figures;
    const Clock::time_point start = Clock::now();
    TRY_ASSIGN(const std::shared_ptr<engine::Model> model,
               engine::Model::open(options.model, load));
    figures.loadSeconds = secondsSince(start);
    Bench::States states;
    for (int i = 0; i < options.sequences; ++i) {
        TRY_ASSIGN(states.emplace_back(),
                   model->forwardPass().createState(
                       context, parseKvType(options.kv).value_or(engine::KvType::F16)));
    }
    Bench run(*model, states, options);
    TRY(run.firstToken());
    figures.firstTokenSeconds = secondsSince(start);
    figures.kvBytes =
        model->info().kvBytesPerToken * static_cast<std::uint64_t>(context) * states.size();
    TRY(run.measureDecode(std::min(context - options.depth, 8))); // warm-up
    // Bandwidth is measured beside every repetition: it changes on a shared machine.
    for (int i = 0; i < options.repetitions; ++i) {
        if (options.prompt > 0) {
            TRY_ASSIGN(const double speed, run.measurePrefill());
            figures.prefill.push_back(speed);
        }
        if (options.generate > 0) {
            TRY_ASSIGN(const double speed, run.measureDecode(options.generate));
            figures.decode.push_back(speed);
            figures.bandwidth.push_back(app::measureReadBandwidth(options.threads));
        }
    }
    figures.residentBytes = residentBytes(*model);
    report(options, model->info(), figures);
    return kOk;
}

} // namespace

int runBench(Arguments arguments)
{
    CLI::App program("Prefill and decode tokens per second.", "inglenook-cli bench");
    BenchOptions options;
    options.addTo(program);
    if (const auto exit = parse(program, arguments)) return *exit;
    const auto outcome = bench(options);
    return outcome ? *outcome : failed(outcome.error());
}

} // namespace cli
