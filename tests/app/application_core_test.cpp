#include "tests/support/app/fake_engine.h"

#include "app/application_core.h"

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
    void refusesASecondStart();
    void doesNotRepeatALoadThatEndedIt();
    void handsSettingsOn();

private:
    std::unique_ptr<ApplicationCore> make()
    {
        return std::make_unique<ApplicationCore>(
            app::Paths{m_folder->filePath(QStringLiteral("data")),
                       m_folder->filePath(QStringLiteral("config")),
                       m_folder->filePath(QStringLiteral("cache"))},
            test::fakeEngine(m_controls));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::shared_ptr<test::FakeEngineControls> m_controls;
};

void ApplicationCoreTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
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

void ApplicationCoreTest::refusesASecondStart()
{
    auto first = make();
    QVERIFY(!first->start().has_value());
    auto second = make();
    const auto error = second->start();
    QVERIFY(error.has_value());
    QVERIFY(error->sentence.contains(QStringLiteral("already running")));
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
