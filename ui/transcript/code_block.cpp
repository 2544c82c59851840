#include "ui/transcript/code_block.h"

#include "ui/widgets/paint.h"

#include <QApplication>
#include <QClipboard>

namespace ui {

using Token = Theme::Token;

CodeBlock::CodeBlock(const TranscriptStyle& style, const CodeLanguages& languages, QWidget* parent)
    : QWidget(parent)
    , m_style(style)
    , m_languages(languages)
    , m_language(tr("Code"))
    , m_area(new CodeArea(style, this))
    , m_copy(new CopyButton(style, this))
{
    connect(m_copy, &QAbstractButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_area->text()); });
}

void CodeBlock::setBlock(const MarkdownBlock& block)
{
    if (block.info != m_info) {
        m_info = block.info;
        m_language = m_info.isEmpty() ? tr("Code") : m_languages.nameOf(m_info);
        m_area->setHighlighter(m_languages.highlighter(m_info));
        m_area->setAccessibleName(tr("Code, %1").arg(m_language));
        update();
    }
    m_area->setText(block.text, block.open);
}

int CodeBlock::heightOfBlock() const
{
    return 1 + headHeight() + 1 + m_area->heightOfText() + 1;
}

void CodeBlock::resizeEvent(QResizeEvent*)
{
    const int top = 1 + headHeight() + 1;
    m_area->setGeometry(1, top, width() - 2, height() - top - 1);
    const QSize size = m_copy->sizeHint();
    m_copy->setGeometry(width() - size.width() - 7, 1 + (headHeight() - size.height()) / 2,
                        size.width(), size.height());
}

void CodeBlock::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    drawRounded(painter, rect(), radius::kCard, m_style.color(Token::CodeBg),
                m_style.color(Token::Line));
    painter.fillRect(QRect(1, 1 + headHeight(), width() - 2, 1), m_style.color(Token::Line));
    painter.setFont(m_style.theme().font(Theme::TextStyle::Caption));
    painter.setPen(m_style.color(Token::Text2));
    const QRect words(13, 1, m_copy->x() - 20, headHeight());
    painter.drawText(words, Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(displayableCode(m_language), Qt::ElideRight,
                                                      words.width()));
}

} // namespace ui
