#include "app/inference/model_path.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

class ModelPathTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aFileOfAFolderMeansTheFolder();
    void aGgufFileIsItself();
    void otherFilesAreNoModels();
    void aFolderKeepsItsWholeName();

private:
    QString make(const QString& name)
    {
        QFile file(m_home.filePath(name));
        if (!QDir(m_home.path()).mkpath(QStringLiteral("Qwen2.5-1.5B")) ||
            !file.open(QIODevice::WriteOnly))
            qFatal("cannot write");
        return file.fileName();
    }

    QTemporaryDir m_home;
};

void ModelPathTest::aFileOfAFolderMeansTheFolder()
{
    const QString folder = m_home.filePath(QStringLiteral("Qwen2.5-1.5B"));
    for (const char* name :
         {"config.json", "model-00001-of-00002.safetensors", "model.safetensors.index.json"})
        QCOMPARE(app::modelPathOf(make(QStringLiteral("Qwen2.5-1.5B/") + QLatin1StringView(name))),
                 folder);
    QCOMPARE(app::modelPathOf(folder), folder);
    QCOMPARE(app::modelPathOf(folder + QLatin1Char('/')), folder);
}

void ModelPathTest::aGgufFileIsItself()
{
    // Also where it is not there any more: the engine says so.
    const QString gone = m_home.filePath(QStringLiteral("gone.GGUF"));
    QCOMPARE(app::modelPathOf(gone), gone);
}

void ModelPathTest::otherFilesAreNoModels()
{
    QCOMPARE(app::modelPathOf(make(QStringLiteral("notes.txt"))), QString());
    QCOMPARE(app::modelPathOf(m_home.path()), QString());
    QCOMPARE(app::modelPathOf(QString()), QString());
}

void ModelPathTest::aFolderKeepsItsWholeName()
{
    make(QStringLiteral("Qwen2.5-1.5B/config.json"));
    QCOMPARE(app::modelNameOf(m_home.filePath(QStringLiteral("Qwen2.5-1.5B"))),
             QStringLiteral("Qwen2.5-1.5B"));
    QCOMPARE(app::modelNameOf(QStringLiteral("/models/Qwen2.5-1.5B-Q4_K_M.gguf")),
             QStringLiteral("Qwen2.5-1.5B-Q4_K_M"));
}

QTEST_GUILESS_MAIN(ModelPathTest)
#include "model_path_test.moc"
