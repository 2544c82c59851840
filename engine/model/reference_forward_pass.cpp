#include "engine/model/reference_forward_pass.h"

#include "engine/model/forward_input_check.h"
#include "engine/model/model_kind.h"
#include "engine/model/reference_layers.h"

#include <algorithm>
#include <format>
#include <new>

namespace engine {

namespace {

using namespace reference;

class ReferenceForwardPass final : public ForwardPass {
public:
    ReferenceForwardPass(std::shared_ptr<const ModelFile> file, Hyperparameters model,
                         Weights weights)
        : m_file(std::move(file))
        , m_model(std::move(model))
        , m_weights(std::move(weights))
    {
    }

    Result<std::unique_ptr<SequenceState>> createState(int contextLength, KvType kv) override
    {
        TRY(checkContextLength(contextLength, m_model, m_weights.positionEmbd));
        return std::make_unique<State>(m_model, m_weights, contextLength, kv);
    }

    Result<void> compute(std::span<const ForwardInput> inputs, std::span<float> logits) override
    {
        TRY(checkForwardInputs(inputs, logits, m_model.vocabularySize));
        std::vector<Row> rows;
        std::vector<TokenId> tokens;
        std::vector<int> wanted; // rows whose logits are asked for
        for (const ForwardInput& input : inputs) {
            auto& state = static_cast<State&>(*input.state);
            for (std::size_t i = 0; i < input.tokens.size(); ++i) {
                if (i + static_cast<std::size_t>(input.logitRows) >= input.tokens.size())
                    wanted.push_back(static_cast<int>(rows.size()));
                rows.push_back({&state, state.length() + static_cast<int>(i)});
                tokens.push_back(input.tokens[i]);
            }
        }
        const Call call{m_model, m_weights, rows, m_observer};
        Matrix x = embed(call, tokens);
        runLayers(call, tokens, x);
        for (const ForwardInput& input : inputs)
            static_cast<State&>(*input.state).grow(static_cast<int>(input.tokens.size()));
        if (wanted.empty()) return {};

        Matrix last(static_cast<int>(wanted.size()), x.columns);
        for (std::size_t i = 0; i < wanted.size(); ++i)
            std::ranges::copy(x.row(wanted[i]), last.row(static_cast<int>(i)).begin());
        normOutput(call, last);
        std::ranges::copy(reference::logits(call, last).values, logits.begin());
        return {};
    }

    int vocabularySize() const override { return m_model.vocabularySize; }
    void setObserver(TraceObserver* observer) override { m_observer = observer; }
    std::uint64_t residentBytes() const override { return m_file->tensorBytes(); }

private:
    std::shared_ptr<const ModelFile> m_file;
    Hyperparameters m_model;
    Weights m_weights;
    TraceObserver* m_observer = nullptr;
};

} // namespace

Result<std::unique_ptr<ForwardPass>>
createReferenceForwardPass(std::shared_ptr<const ModelFile> file,
                           std::span<const AdapterFile> adapters)
{
    TRY_ASSIGN(Hyperparameters model, Hyperparameters::read(*file));
    TRY(checkWrites(model));
    TRY_ASSIGN(Weights weights, Weights::resolve(*file, model, adapters));
    return std::make_unique<ReferenceForwardPass>(std::move(file), std::move(model),
                                                  std::move(weights));
}

} // namespace engine
