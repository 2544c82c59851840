#pragma once

#include "engine/kernels/vector_ops.h"
#include "engine/model/fast_call.h"

namespace engine::fast {

/// How far each row's predecessor in its sequence is from it, in `slot`; the layer's state holds
/// the last row's, at `offset` of what it remembers, and moves on.
Block shifted(const Call& call, int index, const Block& x, std::size_t offset, Slot slot);

/// x + difference * amount; `own` is another amount for each row, added to it.
struct Mixture {
    Block x;
    Block difference;

    void write(const Call& call, const float* amount, const Block& own, const Block& out) const;
};

void multiplyInto(const Call& call, const PackedLinear& linear, const Block& in, const Block& out);
void activateAll(const Call& call, Activation f, const Block& x);

} // namespace engine::fast
