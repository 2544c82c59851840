#include "app/settings/instance_call.h"
#include "app/settings/instance_lock.h"

#include <QLocalServer>
#include <QLocalSocket>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <QTimer>

#include <memory>

#ifdef Q_OS_UNIX
#include <sys/stat.h>
#endif

using app::InstanceCall;
using app::InstanceListener;

namespace {

QByteArray parts(const QList<QByteArray>& list)
{
    QByteArray bytes;
    for (const QByteArray& part : list)
        bytes.append(part).append('\0');
    return bytes;
}

} // namespace

class InstanceCallTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_runtime; // where sockets are
    std::unique_ptr<QTemporaryDir> m_folder;

    /// As a second start does it, which has no event loop yet.
    bool call(const InstanceCall& wanted, std::chrono::milliseconds patience)
    {
        bool heard = false;
        std::unique_ptr<QThread> second(QThread::create(
            [&] { heard = app::callRunningInstance(m_folder->path(), wanted, patience); }));
        second->start();
        [&] { QTRY_VERIFY_WITH_TIMEOUT(second->isFinished(), 20'000); }();
        second->wait();
        return heard;
    }
    /// What a stranger who may open the socket gets for these bytes.
    QByteArray say(const QByteArray& bytes)
    {
        QLocalSocket socket;
        socket.connectToServer(app::instanceAddress(m_folder->path()));
        socket.write(bytes);
        QByteArray heard;
        (void)QTest::qWaitFor(
            [&] {
                heard += socket.readAll();
                return socket.state() == QLocalSocket::UnconnectedState;
            },
            10'000);
        return heard;
    }

private Q_SLOTS:
    void initTestCase() { qputenv("XDG_RUNTIME_DIR", m_runtime.path().toLocal8Bit()); }

    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
    }

    void reachesTheRunningProgram()
    {
        app::InstanceLock lock(m_folder->path());
        QCOMPARE(lock.take(), app::InstanceLock::Outcome::Taken);
        InstanceListener listener;
        QVERIFY(listener.listen(m_folder->path()));
        QList<InstanceCall> heard;
        connect(&listener, &InstanceListener::called, this,
                [&](const InstanceCall& wanted) { heard += wanted; });
        const InstanceCall model{.modelPath = m_folder->filePath(QStringLiteral("näme 模.gguf")),
                                 .activation = "token-1_2"};
        QVERIFY(call({}, std::chrono::seconds(10)));
        QVERIFY(call(model, std::chrono::seconds(10)));
        QCOMPARE(heard, (QList<InstanceCall>{{}, model}));
    }

    void eachFolderHasItsOwn()
    {
        const QTemporaryDir other;
        QVERIFY(app::instanceAddress(m_folder->path()) != app::instanceAddress(other.path()));
        QCOMPARE(app::instanceAddress(m_folder->path()),
                 app::instanceAddress(m_folder->path() + QStringLiteral("/.")));
    }

    void givesUpWhereNobodyListens() { QVERIFY(!call({}, std::chrono::milliseconds(100))); }

    void givesUpWhereNobodyAnswers()
    {
        QLocalServer deaf; // hears, and says nothing
        QVERIFY(deaf.listen(app::instanceAddress(m_folder->path())));
        QVERIFY(!call({}, std::chrono::milliseconds(200)));
    }

    // The first has the lock and is on its way to listening.
    void waitsForOneThatHasJustBegun()
    {
        InstanceListener listener;
        QTimer::singleShot(300, this, [&] { listener.listen(m_folder->path()); });
        QVERIFY(call({}, std::chrono::seconds(10)));
    }

    // What a killed program left at the address does not keep the next one from it.
    void takesAnAddressThatWasLeft()
    {
        QFile left(app::instanceAddress(m_folder->path()));
        QVERIFY(left.open(QIODevice::WriteOnly));
        left.close();
        InstanceListener listener;
        QVERIFY(listener.listen(m_folder->path()));
        QVERIFY(call({}, std::chrono::seconds(10)));
    }

    void refusesWhatIsNoCall_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        const QByteArray hello("inglenook 1");
        QTest::newRow("other words") << parts({"GET / HTTP/1.1", "", ""});
        QTest::newRow("other version") << parts({"inglenook 2", "", ""});
        QTest::newRow("too many parts") << parts({hello, "", "", ""});
        QTest::newRow("relative") << parts({hello, "models/a.gguf", ""});
        QTest::newRow("resource") << parts({hello, ":/icons", ""});
        QTest::newRow("no UTF-8") << parts({hello, "/models/\xff\xfe.gguf", ""});
        QTest::newRow("long path") << parts({hello, "/" + QByteArray(40'000, 'a'), ""});
        QTest::newRow("no end") << QByteArray(InstanceListener::kMostBytes + 100, 'a');
    }

    void refusesWhatIsNoCall()
    {
        QFETCH(const QByteArray, bytes);
        InstanceListener listener;
        QVERIFY(listener.listen(m_folder->path()));
        QSignalSpy called(&listener, &InstanceListener::called);
        QCOMPARE(say(bytes), QByteArray("no").append('\0'));
        QCOMPARE(called.count(), 0);
        QVERIFY(call({}, std::chrono::seconds(10))); // the next is heard
    }

#ifdef Q_OS_UNIX
    // The window says that it is no model.
    void handsOverWhatIsNoFile()
    {
        const QByteArray pipe = m_folder->filePath(QStringLiteral("pipe.gguf")).toLocal8Bit();
        QCOMPARE(::mkfifo(pipe.constData(), 0600), 0);
        QVERIFY(app::readInstanceCall(parts({"inglenook 1", pipe, ""})).has_value());
    }
#endif

    void leavesOutWhatIsNoToken()
    {
        for (const QByteArray& token : {QByteArray("a b"), QByteArray("a\nb"),
                                        QByteArray("\xc3\xa4"), QByteArray(600, 'a')}) {
            const auto read = app::readInstanceCall(parts({"inglenook 1", "/m.gguf", token}));
            QVERIFY(read.has_value());
            QVERIFY(read->activation.isEmpty());
            QCOMPARE(read->modelPath, QStringLiteral("/m.gguf"));
        }
    }

    // One who says nothing, or half of it, is let go and keeps nobody out for long.
    void letsTheSilentGo()
    {
        InstanceListener listener;
        QVERIFY(listener.listen(m_folder->path()));
        QSignalSpy called(&listener, &InstanceListener::called);
        std::vector<std::unique_ptr<QLocalSocket>> silent;
        for (int i = 0; i < 20; ++i) {
            silent.push_back(std::make_unique<QLocalSocket>());
            silent.back()->connectToServer(app::instanceAddress(m_folder->path()));
            silent.back()->write("inglenook 1");
        }
        for (const auto& socket : silent)
            QTRY_COMPARE(socket->state(), QLocalSocket::UnconnectedState);
        QCOMPARE(called.count(), 0);
        QVERIFY(call({}, std::chrono::seconds(10)));
    }
};

QTEST_GUILESS_MAIN(InstanceCallTest)
#include "instance_call_test.moc"
