// Products with rows that have been dequantized: every output is a sum over k in 16 virtual lanes.

#include "engine/kernels/matmul_kernels.h"

// clang-format off: foreach_target.h comes before whatever includes highway.h
#include "engine/kernels/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/matmul_rows.cpp"
#include <hwy/foreach_target.h>
#include "engine/kernels/vector_math-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace engine::HWY_NAMESPACE {

void rowRunProduct(const RowRun& run)
{
    for (std::size_t t = 0; t < run.tokens; ++t)
        addTo16(ProductTerm{run.weights, run.x + t * run.stride}, run.columns, run.lanes + 16 * t);
}

} // namespace engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace engine {

HWY_EXPORT(rowRunProduct);

void rowRun(const RowRun& run)
{
    HWY_DYNAMIC_DISPATCH(rowRunProduct)(run);
}

} // namespace engine
#endif
