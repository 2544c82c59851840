#include "engine/model/forward_input_check.h"

#include <algorithm>
#include <format>

namespace engine {

namespace {

Result<void> checkInput(const ForwardInput& input, int vocabularySize)
{
    if (input.state == nullptr || input.tokens.empty() || input.logitRows < 0 ||
        static_cast<std::size_t>(input.logitRows) > input.tokens.size())
        return fail(ErrorCode::InvalidArgument, "an input without a state or tokens");
    const auto room = static_cast<std::size_t>(input.state->capacity() - input.state->length());
    if (input.tokens.size() > room)
        return fail(ErrorCode::ContextFull,
                    std::format("{} positions are needed, {} fit", input.tokens.size(), room), {},
                    input.tokens.size(), room);
    for (const TokenId token : input.tokens)
        if (token < 0 || token >= vocabularySize)
            return fail(
                ErrorCode::InvalidArgument,
                std::format("token {} is not in the vocabulary of {}", token, vocabularySize));
    return {};
}

} // namespace

Result<void> checkContextLength(int contextLength, const Hyperparameters& model,
                                const TensorView& positions)
{
    std::int64_t most = positions.data != nullptr
                            ? std::min<std::int64_t>(positions.rows(), kMostContextLength)
                            : kMostContextLength;
    if (model.mostPositions > 0) most = std::min<std::int64_t>(most, model.mostPositions);
    if (contextLength >= 1 && contextLength <= most) return {};
    return fail(ErrorCode::InvalidArgument,
                std::format("expected a context of 1 to {} positions, {} were asked for", most,
                            contextLength),
                {}, static_cast<std::uint64_t>(std::max(0, contextLength)),
                static_cast<std::uint64_t>(most));
}

Result<void> checkForwardInputs(std::span<const ForwardInput> inputs, std::span<const float> logits,
                                int vocabularySize)
{
    std::size_t rows = 0;
    for (const ForwardInput& input : inputs) {
        TRY(checkInput(input, vocabularySize));
        rows += static_cast<std::size_t>(input.logitRows);
    }
    const std::size_t needed = rows * static_cast<std::size_t>(vocabularySize);
    if (logits.size() < needed)
        return fail(ErrorCode::InvalidArgument, "too little room for the logits", {}, needed,
                    logits.size());
    return {};
}

} // namespace engine
