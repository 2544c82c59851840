#pragma once

#include "ui/transcript/code_area.h"
#include "ui/transcript/copy_button.h"
#include "ui/transcript/markdown_blocks.h"

namespace ui {

/// A card of code: its language and a button to copy it above the code itself.
class CodeBlock : public QWidget {
    Q_OBJECT
public:
    CodeBlock(const TranscriptStyle& style, const CodeLanguages& languages,
              QWidget* parent = nullptr);

    void setBlock(const MarkdownBlock& block);
    int heightOfBlock() const;
    CodeArea& area() { return *m_area; }
    void setCaret(bool shown) { m_area->setCaret(shown); }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    int headHeight() const { return m_style.px(32); }

    const TranscriptStyle& m_style;
    const CodeLanguages& m_languages;
    QString m_info;
    QString m_language;
    CodeArea* m_area;
    CopyButton* m_copy;
};

} // namespace ui
