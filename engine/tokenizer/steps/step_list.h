#pragma once

#include "engine/base/json_view.h"

#include <format>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// How one of tokenizer.json's lists of steps is written.
struct StepKind {
    std::string_view name;   ///< what one step is called: "normalizer"
    std::string_view member; ///< what a sequence keeps its steps in
};

/// The steps in order, sequences of sequences laid flat; they live as long as the JSON. Errors:
/// UnsupportedTokenizer where a sequence has no steps, is nested too deeply or too long.
Result<std::vector<JsonView>> listSteps(const JsonView& json, const StepKind& kind);

/// Errors: UnsupportedTokenizer that says `what` of a step of that type.
std::unexpected<Error> unsupportedStep(std::string_view what, const JsonView& step);

/// The row of a table of step types that makes `step`. Errors: UnsupportedTokenizer.
template <typename Table>
Result<const typename Table::value_type*> findMaker(const Table& table, const JsonView& step,
                                                    const StepKind& kind)
{
    const std::string type = step["type"].stringOr("");
    for (const auto& row : table)
        if (row.type == type) return &row;
    return unsupportedStep(std::format("this program does not know the {}", kind.name), step);
}

} // namespace engine
