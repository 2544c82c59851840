#pragma once

#include "tests/support/engine/gguf_builder.h"

#include "engine/model/architecture.h"

#include <ostream>
#include <string>
#include <vector>

namespace test {

/// A tiny random model of one row of the architecture table.
struct TinyModel {
    std::string name; ///< the row's, and what was chosen: "qwen3next", "granitehybrid_experts"
    std::string architecture;
    bool experts = false; ///< in every layer but the first
    bool extras = false;  ///< biases, QK norms, sinks and whatever else a row may have
    engine::DType matrixType = engine::DType::F32;
};

/// For GoogleTest, which would list its bytes.
inline void PrintTo(const TinyModel& model, std::ostream* out)
{
    *out << model.name;
}

/// Every row of the table as it is, with extras, and with experts where the family has some.
std::vector<TinyModel> tinyModels();

/// Of 512 tokens, without a vocabulary's texts. Fails the running test where the row asks for
/// something the builder does not know.
GgufBuilder buildTinyModel(const TinyModel& model);

} // namespace test
