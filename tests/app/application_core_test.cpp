#include "tests/support/app/fake_engine.h"

#include "app/application_core.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using app::ApplicationCore;
using app::InferenceService;

class ApplicationCoreTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void comesBackAsItWas();
    void remembersNames();
    void keepsStopStrings();
    void refusesASecondStart();
    void doesNotRepeatALoadThatEndedIt();
    void fallsBackOnTheStarter();
    void handsSettingsOn();
    void opensTheModelInUseOnce();

private:
    std::unique_ptr<ApplicationCore> make()
    {
        return std::make_unique<ApplicationCore>(
            app::Paths{m_folder->filePath(QStringLiteral("data")),
                       m_folder->filePath(QStringLiteral("config")),
                       m_folder->filePath(QStringLiteral("cache")), m_starter},
            test::fakeEngine(m_controls));
    }

    QString m_starter; // there is none unless a test says so
    std::unique_ptr<QTemporaryDir> m_folder;
    std::shared_ptr<test::FakeEngineControls> m_controls;
};

void ApplicationCoreTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    m_starter.clear();
    m_controls = std::make_shared<test::FakeEngineControls>();
}

void ApplicationCoreTest::comesBackAsItWas()
{
    qint64 conversation = 0;
    {
        auto core = make();
        QVERIFY(!core->start().has_value());
        core->loadLastModel(); // there is none
        QCOMPARE(core->inference().modelState(), InferenceService::ModelState::None);
        core->loadModel(QStringLiteral("/models/story.gguf"));
        core->conversations().send(QStringLiteral("Tell me a story"));
        QTRY_COMPARE(core->conversations().messages().size(), 2);
        QTRY_COMPARE(core->conversations().writingConversation(), 0);
        conversation = core->conversations().currentConversation();
    }
    auto core = make();
    QVERIFY(!core->start().has_value());
    core->loadLastModel();
    QTRY_COMPARE(core->inference().model().name, QStringLiteral("story"));
    QTRY_COMPARE(core->conversations().currentConversation(), conversation);
    QCOMPARE(core->conversations().messages().constLast().text,
             QStringLiteral("Once upon a time."));
    QCOMPARE(core->settings().get(app::settings::kRecentModels),
             QStringList{QStringLiteral("/models/story.gguf")});
}

void ApplicationCoreTest::remembersNames()
{
    namespace keys = app::settings;
    const QString story = QStringLiteral("/models/story.gguf");
    const QString poem = QStringLiteral("/models/poem-q4.gguf");
    m_controls->modelName = "The Poet 1B";
    {
        auto core = make();
        QVERIFY(!core->start().has_value());
        QCOMPARE(core->modelName(poem), QStringLiteral("poem-q4")); // by its file
        core->loadModel(poem);
        QTRY_COMPARE(core->modelName(poem), QStringLiteral("The Poet 1B"));
        m_controls->modelName.clear();
        core->loadModel(story);
        QTRY_COMPARE(core->settings().get(keys::kRecentModels), (QStringList{story, poem}));
        QCOMPARE(core->modelName(story), QStringLiteral("story"));
    }
    auto core = make();
    QCOMPARE(core->modelName(poem), QStringLiteral("The Poet 1B"));
    QCOMPARE(core->modelName(story), QStringLiteral("story"));
    // A file somebody wrote in.
    core->settings().set(keys::kRecentNames, {});
    QCOMPARE(core->modelName(poem), QStringLiteral("poem-q4"));
}

void ApplicationCoreTest::keepsStopStrings()
{
    const QStringList texts{QStringLiteral("\n\nUser:"), QStringLiteral("a, \"b\"; \\c"),
                            QStringLiteral(" ")};
    {
        auto core = make();
        QVERIFY(!core->start().has_value());
        core->setStopStrings(texts + QStringList{QString(), texts.first()});
    }
    auto core = make();
    QVERIFY(!core->start().has_value());
    QCOMPARE(core->settings().get(app::settings::kStopStrings), texts);
    core->loadModel(QStringLiteral("/models/story.gguf"));
    core->conversations().send(QStringLiteral("Tell me a story"));
    QTRY_COMPARE(core->conversations().messages().size(), 2);
    QTRY_COMPARE(core->conversations().writingConversation(), 0);
    QCOMPARE(m_controls->stopStrings,
             (std::vector<std::string>{"\n\nUser:", "a, \"b\"; \\c", " "}));
    core->setStopStrings({});
    QVERIFY(core->settings().get(app::settings::kStopStrings).isEmpty());
}

void ApplicationCoreTest::refusesASecondStart()
{
    auto first = make();
    QVERIFY(!first->start().has_value());
    auto second = make();
    const auto error = second->start();
    QVERIFY(error.has_value());
    QVERIFY(error->sentence.contains(QStringLiteral("already running")));
    // What it has written about a load is left to it.
    first->settings().set(app::settings::kModelBeingLoaded, QStringLiteral("/models/big.gguf"));
    second.reset();
    QCOMPARE(first->settings().get(app::settings::kModelBeingLoaded),
             QStringLiteral("/models/big.gguf"));
    second = make();
    QVERIFY(second->start().has_value());
    first.reset();
    QVERIFY(!second->start().has_value());
}

void ApplicationCoreTest::doesNotRepeatALoadThatEndedIt()
{
    {
        app::Settings settings(m_folder->filePath(QStringLiteral("config")));
        settings.set(app::settings::kLastModelPath, QStringLiteral("/models/crash.gguf"));
        settings.set(app::settings::kModelBeingLoaded, QStringLiteral("/models/crash.gguf"));
    }
    {
        auto core = make();
        QVERIFY(!core->start().has_value());
        QSignalSpy notices(core.get(), &ApplicationCore::noticeRaised);
        core->loadLastModel();
        QCOMPARE(notices.size(), 1);
        QVERIFY(notices.constFirst().constFirst().toString().contains(QStringLiteral("crash")));
        QCOMPARE(core->inference().modelState(), InferenceService::ModelState::None);
        // Closed by the user during a load: that load is no suspect.
        m_controls->loadSteps = 10'000;
        m_controls->loadMilliseconds = 1;
        core->loadModel(QStringLiteral("/models/crash.gguf"));
    }
    m_controls->loadSteps = 1;
    auto core = make();
    core->loadLastModel();
    QTRY_COMPARE(core->inference().model().name, QStringLiteral("crash"));
}

void ApplicationCoreTest::fallsBackOnTheStarter()
{
    namespace keys = app::settings;
    m_starter = QStringLiteral("/program/starter.gguf");
    const QString story = QStringLiteral("/models/story.gguf");
    {
        auto core = make();
        core->loadLastModel();
        QTRY_COMPARE(core->inference().model().path, m_starter);
        // It is not the user's: neither listed nor remembered.
        QVERIFY(core->settings().get(keys::kRecentModels).isEmpty());
        QVERIFY(core->settings().get(keys::kLastModelPath).isEmpty());
        core->loadModel(story);
        QTRY_COMPARE(core->inference().model().path, story);
    }
    {
        auto core = make();
        core->loadLastModel();
        QTRY_COMPARE(core->inference().model().path, story);
        core->loadModel(m_starter); // by hand: from now on it is the model of the last time
        QTRY_COMPARE(core->inference().model().path, m_starter);
        QCOMPARE(core->settings().get(keys::kRecentModels), QStringList{story});
    }
    {
        auto core = make();
        core->loadLastModel();
        QTRY_COMPARE(core->inference().model().path, m_starter);
        core->settings().set(keys::kLastModelPath, story);
        core->settings().set(keys::kModelBeingLoaded, story);
        core->settings().save();
        QSignalSpy notices(core.get(), &ApplicationCore::noticeRaised);
        core->loadLastModel();
        QCOMPARE(notices.size(), 1);
        QCOMPARE(core->wantedModel(), m_starter);
    }
}

void ApplicationCoreTest::opensTheModelInUseOnce()
{
    const QString path = m_folder->filePath(QStringLiteral("story.gguf"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();
    auto core = make();
    QVERIFY(!core->start().has_value());
    core->loadModel(path);
    QTRY_COMPARE(core->inference().modelState(), InferenceService::ModelState::Ready);
    m_controls->endless = true;
    m_controls->tokenMilliseconds = 2;
    core->conversations().send(QStringLiteral("Tell me a story"));
    QTRY_VERIFY(m_controls->tokensDecoded > 3);
    const QSignalSpy loaded(&core->inference(), &InferenceService::modelLoaded);
    core->loadModel(path);
    QCOMPARE(core->inference().modelState(), InferenceService::ModelState::Writing);
    // Written anew meanwhile, it is another.
    QVERIFY(file.open(QIODevice::ReadWrite));
    QVERIFY(file.setFileTime(QDateTime::currentDateTime().addSecs(60),
                             QFileDevice::FileModificationTime));
    file.close();
    core->loadModel(path);
    QTRY_COMPARE(loaded.size(), 1);
}

void ApplicationCoreTest::handsSettingsOn()
{
    engine::SamplingSettings sampling;
    sampling.temperature = 0.3F;
    {
        auto core = make();
        core->setSampling(sampling);
        QCOMPARE(core->inference().settings().temperature, 0.3F);
        core->settings().set(app::settings::kContextLength, 777);
        core->loadModel(QStringLiteral("/models/story.gguf"));
        QTRY_COMPARE(core->inference().model().contextLength, 777);
    }
    auto core = make();
    QCOMPARE(core->inference().settings().temperature, 0.3F);
}

QTEST_GUILESS_MAIN(ApplicationCoreTest)
#include "application_core_test.moc"
