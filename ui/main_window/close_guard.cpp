#include "ui/main_window/close_guard.h"

#include <QAccessible>
#include <QClipboard>
#include <QGuiApplication>

namespace ui {

using Step = FailureCard::Step;

CloseGuard::CloseGuard(app::ConversationController& conversations, FailureCard& card,
                       QObject* parent)
    : QObject(parent)
    , m_conversations(conversations)
    , m_card(card)
{
    connect(&m_card, &FailureCard::stepRequested, this, &CloseGuard::takeStep);
    connect(&m_card, &FailureCard::dismissed, &m_card, &QWidget::hide); // the window stays
    connect(&conversations, &app::ConversationController::storageRecovered, &m_card,
            &QWidget::hide);
}

bool CloseGuard::mayClose()
{
    if (m_anyway) return true;
    const std::optional<app::UserError> trouble = m_conversations.settle();
    if (!trouble) return true;
    ask(*trouble);
    return false;
}

void CloseGuard::ask(const app::UserError& trouble)
{
    QList<Step> steps{Step::Retry};
    if (!m_conversations.unsavedText().isEmpty()) steps += Step::CopyUnsaved;
    steps += Step::CloseAnyway;
    app::UserError shown = trouble;
    shown.sentence = tr("%1 If you close it now, what is not saved is lost.").arg(trouble.sentence);
    m_card.showError(tr("Not everything is saved yet"), shown, steps);
    // However it was to be closed: what Enter would do is seen.
    m_card.window()->setAttribute(Qt::WA_KeyboardFocusChange);
    m_card.stepButton(Step::Retry)->setFocus(Qt::TabFocusReason);
    QAccessibleAnnouncementEvent event(&m_card,
                                       m_card.title() % QStringLiteral(". ") % m_card.text());
    QAccessible::updateAccessibility(&event);
}

void CloseGuard::takeStep(Step step)
{
    if (step == Step::CopyUnsaved)
        return QGuiApplication::clipboard()->setText(m_conversations.unsavedText());
    m_anyway = step == Step::CloseAnyway;
    Q_EMIT closeRequested();
}

} // namespace ui
