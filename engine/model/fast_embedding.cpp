#include "engine/model/fast_embedding.h"

#include "engine/model/fast_call.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace engine {

namespace {

using namespace fast;

constexpr int kRowStep = 64;        ///< room for rows grows by so many
constexpr int kMaxCausalRows = 256; ///< at once, where no position looks ahead

class FastEmbeddingModel final : public EmbeddingModel {
public:
    FastEmbeddingModel(std::shared_ptr<const ModelFile> file, Hyperparameters model,
                       Weights weights, int threads)
        : EmbeddingModel(std::move(file), std::move(model), std::move(weights))
        , m_pool(threads)
    {
    }

    Result<void> load(const ForwardPassOptions& options)
    {
        TRY_ASSIGN(m_packed, PackedWeights::pack(file(), model(), weights(), m_pool,
                                                 options.progress, options.stop));
        return {};
    }

private:
    Result<std::vector<float>> computeStates(std::span<const TokenId> tokens) override
    {
        const int count = static_cast<int>(tokens.size());
        // Where positions look ahead, all keys must be there before the first query.
        const int step = model().causal ? std::min(count, kMaxCausalRows) : count;
        TRY(makeRoom(step));
        TRY_ASSIGN(std::unique_ptr<State> state,
                   State::create(model(), weights(), count, KvType::F32, step));
        const std::size_t width = static_cast<std::size_t>(model().embeddingLength);
        std::vector<float> states(tokens.size() * width);
        for (int first = 0; first < count; first += step) {
            const int rows = std::min(step, count - first);
            const auto begin = static_cast<std::size_t>(first);
            const Block x =
                computeRows(*state, tokens.subspan(begin, static_cast<std::size_t>(rows)));
            std::ranges::copy(x.values(),
                              states.begin() + static_cast<std::ptrdiff_t>(begin * width));
        }
        return states;
    }

    Result<void> makeRoom(int rows)
    {
        if (m_scratch && rows <= m_room) return {};
        m_room = (rows + kRowStep - 1) / kRowStep * kRowStep;
        m_scratch.reset();
        TRY_ASSIGN(m_scratch, Scratch::create(model(), m_packed, m_room, m_pool.threads()));
        return {};
    }

    Block computeRows(State& state, std::span<const TokenId> tokens)
    {
        const int count = static_cast<int>(tokens.size());
        const Run run{&state, 0, count, state.length()};
        std::vector<Row> rows;
        rows.reserve(tokens.size());
        for (int i = 0; i < count; ++i)
            rows.push_back({&state, run.firstPosition + i});
        const Call call{model(), m_packed, rows, {&run, 1}, m_pool, *m_scratch, nullptr};
        prepareAngles(call);
        const Block x = call.block(Slot::Residual, model().embeddingLength);
        embedTokens(call, tokens, x);
        runLayers(call, tokens, x);
        if (m_packed.outputNorm) normalize(call, m_packed.outputNorm, model().norm, x);
        state.grow(count);
        return x;
    }

    ThreadPool m_pool;
    PackedWeights m_packed;
    std::optional<Scratch> m_scratch;
    int m_room = 0; ///< rows m_scratch is for
};

} // namespace

Result<std::unique_ptr<EmbeddingModel>>
createFastEmbeddingModel(std::shared_ptr<const ModelFile> file, Hyperparameters model,
                         Weights weights, const ForwardPassOptions& options)
{
    auto made = std::make_unique<FastEmbeddingModel>(std::move(file), std::move(model),
                                                     std::move(weights), options.threads);
    TRY(made->load(options));
    return made;
}

} // namespace engine
