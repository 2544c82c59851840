#include "engine/tokenizer/steps/step_list.h"

namespace engine {

namespace {

constexpr int kMostDepth = 8;
constexpr std::size_t kMostSteps = 64;

Result<void> append(const JsonView& json, const StepKind& kind, int depth,
                    std::vector<JsonView>& steps)
{
    const bool sequence = json["type"].stringOr("") == "Sequence";
    const auto* inner = json[kind.member].array();
    if (sequence && (!inner || depth >= kMostDepth))
        return unsupportedStep(std::format("expected {} in", kind.member), json);
    if (sequence) {
        for (const nlohmann::json& step : *inner)
            TRY(append(JsonView(step), kind, depth + 1, steps));
        return {};
    }
    if (steps.size() >= kMostSteps)
        return unsupportedStep(std::format("too many {}, among them", kind.member), json);
    steps.push_back(json);
    return {};
}

} // namespace

Result<std::vector<JsonView>> listSteps(const JsonView& json, const StepKind& kind)
{
    std::vector<JsonView> steps;
    if (json) TRY(append(json, kind, 0, steps));
    return steps;
}

std::unexpected<Error> unsupportedStep(std::string_view what, const JsonView& step)
{
    const std::string type = step["type"].stringOr("").substr(0, 80);
    return fail(ErrorCode::UnsupportedTokenizer,
                std::format("tokenizer.json: {} \"{}\"", what, type), type);
}

} // namespace engine
