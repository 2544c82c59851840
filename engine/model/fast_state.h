#pragma once

#include "engine/cache/kv_cache.h"
#include "engine/kernels/aligned_buffer.h"
#include "engine/model/forward_pass.h"
#include "engine/model/rope.h"
#include "engine/model/weights.h"

#include <memory>
#include <span>
#include <vector>

namespace engine::fast {

/// What a layer that recurs remembers: the last inputs of its convolution and a state of fixed
/// size.
struct RecurrentState {
    std::vector<float> conv; ///< (kernel - 1, channels), the oldest input first
    std::vector<float> state;
};

/// What truncate() can come back to although the sequence went on: all that is not kept by
/// position.
struct Checkpoint {
    int length = 0;
    int written = 0;
    std::vector<RecurrentState> recurrent; ///< by layer
    AlignedBuffer pages;                   ///< of the layers that use theirs again
};

/// One sequence of the fast forward pass.
class State final : public SequenceState {
public:
    /// `batch`: positions computed together at most. `model` must outlive the state. Errors:
    /// OutOfMemory.
    static Result<std::unique_ptr<State>> create(const Hyperparameters& model,
                                                 const Weights& weights, int contextLength,
                                                 KvType kv, int batch);

    int length() const override { return m_length; }
    int capacity() const override { return m_cache.capacity(); }
    int truncate(int length) override;
    int truncatedLength(int length) const override { return wayBack(length).length; }
    void remember() override;
    Result<std::unique_ptr<SequenceState>> copy() const override;
    bool isRewindable() const override { return !m_model.hasRecurrentLayers(); }
    std::uint64_t sizeBytes() const override;
    std::uint64_t usedBytes() const override;

    KvCache& cache() { return m_cache; }
    const KvCache& cache() const { return m_cache; }
    RecurrentState& recurrent(int layer) { return m_recurrent[static_cast<std::size_t>(layer)]; }
    const RopeTable& rope(bool windowed) const { return windowed ? m_ropeSliding : m_rope; }
    /// Room for what the spans of one position's keys leave in any layer, 64-byte aligned.
    std::span<float> attentionParts()
    {
        return {reinterpret_cast<float*>(m_attentionParts.data()),
                m_attentionParts.size() / sizeof(float)};
    }
    void grow(int positions);

private:
    explicit State(const Hyperparameters& model)
        : m_model(model)
    {
    }
    void reset();

    /// How truncate() gets to `length`, or to what is nearest below it.
    struct WayBack {
        int length = 0;
        const Checkpoint* from = nullptr; ///< null: without one
    };
    WayBack wayBack(int length) const;
    std::uint64_t fixedBytes() const; // what does not grow with the positions

    const Hyperparameters& m_model;
    KvCache m_cache;
    std::vector<RecurrentState> m_recurrent;
    AlignedBuffer m_attentionParts;
    RopeTable m_rope;
    RopeTable m_ropeSliding;
    int m_length = 0;
    std::vector<Checkpoint> m_checkpoints; // the oldest first
    int m_written = 0; // the furthest position since the cache's windows were last intact
};

/// How one position of a layer lies in the cache. Compressed attention keeps one head for all: the
/// compressed vector and the rotated key; its values are the compressed vector. A layer that reads
/// another's keys and values has none.
KvLayerShape kvLayerShape(const Hyperparameters& model, std::size_t index, KvType kv);

} // namespace engine::fast
