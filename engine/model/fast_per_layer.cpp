#include "engine/kernels/vector_ops.h"
#include "engine/model/fast_call.h"
#include "engine/model/trace_names.h"

#include <cmath>

namespace engine::fast {

Block perLayerInputs(const Call& call, std::span<const TokenId> tokens, const Block& embedded)
{
    const TensorView& table = call.weights.perLayerTokenEmbd;
    const PackedLinear& project = call.weights.perLayerModelProj;
    if (!project) return {};
    const Block inputs = call.block(Slot::PerLayerInputs, project.outputs());
    const Block looked = call.block(Slot::PerLayerLookup, project.outputs());
    const Product product{&project, inputs};
    multiply(call, embedded, {&product, 1});

    const float lookedFactor = std::sqrt(static_cast<float>(call.model.perLayerLength));
    const float widthFactor = 1 / std::sqrt(static_cast<float>(call.model.embeddingLength));
    const float half = 1 / std::sqrt(2.0F);
    call.forRows(inputs.rows, [&](int row) {
        scale(inputs.row(row), widthFactor, inputs.row(row), inputs.stride());
    });
    normalize(call, call.weights.perLayerProjNorm, NormKind::Rms, inputs);
    if (table.data != nullptr)
        call.forRows(inputs.rows, [&](int row) {
            const auto token = static_cast<std::uint64_t>(tokens[static_cast<std::size_t>(row)]);
            dtypeInfo(table.dtype)
                .dequantize(table.data + token * table.rowBytes(), looked.row(row),
                            looked.stride());
            multiplyAdd(looked.row(row), lookedFactor, inputs.row(row), inputs.row(row),
                        inputs.stride());
            scale(inputs.row(row), half, inputs.row(row), inputs.stride());
        });
    call.trace(-1, trace::kPerLayerInputs, inputs);
    return inputs;
}

Block perLayerOutput(const Call& call, int index, const Block& inputs, const Block& x)
{
    const PackedLayer& layer = call.layer(index);
    const int length = call.model.perLayerLength;
    const Block gate = call.block(Slot::PerLayerGate, length);
    const Product product{&layer.perLayerGate, gate};
    multiply(call, x, {&product, 1});
    float* part = inputs.data + static_cast<std::size_t>(index) * static_cast<std::size_t>(length);
    call.forRows(x.rows, [&](int row) {
        combine(call, index, 0, gate.row(row),
                part + static_cast<std::size_t>(row) * inputs.stride(), length);
    });
    const Block y = call.block(Slot::Added, x.columns);
    const Product projected{&layer.perLayerProj, y};
    multiplyStrided(call, part, inputs.stride(), {&projected, 1}, y.stride());
    normalize(call, layer.perLayerPostNorm, NormKind::Rms, y);
    call.trace(index, trace::kPerLayerOutput, y);
    return y;
}

} // namespace engine::fast
