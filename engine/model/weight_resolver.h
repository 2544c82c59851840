#pragma once

#include "engine/model/adapters.h"
#include "engine/model/weight_rules.h"
#include "engine/model/weights.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace engine {

/// Elements [first, first + count) of a tensor of a type without blocks.
TensorView elementRange(const TensorView& tensor, std::int64_t first, std::int64_t count);

/// Finds a model's tensors by name and holds their shapes against its numbers. `file` and `model`
/// must outlive it.
class WeightResolver {
public:
    WeightResolver(const ModelFile& file, const Hyperparameters& model, Adapters adapters = {})
        : m_file(file)
        , m_model(model)
        , m_adapters(std::move(adapters))
    {
    }

    Result<Weights> resolve();

    /// Tensors that are not there are added to `list` and no error any more.
    void collectMissing(std::vector<WantedTensor>& list) { m_missing = &list; }

private:
    using Shape = std::array<std::int64_t, 4>;
    Result<void> want(const std::string& name, const Shape& shape);

    const Architecture& row() const { return *m_model.architecture; }
    std::string inLayer(std::string_view name) const;
    std::unexpected<Error> missing(std::string name) const;
    std::unexpected<Error> badShape(const TensorView& tensor, const std::string& expected,
                                    std::int64_t elements) const;

    /// A tensor of exactly this shape into `target`; a missing one is no error where `optional`.
    Result<void> find(TensorView& target, const std::string& name, const Shape& shape,
                      bool optional);

    /// An optional tensor whose elements can be told apart without dequantizing.
    Result<void> findPlain(TensorView& target, const std::string& name, const Shape& shape);
    std::int64_t size(Dimension dimension) const;
    Result<void> findLinear(Linear& target, std::string_view name, std::int64_t inputs,
                            std::int64_t outputs, bool optional);
    Result<void> findUnscaled(Linear& target, std::string_view name, std::int64_t inputs,
                              std::int64_t outputs, bool optional);

    /// One matrix for each of `count`. `rowCount` of the target is all the outputs.
    Result<void> findSet(LinearSet& target, const std::string& stem, const Shape& shape,
                         bool optional);
    Result<void> findNorm(NormWeights& target, const NormName& name, std::int64_t width);
    Result<void> apply(LayerWeights& layer, const RuleSet& rules);

    /// Numbers whose tensor may have dimensions of 1 before, between or after.
    Result<void> findVector(TensorView& target, const std::string& name, std::int64_t columns,
                            std::int64_t rows, bool optional);
    Result<void> resolveEmbeddings();
    Result<void> resolvePerLayer();

    /// A matrix of so many columns and any number of rows; where it is missing, one for each
    /// position is asked for.
    Result<void> findRows(TensorView& target, const std::string& name, std::int64_t columns,
                          bool optional);
    Result<void> resolveOutput();

    /// What comes after pooling, in models for embeddings or for ranking. The lengths between are
    /// those of the tensors.
    Result<void> resolvePooled();

    /// Of a tensor whose rows may be any number; 1 where it is not there.
    std::int64_t rowsOf(std::string_view name) const;
    Result<void> resolveRope();

    /// May have an entry for every pair of windowed layers too, where those turn more.
    Result<void> resolveRopeFreqs(std::int64_t pairs);
    Result<void> resolveLayer(std::size_t index);

    /// Matrices that are not multiplied with as they are take no changes.
    static Result<void> refuseChanges(const LayerWeights& layer);
    Result<void> resolveNorms(LayerWeights& layer);

    /// Queries, keys and values: three matrices, or one whose rows are theirs in that order.
    Result<void> resolveProjections(LayerWeights& layer);

    /// A gate of its own on what attention read: a number for each element or for each head.
    Result<void> resolveGate(LayerWeights& layer, const LayerHyperparameters& numbers);

    static Linear part(const Linear& fused, std::int64_t first, std::int64_t count);

    /// A norm of queries or keys: of each head with the same weights or its own, or of all heads
    /// together. The shape says which.
    Result<void> findQkNorm(NormWeights& target, std::string_view name, int heads, int length);
    /// Norms whose only weights are one number for each query head (headNormScales).
    Result<void> findHeadScales(NormWeights& target, std::string_view name, int heads, int length);
    Result<void> resolveLatent(LayerWeights& layer);

    /// The five interpolations are one tensor or five.
    Result<void> checkLerps(const LayerWeights& layer);
    /// Layers without a bias of their own have the first layer's.
    Result<void> resolveRelativeBias(LayerWeights& layer);
    Result<void> resolveRwkv6(LayerWeights& layer);
    Result<void> resolveRwkv7(LayerWeights& layer);
    Result<void> resolveDeltaNet(LayerWeights& layer);

    /// Queries, keys, values and gates of the heads: in older files one matrix, by key head.
    Result<void> resolveDeltaInputs(LayerWeights& layer);

    struct RowPart {
        std::int64_t first;
        std::int64_t count;
    };

    /// A matrix that lies in groups of `each` rows, put in another order: for each of `parts` in
    /// turn those rows of every group.
    TensorView gather(const TensorView& from, std::span<const RowPart> parts, std::int64_t each);

    Linear gather(const Linear& from, std::span<const RowPart> parts, std::int64_t each);
    Result<void> resolveFeedForward(LayerWeights& layer, const LayerHyperparameters& numbers);
    Result<void> resolveExperts(LayerWeights& layer);

    /// The length of the shared experts is that of their tensors.
    Result<void> resolveSharedExperts(LayerWeights& layer);

    static constexpr std::int64_t kMostSharedLength = 1 << 22;

    const ModelFile& m_file;
    const Hyperparameters& m_model;
    Weights m_weights;
    Adapters m_adapters;
    std::vector<WantedTensor>* m_missing = nullptr;
    int m_layer = -1; ///< the layer names are looked up in; -1: outside
};

} // namespace engine
