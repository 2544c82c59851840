#include "engine/model/fast_forward_pass.h"

#include "engine/kernels/vector_ops.h"
#include "engine/model/fast_call.h"
#include "engine/model/forward_input_check.h"
#include "engine/model/model_kind.h"
#include "engine/model/reference_forward_pass.h"
#include "engine/model/trace_names.h"

#include <algorithm>
#include <format>
#include <optional>
#include <utility>

namespace engine {

namespace {

using namespace fast;

constexpr int kMaxRows = 256; ///< positions computed in one pass over the weights

class FastForwardPass final : public ForwardPass {
public:
    FastForwardPass(std::shared_ptr<const ModelFile> file, Hyperparameters model, Weights weights,
                    int threads)
        : m_file(std::move(file))
        , m_model(std::move(model))
        , m_weights(std::move(weights))
        , m_pool(threads)
    {
    }

    Result<void> load(const ForwardPassOptions& options)
    {
        TRY_ASSIGN(m_packed, PackedWeights::pack(*m_file, m_model, m_weights, m_pool,
                                                 options.progress, options.stop));
        TRY_ASSIGN(m_scratch, Scratch::create(m_model, m_packed, kMaxRows, m_pool.threads()));
        m_rows.reserve(kMaxRows);
        m_runs.reserve(kMaxRows);
        m_tokens.reserve(kMaxRows);
        m_wanted.reserve(kMaxRows);
        return {};
    }

    Result<std::unique_ptr<SequenceState>> createState(int contextLength, KvType kv) override
    {
        TRY(checkContextLength(contextLength, m_model, m_weights.positionEmbd));
        TRY_ASSIGN(std::unique_ptr<State> state,
                   State::create(m_model, m_weights, contextLength, kv, kMaxRows));
        return state;
    }

    Result<void> compute(std::span<const ForwardInput> inputs, std::span<float> logits) override
    {
        TRY(checkForwardInputs(inputs, logits, m_model.vocabularySize));
        float* out = logits.data();
        clearRows();
        for (const ForwardInput& input : inputs) {
            auto& state = static_cast<State&>(*input.state);
            const std::size_t firstWanted =
                input.tokens.size() - static_cast<std::size_t>(input.logitRows);
            for (std::size_t i = 0; i < input.tokens.size(); ++i) {
                if (static_cast<int>(m_rows.size()) == kMaxRows) out = computeRows(out);
                addRow(state, input.tokens[i], i >= firstWanted);
            }
        }
        computeRows(out);
        // The one table whose rows are read where they lie.
        if (m_packed.perLayerTokenEmbd.data != nullptr && m_file->hasChanged())
            return fail(ErrorCode::FileCorrupt,
                        "the model's file was changed while it is in use. Open the model again");
        return {};
    }

    int vocabularySize() const override { return m_model.vocabularySize; }
    void setObserver(TraceObserver* observer) override { m_observer = observer; }
    std::uint64_t residentBytes() const override { return m_packed.bytes + m_scratch->bytes(); }

private:
    void clearRows()
    {
        m_rows.clear();
        m_runs.clear();
        m_tokens.clear();
        m_wanted.clear();
    }

    void addRow(State& state, TokenId token, bool wanted)
    {
        const auto row = static_cast<int>(m_rows.size());
        if (m_runs.empty() || m_runs.back().state != &state)
            m_runs.push_back({&state, row, 0, state.length()});
        Run& run = m_runs.back();
        m_rows.push_back({&state, run.firstPosition + run.rows++});
        m_tokens.push_back(token);
        if (wanted) m_wanted.push_back(row);
    }

    /// Computes the rows gathered so far and forgets them; returns where the next logits go.
    float* computeRows(float* logits)
    {
        const Call call{m_model, m_packed, m_rows, m_runs, m_pool, *m_scratch, m_observer};
        prepareAngles(call);
        const Block x = call.block(Slot::Residual, m_model.embeddingLength);
        embedTokens(call, m_tokens, x);
        runLayers(call, m_tokens, x);
        for (const Run& run : m_runs)
            run.state->grow(run.rows);
        const std::size_t wanted = m_wanted.size();
        if (wanted > 0) project(call, x, logits);
        clearRows();
        return logits + wanted * static_cast<std::size_t>(m_model.vocabularySize);
    }

    /// The vocabulary projection, only of the rows whose logits are wanted.
    void project(const Call& call, const Block& x, float* logits)
    {
        const auto rows = static_cast<int>(m_wanted.size());
        const Block last = m_scratch->block(Slot::Normed, rows, x.columns);
        for (int i = 0; i < rows; ++i)
            std::copy_n(x.row(m_wanted[static_cast<std::size_t>(i)]), x.columns, last.row(i));
        if (m_packed.outputNorm) {
            normalize(call, m_packed.outputNorm, m_model.norm, last);
            call.trace(-1, trace::kOutputNorm, last);
        }
        const Block out{logits, rows, m_model.vocabularySize};
        const Product product{&m_packed.output(), out};
        multiply(call, last, {&product, 1});
        call.forRows(rows, [&](int row) {
            if (m_model.logitScale != 1.0F)
                scale(out.row(row), m_model.logitScale, out.row(row), out.stride());
            if (const float cap = m_model.finalLogitSoftcapping; cap > 0)
                softcap(out.row(row), cap, out.row(row), out.stride());
        });
        call.trace(-1, trace::kLogits, out);
        for (int row = 0; row < rows; ++row)
            hidePictureTokens(*m_model.architecture, {out.row(row), out.stride()});
    }

    std::shared_ptr<const ModelFile> m_file;
    Hyperparameters m_model;
    Weights m_weights;
    ThreadPool m_pool;
    PackedWeights m_packed;
    std::optional<Scratch> m_scratch;
    TraceObserver* m_observer = nullptr;
    // The rows being gathered; room for kMaxRows.
    std::vector<Row> m_rows;
    std::vector<Run> m_runs;
    std::vector<TokenId> m_tokens;
    std::vector<int> m_wanted;
};

} // namespace

Result<std::unique_ptr<ForwardPass>> createFastForwardPass(std::shared_ptr<const ModelFile> file,
                                                           const ForwardPassOptions& options)
{
    TRY_ASSIGN(Hyperparameters model, Hyperparameters::read(*file));
    TRY(checkWrites(model));
    TRY_ASSIGN(Weights weights, Weights::resolve(*file, model, options.adapters));
    auto pass = std::make_unique<FastForwardPass>(std::move(file), std::move(model),
                                                  std::move(weights), options.threads);
    TRY(pass->load(options));
    return pass;
}

bool runsFast(const Hyperparameters& model)
{
    const bool windowed = std::ranges::any_of(model.layers, &LayerHyperparameters::windowed);
    return model.causal || !windowed || model.windowKind == WindowKind::Symmetric;
}

Result<std::unique_ptr<ForwardPass>> createForwardPass(std::shared_ptr<const ModelFile> file,
                                                       const ForwardPassOptions& options)
{
    TRY_ASSIGN(const Hyperparameters model, Hyperparameters::read(*file));
    if (options.reference || !runsFast(model))
        return createReferenceForwardPass(std::move(file), options.adapters);
    return createFastForwardPass(std::move(file), options);
}

} // namespace engine
