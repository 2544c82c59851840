#pragma once

#include "engine/model/fast_call.h"

/// Alternating updates: the residual stream is several streams; a layer computes only the first,
/// the others are predicted and corrected from it. The equations are in reference_altup.cpp.
namespace engine::fast {

/// Streams one after the other in one place; the first is the one that is computed.
struct Streams {
    Block first;
    int count = 0;

    Block at(int index) const
    {
        return {first.data + static_cast<std::size_t>(index) * first.values().size(), first.rows,
                first.columns};
    }
};

Streams altupExpand(const Call& call, const Block& embedded);
Streams altupPredict(const Call& call, int index, const Streams& streams);
/// Moves `predictions` by how far `activated`, what the layer made of the first, is from it.
void altupCorrect(const Call& call, int index, const Streams& predictions, const Block& activated);
void altupMerge(const Call& call, const Streams& streams, const Block& out);

/// A learned residual of low rank beside attention: x + norm(R L x).
Block laurel(const Call& call, int index, const Block& x);

} // namespace engine::fast
