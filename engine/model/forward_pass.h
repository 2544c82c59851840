#pragma once

#include "engine/base/result.h"
#include "engine/tokenizer/tokenizer.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace engine {

enum class KvType : std::uint8_t { F32, F16, BF16, Q8_0 };

/// What one sequence has computed so far: KV pages and, for mixers that are not attention,
/// fixed-size states. Belongs to the forward pass that made it and to one thread at a time.
class SequenceState {
public:
    virtual ~SequenceState() = default;
    virtual int length() const = 0;   ///< positions computed
    virtual int capacity() const = 0; ///< positions that fit
    /// Forgets every position from `length` on, and more where what lies before them is gone (a
    /// recurrent state has moved on, a window's pages were used again). Returns the positions that
    /// are left. REQUIRES: 0 <= length <= this->length().
    virtual int truncate(int length) = 0;
    /// What truncate(length) would return.
    virtual int truncatedLength(int length) const = 0;
    /// Lets truncate() come back to the present length later, where it could not without. Of a few
    /// such places the oldest is given up first.
    virtual void remember() = 0;
    /// The same positions in memory of their own. Errors: OutOfMemory.
    virtual Result<std::unique_ptr<SequenceState>> copy() const = 0;
    /// True where a few of the last positions can always be forgotten without recomputing.
    virtual bool isRewindable() const = 0;
    virtual std::uint64_t sizeBytes() const = 0;
    /// What the present positions take of it.
    virtual std::uint64_t usedBytes() const = 0;
};

/// Sees every intermediate of a forward pass, in order. `values` is (rows, columns), the rows being
/// the positions of the call.
class TraceObserver {
public:
    virtual ~TraceObserver() = default;
    /// `layer` is -1 outside the layers; `name` says what it is: "attention_norm", "q",
    /// "attention_output", "logits", ...
    virtual void record(int layer, std::string_view name, std::span<const float> values, int rows,
                        int columns) = 0;
};

/// Tokens to append to one sequence in a call.
struct ForwardInput {
    SequenceState* state = nullptr;
    std::span<const TokenId> tokens; ///< at least one
    int logitRows = 0; ///< logits are wanted after each of the last so many of `tokens`
};

/// logits = f(weights, tokens): one function, the same bits however the tokens are divided into
/// calls, which sequences share a call and how many threads run. Two implementations: the fast one,
/// and a slow one in f32 to read against the equations. Immutable but for scratch memory: one
/// thread calls at a time.
class ForwardPass {
public:
    virtual ~ForwardPass() = default;

    /// Errors: OutOfMemory (expected, found), InvalidArgument.
    virtual Result<std::unique_ptr<SequenceState>> createState(int contextLength, KvType kv) = 0;

    /// Appends to every sequence of `inputs`. `logits`: (sum of logitRows, vocabulary), inputs in
    /// order. Errors: ContextFull, InvalidArgument (a token outside the vocabulary); then no state
    /// has changed.
    virtual Result<void> compute(std::span<const ForwardInput> inputs, std::span<float> logits) = 0;

    virtual int vocabularySize() const = 0;
    /// Set to see the intermediates of the calls that follow; null to stop. Slow.
    virtual void setObserver(TraceObserver* observer) = 0;
    /// Bytes kept in memory for weights and scratch.
    virtual std::uint64_t residentBytes() const = 0;
};

} // namespace engine
