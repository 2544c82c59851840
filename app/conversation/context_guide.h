#pragma once

#include "app/conversation/conversation_controller.h"
#include "app/settings/settings.h"

#include <QObject>

namespace app {

/// What a context cannot grow beyond.
enum class ContextLimit : quint8 {
    Training, ///< the model knows no positions after it
    Memory,   ///< there is not enough free
    Program,  ///< the longest that can be set
};

/// A context that has room for more.
struct LongerContext {
    int tokens = 0;    ///< 0: there is none of use, because of `limit`
    quint64 bytes = 0; ///< more of memory for it; where that is the limit, for the shortest of use
    ContextLimit limit = ContextLimit::Training;
    int mostTokens = 0; ///< by training or program
};

/// Twice as long, or as long as `used` tokens and an answer need, as far as `freeBytes` of memory
/// have room for it; 0: not known.
LongerContext longerContext(const LoadedModel& model, int used, quint64 freeBytes);

/// A reply that the context has no room for, and what could be done.
struct ContextQuestion {
    Message reply;
    int used = 0;  ///< tokens; those of the prompt where it did not fit
    int total = 0; ///< tokens
    LongerContext longer;
    quint64 freeBytes = 0;     ///< of memory; 0: not known
    bool fits = false;         ///< there is room by now: the context is longer than it was
    bool canDrop = false;      ///< there are turns that can be left out
    int freedTokens = 0;       ///< by dropping, about
    bool canSummarize = false; ///< and the model can write what stands for them
};

/// Knows how a chat goes on that has filled its context: by itself where the user said so for every
/// chat, else by asking. GUI thread.
class ContextGuide : public QObject {
    Q_OBJECT
public:
    ContextGuide(Settings& settings, InferenceService& inference,
                 ConversationController& conversations, QString starterFile,
                 QObject* parent = nullptr);

    /// For every chat: what is done without a question.
    void setEveryChat(ContextStep step);

    /// Takes the step and writes the reply on. `everyChat`: from now on without a question.
    void answer(const ContextQuestion& question, ContextStep step, bool everyChat);

Q_SIGNALS:
    void asked(const app::ContextQuestion& question);

private:
    void decide(const Message& reply, int used, int total);
    ContextQuestion questionAbout(const Message& reply, int used) const;
    bool goesByItself(const ContextQuestion& question, ContextStep step) const;
    void take(const ContextQuestion& question, ContextStep step);
    void applyPolicy();

    Settings& m_settings;
    InferenceService& m_inference;
    ConversationController& m_conversations;
    QString m_starterFile; // it is too small to sum anything up
    // What was last taken by itself, and how far the reply was: no step is repeated for nothing.
    qint64 m_takenFor = 0;
    qsizetype m_takenAt = 0;
};

} // namespace app
