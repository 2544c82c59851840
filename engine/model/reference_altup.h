#pragma once

#include "engine/model/reference_call.h"

#include <vector>

/// Alternating updates (Baykal et al. 2023) as Gemma 3n has them: the residual stream is several
/// streams; a layer computes only the first, the others are predicted and corrected from it.
namespace engine::reference {

/// Each (rows, embedding); the first is the one that is computed.
using Streams = std::vector<Matrix>;

Streams altupExpand(const Call& call, const Matrix& embedded);
Streams altupPredict(const Call& call, int index, const Streams& streams);
/// Moves `predictions` by how far `activated`, what the layer made of the first, is from it.
void altupCorrect(const Call& call, int index, Streams& predictions, const Matrix& activated);
Matrix altupMerge(const Call& call, const Streams& streams);

/// A learned residual of low rank beside attention: x + norm(R L x).
Matrix laurel(const Call& call, int index, const Matrix& x);

} // namespace engine::reference
