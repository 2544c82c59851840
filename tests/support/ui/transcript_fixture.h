#pragma once

#include "ui/theme/theme.h"
#include "ui/transcript/newest_pill.h"
#include "ui/transcript/reply_message.h"
#include "ui/transcript/transcript_view.h"
#include "ui/transcript/user_message.h"

#include <QApplication>
#include <QScrollBar>
#include <QTest>
#include <QWheelEvent>

namespace test {

inline constexpr int kFrame = 50; ///< ms, longer than a frame

inline app::Message message(qint64 id, app::Role role, const QString& text,
                            app::MessageState state = app::MessageState::Complete)
{
    app::Message m;
    m.id = id;
    m.role = role;
    m.text = text;
    m.state = state;
    m.modelName = role == app::Role::Assistant ? QStringLiteral("Tiny") : QString();
    m.createdAt = QDateTime(QDate(2025, 3, 9), QTime(14, 32));
    return m;
}

inline app::Message thoughtful(qint64 id, const QString& thought, const QString& answer)
{
    app::Message m = message(id, app::Role::Assistant, answer);
    m.reasoning = thought;
    return m;
}

inline QString paragraphs(int count)
{
    QString text;
    for (int i = 0; i < count; ++i)
        text +=
            QStringLiteral(
                "Paragraph %1 of a text that is long enough to be broken into lines, at least when "
                "the view is as narrow as it is here, and so on.\n\n")
                .arg(i);
    return text;
}

/// A transcript in a window of its own.
struct TranscriptFixture {
    ui::Theme theme{ui::Theme::Mode::Light};
    ui::TranscriptView view;

    TranscriptFixture()
    {
        view.setTheme(&theme);
        view.resize(696, 600);
        view.show();
        if (!QTest::qWaitForWindowExposed(&view)) qFatal("no window");
    }
    QScrollBar* bar() { return view.verticalScrollBar(); }
    bool atEnd() { return bar()->value() == bar()->maximum(); }
    void wheel(int delta)
    {
        QWheelEvent event(QPointF(300, 300), view.viewport()->mapToGlobal(QPointF(300, 300)), {},
                          QPoint(0, delta), Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(view.viewport(), &event);
    }
    ui::ReplyMessage* reply(qint64 id)
    {
        for (auto* widget : view.viewport()->findChildren<ui::ReplyMessage*>())
            if (widget->message().id == id && !widget->isHidden()) return widget;
        return nullptr;
    }
    ui::UserMessage* user(qint64 id)
    {
        for (auto* widget : view.viewport()->findChildren<ui::UserMessage*>())
            if (widget->message().id == id && !widget->isHidden()) return widget;
        return nullptr;
    }
    /// Where a block of a reply stands in the viewport.
    int blockTop(qint64 id, qsizetype block)
    {
        ui::ReplyMessage* widget = reply(id);
        return widget->y() + widget->stackTop(ui::MessageAnchor::Part::Body) +
               widget->stackOf(ui::MessageAnchor::Part::Body)->topOf(block);
    }
    /// The first block of a reply whose top is visible.
    qsizetype firstVisibleBlock(qint64 id)
    {
        const ui::ReplyMessage* widget = reply(id);
        for (qsizetype i = 0; i < widget->answer().blocks().size(); ++i)
            if (blockTop(id, i) >= 0) return i;
        return -1;
    }
    ui::NewestPill* pill() { return view.findChild<ui::NewestPill*>(); }
    void write(qint64 id, const QString& text)
    {
        view.grow(id, {.text = text, .reasoning = {}});
        QTest::qWait(kFrame);
    }
    void think(qint64 id, const QString& text)
    {
        view.grow(id, {.text = {}, .reasoning = text});
        QTest::qWait(kFrame);
    }
};

} // namespace test
