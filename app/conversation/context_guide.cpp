#include "app/conversation/context_guide.h"

#include "app/conversation/reply_writer.h"
#include "app/inference/context_fitter.h"
#include "app/inference/memory_estimate.h"

#include <algorithm>
#include <utility>

namespace app {

namespace {

ContextPolicy policyOf(ContextStep step)
{
    if (step == ContextStep::DropOldest) return ContextPolicy::DropOldest;
    if (step == ContextStep::ShortenOldest) return ContextPolicy::ShortenOldest;
    return ContextPolicy::Ask;
}

} // namespace

LongerContext longerContext(const LoadedModel& model, int used, quint64 freeBytes)
{
    constexpr qint64 kStep = 1024; // of what a prompt and an answer need
    const qint64 needed = (qint64{used} * 5 / 4 + kStep - 1) / kStep * kStep;
    const bool trained = model.trainedContextLength > 0 &&
                         model.trainedContextLength <= settings::kContextLength.maximum;
    LongerContext longer;
    longer.mostTokens = trained ? model.trainedContextLength : settings::kContextLength.maximum;
    longer.limit = trained ? ContextLimit::Training : ContextLimit::Program;
    for (const qint64 wanted : {std::max(2 * qint64{model.contextLength}, needed), needed}) {
        const qint64 tokens = std::min<qint64>(wanted, longer.mostTokens);
        if (tokens <= model.contextLength || tokens <= used) continue;
        longer.bytes = static_cast<quint64>(tokens - model.contextLength) * model.kvBytesPerToken;
        const bool fits = freeBytes == 0 || longer.bytes <= freeBytes;
        longer.tokens = fits ? static_cast<int>(tokens) : 0;
        if (fits) break;
        longer.limit = ContextLimit::Memory;
    }
    return longer;
}

ContextGuide::ContextGuide(Settings& settings, InferenceService& inference,
                           ConversationController& conversations, QString starterFile,
                           QObject* parent)
    : QObject(parent)
    , m_settings(settings)
    , m_inference(inference)
    , m_conversations(conversations)
    , m_starterFile(std::move(starterFile))
{
    applyPolicy();
    connect(&conversations, &ConversationController::contextFilled, this, &ContextGuide::decide);
}

void ContextGuide::applyPolicy()
{
    m_conversations.setContextPolicy(policyOf(m_settings.get(settings::kContextStep)));
}

ContextQuestion ContextGuide::questionAbout(const Message& reply, int used) const
{
    const LoadedModel& model = m_inference.model();
    ContextQuestion question;
    question.reply = reply;
    question.used = used;
    question.total = model.contextLength;
    if (const auto memory = systemMemory()) question.freeBytes = memory->available;
    question.longer = longerContext(model, used, question.freeBytes);
    question.fits = used > 0 && used + question.total / 8 < question.total;
    const LeavingOut leaving =
        leavingOut(chatTurns(m_conversations.messages()), m_conversations.contextChoice().start,
                   used, question.total);
    question.canDrop = leaving.helps;
    question.freedTokens = leaving.freedTokens;
    question.canSummarize =
        question.canDrop && model.notice.isEmpty() && model.path != m_starterFile;
    return question;
}

void ContextGuide::decide(const Message& reply, int used, int total)
{
    const ContextQuestion question = questionAbout(reply, used);
    const ContextStep step = m_settings.get(settings::kContextStep);
    if (step == ContextStep::StopHere) return;
    // Opening an old chat writes nothing.
    if (total > 0 && goesByItself(question, step)) {
        m_takenFor = reply.id;
        m_takenAt = reply.text.size();
        take(question, step);
    } else {
        Q_EMIT asked(question);
    }
}

// What was tried and brought the reply no further is not tried again.
bool ContextGuide::goesByItself(const ContextQuestion& question, ContextStep step) const
{
    const Message& reply = question.reply;
    if (reply.id == m_takenFor && reply.text.size() <= m_takenAt) return false;
    switch (step) {
    case ContextStep::Longer:
        return question.fits || question.longer.tokens > 0;
    case ContextStep::DropOldest:
        return question.canDrop && reply.state != MessageState::Failed;
    case ContextStep::ShortenOldest:
        return question.canSummarize && reply.state != MessageState::Failed;
    case ContextStep::Ask:
    case ContextStep::StopHere:
        break;
    }
    return false;
}

void ContextGuide::setEveryChat(ContextStep step)
{
    m_settings.set(settings::kContextStep, step);
    applyPolicy();
}

void ContextGuide::answer(const ContextQuestion& question, ContextStep step, bool everyChat)
{
    if (everyChat) setEveryChat(step);
    take(question, step);
}

void ContextGuide::take(const ContextQuestion& question, ContextStep step)
{
    if (step == ContextStep::Ask || step == ContextStep::StopHere) return;
    if (step == ContextStep::Longer && !question.fits &&
        question.longer.tokens > m_inference.model().contextLength)
        m_settings.set(settings::kContextLength, question.longer.tokens);
    m_conversations.goOn(question.reply.id, policyOf(step));
}

} // namespace app
