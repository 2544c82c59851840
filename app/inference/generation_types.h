#pragma once

#include "engine/engine.h"

#include <QList>
#include <QMetaType>
#include <QString>
#include <QStringList>

namespace app {

/// A failure as the window shows it: what happened, what to do next, and the engine's own words for
/// "Details". `expected` and `found` are the numbers in the sentence, where it has some.
struct UserError {
    engine::ErrorCode code = engine::ErrorCode::InvalidArgument;
    QString sentence; ///< translated: reason first, then what to do
    QString details;  ///< the engine's message, English
    quint64 expected = 0;
    quint64 found = 0;
};

struct ChatTurn {
    QString role; ///< "system", "user", "assistant"
    QString text;
    QString reasoning = {}; ///< of an assistant
};

/// What a reply does where the context has no room for the conversation and an answer.
enum class ContextPolicy : quint8 {
    Ask,           ///< it fails, or ends there: the user is asked
    DropOldest,    ///< the oldest turns are left out
    ShortenOldest, ///< the model writes a summary that stands for them
};

/// What of a conversation a reply is not given. System turns are not counted and always given.
struct ContextStart {
    int omittedTurns = 0;
    QString summary; ///< of those turns; empty: none

    bool operator==(const ContextStart&) const = default;
};

/// How a conversation goes on where its context is full.
struct ContextChoice {
    ContextPolicy policy = ContextPolicy::Ask;
    ContextStart start;

    bool operator==(const ContextChoice&) const = default;
};

struct GenerationRequest {
    /// The conversation. It ends with the user's turn, or with an assistant's that is written on.
    QList<ChatTurn> turns;
    QStringList stopStrings;
    ContextPolicy contextPolicy = ContextPolicy::Ask;
    ContextStart contextStart = {}; ///< as the conversation's last reply came back with
};

/// What a reply came to; its text was sent token by token before, but for what trails.
struct GenerationSummary {
    QString trailingText; ///< to be appended: it was held back until the reply was over
    QString trailingReasoning;
    engine::StopReason stopReason = engine::StopReason::EndOfGeneration;
    quint64 seed = 0;
    engine::GenerationTimings timings;
    int contextUsed = 0;
    int contextLength = 0;
    ContextStart contextStart; ///< what the reply was not given
};

/// How models are loaded and run; a change of the context length acts on the next reply, of the
/// threads on the next load.
struct ModelOptions {
    int contextLength = 0; ///< 0: the smaller of the trained context and 4096
    int threads = 0;       ///< 0: as many as the machine decodes fastest with

    bool operator==(const ModelOptions&) const = default;
};

/// A loaded model as the window shows it.
struct LoadedModel {
    QString path;
    QString name;
    QString quantization;
    quint64 fileBytes = 0;
    int contextLength = 0;
    int trainedContextLength = 0;
    quint64 kvBytesPerToken = 0; ///< of context
    int vocabularySize = 0;
    QString notice; ///< empty, or a sentence to show
};

} // namespace app

Q_DECLARE_METATYPE(app::UserError)
Q_DECLARE_METATYPE(app::GenerationSummary)
Q_DECLARE_METATYPE(app::LoadedModel)
Q_DECLARE_METATYPE(engine::TokenEvent)
