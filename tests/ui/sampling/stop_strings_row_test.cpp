#include "ui/sampling/stop_strings_row.h"

#include <QAbstractButton>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

using ui::StopStringsRow;
using ui::Theme;

class StopStringsRowTest : public QObject {
    Q_OBJECT
    Theme m_theme{Theme::Mode::Light};

    std::unique_ptr<StopStringsRow> shown(const QStringList& texts = {})
    {
        auto row = std::make_unique<StopStringsRow>(m_theme);
        row->setStopStrings(texts);
        row->resize(320, row->height());
        row->show();
        [&] { QVERIFY(QTest::qWaitForWindowActive(row.get())); }();
        return row;
    }

private Q_SLOTS:
    void enterAddsAndEscapesAreUnderstood()
    {
        const auto row = shown();
        QSignalSpy edited(row.get(), &StopStringsRow::stopStringsEdited);
        QTest::keyClicks(row->field(), QStringLiteral("\\n\\nUser:"));
        QTest::keyClick(row->field(), Qt::Key_Return);
        QCOMPARE(row->stopStrings(), QStringList{QStringLiteral("\n\nUser:")});
        QCOMPARE(edited.count(), 1);
        QVERIFY(row->field()->text().isEmpty());
        QCOMPARE(row->chips().size(), 1);
        QCOMPARE(row->chips()[0]->text(), QStringLiteral("\\n\\nUser:"));
        QTest::keyClicks(row->field(), QStringLiteral("\\n\\nUser:"));
        QTest::keyClick(row->field(), Qt::Key_Return); // there already
        QTest::keyClick(row->field(), Qt::Key_Return); // nothing
        QCOMPARE(edited.count(), 1);
        QCOMPARE(row->chips().size(), 1);
    }

    void leavingTheFieldLosesNothing()
    {
        const auto row = shown();
        row->field()->setFocus();
        QTest::keyClicks(row->field(), QStringLiteral("###"));
        row->field()->clearFocus();
        QCOMPARE(row->stopStrings(), QStringList{QStringLiteral("###")});
    }

    void chipsAreRemovedByKeys()
    {
        const auto row = shown({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")});
        row->field()->setFocus();
        QTest::keyClick(row->field(), Qt::Key_Backspace);
        QVERIFY(row->chips()[2]->hasFocus()); // it says first what it would remove
        QCOMPARE(row->stopStrings().size(), 3);
        QTest::keyClick(row->chips()[2], Qt::Key_Left);
        QVERIFY(row->chips()[1]->hasFocus());
        QTest::keyClick(row->chips()[1], Qt::Key_Delete);
        QCOMPARE(row->stopStrings(), (QStringList{QStringLiteral("a"), QStringLiteral("c")}));
        QVERIFY(row->chips()[1]->hasFocus());
        QTest::keyClick(row->chips()[1], Qt::Key_Right);
        QVERIFY(row->field()->hasFocus());
        QTest::keyClick(row->field(), Qt::Key_Left);
        QTest::keyClick(row->chips()[1], Qt::Key_Backspace);
        QVERIFY(row->field()->hasFocus());
        QCOMPARE(row->stopStrings(), QStringList{QStringLiteral("a")});
    }

    void aClickRemoves()
    {
        const auto row = shown({QStringLiteral("a"), QStringLiteral("b")});
        QTest::mouseClick(row->chips()[0], Qt::LeftButton);
        QCOMPARE(row->stopStrings(), QStringList{QStringLiteral("b")});
    }

    void chipsRunOnAndStayInside()
    {
        QStringList texts;
        for (int i = 0; i < 9; ++i)
            texts += QString(3 + 5 * i, u'x');
        const auto row = shown(texts);
        for (const double scale : {1.0, 1.6}) {
            m_theme.setTextScale(scale);
            QTest::qWait(20);
            for (const QAbstractButton* chip : row->chips()) {
                QVERIFY(row->rect().contains(chip->geometry()));
                QVERIFY(!chip->geometry().intersects(row->field()->geometry()));
                for (const QAbstractButton* other : row->chips())
                    QVERIFY(chip == other || !chip->geometry().intersects(other->geometry()));
            }
            QVERIFY(row->rect().contains(row->field()->geometry()));
            QVERIFY(row->field()->width() >= 64);
        }
        m_theme.setTextScale(1);
    }

    void saysWhatItIs()
    {
        const auto row = shown({QStringLiteral("\n")});
        QCOMPARE(row->accessibleName(), QStringLiteral("Stop strings"));
        QCOMPARE(row->chips()[0]->accessibleName(), QStringLiteral("Remove the stop string \\n"));
        QVERIFY(!row->field()->accessibleName().isEmpty());
        QVERIFY(row->field()->accessibleDescription().contains(QStringLiteral("\\n")));
    }
};

QTEST_MAIN(StopStringsRowTest)
#include "stop_strings_row_test.moc"
