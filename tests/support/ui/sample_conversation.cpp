#include "tests/support/ui/sample_conversation.h"

#include <cmath>
#include <utility>
#include <vector>

namespace test {

QList<app::Message> sampleMessages()
{
    app::Message question;
    question.id = 11;
    question.conversationId = 1;
    question.role = app::Role::User;
    question.text = QStringLiteral("My tea is 90 °C and the kitchen is 20 °C. When can I drink it? "
                                   "A small Python function would help.");
    question.createdAt = QDateTime(QDate::currentDate(), QTime(14, 31));

    app::Message answer;
    answer.id = 12;
    answer.conversationId = 1;
    answer.parentId = 11;
    answer.role = app::Role::Assistant;
    answer.modelName = QStringLiteral("Qwen3 8B");
    answer.createdAt = QDateTime(QDate::currentDate(), QTime(14, 32));
    answer.stats = {412, 23.4, 0.31, 17.9, 42, QStringLiteral("eog")};
    answer.text = QStringLiteral(R"(### Newton's law of cooling

The gap to room temperature shrinks at a steady rate. For a ceramic mug, `k` is about 0.035 per minute.

| Mug | 0 min | 5 min | 10 min | 16 min | 30 min |
|---|--:|--:|--:|--:|--:|
| Open | 90.0 | 78.8 | 69.3 | **60.0** | 44.5 |
| With a lid | 90.0 | 83.3 | 77.3 | 70.8 | 58.4 |

- **A lid** stops evaporation and nearly halves `k`.
- **A thin cup** loses heat faster, so raise `k` a little.

```python
from math import log

def minutes_until(target, start=90.0, room=20.0, k=0.035):
    """Minutes until the tea cools to `target` degrees."""
    return log((start - room) / (target - room)) / k

print(round(minutes_until(60)))    # 16
```
)");
    return {question, answer};
}

QList<app::ConversationSummary> sampleConversations()
{
    const std::pair<const char*, int> rows[] = {
        {"When can I drink my tea?", 0}, {"Regex for ISO dates", 0},
        {"Letter to the council", 1},    {"SQLite full-text search", 1},
        {"Names for a black cat", 1},    {"Explain eigenvalues gently", 3},
        {"Sourdough timetable", 4},      {"Rename photos by date", 6},
        {"Weekly meal plan", 20},        {"Borrow checker notes", 25},
    };
    QList<app::ConversationSummary> conversations;
    for (const auto& [title, daysAgo] : rows) {
        app::ConversationSummary conversation;
        conversation.id = conversations.size() + 1;
        conversation.title = QString::fromUtf8(title);
        conversation.updatedAt =
            QDateTime::currentDateTime().addDays(-daysAgo).addSecs(-60 * conversations.size());
        conversation.createdAt = conversation.updatedAt;
        conversation.pinned = daysAgo >= 20;
        conversations += conversation;
    }
    return conversations;
}

engine::TokenEvent sampleToken(const engine::SamplingSettings& settings)
{
    const std::pair<const char*, float> words[] = {
        {" slowly", .585F},  {" gently", .121F},  {" gradually", .092F}, {" evenly", .048F},
        {" quickly", .041F}, {" slow", .027F},    {" steadily", .019F},  {" like", .012F},
        {" quietly", .008F}, {" rapidly", .006F},
    };
    // The rest of the vocabulary shares what is left, most of it in a few dozen tokens.
    std::vector<float> logits(kSampleVocabulary);
    for (std::size_t i = 0; i < logits.size(); ++i)
        logits[i] = i < std::size(words)
                        ? std::log(words[i].second)
                        : std::log(0.004F) - 0.09F * std::min(200.0F, static_cast<float>(i - 10));
    engine::SamplerChain chain(kSampleVocabulary, 64);
    chain.reset(3);
    engine::TokenEvent event;
    event.sample = chain.sample(logits, {}, settings);
    event.id = 0;
    event.text = words[0].first;
    for (const engine::TokenCandidate& candidate : event.sample.candidates)
        event.candidateTexts.emplace_back(static_cast<std::size_t>(candidate.id) < std::size(words)
                                              ? words[candidate.id].first
                                              : " w" + std::to_string(candidate.id));
    return event;
}

} // namespace test
