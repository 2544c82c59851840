#pragma once

#include "app/inference/generation_types.h"

#include <functional>

namespace app {

/// A prompt that leaves room for an answer, and what it leaves out.
struct FittedPrompt {
    engine::ChatPrompt prompt;
    ContextStart start;
};

/// Makes room in a context before a reply begins. Where turns must go, half of the context is freed
/// at once: so most replies go on from the cached prefix of the one before, and nothing is read
/// twice for a few tokens.
class ContextFitter {
public:
    using Encode = std::function<engine::Result<engine::ChatPrompt>(const QList<ChatTurn>&)>;
    /// What stands for `turns`, the oldest of the conversation.
    using Summarize = std::function<engine::Result<QString>(const QList<ChatTurn>& turns)>;

    ContextFitter(int contextLength, Encode encode, Summarize summarize);

    /// Errors: those of encoding and summarizing. A prompt for which no room can be made comes back
    /// as it is, as does every one whose policy is to ask: the session refuses it with the numbers.
    engine::Result<FittedPrompt> fit(const GenerationRequest& request) const;

private:
    bool hasRoom(const engine::ChatPrompt& prompt) const;
    engine::Result<FittedPrompt> begun(const GenerationRequest& request) const;
    engine::Result<FittedPrompt> dropped(const QList<ChatTurn>& turns,
                                         const ContextStart& start) const;

    int m_contextLength;
    Encode m_encode;
    Summarize m_summarize;
};

/// What leaving out the oldest turns would come to, near enough to choose by.
struct LeavingOut {
    bool helps = false;  ///< there is room for an answer then
    int freedTokens = 0; ///< about
};

/// As fit() would do it where those turns, from `start` on, take `used` of `total` tokens. The
/// user's last turn, and what follows it, stays.
LeavingOut leavingOut(const QList<ChatTurn>& turns, const ContextStart& start, int used, int total);

/// `start` where that many turns can go, else nothing left out: turns may have been deleted, or
/// another branch be shown.
ContextStart validStart(const QList<ChatTurn>& turns, const ContextStart& start);

/// The system turns, then those after the ones left out; the summary is part of the system turn.
QList<ChatTurn> turnsFrom(const QList<ChatTurn>& turns, const ContextStart& start);

} // namespace app
