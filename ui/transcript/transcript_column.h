#pragma once

#include "app/conversation/message.h"
#include "ui/transcript/reply_message.h"

#include <QObject>

#include <memory>
#include <vector>

namespace ui {

class ContextLine;

/// The messages of a transcript, one below the other, and the widgets of those near the visible
/// part. Heights count from the top of the column; the view decides what is visible.
class TranscriptColumn : public QObject {
    Q_OBJECT
public:
    struct Entry {
        app::Message message;     ///< behind its widget's while there is one
        app::ReplyGrowth pending; ///< text that came and is not shown yet
        LiveNumbers live;
        bool liveChanged = false;
        ReplyMemory memory;
        bool whole = false; ///< a long message of the user's is not folded
        int branch = 1;
        int branches = 1;
        int top = 0;
        int height = 0;
        MessageWidget* widget = nullptr;
    };
    /// A place that stays what it is when heights change.
    struct Anchor {
        qint64 id = 0;
        MessageAnchor inMessage;
        int offset = 0; ///< from the top of the visible part
    };

    explicit TranscriptColumn(QWidget* viewport);

    /// Makes every widget anew.
    void setTheme(const Theme& theme);
    bool isReady() const { return m_style != nullptr; }
    const TranscriptStyle& style() const { return *m_style; }

    void setMessages(const QList<app::Message>& messages);
    void append(const app::Message& message);
    void remove(qint64 id);
    std::vector<Entry>& entries() { return m_entries; }
    const std::vector<Entry>& entries() const { return m_entries; }
    Entry* find(qint64 id);
    const Entry* find(qint64 id) const;
    /// With everything that came.
    app::Message messageOf(const Entry& entry) const;
    void update(Entry& entry, const app::Message& message);
    /// Gives widgets what came since the last time; true if anything did.
    bool showPending();

    /// `viewWidth`: of the view, scroll bar included, so that the column stays where it is when
    /// the bar comes.
    void setViewWidth(int viewWidth);
    void arrange();
    int totalHeight() const { return m_totalHeight; }
    /// Makes what lies between two heights real. True if heights changed by that.
    bool realize(int top, int bottom);
    void place(int scrolled);

    Anchor anchorAt(int scrolled) const;
    int heightOf(const Anchor& anchor) const;

    /// The widget of a message, made if need be.
    MessageWidget* widgetOf(Entry& entry);
    /// The entry a widget, or what contains it, belongs to; null for others.
    Entry* entryOf(const QWidget* widget);
    int columnWidth() const { return m_columnWidth; }
    /// The message that Tab leads to.
    void setCurrent(qint64 id);
    void setDimmedAfter(qint64 id, bool dimmed);
    /// Draws a line above this message: what stands before it is out of the context. 0: none.
    void setContextStart(qint64 id, const QString& summary);

Q_SIGNALS:
    void widgetMade(ui::MessageWidget* widget);
    void heightChanged();

private:
    int estimate(const Entry& entry) const;
    void makeWidget(Entry& entry);
    void dropWidget(Entry& entry);
    void updateLast();

    QWidget* m_viewport;
    std::unique_ptr<TranscriptStyle> m_style;
    CodeLanguages m_languages;
    std::vector<Entry> m_entries;
    int m_viewWidth = 0;
    int m_columnLeft = 0;
    int m_columnWidth = 0;
    int m_totalHeight = 0;
    qint64 m_current = 0;
    qint64 m_contextStart = 0;
    QString m_contextSummary;
    ContextLine* m_contextLine = nullptr; ///< null: there is none
    int m_contextTop = 0;
};

} // namespace ui
