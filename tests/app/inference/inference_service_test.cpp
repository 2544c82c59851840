#include "tests/support/app/fake_engine.h"

#include "app/inference/inference_service.h"
#include "app/inference/memory_estimate.h"

#include <QSignalSpy>
#include <QTest>

#include <memory>

namespace {

using app::GenerationSummary;
using app::InferenceService;
using app::UserError;
using engine::ErrorCode;
using engine::StopReason;
using ModelState = app::InferenceService::ModelState;

app::GenerationRequest request()
{
    return {.turns = {{.role = QStringLiteral("user"), .text = QStringLiteral("Hi")}},
            .stopStrings = {}};
}

engine::Error failure(ErrorCode code, const char* subject = "", quint64 expected = 0,
                      quint64 found = 0)
{
    return engine::fail(code, "said by the engine", subject, expected, found).error();
}

} // namespace

class InferenceServiceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void loadsWithProgress();
    void signalsEveryToken();
    void readsSettingsBeforeEveryToken();
    void cancelsWithinOneToken();
    void cancelsWhatIsQueued();
    void answersInOrder();
    void keepsTheSession();
    void givesChatsThatAreLeftAShareOfTheFreeMemory();
    void makesTheContextAsLongAsAsked();
    void failsWithoutAModel();
    void cancelsALoad();
    void replacesALoadUnderWay();
    void replacesAModelWhileWriting();
    void unloads();
    void refusesWhatDoesNotFit();
    void keepsTheModelWhenTheNextIsNone();
    void writesOnWhileAFileIsLookedAt();
    void aFileThatIsNoneCostsALoadNothing();
    void countsTheContext();
    void saysWhyALoadFailed_data();
    void saysWhyALoadFailed();
    void turnsAFailedAllocationIntoAnError();
    void closes_data();
    void closes();

private:
    bool load(const QString& path = QStringLiteral("/models/fake.gguf"));
    GenerationSummary generate();

    std::shared_ptr<test::FakeEngineControls> m_controls;
    std::unique_ptr<InferenceService> m_service;
};

void InferenceServiceTest::init()
{
    m_controls = std::make_shared<test::FakeEngineControls>();
    m_service = std::make_unique<InferenceService>(test::fakeEngine(m_controls));
}

void InferenceServiceTest::cleanup()
{
    m_service.reset();
    QCOMPARE(m_controls->modelsAlive, 0);
}

bool InferenceServiceTest::load(const QString& path)
{
    m_service->loadModel(path);
    return QTest::qWaitFor([this] { return m_service->modelState() == ModelState::Ready; });
}

GenerationSummary InferenceServiceTest::generate()
{
    const QSignalSpy finished(m_service.get(), &InferenceService::finished);
    m_service->generate(request());
    if (!QTest::qWaitFor([&] { return !finished.isEmpty(); })) return {};
    return finished.constFirst().at(1).value<GenerationSummary>();
}

void InferenceServiceTest::loadsWithProgress()
{
    QSignalSpy progress(m_service.get(), &InferenceService::loadProgressed);
    QSignalSpy loaded(m_service.get(), &InferenceService::modelLoaded);
    QSignalSpy states(m_service.get(), &InferenceService::modelStateChanged);
    m_controls->loadSteps = 1000;
    m_service->setModelOptions({.contextLength = 0, .threads = 3});
    QVERIFY(load());
    QCOMPARE(loaded.size(), 1);
    QVERIFY(progress.size() > 50);
    QVERIFY(progress.size() <= 201); // no report for every step
    QCOMPARE(progress.constLast().constFirst().toDouble(), 1.0);
    QCOMPARE(m_service->model().name, QStringLiteral("fake"));
    QCOMPARE(m_service->model().contextLength, 4096);
    QCOMPARE(m_service->model().trainedContextLength, 8192);
    QCOMPARE(m_controls->lastThreads, 3);
    QCOMPARE(states.size(), 2);
    QCOMPARE(states.at(0).constFirst().value<ModelState>(), ModelState::Loading);
    QCOMPARE(states.at(1).constFirst().value<ModelState>(), ModelState::Ready);
}

void InferenceServiceTest::signalsEveryToken()
{
    QVERIFY(load());
    m_controls->prefillChunks = 3;
    m_controls->trailingText = "!";
    QSignalSpy tokens(m_service.get(), &InferenceService::tokenDecoded);
    QSignalSpy prefill(m_service.get(), &InferenceService::prefillProgressed);
    const GenerationSummary summary = generate();
    QCOMPARE(prefill.size(), 3);
    QCOMPARE(tokens.size(), 5);
    QString text;
    for (int i = 0; i < tokens.size(); ++i) {
        const auto event = tokens.at(i).at(1).value<engine::TokenEvent>();
        QCOMPARE(event.id, i);
        QCOMPARE(event.sample.candidates.size(), 1U);
        QCOMPARE(event.candidateTexts, std::vector{std::string(1, static_cast<char>(i))});
        text += QString::fromStdString(event.text);
    }
    QCOMPARE(text, QStringLiteral("Once upon a time."));
    QCOMPARE(summary.trailingText, QStringLiteral("!"));
    QCOMPARE(summary.stopReason, StopReason::EndOfGeneration);
    QCOMPARE(summary.timings.generatedTokens, 5);
    QCOMPARE(summary.contextLength, 4096);
    QCOMPARE(m_service->modelState(), ModelState::Ready);
}

void InferenceServiceTest::readsSettingsBeforeEveryToken()
{
    QVERIFY(load());
    m_controls->endless = true;
    m_controls->tokenMilliseconds = 2;
    engine::SamplingSettings settings;
    settings.temperature = 0.5F;
    m_service->setSettings(settings);
    const quint64 before = m_service->settings().version;
    QSignalSpy tokens(m_service.get(), &InferenceService::tokenDecoded);
    m_service->generate(request());
    QTRY_VERIFY(tokens.size() >= 3);
    QCOMPARE(tokens.constLast().at(1).value<engine::TokenEvent>().settingsVersion, before);

    settings.temperature = 1.5F;
    m_service->setSettings(settings);
    const int decoded = m_controls->tokensDecoded;
    QCOMPARE(m_service->settings().version, before + 1);
    m_service->setSettings(settings); // no change, no version
    QCOMPARE(m_service->settings().version, before + 1);
    QTRY_VERIFY(tokens.size() >= decoded + 3);
    // The token under way may still be the old settings'; the next is not.
    const auto versionOf = [&tokens](int i) {
        return tokens.at(i).at(1).value<engine::TokenEvent>().settingsVersion;
    };
    QCOMPARE(versionOf(decoded - 1), before);
    for (int i = decoded + 1; i < tokens.size(); ++i)
        QCOMPARE(versionOf(i), before + 1);
}

void InferenceServiceTest::cancelsWithinOneToken()
{
    QVERIFY(load());
    m_controls->endless = true;
    m_controls->tokenMilliseconds = 5;
    QSignalSpy tokens(m_service.get(), &InferenceService::tokenDecoded);
    QSignalSpy finished(m_service.get(), &InferenceService::finished);
    m_service->generate(request());
    QTRY_VERIFY(tokens.size() >= 3);
    m_service->cancel();
    const int decoded = m_controls->tokensDecoded;
    QTRY_COMPARE(finished.size(), 1);
    QVERIFY(m_controls->tokensDecoded <= decoded + 1);
    QCOMPARE(finished.constFirst().at(1).value<GenerationSummary>().stopReason,
             StopReason::Cancelled);
    QCOMPARE(tokens.size(), m_controls->tokensDecoded.load());
    // The next reply is whole.
    m_controls->endless = false;
    QCOMPARE(generate().timings.generatedTokens, 5);
}

void InferenceServiceTest::cancelsWhatIsQueued()
{
    QVERIFY(load());
    m_controls->prefillChunks = 20;
    QSignalSpy finished(m_service.get(), &InferenceService::finished);
    QSignalSpy tokens(m_service.get(), &InferenceService::tokenDecoded);
    for (int i = 0; i < 4; ++i)
        m_service->generate(request());
    m_service->cancel();
    QTRY_COMPARE(finished.size(), 4);
    for (const QVariantList& arguments : finished)
        QCOMPARE(arguments.at(1).value<GenerationSummary>().stopReason, StopReason::Cancelled);
    QCOMPARE(tokens.size(), 0);
    QCOMPARE(m_service->modelState(), ModelState::Ready);
}

void InferenceServiceTest::answersInOrder()
{
    QSignalSpy finished(m_service.get(), &InferenceService::finished);
    // Asked for while the model is still being loaded.
    m_controls->loadMilliseconds = 5;
    m_service->loadModel(QStringLiteral("/models/fake.gguf"));
    QList<quint64> ids;
    for (int i = 0; i < 3; ++i)
        ids += m_service->generate(request());
    QTRY_COMPARE(finished.size(), 3);
    for (int i = 0; i < 3; ++i)
        QCOMPARE(finished.at(i).at(0).toULongLong(), ids.at(i));
}

void InferenceServiceTest::keepsTheSession()
{
    QVERIFY(load());
    generate();
    generate();
    QCOMPARE(m_controls->sessionsMade, 1); // so that the prefix is reused
    QVERIFY(load(QStringLiteral("/models/other.gguf")));
    generate();
    QCOMPARE(m_controls->sessionsMade, 2);
    QCOMPARE(m_controls->modelsAlive, 1);
}

void InferenceServiceTest::givesChatsThatAreLeftAShareOfTheFreeMemory()
{
    const auto memory = app::systemMemory();
    if (!memory) QSKIP("the system does not say how much memory it has");
    QVERIFY(load());
    generate();
    QVERIFY(m_controls->keptBytes > 0);
    QVERIFY(m_controls->keptBytes < memory->total / 2);
}

void InferenceServiceTest::makesTheContextAsLongAsAsked()
{
    QVERIFY(load());
    QCOMPARE(generate().contextLength, 4096);
    m_service->setModelOptions({.contextLength = 1000, .threads = 0});
    QCOMPARE(generate().contextLength, 1000);
    QCOMPARE(m_controls->lastContextLength, 1000);
    m_service->setModelOptions({.contextLength = 1000, .threads = 2}); // no reason for another
    generate();
    QCOMPARE(m_controls->sessionsMade, 2);
}

void InferenceServiceTest::failsWithoutAModel()
{
    QSignalSpy failed(m_service.get(), &InferenceService::failed);
    const quint64 id = m_service->generate(request());
    QTRY_COMPARE(failed.size(), 1);
    QCOMPARE(failed.constFirst().at(0).toULongLong(), id);
    QCOMPARE(failed.constFirst().at(1).value<UserError>().sentence,
             QStringLiteral("Load a model to send a message."));
}

void InferenceServiceTest::cancelsALoad()
{
    m_controls->loadMilliseconds = 5;
    m_controls->loadSteps = 10'000;
    QSignalSpy failed(m_service.get(), &InferenceService::loadFailed);
    QSignalSpy progress(m_service.get(), &InferenceService::loadProgressed);
    m_service->loadModel(QStringLiteral("/models/fake.gguf"));
    QTRY_VERIFY(!progress.isEmpty());
    m_service->cancelLoad();
    QTRY_COMPARE(failed.size(), 1); // long before the load would have ended
    QCOMPARE(failed.constFirst().constFirst().value<UserError>().code, ErrorCode::Cancelled);
    QCOMPARE(m_service->modelState(), ModelState::None);
    // Cancelled at any moment, the answer is the same: also after the worker was done.
    m_controls->loadSteps = 1;
    m_controls->loadMilliseconds = 0;
    m_service->loadModel(QStringLiteral("/models/fake.gguf"));
    QTest::qSleep(20);
    m_service->cancelLoad();
    QTRY_COMPARE(failed.size(), 2);
    QTRY_COMPARE(m_controls->modelsAlive, 0);
    QVERIFY(load());
}

void InferenceServiceTest::replacesALoadUnderWay()
{
    QSignalSpy loaded(m_service.get(), &InferenceService::modelLoaded);
    QSignalSpy failed(m_service.get(), &InferenceService::loadFailed);
    for (int i = 0; i < 20; ++i) {
        m_service->loadModel(QStringLiteral("/models/first.gguf"));
        QTest::qSleep(i % 3); // in any phase of the first load, its end included
    }
    QVERIFY(load(QStringLiteral("/models/second.gguf")));
    QCOMPARE(loaded.size(), 1);
    QCOMPARE(failed.size(), 0);
    QCOMPARE(m_service->model().name, QStringLiteral("second"));
    QCOMPARE(m_controls->modelsAlive, 1);
}

void InferenceServiceTest::replacesAModelWhileWriting()
{
    QVERIFY(load());
    m_controls->endless = true;
    m_controls->tokenMilliseconds = 1;
    QSignalSpy finished(m_service.get(), &InferenceService::finished);
    m_service->generate(request());
    QTRY_VERIFY(m_controls->tokensDecoded > 2);
    QVERIFY(load(QStringLiteral("/models/other.gguf")));
    QCOMPARE(finished.size(), 1);
    QCOMPARE(m_service->model().name, QStringLiteral("other"));
}

void InferenceServiceTest::unloads()
{
    QVERIFY(load());
    QSignalSpy unloaded(m_service.get(), &InferenceService::modelUnloaded);
    m_service->unloadModel();
    QTRY_COMPARE(unloaded.size(), 1);
    QCOMPARE(m_service->modelState(), ModelState::None);
    QVERIFY(m_service->model().path.isEmpty());
    QCOMPARE(m_controls->modelsAlive, 0);
    m_service->unloadModel(); // there is none
    QVERIFY(load());
    QCOMPARE(unloaded.size(), 1);
}

void InferenceServiceTest::refusesWhatDoesNotFit()
{
    QVERIFY(load());
    m_controls->tensorBytes = 1ULL << 50;
    QSignalSpy failed(m_service.get(), &InferenceService::loadFailed);
    m_service->loadModel(QStringLiteral("/models/huge.gguf"));
    QTRY_COMPARE(failed.size(), 1);
    const auto error = failed.constFirst().constFirst().value<UserError>();
    QCOMPARE(error.code, ErrorCode::OutOfMemory);
    QVERIFY(error.sentence.startsWith(QStringLiteral("This model needs ")));
    QVERIFY(error.sentence.contains(QStringLiteral("; this computer has ")));
    QVERIFY(error.expected > error.found);
    // The present model was not given up for it.
    QCOMPARE(m_service->modelState(), ModelState::Ready);
    QCOMPARE(m_service->model().name, QStringLiteral("fake"));
    // Load anyway.
    m_service->loadModel(QStringLiteral("/models/huge.gguf"), InferenceService::Force::LoadAnyway);
    QTRY_COMPARE(m_service->model().name, QStringLiteral("huge"));
}

void InferenceServiceTest::keepsTheModelWhenTheNextIsNone()
{
    QVERIFY(load());
    m_controls->inspectError = failure(ErrorCode::NotAModelFile);
    QSignalSpy failed(m_service.get(), &InferenceService::loadFailed);
    QSignalSpy unloaded(m_service.get(), &InferenceService::modelUnloaded);
    m_service->loadModel(QStringLiteral("/models/letter.txt"));
    QTRY_COMPARE(failed.size(), 1);
    QCOMPARE(m_service->modelState(), ModelState::Ready);
    QCOMPARE(m_service->model().name, QStringLiteral("fake"));
    QCOMPARE(generate().timings.generatedTokens, 5);
    // Nor does one that fails after its header cost it its place: there is memory for both.
    m_controls->inspectError.reset();
    m_controls->openError = failure(ErrorCode::FileCorrupt);
    m_service->loadModel(QStringLiteral("/models/broken.gguf"));
    QTRY_COMPARE(failed.size(), 2);
    QCOMPARE(unloaded.size(), 0);
    QCOMPARE(m_service->modelState(), ModelState::Ready);
    QCOMPARE(generate().timings.generatedTokens, 5);
    m_controls->openError.reset();
}

void InferenceServiceTest::writesOnWhileAFileIsLookedAt()
{
    QVERIFY(load());
    m_controls->tokenMilliseconds = 10;
    m_controls->inspectError = failure(ErrorCode::NotAModelFile);
    QSignalSpy failed(m_service.get(), &InferenceService::loadFailed);
    QSignalSpy finished(m_service.get(), &InferenceService::finished);
    m_service->generate(request());
    m_service->loadModel(QStringLiteral("/models/letter.txt"));
    QTRY_COMPARE(failed.size(), 1);
    QCOMPARE(m_service->modelState(), ModelState::Writing);
    QTRY_COMPARE(finished.size(), 1);
    const auto summary = finished.constFirst().at(1).value<app::GenerationSummary>();
    QCOMPARE(summary.stopReason, engine::StopReason::EndOfGeneration);
    m_controls->inspectError.reset();
    // What is asked for after a load is answered by the new model.
    m_service->loadModel(QStringLiteral("/models/other.gguf"));
    m_service->generate(request());
    QTRY_COMPARE(finished.size(), 2);
    QCOMPARE(finished.constLast().at(1).value<app::GenerationSummary>().stopReason,
             engine::StopReason::EndOfGeneration);
    QCOMPARE(m_service->model().name, QStringLiteral("other"));
}

void InferenceServiceTest::aFileThatIsNoneCostsALoadNothing()
{
    m_controls->loadSteps = 20;
    m_controls->loadMilliseconds = 10;
    QSignalSpy failed(m_service.get(), &InferenceService::loadFailed);
    QSignalSpy loaded(m_service.get(), &InferenceService::modelLoaded);
    QSignalSpy progressed(m_service.get(), &InferenceService::loadProgressed);
    m_service->loadModel(QStringLiteral("/models/good.gguf"));
    QTRY_VERIFY(!progressed.isEmpty());
    m_controls->inspectError = failure(ErrorCode::NotAModelFile);
    m_service->loadModel(QStringLiteral("/models/letter.txt"));
    QTRY_COMPARE(failed.size(), 1);
    QCOMPARE(m_service->modelState(), ModelState::Loading);
    QTRY_COMPARE(loaded.size(), 1);
    QCOMPARE(m_service->model().name, QStringLiteral("good"));
    m_controls->inspectError.reset();
}

void InferenceServiceTest::countsTheContext()
{
    QCOMPARE(m_service->countContext(request()), 0U);
    QVERIFY(load());
    QSignalSpy counted(m_service.get(), &InferenceService::contextCounted);
    const quint64 id = m_service->countContext(request());
    QTRY_COMPARE(counted.size(), 1);
    QCOMPARE(counted.constFirst().at(0).toULongLong(), id);
    QCOMPARE(counted.constFirst().at(1).toInt(), 9); // "user: Hi" and a line's end
}

void InferenceServiceTest::saysWhyALoadFailed_data()
{
    QTest::addColumn<engine::Error>("error");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("truncated")
        << failure(ErrorCode::FileTruncated, "", 5'000'000'000, 3'100'000'000)
        << "fake could not be loaded. The file ends too early: 3.1 of 5.0 GB are there. Get the "
           "file again.";
    QTest::newRow("architecture")
        << failure(ErrorCode::UnsupportedArchitecture, "foo9")
        << "This kind of model (foo9) is not supported yet. Choose another model.";
    QTest::newRow("not GGUF") << failure(ErrorCode::NotAModelFile)
                              << "This is not a model. Choose a GGUF file, or a folder with "
                                 "config.json and *.safetensors.";
    QTest::newRow("gone") << failure(ErrorCode::FileNotFound)
                          << "There is no file at /models/fake.gguf. Choose it where it is now, or "
                             "choose another model.";
    QTest::newRow("memory") << failure(ErrorCode::OutOfMemory, "", 45ULL << 30, 32ULL << 30)
                            << "There is not enough memory for fake. It needs 45 GB; 32 GB are "
                               "free. Close other programs, or choose a smaller model.";
    // What a file says is not taken for a placeholder.
    QTest::newRow("hostile") << failure(ErrorCode::MissingTensor, "{name}\n%1")
                             << "fake could not be loaded. A part of the model is missing ({name} "
                                "%1). Get the file again, or choose another model.";
}

void InferenceServiceTest::saysWhyALoadFailed()
{
    QFETCH(const engine::Error, error);
    QFETCH(const QString, sentence);
    m_controls->inspectError = error;
    QSignalSpy failed(m_service.get(), &InferenceService::loadFailed);
    m_service->loadModel(QStringLiteral("/models/fake.gguf"));
    QTRY_COMPARE(failed.size(), 1);
    const auto shown = failed.constFirst().constFirst().value<UserError>();
    QCOMPARE(shown.sentence, sentence);
    QCOMPARE(shown.details, QStringLiteral("said by the engine"));
    QCOMPARE(m_service->modelState(), ModelState::Failed);
}

void InferenceServiceTest::turnsAFailedAllocationIntoAnError()
{
    QVERIFY(load());
    m_controls->allocationFails = true;
    QSignalSpy failed(m_service.get(), &InferenceService::failed);
    m_service->generate(request());
    QTRY_COMPARE(failed.size(), 1);
    QCOMPARE(failed.constFirst().at(1).value<UserError>().code, ErrorCode::OutOfMemory);
    QCOMPARE(m_service->modelState(), ModelState::Ready);
    m_controls->allocationFails = false;
    QCOMPARE(generate().timings.generatedTokens, 5);
}

void InferenceServiceTest::closes_data()
{
    QTest::addColumn<QString>("phase");
    for (const char* phase : {"idle", "loading", "ready", "prefill", "writing", "queued"})
        QTest::newRow(phase) << QString::fromLatin1(phase);
}

void InferenceServiceTest::closes()
{
    QFETCH(const QString, phase);
    if (phase == u"loading") {
        m_controls->loadSteps = 100'000;
        m_controls->loadMilliseconds = 1;
        m_service->loadModel(QStringLiteral("/models/fake.gguf"));
        QTest::qWait(20);
    } else if (phase != u"idle") {
        QVERIFY(load());
    }
    if (phase == u"prefill") m_controls->prefillChunks = 100'000;
    m_controls->endless = true;
    m_controls->tokenMilliseconds = 1;
    const int requests = phase == u"queued" ? 50 : phase == u"prefill" || phase == u"writing";
    for (int i = 0; i < requests; ++i)
        m_service->generate(request());
    QTest::qWait(20);
    QTest::failOnWarning(); // "QThread: Destroyed while thread is still running"
    const int sessions = m_controls->sessionsMade;
    m_service.reset(); // what has no end ends; a load is not waited for
    QCOMPARE(m_controls->sessionsMade, sessions);
}

QTEST_GUILESS_MAIN(InferenceServiceTest)
#include "inference_service_test.moc"
