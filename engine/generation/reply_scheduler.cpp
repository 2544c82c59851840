#include "engine/generation/reply_scheduler.h"

#include <algorithm>
#include <utility>

namespace engine {

ReplyScheduler::ReplyScheduler(Model& model, int rows)
    : m_model(model)
    , m_rows(std::max(rows, 1))
{
}

Result<void> ReplyScheduler::add(LocalSession& session, std::span<const TokenId> prompt,
                                 ReplyRequest request, Done done)
{
    TRY(session.begin(prompt, std::move(request)));
    m_replies.push_back({&session, std::move(done), {}});
    return {};
}

bool ReplyScheduler::step()
{
    m_inputs.clear();
    m_inputReplies.clear();
    for (Active& reply : m_replies)
        if (!reply.session->isReading()) gather(reply, 0);
    int left = m_rows - static_cast<int>(m_inputs.size());
    // A prompt goes on however many replies there are.
    left = std::max(left, 1);
    for (Active& reply : m_replies) {
        if (left == 0) break;
        if (reply.result || !reply.session->isReading()) continue;
        const std::size_t before = m_inputs.size();
        gather(reply, left);
        if (m_inputs.size() > before) left -= static_cast<int>(m_inputs.back().tokens.size());
    }
    compute();
    endReplies();
    return !m_replies.empty();
}

void ReplyScheduler::gather(Active& reply, int mostPromptTokens)
{
    const auto input = reply.session->next(mostPromptTokens, m_replies.size() == 1);
    if (!input) {
        reply.session->abandon();
        reply.result = std::unexpected(input.error());
    } else if (!*input) {
        reply.result = reply.session->finish();
    } else {
        m_inputs.push_back(**input);
        m_inputReplies.push_back(static_cast<std::size_t>(&reply - m_replies.data()));
    }
}

// An input that is refused ends its own reply alone.
void ReplyScheduler::compute()
{
    if (m_inputs.empty() || computePass(0, m_inputs.size())) return;
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        const Result<void> computed = computePass(i, 1);
        if (computed) continue;
        Active& reply = m_replies[m_inputReplies[i]];
        reply.session->abandon();
        reply.result = std::unexpected(computed.error());
    }
}

Result<void> ReplyScheduler::computePass(std::size_t first, std::size_t count)
{
    const std::span<const ForwardInput> inputs = std::span(m_inputs).subspan(first, count);
    std::size_t rows = 0;
    for (const ForwardInput& input : inputs)
        rows += static_cast<std::size_t>(input.logitRows);
    const auto vocabulary = static_cast<std::size_t>(m_model.forwardPass().vocabularySize());
    if (m_logits.size() < rows * vocabulary) m_logits.resize(rows * vocabulary);
    TRY(m_model.forwardPass().compute(inputs, std::span(m_logits).first(rows * vocabulary)));
    const float* from = m_logits.data();
    for (std::size_t i = 0; i < count; ++i) {
        LocalSession& session = *m_replies[m_inputReplies[first + i]].session;
        const std::span<float> to = session.rows(inputs[i].logitRows);
        std::copy_n(from, to.size(), to.data());
        from += to.size();
        session.accept();
    }
    return {};
}

// What is done then may begin other replies.
void ReplyScheduler::endReplies()
{
    const auto over = std::ranges::stable_partition(
        m_replies, [](const Active& reply) { return !reply.result.has_value(); });
    std::vector<Active> ended(std::make_move_iterator(over.begin()),
                              std::make_move_iterator(over.end()));
    m_replies.erase(over.begin(), over.end());
    for (Active& reply : ended)
        if (reply.done) reply.done(*std::move(reply.result));
}

} // namespace engine
