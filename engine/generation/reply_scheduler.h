#pragma once

#include "engine/generation/local_session.h"

#include <functional>
#include <span>
#include <vector>

namespace engine {

/// Writes several replies at once: a step is one pass over the weights for a token of each of them,
/// and for a piece of the prompts that are still to be read (continuous batching: Yu et al.,
/// "Orca", OSDI 2022). A reply may begin and end at any step. Each is, token for token, the one its
/// session would have written alone. One thread at a time, as its model.
class ReplyScheduler {
public:
    using Done = std::function<void(Result<GenerationResult>)>;

    /// `rows`: tokens in a pass at most; those of replies come first.
    explicit ReplyScheduler(Model& model, int rows = 256);

    /// Begins a reply. `session` is of the scheduler's model, and nobody else's until `done` was
    /// called, which happens in a later step(). Errors: as Session::generate(); then `done` is not
    /// called.
    Result<void> add(LocalSession& session, std::span<const TokenId> prompt, ReplyRequest request,
                     Done done);
    /// False where no reply is being written any more.
    bool step();
    /// Replies being written.
    std::size_t size() const { return m_replies.size(); }

private:
    struct Active {
        LocalSession* session;
        Done done;
        std::optional<Result<GenerationResult>> result; // it is over
    };

    void gather(Active& reply, int mostPromptTokens);
    void compute();
    /// Of inputs from `first` on.
    Result<void> computePass(std::size_t first, std::size_t count);
    void endReplies();

    Model& m_model;
    int m_rows;
    std::vector<Active> m_replies; // in the order they came
    // Of the step under way.
    std::vector<ForwardInput> m_inputs;
    std::vector<std::size_t> m_inputReplies; // whose they are, by their place in m_replies
    std::vector<float> m_logits;
};

} // namespace engine
