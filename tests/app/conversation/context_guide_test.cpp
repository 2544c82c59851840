#include "tests/support/app/fake_engine.h"

#include "app/conversation/context_guide.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <memory>

using app::ContextGuide;
using app::ContextQuestion;
using app::ContextStep;
using app::ConversationController;
using app::InferenceService;
using app::Message;
using app::MessageState;

namespace {

/// One start of the program with a context of `contextLength` tokens; a token is a character of the
/// prompt, or a word of the reply.
struct Program {
    explicit Program(const QString& folder, int contextLength)
        : controls(std::make_shared<test::FakeEngineControls>())
        , settings(folder)
        , inference(test::fakeEngine(controls))
        , store(folder)
        , conversations(inference, store)
        , guide(settings, inference, conversations, {})
        , asked(&guide, &ContextGuide::asked)
    {
        settings.set(app::settings::kContextLength, contextLength);
        applyLength();
        QObject::connect(&settings, &app::Settings::changed, &guide, [this] { applyLength(); });
        const QSignalSpy ready(&conversations, &ConversationController::ready);
        store.open();
        inference.loadModel(QStringLiteral("/models/fake.gguf"));
        started = QTest::qWaitFor([&] {
            return !ready.isEmpty() &&
                   inference.modelState() == InferenceService::ModelState::Ready;
        });
    }

    void applyLength()
    {
        inference.setModelOptions(
            {.contextLength = settings.get(app::settings::kContextLength), .threads = 0});
    }
    bool say(int characters)
    {
        conversations.send(QString(characters, u'x'));
        return waitIdle();
    }
    bool waitIdle()
    {
        return QTest::qWaitFor([&] { return conversations.writingConversation() == 0; });
    }
    ContextQuestion question() const { return asked.constLast().at(0).value<ContextQuestion>(); }
    Message last() const { return conversations.messages().constLast(); }

    std::shared_ptr<test::FakeEngineControls> controls;
    app::Settings settings;
    InferenceService inference;
    app::ConversationStore store;
    ConversationController conversations;
    ContextGuide guide;
    QSignalSpy asked;
    bool started = false;
};

const QString kReply = QStringLiteral("Once upon a time.");

} // namespace

class ContextGuideTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void asksWhereThePromptDoesNotFit();
    void offersNoMoreThanTheModelWasTrainedFor();
    void saysWhatALongerContextIsLimitedBy();
    void dropsTheOldest();
    void remembersWhatWasDropped();
    void shortensTheOldest();
    void writesOnWhatWasCut();
    void doesTheSameInEveryChat();
    void stopsAsking();
    void asksAgainAboutAMessageThatNeverFits();
    void asksWhenTheChatIsOpenedAgain();
    void doesNotGoOnForNothing();
    void returnsWhatWaits();
    void goesOnOnceTheModelIsFree();
    void givesAllTurnsAgainInALongerContext();
    void asksAgainWhereItWasStopped();
    void keepsWhatWasLeftOutOfABranch();
    void offersNothingThatFreesNothing();
    void tellsOfAFullChatThatIsNotShown();

private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

void ContextGuideTest::asksWhereThePromptDoesNotFit()
{
    Program program(m_folder->path(), 100);
    QVERIFY(program.started);
    QVERIFY(program.say(200));
    QCOMPARE(program.last().state, MessageState::Failed);
    QCOMPARE(program.asked.size(), 1);
    QCOMPARE(program.question().total, 100);
    QVERIFY(program.question().used > 200);
    QCOMPARE(program.question().longer.tokens, 1024);
    QCOMPARE(program.question().longer.bytes, 2U * 924U);

    program.guide.answer(program.question(), ContextStep::Longer, false);
    QVERIFY(program.waitIdle());
    QCOMPARE(program.last().state, MessageState::Complete);
    QCOMPARE(program.last().text, kReply);
    QVERIFY(program.last().error.isEmpty());
    QCOMPARE(program.conversations.messages().size(), 2);
    QCOMPARE(program.inference.model().contextLength, 1024);
}

void ContextGuideTest::offersNoMoreThanTheModelWasTrainedFor()
{
    Program program(m_folder->path(), 5000);
    QVERIFY(program.started);
    QVERIFY(program.say(5000));
    QCOMPARE(program.question().longer.tokens, 8192);
    program.guide.answer(program.question(), ContextStep::Longer, false);
    QVERIFY(program.waitIdle());
    QVERIFY(program.say(5000));
    QCOMPARE(program.asked.size(), 2);
    QCOMPARE(program.question().longer.tokens, 0);
}

void ContextGuideTest::saysWhatALongerContextIsLimitedBy()
{
    using app::ContextLimit;
    app::LoadedModel model;
    model.contextLength = 4096;
    model.trainedContextLength = 32'768;
    model.kvBytesPerToken = 1000;
    app::LongerContext longer = app::longerContext(model, 4096, 0);
    QCOMPARE(longer.tokens, 8192);
    QCOMPARE(longer.bytes, 4'096'000U);
    // Twice as long does not fit, what is needed does.
    longer = app::longerContext(model, 4096, 2'000'000);
    QCOMPARE(longer.tokens, 5120);
    longer = app::longerContext(model, 4096, 1'000'000);
    QCOMPARE(longer.tokens, 0);
    QCOMPARE(longer.limit, ContextLimit::Memory);
    QCOMPARE(longer.bytes, 1'024'000U);
    // It was trained for a longer one, which is not long enough.
    longer = app::longerContext(model, 40'000, 0);
    QCOMPARE(longer.tokens, 0);
    QCOMPARE(longer.limit, ContextLimit::Training);
    QCOMPARE(longer.mostTokens, 32'768);
    model.trainedContextLength = 0; // it does not say
    model.contextLength = app::settings::kContextLength.maximum;
    longer = app::longerContext(model, model.contextLength, 0);
    QCOMPARE(longer.tokens, 0);
    QCOMPARE(longer.limit, ContextLimit::Program);
}

void ContextGuideTest::dropsTheOldest()
{
    Program program(m_folder->path(), 200);
    QVERIFY(program.started);
    for (int i = 0; i < 3; ++i)
        QVERIFY(program.say(30));
    QVERIFY(program.say(90));
    QCOMPARE(program.asked.size(), 1);
    program.guide.answer(program.question(), ContextStep::DropOldest, false);
    QVERIFY(program.waitIdle());
    QCOMPARE(program.last().text, kReply);
    QVERIFY(program.controls->promptCharacters < 120);
    QCOMPARE(program.conversations.messages().size(), 8); // nothing is deleted
    // From now on without a question in this chat, and not in others.
    QVERIFY(program.say(90));
    QCOMPARE(program.asked.size(), 1);
    QCOMPARE(program.last().text, kReply);
    program.conversations.newConversation();
    QVERIFY(program.say(300));
    QCOMPARE(program.asked.size(), 2);
}

void ContextGuideTest::remembersWhatWasDropped()
{
    qint64 id = 0, start = 0;
    {
        Program program(m_folder->path(), 200);
        QVERIFY(program.started);
        QSignalSpy moved(&program.conversations, &ConversationController::contextStartChanged);
        while (program.asked.isEmpty())
            QVERIFY(program.say(30));
        QCOMPARE(program.conversations.contextStart(), 0);
        program.guide.answer(program.question(), ContextStep::DropOldest, false);
        QVERIFY(program.waitIdle());
        start = program.conversations.contextStart();
        QCOMPARE(moved.constLast().at(0).toLongLong(), start);
        const QList<Message> messages = program.conversations.messages();
        const auto first = std::ranges::find(messages, start, &Message::id);
        QVERIFY(first != messages.end() && first != messages.begin());
        QCOMPARE(first->role, app::Role::User);
        id = program.conversations.currentConversation();
    }
    Program program(m_folder->path(), 200);
    QVERIFY(program.started);
    program.conversations.openConversation(id);
    QTRY_COMPARE(program.conversations.currentConversation(), id);
    QCOMPARE(program.conversations.contextStart(), start);
    QVERIFY(program.say(90));
    QCOMPARE(program.asked.size(), 0);
    QCOMPARE(program.last().text, kReply);
    // Another branch begins anew.
    program.conversations.deleteMessage(start);
    QCOMPARE(program.conversations.contextStart(), 0);
}

void ContextGuideTest::shortensTheOldest()
{
    Program program(m_folder->path(), 400);
    QVERIFY(program.started);
    for (int i = 0; i < 3; ++i)
        QVERIFY(program.say(60));
    QVERIFY(program.say(150));
    QCOMPARE(program.asked.size(), 1);
    program.guide.answer(program.question(), ContextStep::ShortenOldest, false);
    QVERIFY(program.waitIdle());
    QCOMPARE(program.last().text, kReply);
    QCOMPARE(program.last().state, MessageState::Complete);
    QVERIFY(program.controls->promptCharacters > 150); // a summary stands before it
}

void ContextGuideTest::writesOnWhatWasCut()
{
    Program program(m_folder->path(), 40);
    QVERIFY(program.started);
    program.controls->endless = true;
    QVERIFY(program.say(20));
    const QString cut = program.last().text;
    QVERIFY(!cut.isEmpty());
    QCOMPARE(program.last().stats.stopReason, QStringLiteral("context"));
    QVERIFY(program.last().error.isEmpty());
    QCOMPARE(program.asked.size(), 1);
    const int tokens = program.last().stats.tokens;

    program.controls->endless = false;
    program.guide.answer(program.question(), ContextStep::Longer, false);
    QVERIFY(program.waitIdle());
    QCOMPARE(program.last().text, QString(cut % kReply));
    QCOMPARE(program.last().stats.tokens, tokens + 5);
    QCOMPARE(program.last().stats.stopReason, QStringLiteral("eog"));
    QCOMPARE(program.conversations.messages().size(), 2);
}

void ContextGuideTest::doesTheSameInEveryChat()
{
    {
        Program program(m_folder->path(), 200);
        QVERIFY(program.started);
        while (program.asked.isEmpty())
            QVERIFY(program.say(30));
        program.guide.answer(program.question(), ContextStep::DropOldest, true);
        QVERIFY(program.waitIdle());
    }
    Program program(m_folder->path(), 200);
    QVERIFY(program.started);
    for (int i = 0; i < 12; ++i)
        QVERIFY(program.say(30));
    QCOMPARE(program.asked.size(), 0);
    QCOMPARE(program.last().text, kReply);
}

void ContextGuideTest::stopsAsking()
{
    Program program(m_folder->path(), 100);
    QVERIFY(program.started);
    QVERIFY(program.say(200));
    program.guide.answer(program.question(), ContextStep::StopHere, true);
    QCOMPARE(program.conversations.writingConversation(), 0);
    program.conversations.newConversation();
    QVERIFY(program.say(200));
    QCOMPARE(program.asked.size(), 1);
}

void ContextGuideTest::asksAgainAboutAMessageThatNeverFits()
{
    Program program(m_folder->path(), 100);
    QVERIFY(program.started);
    QVERIFY(program.say(200));
    program.guide.answer(program.question(), ContextStep::DropOldest, true);
    QVERIFY(program.waitIdle());
    QCOMPARE(program.asked.size(), 2);
    QCOMPARE(program.last().state, MessageState::Failed);
}

void ContextGuideTest::asksWhenTheChatIsOpenedAgain()
{
    qint64 id = 0, other = 0;
    int used = 0, usedByOther = 0;
    {
        Program program(m_folder->path(), 40);
        QVERIFY(program.started);
        program.controls->endless = true;
        QVERIFY(program.say(20));
        id = program.conversations.currentConversation();
        used = program.question().used;
        program.conversations.newConversation();
        QVERIFY(program.say(200));
        other = program.conversations.currentConversation();
        usedByOther = program.question().used;
    }
    Program program(m_folder->path(), 40);
    QVERIFY(program.started);
    QSignalSpy usage(&program.conversations, &ConversationController::contextUsageChanged);
    program.conversations.openConversation(other);
    QTRY_COMPARE(program.asked.size(), 1);
    QCOMPARE(program.question().used, usedByOther);
    program.asked.clear();
    program.conversations.openConversation(id);
    QTRY_COMPARE(program.asked.size(), 1);
    QCOMPARE(program.question().used, used);
    QTRY_VERIFY(!usage.isEmpty() && usage.constLast().at(0).toInt() > 20); // the model counts it
    program.conversations.newConversation();
    QTRY_COMPARE(usage.constLast().at(0).toInt(), 0);
}

// A model that only thinks until the context is full.
void ContextGuideTest::doesNotGoOnForNothing()
{
    Program program(m_folder->path(), 100);
    QVERIFY(program.started);
    program.guide.setEveryChat(ContextStep::DropOldest);
    QVERIFY(program.say(10));
    program.controls->reply = {"<think>", "a", "b", "c"};
    program.controls->endless = true;
    QVERIFY(program.say(20));
    QTRY_COMPARE(program.asked.size(), 1);
    QVERIFY(program.last().text.isEmpty());
    QVERIFY(program.controls->tokensDecoded < 400);
}

void ContextGuideTest::returnsWhatWaits()
{
    Program program(m_folder->path(), 100);
    QVERIFY(program.started);
    program.controls->endless = true;
    program.controls->tokenMilliseconds = 2;
    QSignalSpy returned(&program.conversations, &ConversationController::draftReturned);
    program.conversations.send(QStringLiteral("first"));
    program.conversations.send(QStringLiteral("second"));
    QTRY_COMPARE(program.asked.size(), 1);
    QCOMPARE(returned.size(), 1);
    QCOMPARE(program.conversations.draft(), QStringLiteral("second"));
    QVERIFY(program.conversations.queue().isEmpty());
    // Another chat does not wait behind it.
    program.controls->endless = false;
    program.conversations.newConversation();
    QVERIFY(program.say(10));
    QTRY_COMPARE(program.last().text, kReply);
}

void ContextGuideTest::goesOnOnceTheModelIsFree()
{
    Program program(m_folder->path(), 100);
    QVERIFY(program.started);
    QVERIFY(program.say(200));
    const qint64 full = program.conversations.currentConversation();
    const ContextQuestion question = program.question();
    program.controls->tokenMilliseconds = 20;
    program.conversations.newConversation();
    program.conversations.send(QStringLiteral("Hi"));
    program.conversations.openConversation(full);
    QTRY_COMPARE(program.conversations.currentConversation(), full);
    program.guide.answer(question, ContextStep::Longer, false);
    QTRY_COMPARE(program.last().text, kReply);
}

void ContextGuideTest::givesAllTurnsAgainInALongerContext()
{
    Program program(m_folder->path(), 200);
    QVERIFY(program.started);
    while (program.asked.isEmpty())
        QVERIFY(program.say(30));
    program.guide.answer(program.question(), ContextStep::DropOldest, false);
    QVERIFY(program.waitIdle());
    QVERIFY(program.conversations.contextStart() != 0);
    program.settings.set(app::settings::kContextLength, 4000);
    QVERIFY(program.say(30));
    QCOMPARE(program.conversations.contextStart(), 0);
}

void ContextGuideTest::asksAgainWhereItWasStopped()
{
    Program program(m_folder->path(), 100);
    QVERIFY(program.started);
    program.controls->endless = true;
    QVERIFY(program.say(20));
    const QString cut = program.last().text;
    QCOMPARE(program.asked.size(), 1);
    program.controls->prefillChunks = 5000;
    program.guide.answer(program.question(), ContextStep::Longer, false);
    QTest::qWait(20);
    program.conversations.stop();
    QVERIFY(program.waitIdle());
    QCOMPARE(program.last().text, cut);
    QCOMPARE(program.last().stats.stopReason, QStringLiteral("context"));
    QTRY_COMPARE(program.asked.size(), 2);
    QVERIFY(program.question().used > 20);
    QVERIFY(program.question().fits); // in the longer context
    const int length = program.settings.get(app::settings::kContextLength);
    program.controls->prefillChunks = 0;
    program.controls->endless = false;
    program.guide.answer(program.question(), ContextStep::Longer, false);
    QVERIFY(program.waitIdle());
    QCOMPARE(program.settings.get(app::settings::kContextLength), length); // long enough
    QCOMPARE(program.last().text, QString(cut % kReply));
}

// One question with its answer fills the context: there is nothing to leave out.
void ContextGuideTest::offersNothingThatFreesNothing()
{
    Program program(m_folder->path(), 200);
    QVERIFY(program.started);
    for (int i = 0; i < 2; ++i)
        QVERIFY(program.say(30));
    program.controls->endless = true;
    QVERIFY(program.say(30));
    QCOMPARE(program.asked.size(), 1);
    QVERIFY(program.question().canDrop);
    QVERIFY(program.question().freedTokens > 30);
    program.guide.answer(program.question(), ContextStep::DropOldest, false);
    QVERIFY(program.waitIdle());
    QCOMPARE(program.asked.size(), 2);
    QVERIFY(!program.question().canDrop);
    QVERIFY(!program.question().canSummarize);
    QVERIFY(program.question().longer.tokens > 0);
}

void ContextGuideTest::keepsWhatWasLeftOutOfABranch()
{
    qint64 id = 0, start = 0;
    {
        Program program(m_folder->path(), 200);
        QVERIFY(program.started);
        while (program.asked.isEmpty())
            QVERIFY(program.say(30));
        program.guide.answer(program.question(), ContextStep::DropOldest, false);
        QVERIFY(program.waitIdle());
        start = program.conversations.contextStart();
        QVERIFY(start != 0);
        id = program.conversations.currentConversation();
        const qint64 reply = program.conversations.messages().at(1).id;
        program.conversations.regenerate(reply);
        QVERIFY(program.waitIdle());
        QCOMPARE(program.conversations.messages().size(), 2);
        QCOMPARE(program.conversations.contextStart(), 0);
        program.conversations.stepBranch(program.last().id, -1);
        QCOMPARE(program.conversations.contextStart(), start);
    }
    Program program(m_folder->path(), 200);
    QVERIFY(program.started);
    program.conversations.openConversation(id);
    QTRY_COMPARE(program.conversations.currentConversation(), id);
    const qint64 reply = program.conversations.messages().at(1).id;
    program.conversations.stepBranch(reply, 1);
    QCOMPARE(program.conversations.contextStart(), 0);
    program.conversations.stepBranch(program.last().id, -1);
    QCOMPARE(program.conversations.contextStart(), start);
}

void ContextGuideTest::tellsOfAFullChatThatIsNotShown()
{
    Program program(m_folder->path(), 100);
    QVERIFY(program.started);
    program.controls->endless = true;
    program.controls->tokenMilliseconds = 1;
    const QSignalSpy told(&program.conversations, &ConversationController::chatNoticeRaised);
    program.conversations.send(QStringLiteral("A story"));
    program.conversations.newConversation();
    QVERIFY(program.waitIdle());
    QCOMPARE(program.asked.size(), 0);
    QCOMPARE(told.size(), 1);
    QVERIFY(told.constFirst().at(0).toString().contains(QStringLiteral("A story")));
}

QTEST_GUILESS_MAIN(ContextGuideTest)
#include "context_guide_test.moc"
