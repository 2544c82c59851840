#include "app/inference/context_fitter.h"

#include <QTest>

using app::ChatTurn;
using app::ContextPolicy;
using app::ContextStart;

namespace {

ChatTurn turn(const char* role, int characters)
{
    return {.role = QString::fromLatin1(role), .text = QString(characters, u'x')};
}

/// A token a character; roles cost nothing.
engine::Result<engine::ChatPrompt> encode(const QList<ChatTurn>& turns)
{
    engine::ChatPrompt prompt;
    for (const ChatTurn& turn : turns)
        prompt.tokens.resize(prompt.tokens.size() + static_cast<std::size_t>(turn.text.size()));
    return prompt;
}

/// Four turns of the user with answers, and a fifth to be answered.
QList<ChatTurn> longChat()
{
    QList<ChatTurn> turns{turn("system", 10)};
    for (int i = 0; i < 4; ++i)
        turns += {turn("user", 10), turn("assistant", 10)};
    return turns << turn("user", 10);
}

app::GenerationRequest request(ContextPolicy policy, const ContextStart& start = {})
{
    return {.turns = longChat(), .stopStrings = {}, .contextPolicy = policy, .contextStart = start};
}

app::ContextFitter fitter(int contextLength, app::ContextFitter::Summarize summarize = {})
{
    return {contextLength, encode, std::move(summarize)};
}

} // namespace

class ContextFitterTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void leavesWhatFits();
    void asksByLeavingAllOfIt();
    void dropsUntilHalfIsFree();
    void goesOnFromWhatWasDropped();
    void keepsTheLastTurnWhateverItTakes();
    void keepsAReplyThatIsWrittenOn();
    void summarizesWhatGoes();
    void forgetsAStartThatIsNotThere();
};

void ContextFitterTest::leavesWhatFits()
{
    const auto fitted = fitter(200).fit(request(ContextPolicy::DropOldest));
    QVERIFY(fitted.has_value());
    QCOMPARE(fitted->prompt.tokens.size(), 100U);
    QCOMPARE(fitted->start, ContextStart());
}

void ContextFitterTest::asksByLeavingAllOfIt()
{
    const auto fitted = fitter(50).fit(request(ContextPolicy::Ask));
    QVERIFY(fitted.has_value());
    QCOMPARE(fitted->prompt.tokens.size(), 100U);
}

void ContextFitterTest::dropsUntilHalfIsFree()
{
    // 100 and an eighth of 104 do not fit; 52 are half: the system turn and four others.
    const auto fitted = fitter(104).fit(request(ContextPolicy::DropOldest));
    QVERIFY(fitted.has_value());
    QCOMPARE(fitted->start.omittedTurns, 6);
    QCOMPARE(fitted->prompt.tokens.size(), 40U);
}

void ContextFitterTest::goesOnFromWhatWasDropped()
{
    const auto fitted =
        fitter(104).fit(request(ContextPolicy::DropOldest, {.omittedTurns = 2, .summary = {}}));
    QVERIFY(fitted.has_value());
    QCOMPARE(fitted->start.omittedTurns, 2); // 80 of them leave room enough
    QCOMPARE(fitted->prompt.tokens.size(), 80U);
}

void ContextFitterTest::keepsTheLastTurnWhateverItTakes()
{
    const auto fitted = fitter(15).fit(request(ContextPolicy::DropOldest));
    QVERIFY(fitted.has_value());
    QCOMPARE(fitted->start.omittedTurns, 8);
    QCOMPARE(fitted->prompt.tokens.size(), 20U);
    const auto only = fitter(5).fit({.turns = {turn("user", 10)},
                                     .stopStrings = {},
                                     .contextPolicy = ContextPolicy::ShortenOldest});
    QVERIFY(only.has_value());
    QCOMPARE(only->prompt.tokens.size(), 10U);
}

void ContextFitterTest::keepsAReplyThatIsWrittenOn()
{
    auto unfinished = request(ContextPolicy::DropOldest);
    unfinished.turns += turn("assistant", 20);
    const auto fitted = fitter(60).fit(unfinished);
    QVERIFY(fitted.has_value());
    QCOMPARE(fitted->start.omittedTurns, 8);
    QCOMPARE(fitted->prompt.tokens.size(), 40U);
}

void ContextFitterTest::summarizesWhatGoes()
{
    QList<ChatTurn> going;
    const auto summarize = [&going](const QList<ChatTurn>& turns) -> engine::Result<QString> {
        going = turns;
        return QStringLiteral("so far");
    };
    const auto fitted = fitter(104, summarize).fit(request(ContextPolicy::ShortenOldest));
    QVERIFY(fitted.has_value());
    QCOMPARE(fitted->start.omittedTurns, 6);
    QCOMPARE(fitted->start.summary, QStringLiteral("so far"));
    QCOMPARE(going.size(), 7); // the system turn and the six
    QCOMPARE(going.constLast().role, QStringLiteral("assistant"));

    // The next summary is of the first one too.
    auto later = request(ContextPolicy::ShortenOldest, fitted->start);
    later.turns << turn("assistant", 30) << turn("user", 30);
    const auto again = fitter(104, summarize).fit(later);
    QVERIFY(again.has_value());
    QVERIFY(again->start.omittedTurns > 6);
    QVERIFY(going.constFirst().text.contains(QStringLiteral("so far")));
    const QList<ChatTurn> given = app::turnsFrom(later.turns, again->start);
    QVERIFY(given.constFirst().text.endsWith(QStringLiteral("so far")));
    QCOMPARE(given.at(1).role, QStringLiteral("user"));
}

void ContextFitterTest::forgetsAStartThatIsNotThere()
{
    for (const int omitted : {1, 40, -3}) {
        const auto fitted = fitter(200).fit(
            request(ContextPolicy::DropOldest, {.omittedTurns = omitted, .summary = {}}));
        QVERIFY(fitted.has_value());
        QCOMPARE(fitted->start, ContextStart());
    }
}

QTEST_GUILESS_MAIN(ContextFitterTest)
#include "context_fitter_test.moc"
