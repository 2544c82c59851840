#pragma once

#include "app/conversation/message.h"

#include <QSqlQuery>
#include <QString>
#include <QVariant>

namespace app {

/// The columns of a message, in the order the functions below use.
QString messageColumns();
QVariantList messageValues(const Message& message);
/// A row with a role or a state that is not known comes as a Failed message that says so.
Message messageFromRow(const QSqlQuery& query);

/// The columns of what was chosen for a full context.
QString contextColumns();
QVariantList contextValues(qint64 conversationId, const ContextChoice& context);
/// A policy that is not known is to ask.
ContextChoice contextFromRow(const QSqlQuery& query);

/// The columns of a conversation's summary.
QString conversationColumns();
QVariantList conversationValues(const ConversationSummary& conversation);
ConversationSummary conversationFromRow(const QSqlQuery& query);

} // namespace app
