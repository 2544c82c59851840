#include "app/settings/instance_lock.h"
#include "app/settings/sampling_presets.h"
#include "app/settings/settings.h"

#include <QFile>
#include <QLocale>
#include <QProcess>
#include <QSet>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <memory>

using app::Settings;
using app::ThemeChoice;

class SettingsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void namesEveryKeyOnce();
    void givesDefaults();
    void keepsValues();
    void holdsToTheRange();
    void survivesAHostileFile();
    void tellsChanges();
    void keepsSampling();
    void hasTheBuiltInPresets();
    void keepsPresets();
    void locksOneFolderOnce();
    void takesTheLockOfADeadProgram();
    void saysWhenThereIsNoFolder();

private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

namespace {

template <typename Visitor>
void forEachKey(Visitor visit)
{
    std::apply([&visit](const auto&... key) { (visit(key), ...); }, app::settings::kAll);
}

} // namespace

void SettingsTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void SettingsTest::namesEveryKeyOnce()
{
    QSet<QString> names;
    int keys = 0;
    forEachKey([&](const auto& key) {
        names.insert(QString::fromLatin1(key.name));
        ++keys;
        QVERIFY(QString::fromLatin1(key.name).contains(u'/'));
        if constexpr (requires { key.minimum; }) {
            QVERIFY2(key.minimum <= key.defaultValue && key.defaultValue <= key.maximum, key.name);
        }
    });
    QCOMPARE(names.size(), keys);
}

void SettingsTest::givesDefaults()
{
    const Settings file(m_folder->path());
    forEachKey([&](const auto& key) {
        if constexpr (requires { key.minimum; }) {
            QCOMPARE(file.get(key), key.defaultValue);
        } else {
            (void)file.get(key);
        }
    });
    QCOMPARE(file.get(app::settings::kPreset), QStringLiteral("Balanced"));
    QVERIFY(file.get(app::settings::kLoadLastModel));
}

void SettingsTest::keepsValues()
{
    const QByteArray bytes("\0\1\xff,;\n", 6);
    const QStringList paths{QStringLiteral("/a, b/c.gguf"), QStringLiteral("/ü/ñ \"q\".gguf")};
    {
        Settings file(m_folder->path());
        file.set(app::settings::kTheme, ThemeChoice::Dark);
        file.set(app::settings::kTextSize, 18);
        file.set(app::settings::kTemperature, 1.25);
        file.set(app::settings::kLoadLastModel, false);
        file.set(app::settings::kLastModelPath, paths.constFirst());
        file.set(app::settings::kRecentModels, paths);
        file.set(app::settings::kWindowGeometry, bytes);
        file.set(app::settings::kOpenConversation, qint64{1} << 53);
        QVERIFY(file.save());
    }
    const Settings file(m_folder->path());
    QCOMPARE(file.get(app::settings::kTheme), ThemeChoice::Dark);
    QCOMPARE(file.get(app::settings::kTextSize), 18);
    QCOMPARE(file.get(app::settings::kTemperature), 1.25);
    QVERIFY(!file.get(app::settings::kLoadLastModel));
    QCOMPARE(file.get(app::settings::kLastModelPath), paths.constFirst());
    QCOMPARE(file.get(app::settings::kRecentModels), paths);
    QCOMPARE(file.get(app::settings::kWindowGeometry), bytes);
    QCOMPARE(file.get(app::settings::kOpenConversation), qint64{1} << 53);
}

void SettingsTest::holdsToTheRange()
{
    Settings file(m_folder->path());
    file.set(app::settings::kTemperature, 99.0);
    QCOMPARE(file.get(app::settings::kTemperature), 10.0);
    file.set(app::settings::kTemperature, -1.0);
    QCOMPARE(file.get(app::settings::kTemperature), 0.0);
    file.set(app::settings::kTemperature, std::nan(""));
    QCOMPARE(file.get(app::settings::kTemperature), 0.8);
    file.set(app::settings::kTextSize, 1000);
    QCOMPARE(file.get(app::settings::kTextSize), 28);
    QStringList many;
    for (int i = 0; i < 100; ++i)
        many += QString::number(i);
    file.set(app::settings::kRecentModels, many);
    QCOMPARE(file.get(app::settings::kRecentModels).size(), 12);
}

void SettingsTest::survivesAHostileFile()
{
    QFile file(m_folder->filePath(QStringLiteral("inglenook.ini")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("[sampling]\ntemperature=nan\ntopK=-7\nminP=lots\ntopP=1e999\nseed=-1\n"
               "userPresets=\"Mine\\nsampling/topK=abc\\nsampling/minP=7\\nsampling/topP=0.5\"\n"
               "[appearance]\ntheme=17\ntextSize=\n[model]\nloadLastAtStart=perhaps\n"
               "lastPath=\"" +
               QByteArray(2 << 20, 'x') + "\"\n\xff\xfe\0 junk\n[[[\n");
    file.close();
    const Settings settings(m_folder->path());
    QCOMPARE(settings.get(app::settings::kTemperature), 0.8);
    QCOMPARE(settings.get(app::settings::kTopK), 0);
    QCOMPARE(settings.get(app::settings::kMinP), 0.05);
    QVERIFY(settings.get(app::settings::kTopP) <= 1.0);
    QCOMPARE(settings.get(app::settings::kTheme), ThemeChoice::Dark);
    QCOMPARE(settings.get(app::settings::kTextSize), 14);
    QVERIFY(settings.get(app::settings::kLoadLastModel));
    QVERIFY(settings.get(app::settings::kLastModelPath).isEmpty());
    QVERIFY(!app::loadSampling(settings).seed.has_value());
    const auto presets = app::samplingPresets(settings);
    QCOMPARE(presets.size(), 4);
    const engine::SamplingSettings standard;
    QCOMPARE(presets.constLast().settings.topK, standard.topK);
    QCOMPARE(presets.constLast().settings.minP, standard.minP);
    QCOMPARE(presets.constLast().settings.topP, 0.5F);
}

void SettingsTest::tellsChanges()
{
    Settings file(m_folder->path());
    QSignalSpy changed(&file, &Settings::changed);
    file.set(app::settings::kTextSize, 16);
    file.set(app::settings::kTextSize, 16);
    QCOMPARE(changed.size(), 1);
    QCOMPARE(changed.constFirst().constFirst().toString(), QStringLiteral("appearance/textSize"));
}

void SettingsTest::keepsSampling()
{
    engine::SamplingSettings sampling;
    sampling.temperature = 1.1F;
    sampling.topK = 0;
    sampling.seed = std::numeric_limits<std::uint64_t>::max();
    sampling.maxTokens = 512;
    sampling.penaltyWindow = -1;
    {
        Settings file(m_folder->path());
        app::saveSampling(file, sampling);
    }
    Settings file(m_folder->path());
    QCOMPARE(app::loadSampling(file), sampling);
    sampling.seed.reset();
    app::saveSampling(file, sampling);
    QCOMPARE(app::loadSampling(file), sampling);
}

void SettingsTest::hasTheBuiltInPresets()
{
    const Settings file(m_folder->path());
    const auto presets = app::samplingPresets(file);
    QCOMPARE(presets.size(), 3);
    QCOMPARE(presets.at(0).name, QStringLiteral("Precise"));
    QCOMPARE(presets.at(0).settings.temperature, 0.20F);
    QCOMPARE(presets.at(0).settings.topP, 0.80F);
    QVERIFY(app::samePreset(presets.at(1).settings, {}));
    QCOMPARE(presets.at(2).settings.topK, 0);
    QVERIFY(presets.at(2).builtIn);
}

void SettingsTest::keepsPresets()
{
    engine::SamplingSettings sampling;
    sampling.minP = 0.123F;
    sampling.seed = 7;
    const QString name = QStringLiteral("My = preset, \"1\"");
    {
        Settings file(m_folder->path());
        QVERIFY(!app::savePreset(file, QStringLiteral("balanced"), sampling));
        QVERIFY(!app::savePreset(file, QStringLiteral("  "), sampling));
        QVERIFY(app::savePreset(file, QStringLiteral("zz"), {}));
        QVERIFY(app::savePreset(file, name, {}));
        QVERIFY(app::savePreset(file, name, sampling)); // replaces
    }
    Settings file(m_folder->path());
    auto presets = app::samplingPresets(file);
    QCOMPARE(presets.size(), 5);
    QCOMPARE(presets.at(3).name, name);
    QVERIFY(app::samePreset(presets.at(3).settings, sampling));
    QVERIFY(!presets.at(3).builtIn);
    app::removePreset(file, name);
    app::removePreset(file, QStringLiteral("Balanced"));
    QCOMPARE(app::samplingPresets(file).size(), 4);
}

void SettingsTest::locksOneFolderOnce()
{
    const QString folder = m_folder->filePath(QStringLiteral("new/data"));
    {
        app::InstanceLock first(folder);
        QCOMPARE(first.take(), app::InstanceLock::Outcome::Taken);
        app::InstanceLock second(folder);
        QCOMPARE(second.take(), app::InstanceLock::Outcome::HeldByAnother);
        const app::UserError error = second.error(app::InstanceLock::Outcome::HeldByAnother);
        QCOMPARE(error.sentence,
                 QStringLiteral("Inglenook is already running. Use its open window, or close it "
                                "first."));
    }
    app::InstanceLock third(folder);
    QCOMPARE(third.take(), app::InstanceLock::Outcome::Taken);
}

void SettingsTest::takesTheLockOfADeadProgram()
{
    // Another program holds the folder; while it lives it keeps it, killed it does not.
    QProcess holder;
    holder.setProgram(QCoreApplication::applicationFilePath());
    holder.setArguments({QStringLiteral("--hold-lock"), m_folder->path()});
    holder.start();
    QVERIFY(holder.waitForReadyRead());
    QCOMPARE(holder.readAll().trimmed(), QByteArray("taken"));
    app::InstanceLock lock(m_folder->path());
    QCOMPARE(lock.take(), app::InstanceLock::Outcome::HeldByAnother);
    holder.kill();
    QVERIFY(holder.waitForFinished());
    QVERIFY(QFile::exists(m_folder->filePath(QStringLiteral("inglenook.lock"))));
    QCOMPARE(lock.take(), app::InstanceLock::Outcome::Taken);
}

void SettingsTest::saysWhenThereIsNoFolder()
{
    QFile file(m_folder->filePath(QStringLiteral("file")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();
    app::InstanceLock lock(file.fileName());
    QCOMPARE(lock.take(), app::InstanceLock::Outcome::NoFolder);
    QVERIFY(lock.error(app::InstanceLock::Outcome::NoFolder).sentence.contains(file.fileName()));
    Settings settings(file.fileName());
    settings.set(app::settings::kTextSize, 16);
    QVERIFY(!settings.save());
    QCOMPARE(settings.get(app::settings::kTextSize), 16);
}

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.value(1) == u"--hold-lock") {
        app::InstanceLock lock(arguments.value(2));
        const bool taken = lock.take() == app::InstanceLock::Outcome::Taken;
        QTextStream(stdout) << (taken ? "taken" : "refused") << Qt::endl;
        return QCoreApplication::exec();
    }
    SettingsTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "settings_test.moc"
