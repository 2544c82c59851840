#include "app/inference/context_fitter.h"

#include <algorithm>
#include <utility>

namespace app {

namespace {

bool isRole(const ChatTurn& turn, QLatin1StringView role)
{
    return turn.role == role;
}

qsizetype systemTurns(const QList<ChatTurn>& turns)
{
    const auto end = std::ranges::find_if_not(
        turns, [](const ChatTurn& turn) { return isRole(turn, QLatin1StringView("system")); });
    return end - turns.begin();
}

/// How many turns can go: what is left begins with a user's turn, and the last of those stays.
QList<int> placesToCut(const QList<ChatTurn>& turns)
{
    QList<int> places;
    const qsizetype first = systemTurns(turns);
    for (qsizetype i = first + 1; i < turns.size(); ++i)
        if (isRole(turns[i], QLatin1StringView("user"))) places += static_cast<int>(i - first);
    return places;
}

constexpr qsizetype kTurnMarks = 16; // characters, about, that a template puts around a turn

qsizetype lengthOf(const QList<ChatTurn>& turns)
{
    qsizetype length = 0;
    for (const ChatTurn& turn : turns)
        length += turn.text.size() + turn.reasoning.size() + kTurnMarks;
    return length;
}

} // namespace

LeavingOut leavingOut(const QList<ChatTurn>& turns, const ContextStart& start, int used, int total)
{
    const ContextStart now = validStart(turns, start);
    const auto all = static_cast<double>(lengthOf(turnsFrom(turns, now)));
    double left = used;
    for (const int place : placesToCut(turns)) {
        if (place <= now.omittedTurns) continue;
        const QList<ChatTurn> rest =
            turnsFrom(turns, {.omittedTurns = place, .summary = now.summary});
        left = used * static_cast<double>(lengthOf(rest)) / all;
        if (left <= total / 2.0) break;
    }
    return {.helps = left < used && left + total / 8.0 < total,
            .freedTokens = static_cast<int>(used - left)};
}

ContextStart validStart(const QList<ChatTurn>& turns, const ContextStart& start)
{
    return placesToCut(turns).contains(start.omittedTurns) ? start : ContextStart{};
}

QList<ChatTurn> turnsFrom(const QList<ChatTurn>& turns, const ContextStart& start)
{
    const qsizetype system = systemTurns(turns);
    QList<ChatTurn> left = turns.first(system);
    if (!start.summary.isEmpty()) {
        // Words for the model, which speaks of them to nobody.
        const QString words =
            QStringLiteral("Summary of the conversation so far:\n%1").arg(start.summary);
        if (left.isEmpty()) {
            left += ChatTurn{.role = QStringLiteral("system"), .text = words};
        } else {
            left.last().text += QStringLiteral("\n\n") % words;
        }
    }
    return left + turns.sliced(std::min<qsizetype>(turns.size(), system + start.omittedTurns));
}

ContextFitter::ContextFitter(int contextLength, Encode encode, Summarize summarize)
    : m_contextLength(contextLength)
    , m_encode(std::move(encode))
    , m_summarize(std::move(summarize))
{
}

// An answer shorter than an eighth of the context would soon be cut.
bool ContextFitter::hasRoom(const engine::ChatPrompt& prompt) const
{
    const auto length = static_cast<std::size_t>(m_contextLength);
    return prompt.tokens.size() + length / 8 < length;
}

// As the last reply began, or with all the turns again where they have room by now.
engine::Result<FittedPrompt> ContextFitter::begun(const GenerationRequest& request) const
{
    FittedPrompt begun;
    begun.start = validStart(request.turns, request.contextStart);
    if (begun.start.omittedTurns > 0) {
        TRY_ASSIGN(begun.prompt, m_encode(request.turns));
        if (hasRoom(begun.prompt)) return FittedPrompt{std::move(begun.prompt), {}};
    }
    TRY_ASSIGN(begun.prompt, m_encode(turnsFrom(request.turns, begun.start)));
    return begun;
}

engine::Result<FittedPrompt> ContextFitter::fit(const GenerationRequest& request) const
{
    TRY_ASSIGN(FittedPrompt whole, begun(request));
    const ContextStart start = whole.start;
    const QList<int> places = placesToCut(request.turns);
    if (request.contextPolicy == ContextPolicy::Ask || hasRoom(whole.prompt) || places.isEmpty() ||
        places.constLast() <= start.omittedTurns)
        return whole;
    TRY_ASSIGN(FittedPrompt shorter, dropped(request.turns, start));
    if (request.contextPolicy == ContextPolicy::DropOldest) return shorter;
    QList<ChatTurn> going = turnsFrom(request.turns, start);
    const qsizetype all = request.turns.size() - systemTurns(request.turns);
    going.resize(going.size() - (all - shorter.start.omittedTurns));
    TRY_ASSIGN(shorter.start.summary, m_summarize(going));
    // Nothing that stands for the turns: they are not left out behind the user's back.
    if (shorter.start.summary.isEmpty())
        return engine::fail(engine::ErrorCode::ContextFull, "the model wrote no summary", {},
                            whole.prompt.tokens.size() + 1,
                            static_cast<std::uint64_t>(m_contextLength));
    TRY_ASSIGN(shorter.prompt, m_encode(turnsFrom(request.turns, shorter.start)));
    return shorter;
}

// The fewest turns after whose going half of the context is free; where that is never so, all that
// can go.
engine::Result<FittedPrompt> ContextFitter::dropped(const QList<ChatTurn>& turns,
                                                    const ContextStart& start) const
{
    QList<int> places = placesToCut(turns);
    places.removeIf([&](int place) { return place <= start.omittedTurns; });
    qsizetype low = 0, high = places.size() - 1;
    FittedPrompt found;
    while (true) {
        const qsizetype at = low == high ? high : (low + high) / 2;
        found.start = {.omittedTurns = places[at], .summary = start.summary};
        TRY_ASSIGN(found.prompt, m_encode(turnsFrom(turns, found.start)));
        if (low == high) return found;
        const bool enough =
            found.prompt.tokens.size() <= static_cast<std::size_t>(m_contextLength) / 2;
        (enough ? high : low) = enough ? at : at + 1;
    }
}

} // namespace app
