#include "tests/support/ui/layout_faults.h"

#include "ui/transcript/transcript_view.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"

#include <QAbstractScrollArea>
#include <QLayout>
#include <QSplitter>

#include <cmath>

namespace test {

namespace {

QString nameOf(const QWidget& widget)
{
    QString words = widget.accessibleName();
    if (const auto* label = qobject_cast<const QLabel*>(&widget)) words = label->text();
    if (const auto* button = qobject_cast<const QAbstractButton*>(&widget))
        words = button->text().isEmpty() ? words : button->text();
    const QRect at = widget.geometry();
    return QStringLiteral("%1 \"%2\" (%3,%4 %5x%6)")
        .arg(QLatin1StringView(widget.metaObject()->className()), words)
        .arg(at.x())
        .arg(at.y())
        .arg(at.width())
        .arg(at.height());
}

void gather(const QLayout& layout, QList<QWidget*>& widgets)
{
    for (int i = 0; i < layout.count(); ++i) {
        QLayoutItem* item = layout.itemAt(i);
        if (item->widget() != nullptr && item->widget()->isVisible()) widgets += item->widget();
        if (item->layout() != nullptr) gather(*item->layout(), widgets);
    }
}

QList<QWidget*> laidOut(const QWidget& parent)
{
    QList<QWidget*> widgets;
    if (const auto* splitter = qobject_cast<const QSplitter*>(&parent)) {
        for (int i = 0; i < splitter->count(); ++i)
            if (splitter->widget(i)->isVisible()) widgets += splitter->widget(i);
    } else if (parent.layout() != nullptr) {
        gather(*parent.layout(), widgets);
    }
    return widgets;
}

void checkWords(const QWidget& widget, QStringList& faults)
{
    if (const auto* button = qobject_cast<const ui::Button*>(&widget)) {
        if (button->width() < button->sizeHint().width())
            faults += nameOf(widget) % QStringLiteral(": its words are cut");
        return;
    }
    const auto* label = qobject_cast<const ui::Label*>(&widget);
    if (label == nullptr || label->isElided() || label->text().isEmpty()) return;
    const QSize room = label->contentsRect().size();
    const bool fits =
        label->wordWrap()
            ? label->height() >= label->heightForWidth(label->width())
            : std::ceil(QFontMetricsF(label->font()).horizontalAdvance(label->text())) <=
                  room.width() + 1;
    if (!fits) faults += nameOf(widget) % QStringLiteral(": its words are cut");
}

void check(const QWidget& parent, bool scrolls, QStringList& faults)
{
    if (qobject_cast<const ui::TranscriptView*>(&parent) != nullptr) return;
    const QList<QWidget*> managed = laidOut(parent);
    for (const QWidget* child : managed) {
        const QRect at = child->geometry();
        const bool inside =
            scrolls ? at.left() >= 0 && at.right() < parent.width() : parent.rect().contains(at);
        if (!inside)
            faults += QStringLiteral("%1 stands out of %2").arg(nameOf(*child), nameOf(parent));
        for (const QWidget* other : managed)
            if (other > child && other->geometry().intersects(at))
                faults += QStringLiteral("%1 is over %2").arg(nameOf(*child), nameOf(*other));
    }
    for (QObject* object : parent.children()) {
        const auto* child = qobject_cast<const QWidget*>(object);
        if (child == nullptr || child->isWindow() || !child->isVisible()) continue;
        checkWords(*child, faults);
        const bool area = qobject_cast<const QAbstractScrollArea*>(child) != nullptr;
        check(*child, scrolls || area, faults);
    }
}

} // namespace

QStringList layoutFaults(const QWidget& root)
{
    QStringList faults;
    check(root, false, faults);
    return faults;
}

} // namespace test
