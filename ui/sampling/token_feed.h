#pragma once

#include "app/conversation/conversation_controller.h"
#include "app/inference/inference_service.h"

#include <QObject>
#include <QString>

namespace ui {

class NextTokenView;

/// Brings every token decoded for the chat that is shown to the NextTokenView, with the text before
/// it.
class TokenFeed : public QObject {
    Q_OBJECT
public:
    TokenFeed(app::ConversationController& conversations, app::InferenceService& inference,
              NextTokenView& view, QObject* parent = nullptr);

private:
    void take(qint64 messageId, const engine::TokenEvent& event);

    app::ConversationController& m_conversations;
    app::InferenceService& m_inference;
    NextTokenView& m_view;
    qint64 m_messageId = 0;
    QString m_before; // the end of the reply's text
};

} // namespace ui
