#pragma once

#include "engine/model/forward_pass.h"
#include "engine/model/rope.h"
#include "engine/model/weights.h"

#include <vector>

namespace engine::reference {

/// What one layer remembers of a sequence: keys and values of every position where it attends, a
/// window of inputs and a state of fixed size where it recurs.
struct LayerState {
    std::vector<float> keys;   ///< (length, key width), as the cache's type keeps them
    std::vector<float> values; ///< (length, value width)
    std::vector<float> conv;   ///< (kernel - 1, channels), the oldest input first
    std::vector<float> recurrent;
};

class State final : public SequenceState {
public:
    State(const Hyperparameters& model, const Weights& weights, int contextLength, KvType kv);

    int length() const override { return m_length; }
    int capacity() const override { return m_capacity; }
    int truncate(int length) override;
    int truncatedLength(int length) const override
    {
        return length == m_length || !m_model.hasRecurrentLayers() ? length : 0;
    }
    void remember() override {}
    Result<std::unique_ptr<SequenceState>> copy() const override
    {
        return std::make_unique<State>(*this);
    }
    bool isRewindable() const override { return !m_model.hasRecurrentLayers(); }
    std::uint64_t sizeBytes() const override;
    std::uint64_t usedBytes() const override { return sizeBytes(); }

    LayerState& layer(int index) { return m_layers[static_cast<std::size_t>(index)]; }
    void grow(int positions) { m_length += positions; }
    KvType kv() const { return m_kv; }
    /// The rotations of a layer; they may depend on the length of the context.
    const RopeTable& rope(const LayerHyperparameters& layer) const
    {
        return layer.windowed ? m_ropeSliding : m_rope;
    }

private:
    void reset();

    const Hyperparameters& m_model;
    int m_length = 0;
    int m_capacity = 0;
    KvType m_kv = KvType::F32;
    RopeTable m_rope;
    RopeTable m_ropeSliding;
    std::vector<LayerState> m_layers;
};

} // namespace engine::reference
