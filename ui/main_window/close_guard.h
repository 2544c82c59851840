#pragma once

#include "app/conversation/conversation_controller.h"
#include "ui/chat/failure_card.h"

#include <QObject>

namespace ui {

/// Asks before the window closes with something that is not on the disk, and offers a way out for
/// it. Lives in the window's thread; the card is another's.
class CloseGuard : public QObject {
    Q_OBJECT
public:
    CloseGuard(app::ConversationController& conversations, FailureCard& card,
               QObject* parent = nullptr);

    /// Writes what is left to write. False: that failed, and the card says so and asks.
    bool mayClose();

Q_SIGNALS:
    /// The user wants to close after all: ask mayClose() again.
    void closeRequested();

private:
    void ask(const app::UserError& trouble);
    void takeStep(FailureCard::Step step);

    app::ConversationController& m_conversations;
    FailureCard& m_card;
    bool m_anyway = false; ///< the user knows
};

} // namespace ui
