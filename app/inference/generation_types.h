#pragma once

#include "engine/engine.h"

#include <QList>
#include <QMetaType>
#include <QString>
#include <QStringList>

namespace app {

/// A failure as the window shows it: what happened, what to do next, and the engine's own words for
/// "Details".
struct UserError {
    engine::ErrorCode code = engine::ErrorCode::InvalidArgument;
    QString sentence; ///< translated: reason first, then what to do
    QString details;  ///< the engine's message, English
};

struct ChatTurn {
    QString role; ///< "system", "user", "assistant"
    QString text;
};

struct GenerationRequest {
    QList<ChatTurn> turns; ///< the conversation, ends with the user's turn
    QStringList stopStrings;
};

/// What a reply came to; the text was sent token by token before, but for `trailingText`.
struct GenerationSummary {
    QString trailingText; ///< to be appended: it was held back until the reply was over
    engine::StopReason stopReason = engine::StopReason::EndOfGeneration;
    quint64 seed = 0;
    engine::GenerationTimings timings;
    int contextUsed = 0;
    int contextLength = 0;
};

/// A loaded model as the window shows it.
struct LoadedModel {
    QString path;
    QString name;
    QString quantization;
    quint64 fileBytes = 0;
    int contextLength = 0;
    int trainedContextLength = 0;
    int vocabularySize = 0;
    QString notice; ///< empty, or a sentence to show
};

} // namespace app

Q_DECLARE_METATYPE(app::UserError)
Q_DECLARE_METATYPE(app::GenerationSummary)
Q_DECLARE_METATYPE(app::LoadedModel)
Q_DECLARE_METATYPE(engine::TokenEvent)
