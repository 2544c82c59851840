#pragma once

#include "engine/model/reference_call.h"

namespace engine::reference {

/// How far each row's predecessor in its sequence is from it; the state holds the last row's, at
/// `offset` of what it remembers.
Matrix shifted(const Call& call, int index, const Matrix& x, int offset);

/// x + difference * (amount + own), `own` being empty or another amount for each row.
Matrix interpolate(const Matrix& x, const Matrix& difference, std::span<const float> amount,
                   const Matrix& own = {});

void tanhAll(Matrix& x);

} // namespace engine::reference
