#include "engine/generation/draft_model.h"

#include "engine/generation/draft_length.h"

#include <algorithm>
#include <format>

namespace engine {

namespace {

bool sameTokens(const Tokenizer& a, const Tokenizer& b)
{
    if (a.size() != b.size()) return false;
    for (TokenId id = 0; id < a.size(); ++id)
        if (a.piece(id, true) != b.piece(id, true)) return false;
    return true;
}

} // namespace

Result<std::unique_ptr<DraftModel>>
DraftModel::create(std::shared_ptr<Model> draft, const Tokenizer& vocabulary, int contextLength)
{
    if (!sameTokens(draft->tokenizer(), vocabulary))
        return fail(ErrorCode::InvalidArgument,
                    std::format("expected a draft model with the model's own vocabulary ({} "
                                "tokens), found another one ({} tokens): choose a smaller model of "
                                "the same family",
                                vocabulary.size(), draft->tokenizer().size()));
    const int trained = draft->info().contextLength;
    const int length = trained > 0 ? std::min(trained, contextLength) : contextLength;
    TRY_ASSIGN(std::unique_ptr<SequenceState> state,
               draft->forwardPass().createState(length, KvType::F16));
    if (!state->isRewindable())
        return fail(ErrorCode::InvalidArgument,
                    "expected a draft model that can take tokens back, found one with a recurrent "
                    "state: choose one with attention only");
    return std::unique_ptr<DraftModel>(new DraftModel(std::move(draft), std::move(state)));
}

DraftModel::DraftModel(std::shared_ptr<Model> draft, std::unique_ptr<SequenceState> state)
    : m_model(std::move(draft))
    , m_state(std::move(state))
    , m_logits(static_cast<std::size_t>(m_model->forwardPass().vocabularySize()))
{
    m_tokens.reserve(static_cast<std::size_t>(m_state->capacity()));
    m_guesses.reserve(DraftLength::kMostRows);
}

bool DraftModel::compute(std::span<const TokenId> tokens)
{
    const ForwardInput input{m_state.get(), tokens, 1};
    if (!m_model->forwardPass().compute({&input, 1}, m_logits)) return false;
    m_tokens.insert(m_tokens.end(), tokens.begin(), tokens.end());
    return true;
}

TokenId DraftModel::likeliest() const
{
    // The vocabulary may be padded with rows that are no tokens.
    const auto tokens = static_cast<std::ptrdiff_t>(
        std::min(m_logits.size(), static_cast<std::size_t>(m_model->tokenizer().size())));
    return static_cast<TokenId>(std::max_element(m_logits.begin(), m_logits.begin() + tokens) -
                                m_logits.begin());
}

std::span<const TokenId> DraftModel::guess(std::span<const TokenId> context, std::size_t most)
{
    m_guesses.clear();
    const auto room = static_cast<std::size_t>(m_state->capacity());
    if (most == 0 || context.empty() || context.size() >= room) return {};
    most = std::min({most, room - context.size(), DraftLength::kMostRows - 1});
    auto shared =
        static_cast<std::size_t>(std::ranges::mismatch(m_tokens, context).in2 - context.begin());
    shared = std::min(shared, context.size() - 1); // the last one's logits are wanted
    shared = static_cast<std::size_t>(m_state->truncate(static_cast<int>(shared)));
    m_tokens.resize(shared);
    if (!compute(context.subspan(shared))) return {};
    m_guesses.push_back(likeliest());
    while (m_guesses.size() < most && compute({&m_guesses.back(), 1}))
        m_guesses.push_back(likeliest());
    return m_guesses;
}

} // namespace engine
