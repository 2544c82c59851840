#include "engine/kernels/vector_ops.h"
#include "engine/model/fast_call.h"
#include "engine/model/trace_names.h"

namespace engine::fast {

void prepareAngles(const Call& call)
{
    call.forRows(call.rowCount(), [&](int row) {
        const Row& at = call.rows[static_cast<std::size_t>(row)];
        for (const bool windowed : {false, true}) {
            const RopeTable& rope = at.state->rope(windowed);
            const std::size_t pairs = rope.frequencies.size();
            rope.angles(at.position, {call.scratch.cosines(windowed, row), pairs},
                        {call.scratch.sines(windowed, row), pairs});
        }
    });
}

void embedTokens(const Call& call, std::span<const TokenId> tokens, const Block& x)
{
    const Hyperparameters& model = call.model;
    const PackedWeights& weights = call.weights;
    call.forRows(x.rows, [&](int row) {
        const auto at = static_cast<std::size_t>(row);
        float* out = x.row(row);
        const std::size_t size = x.stride();
        weights.tokenEmbd.matrix.rowToFloat(tokens[at], out);
        if (model.embeddingScale != 1.0F) scale(out, model.embeddingScale, out, size);
        if (!weights.tokenType.empty()) add(out, weights.tokenType.data(), out, size);
        if (!weights.positionEmbd.empty()) {
            const auto position = static_cast<std::size_t>(call.rows[at].position);
            add(out, weights.positionEmbd.data() + position * size, out, size);
        }
    });
    if (weights.embeddingNorm) normalize(call, weights.embeddingNorm, model.norm, x);
    call.trace(-1, trace::kEmbedding, x);
}

} // namespace engine::fast
