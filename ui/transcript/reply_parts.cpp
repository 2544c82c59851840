#include "ui/transcript/reply_parts.h"

#include <algorithm>

namespace ui {

namespace {

struct Tag {
    QStringView opener;
    QStringView closer;
};
constexpr Tag kTags[] = {{u"<think>", u"</think>"}, {u"<thinking>", u"</thinking>"}};

QStringView trimmedStart(QStringView text)
{
    qsizetype i = 0;
    while (i < text.size() && text[i].isSpace())
        ++i;
    return text.sliced(i);
}

/// How much of the end of `text` may be the beginning of `tag`.
qsizetype tailOf(QStringView text, QStringView tag)
{
    for (qsizetype n = std::min(text.size(), tag.size() - 1); n > 0; --n)
        if (text.last(n) == tag.first(n)) return n;
    return 0;
}

} // namespace

void ReplyParts::append(QStringView delta)
{
    if (m_phase == Phase::Answering) {
        // White space after a thought is not the answer's beginning.
        m_answer += m_answer.isEmpty() && m_hasThought ? trimmedStart(delta) : delta;
        return;
    }
    m_held += delta;
    advance();
}

void ReplyParts::advance()
{
    if (m_phase == Phase::Undecided) {
        const QStringView text = trimmedStart(m_held);
        const auto tag = std::ranges::find_if(
            kTags, [text](const Tag& candidate) { return text.startsWith(candidate.opener); });
        if (tag != std::end(kTags)) {
            m_phase = Phase::Thinking;
            m_hasThought = true;
            m_closer = tag->closer.toString();
            m_held = trimmedStart(text.sliced(tag->opener.size())).toString();
        } else {
            const bool mayBecome = std::ranges::any_of(
                kTags, [text](const Tag& candidate) { return candidate.opener.startsWith(text); });
            if (mayBecome) return;
            m_phase = Phase::Answering;
            m_answer = std::exchange(m_held, {});
            return;
        }
    }
    if (m_thought.isEmpty()) m_held = trimmedStart(m_held).toString();
    const qsizetype end = m_held.indexOf(m_closer);
    if (end < 0) {
        const qsizetype kept = tailOf(m_held, m_closer);
        m_thought += QStringView(m_held).chopped(kept);
        m_held = m_held.last(kept);
        return;
    }
    m_thought += QStringView(m_held).first(end);
    m_phase = Phase::Answering;
    m_answer = trimmedStart(QStringView(m_held).sliced(end + m_closer.size())).toString();
    m_held.clear();
}

void ReplyParts::finish()
{
    QString& part = m_phase == Phase::Thinking ? m_thought : m_answer;
    if (m_phase != Phase::Answering) part += std::exchange(m_held, {});
    m_phase = Phase::Answering;
    while (!m_thought.isEmpty() && m_thought.back().isSpace())
        m_thought.chop(1);
}

} // namespace ui
