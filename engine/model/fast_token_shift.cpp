#include "engine/model/fast_token_shift.h"

#include <algorithm>

namespace engine::fast {

Block shifted(const Call& call, int index, const Block& x, std::size_t offset, Slot slot)
{
    const Block difference = call.block(slot, x.columns);
    const std::size_t size = x.stride();
    for (const Run& run : call.runs) {
        float* last = run.state->recurrent(index).conv.data() + offset;
        for (int row = run.firstRow; row < run.firstRow + run.rows; ++row) {
            const float* previous = row == run.firstRow ? last : x.row(row - 1);
            multiplyAdd(x.row(row), -1, previous, difference.row(row), size);
        }
        std::copy_n(x.row(run.firstRow + run.rows - 1), size, last);
    }
    return difference;
}

void Mixture::write(const Call& call, const float* amount, const Block& own, const Block& out) const
{
    call.forRows(x.rows, [&](int row) {
        for (std::size_t i = 0; i < x.stride(); ++i) {
            const float part = amount[i] + (own.columns > 0 ? own.row(row)[i] : 0.0F);
            out.row(row)[i] = x.row(row)[i] + difference.row(row)[i] * part;
        }
    });
}

void multiplyInto(const Call& call, const PackedLinear& linear, const Block& in, const Block& out)
{
    const Product product{&linear, out};
    multiply(call, in, {&product, 1});
}

void activateAll(const Call& call, Activation f, const Block& x)
{
    call.forRows(x.rows, [&](int row) { activate(f, x.row(row), x.row(row), x.stride()); });
}

} // namespace engine::fast
