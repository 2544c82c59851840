#include "ui/transcript/transcript_find.h"

#include "app/conversation/folded_text.h"

namespace ui {

namespace {

using Kind = MarkdownBlock::Kind;

struct Search {
    app::FoldedText words;
    Qt::CaseSensitivity sensitivity;
    qint64 id;
};

void findInBlocks(const QList<MarkdownBlock>& blocks, MessageAnchor::Part part,
                  const Search& search, QList<FindHit>& hits)
{
    qsizetype letters = 0;
    for (const MarkdownBlock& block : blocks)
        letters += block.text.size();
    qsizetype before = 0;
    for (qsizetype block = 0; block < blocks.size(); ++block) {
        const QStringList texts = fragmentTexts(blocks[block]);
        qsizetype inBlock = 0;
        for (qsizetype fragment = 0; fragment < texts.size(); ++fragment) {
            const app::FoldedText text(texts[fragment], search.sensitivity);
            for (const app::TextRange& found : text.occurrencesOf(search.words))
                hits.append({.id = search.id,
                             .part = part,
                             .block = block,
                             .fragment = static_cast<int>(fragment),
                             .offset = static_cast<int>(found.start),
                             .length = static_cast<int>(found.length),
                             .share = static_cast<double>(before + inBlock + found.start) /
                                      static_cast<double>(letters)});
            inBlock += texts[fragment].size() + 1;
        }
        before += blocks[block].text.size();
    }
}

} // namespace

QStringList fragmentTexts(const MarkdownBlock& block)
{
    QStringList texts;
    if (block.kind == Kind::Code) {
        const QList<QStringView> rows = rowsOfCode(block.text);
        for (const QStringView row : rows)
            texts.append(displayableCode(row));
    } else if (block.kind == Kind::Table) {
        const QStringList rows = block.text.split(u'\n');
        for (const QString& row : rows) {
            const QStringList cells = tableCells(row);
            for (qsizetype i = 0; i < block.alignments.size(); ++i)
                texts.append(parseInline(cells.value(i), {.breakTags = true}).text);
        }
    } else {
        texts.append(inlineTextOf(block).text);
    }
    return texts;
}

QList<FindHit> findIn(const app::Message& message, const QString& text,
                      Qt::CaseSensitivity sensitivity)
{
    QList<FindHit> hits;
    const Search search{
        .words = app::FoldedText(text, sensitivity), .sensitivity = sensitivity, .id = message.id};
    if (message.role == app::Role::User) {
        findInBlocks(plainBlocks(message.text), MessageAnchor::Part::Body, search, hits);
        return hits;
    }
    const bool writing = message.state == app::MessageState::Writing;
    const auto searchPart = [&](const QString& source, MessageAnchor::Part part) {
        MarkdownBlocks blocks;
        blocks.append(source);
        if (!writing) blocks.finish();
        findInBlocks(blocks.blocks(), part, search, hits);
    };
    if (!message.reasoning.isEmpty()) searchPart(message.reasoning, MessageAnchor::Part::Thought);
    searchPart(message.text, MessageAnchor::Part::Body);
    return hits;
}

} // namespace ui
