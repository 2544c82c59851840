#include "ui/transcript/message_accessible.h"

#include "ui/transcript/message_widget.h"
#include "ui/transcript/transcript_view.h"

#include <QAccessible>
#include <QAccessibleWidget>

namespace ui {

namespace {

class AccessibleMessage : public QAccessibleWidget {
public:
    explicit AccessibleMessage(MessageWidget* widget)
        : QAccessibleWidget(widget, QAccessible::ListItem)
    {
    }

    QString text(QAccessible::Text kind) const override
    {
        const auto* message = static_cast<const MessageWidget*>(object());
        if (kind == QAccessible::Name) return message->title();
        if (kind == QAccessible::Value || kind == QAccessible::Description)
            return message->message().text;
        return QAccessibleWidget::text(kind);
    }
};

QAccessibleInterface* makeInterface(const QString&, QObject* object)
{
    if (auto* message = qobject_cast<MessageWidget*>(object)) return new AccessibleMessage(message);
    if (auto* view = qobject_cast<TranscriptView*>(object))
        return new QAccessibleWidget(view, QAccessible::List, TranscriptView::tr("Conversation"));
    return nullptr;
}

} // namespace

void installMessageAccessibility()
{
    QAccessible::removeFactory(makeInterface);
    QAccessible::installFactory(makeInterface);
}

} // namespace ui
