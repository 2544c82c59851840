#pragma once

#include "ui/transcript/message_widget.h"
#include "ui/transcript/thought_block.h"

#include <QElapsedTimer>

namespace ui {

class ErrorCard;

/// What the view keeps of a reply while its widget does not exist.
struct ReplyMemory {
    QString longText; ///< of an answer that takes long to read
    MarkdownBlocks blocks;
    bool thoughtOpen = false;
    int thoughtSeconds = -1;
    int thoughtTokens = 0;
};

/// How far a prompt is read; then how fast its reply comes and how far that is.
struct LiveNumbers {
    double tokensPerSecond = 0;
    int tokens = 0;
    double seconds = 0;
    int read = 0;
    int toRead = 0; ///< tokens; 0: all is read, or none yet
};

/// An answer: head row, thought, Markdown over the whole column, what went wrong, actions.
class ReplyMessage final : public MessageWidget {
    Q_OBJECT
public:
    ReplyMessage(const TranscriptParts& parts, const app::Message& message, ReplyMemory memory,
                 QWidget* parent);

    void setMessage(const app::Message& message) override;
    void grow(const app::ReplyGrowth& growth) override;
    void setLive(const LiveNumbers& numbers);
    void setColumnWidth(int width) override;
    bool realize(int top, int bottom) override;
    MessageAnchor anchorAt(int y) const override;
    int topOf(const MessageAnchor& anchor) const override;
    BlockStack* stackOf(MessageAnchor::Part part) override;
    int stackTop(MessageAnchor::Part part) const override;
    void reveal(MessageAnchor::Part part) override;

    ReplyMemory memory() const;
    bool isThoughtOpen() const { return m_card != nullptr; }
    const BlockStack& answer() const { return *m_answer; }

protected:
    void arrange() override;
    void paintEvent(QPaintEvent* event) override;

private:
    bool isWriting() const { return m_message.state == app::MessageState::Writing; }
    bool isThinking() const { return isWriting() && hasThought() && m_message.text.isEmpty(); }
    bool hasThought() const { return !m_message.reasoning.isEmpty(); }
    bool isThoughtWhole() const { return !isWriting() || !m_message.text.isEmpty(); }
    void showState();
    void showThought();
    void showReadText();
    void setThoughtOpen(bool open);
    void followThinking();
    QStringList endWords() const;
    QStringList numbers() const;
    QString liveLine() const;

    ReplyMemory m_memory;
    LiveNumbers m_live;
    QElapsedTimer m_thinking;
    ThoughtButton* m_chip;
    ThoughtBlock* m_card = nullptr;
    BlockStack* m_answer;
    ErrorCard* m_error = nullptr;
};

} // namespace ui
