#pragma once

#include "app/conversation/message.h"
#include "engine/engine.h"

#include <QList>
#include <QString>

namespace test {

/// A conversation with a heading, a table, a list and code, as a person would have it.
QList<app::Message> sampleMessages();
QList<app::ConversationSummary> sampleConversations();

/// A decoded token after "…so from then on it cools more": ten plausible words over a long tail,
/// drawn by the engine's own chain.
engine::TokenEvent sampleToken(const engine::SamplingSettings& settings);
inline constexpr int kSampleVocabulary = 151'936;

} // namespace test
