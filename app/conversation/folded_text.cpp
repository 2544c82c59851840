#include "app/conversation/folded_text.h"

#include <algorithm>
#include <utility>

namespace app {

namespace {

/// The blocks of combining diacritical marks. Marks of other blocks are letters of their scripts:
/// vowels, voiced kana.
constexpr std::pair<char32_t, char32_t> kDiacritics[] = {
    {0x0300, 0x036F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x20D0, 0x20FF}, {0xFE20, 0xFE2F}};

bool isDiacritic(char32_t c)
{
    return c >= kDiacritics[0].first && std::ranges::any_of(kDiacritics, [c](const auto& block) {
               return c >= block.first && c <= block.second;
           });
}

/// Han and Hangul: neither case nor marks.
bool isPlain(char32_t c)
{
    return (c >= 0x3400 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7A3);
}

constexpr char16_t kUnicodeFrom = 0x80;

char16_t foldedAscii(char16_t c, Qt::CaseSensitivity sensitivity)
{
    if (c >= u'\t' && c <= u'\r') return u' ';
    const bool capital = c >= u'A' && c <= u'Z';
    return capital && sensitivity == Qt::CaseInsensitive ? c + (u'a' - u'A') : c;
}

} // namespace

FoldedText::FoldedText(QStringView text, Qt::CaseSensitivity sensitivity)
    : m_sensitivity(sensitivity)
{
    m_folded.reserve(text.size());
    for (qsizetype i = 0; i < text.size();) {
        const QChar c = text[i];
        if (c.unicode() < kUnicodeFrom) {
            m_folded += QChar(foldedAscii(c.unicode(), sensitivity));
            ++i;
            continue;
        }
        const bool pair =
            c.isHighSurrogate() && i + 1 < text.size() && text[i + 1].isLowSurrogate();
        const qsizetype length = pair ? 2 : 1;
        add(pair ? QChar::surrogateToUcs4(c, text[i + 1]) : c.unicode(), i, length);
        i += length;
    }
}

void FoldedText::add(char32_t character, qsizetype at, qsizetype length)
{
    const qsizetype before = m_folded.size();
    addFolded(character);
    const qsizetype grown = m_folded.size() - before;
    if (grown == length) return;
    if (grown > 0) {
        const QString added = m_folded.sliced(before);
        m_folded.truncate(before);
        beginRun(at, true);
        m_folded += added;
    }
    beginRun(at + length, false);
}

void FoldedText::addFolded(char32_t character)
{
    if (isPlain(character)) {
        m_folded += QChar(static_cast<char16_t>(character));
    } else if (QChar::decompositionTag(character) == QChar::Canonical) {
        for (const char32_t part : QChar::decomposition(character).toUcs4())
            addFolded(part);
    } else if (QChar::isSpace(character)) {
        m_folded += u' ';
    } else if (!isDiacritic(character)) {
        const bool folds = m_sensitivity == Qt::CaseInsensitive;
        m_folded += QChar::fromUcs4(folds ? QChar::toCaseFolded(character) : character);
    }
}

void FoldedText::beginRun(qsizetype source, bool oneCharacter)
{
    const Run run{.folded = m_folded.size(), .source = source, .oneCharacter = oneCharacter};
    if (!m_runs.empty() && m_runs.back().folded == run.folded)
        m_runs.back() = run;
    else
        m_runs.push_back(run);
}

const FoldedText::Run& FoldedText::runOf(qsizetype folded) const
{
    static constexpr Run kInStep;
    const auto after = std::ranges::upper_bound(m_runs, folded, {}, &Run::folded);
    return after == m_runs.begin() ? kInStep : *(after - 1);
}

bool FoldedText::isBoundary(qsizetype folded) const
{
    const Run& run = runOf(folded);
    return !run.oneCharacter || folded == run.folded;
}

qsizetype FoldedText::sourceOf(qsizetype folded) const
{
    const Run& run = runOf(folded);
    return run.source + (run.oneCharacter ? 0 : folded - run.folded);
}

qsizetype FoldedText::find(const FoldedText& words, qsizetype from) const
{
    if (words.isEmpty()) return -1;
    qsizetype at = m_folded.indexOf(words.m_folded, from);
    while (at >= 0 && !(isBoundary(at) && isBoundary(at + words.m_folded.size())))
        at = m_folded.indexOf(words.m_folded, at + 1);
    return at;
}

QList<TextRange> FoldedText::occurrencesOf(const FoldedText& words) const
{
    QList<TextRange> found;
    const qsizetype length = words.m_folded.size();
    for (qsizetype at = find(words, 0); at >= 0; at = find(words, at + length)) {
        const qsizetype start = sourceOf(at);
        found += TextRange{.start = start, .length = sourceOf(at + length) - start};
    }
    return found;
}

qsizetype FoldedText::indexOf(const FoldedText& words) const
{
    const qsizetype at = find(words, 0);
    return at < 0 ? at : sourceOf(at);
}

} // namespace app
