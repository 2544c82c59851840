#include "app/inference/memory_estimate.h"
#include "app/inference/size_text.h"

#include <QTest>

#include <limits>

using app::SizeKind;

class MemoryEstimateTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void addsWeightsCacheAndScratch();
    void holdsHostileNumbers();
    void readsMeminfo();
    void asksTheSystem();
    void writesSizes_data();
    void writesSizes();
    void writesShares();
};

void MemoryEstimateTest::addsWeightsCacheAndScratch()
{
    engine::ModelInfo info;
    info.tensorBytes = 4'000'000'000;
    info.kvBytesPerToken = 131'072;
    info.contextLength = 131'072;
    info.vocabularySize = 100'000;
    const app::MemoryNeed standard = app::estimateMemory(info, 0);
    QCOMPARE(standard.weights, info.tensorBytes);
    QCOMPARE(standard.kvCache, 131'072ULL * 4096);
    QVERIFY(standard.scratch > 200'000'000);
    QCOMPARE(standard.total(), standard.weights + standard.kvCache + standard.scratch);
    QCOMPARE(app::estimateMemory(info, 32'768).kvCache, 131'072ULL * 32'768);
    info.contextLength = 2048; // trained for less than the usual
    QCOMPARE(app::estimateMemory(info, 0).kvCache, 131'072ULL * 2048);
}

void MemoryEstimateTest::holdsHostileNumbers()
{
    engine::ModelInfo info;
    info.tensorBytes = std::numeric_limits<std::uint64_t>::max();
    info.kvBytesPerToken = std::numeric_limits<std::uint64_t>::max();
    info.contextLength = -5;
    info.vocabularySize = -1;
    QCOMPARE(app::estimateMemory(info, std::numeric_limits<int>::max()).total(),
             std::numeric_limits<std::uint64_t>::max());
}

void MemoryEstimateTest::readsMeminfo()
{
    const auto memory = app::parseMeminfo("MemTotal:       32760012 kB\n"
                                          "MemFree:         1000000 kB\n"
                                          "MemAvailable:   20000000 kB\n");
    QVERIFY(memory.has_value());
    QCOMPARE(memory->total, 32'760'012ULL * 1024);
    QCOMPARE(memory->available, 20'000'000ULL * 1024);
    const auto old = app::parseMeminfo("MemTotal: 10 kB\nMemFree: 4 kB\n");
    QVERIFY(old.has_value());
    QCOMPARE(old->available, 4096U);
    QVERIFY(!app::parseMeminfo("").has_value());
    QVERIFY(!app::parseMeminfo("MemTotal: many kB\nMemAvailable:\n").has_value());
}

void MemoryEstimateTest::asksTheSystem()
{
    const auto memory = app::systemMemory();
    if (!memory) QSKIP("this system does not say");
    QVERIFY(memory->total > 0);
    QVERIFY(memory->available <= memory->total);
}

void MemoryEstimateTest::writesSizes_data()
{
    QTest::addColumn<quint64>("bytes");
    QTest::addColumn<bool>("memory");
    QTest::addColumn<QString>("text");
    QTest::newRow("none") << quint64{0} << false << "0 bytes";
    QTest::newRow("bytes") << quint64{812} << false << "812 bytes";
    QTest::newRow("file") << quint64{5'000'000'000} << false << "5.0 GB";
    QTest::newRow("large") << quint64{18'600'000'000} << false << "18.6 GB";
    QTest::newRow("very large") << quint64{212'300'000'000} << false << "212 GB";
    QTest::newRow("kilobytes") << quint64{1'024} << false << "1.0 KB";
    QTest::newRow("memory") << (quint64{32} << 30) << true << "32 GB";
    QTest::newRow("below") << quint64{1023} << true << "1,023 bytes";
    QTest::newRow("much memory") << (quint64{186} << 30) / 10 << true << "19 GB";
    QTest::newRow("rounds up") << quint64{99'960'000} << false << "100 MB";
    QTest::newRow("most") << std::numeric_limits<quint64>::max() << false << "18,447 PB";
}

void MemoryEstimateTest::writesSizes()
{
    QFETCH(const quint64, bytes);
    QFETCH(const bool, memory);
    QFETCH(const QString, text);
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    QCOMPARE(app::sizeText(bytes, memory ? SizeKind::Memory : SizeKind::File), text);
}

void MemoryEstimateTest::writesShares()
{
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    QCOMPARE(app::shareText(3'100'000'000, 5'000'000'000, SizeKind::File),
             QStringLiteral("3.1 of 5.0 GB"));
    // They differ, so they are written to differ.
    QCOMPARE(app::shareText(4'999'000'000, 5'000'000'000, SizeKind::File),
             QStringLiteral("4,999 of 5,000 MB"));
    QCOMPARE(app::shareText(30'000, 1'054'496, SizeKind::File),
             QStringLiteral("30.0 KB of 1.1 MB"));
    QCOMPARE(app::shareText(0, 0, SizeKind::File), QStringLiteral("0 of 0 bytes"));
}

QTEST_GUILESS_MAIN(MemoryEstimateTest)
#include "memory_estimate_test.moc"
