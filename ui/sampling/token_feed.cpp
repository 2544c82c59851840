#include "ui/sampling/token_feed.h"

#include "ui/sampling/next_token_view.h"

namespace ui {

namespace {

constexpr qsizetype kKept = 80; // characters before the token; more than the view is wide

} // namespace

TokenFeed::TokenFeed(app::ConversationController& conversations, app::InferenceService& inference,
                     NextTokenView& view, QObject* parent)
    : QObject(parent)
    , m_conversations(conversations)
    , m_inference(inference)
    , m_view(view)
{
    using Controller = app::ConversationController;
    connect(&conversations, &Controller::tokenDecoded, this, &TokenFeed::take);
    connect(&conversations, &Controller::messageFinished, this, [this] {
        if (m_view.preview()) m_view.setPhase(NextTokenView::Phase::Last);
    });
    // Another text has another last token, and it is not known.
    connect(&conversations, &Controller::messagesReset, &view, &NextTokenView::clear);
}

void TokenFeed::take(qint64 messageId, const engine::TokenEvent& event)
{
    if (messageId != m_messageId) {
        m_messageId = messageId;
        m_before.clear();
    }
    if (m_conversations.writingConversation() == m_conversations.currentConversation()) {
        m_view.setToken(event, m_before, m_inference.model().vocabularySize);
        if (m_view.phase() != NextTokenView::Phase::Live)
            m_view.setPhase(NextTokenView::Phase::Live);
    }
    m_before += QString::fromStdString(event.reasoning) + QString::fromStdString(event.text);
    if (m_before.size() > kKept) m_before = m_before.last(kKept);
}

} // namespace ui
