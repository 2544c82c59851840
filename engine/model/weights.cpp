#include "engine/model/weights.h"

#include "engine/model/adapters.h"
#include "engine/model/weight_resolver.h"

#include <utility>

namespace engine {

Result<Weights> Weights::resolve(const ModelFile& file, const Hyperparameters& model,
                                 std::span<const AdapterFile> adapters)
{
    TRY_ASSIGN(Adapters read, Adapters::read(adapters, model.architecture->name));
    TRY_ASSIGN(Weights weights, WeightResolver(file, model, std::move(read)).resolve());
    weights.adapters.assign(adapters.begin(), adapters.end());
    return weights;
}

Result<std::vector<WantedTensor>> missingTensors(const ModelFile& file,
                                                 const Hyperparameters& model)
{
    std::vector<WantedTensor> list;
    WeightResolver resolver(file, model);
    resolver.collectMissing(list);
    TRY(resolver.resolve());
    return list;
}

TensorView elementRange(const TensorView& tensor, std::int64_t first, std::int64_t count)
{
    const std::uint64_t bytes = dtypeInfo(tensor.dtype).blockBytes;
    TensorView part = tensor;
    part.shape = {count, 1, 1, 1};
    part.rank = 1;
    part.data = tensor.data + static_cast<std::uint64_t>(first) * bytes;
    part.sizeBytes = static_cast<std::uint64_t>(count) * bytes;
    return part;
}

TensorView rowRange(const TensorView& tensor, std::int64_t first, std::int64_t count)
{
    TensorView part = tensor;
    part.shape = {tensor.columns(), count, 1, 1};
    part.rank = 2;
    part.data = tensor.data + static_cast<std::uint64_t>(first) * tensor.rowBytes();
    part.sizeBytes = static_cast<std::uint64_t>(count) * tensor.rowBytes();
    return part;
}

Linear LinearSet::at(int index) const
{
    Linear linear;
    const std::int64_t rows = weight.shape[1];
    linear.weight = rowRange(weight, index * rows + firstRow, rowCount);
    if (bias.data != nullptr) linear.bias = elementRange(bias, index * rows + firstRow, rowCount);
    if (scale.data != nullptr) linear.scale = elementRange(scale, index, 1);
    for (const LowRank& change : changes) {
        const std::int64_t rank = change.a.shape[1];
        linear.changes.push_back({rowRange(change.a, index * rank, rank),
                                  rowRange(change.b, index * rows + firstRow, rowCount),
                                  change.scale});
    }
    return linear;
}

std::vector<float> readVector(const TensorView& tensor)
{
    std::vector<float> values;
    if (tensor.data == nullptr) return values;
    values.resize(static_cast<std::size_t>(tensor.elements()));
    dtypeInfo(tensor.dtype).dequantize(tensor.data, values.data(), values.size());
    return values;
}

std::vector<float> ropeFactors(const Weights& weights, const Hyperparameters& model,
                               int contextLength)
{
    if (weights.ropeFreqs.data != nullptr) return readVector(weights.ropeFreqs);
    const bool isLong = contextLength > model.rope.originalContextLength;
    return readVector(isLong ? weights.ropeFactorsLong : weights.ropeFactorsShort);
}

} // namespace engine
