#include "engine/model/reference_token_shift.h"

#include <algorithm>
#include <cmath>

namespace engine::reference {

Matrix shifted(const Call& call, int index, const Matrix& x, int offset)
{
    Matrix difference(x.rows, x.columns);
    for (int r = 0; r < x.rows; ++r) {
        const std::span<float> past =
            call.rows[static_cast<std::size_t>(r)].state->layer(index).conv;
        const auto last = slice(past, offset, x.columns);
        for (std::size_t i = 0; i < last.size(); ++i)
            difference.row(r)[i] = last[i] - x.row(r)[i];
        std::ranges::copy(x.row(r), last.begin());
    }
    return difference;
}

Matrix interpolate(const Matrix& x, const Matrix& difference, std::span<const float> amount,
                   const Matrix& own)
{
    Matrix y = x;
    for (int r = 0; r < x.rows; ++r)
        for (std::size_t i = 0; i < amount.size(); ++i)
            y.row(r)[i] +=
                difference.row(r)[i] * (amount[i] + (own.rows > 0 ? own.row(r)[i] : 0.0F));
    return y;
}

void tanhAll(Matrix& x)
{
    for (float& value : x.values)
        value = std::tanh(value);
}

} // namespace engine::reference
