// What is sought in all chats and in the open one is gone to, and what is typed anywhere on the
// page is the next message.

#include "tests/support/ui/layout_faults.h"
#include "tests/support/ui/pictures.h"
#include "tests/support/ui/window_program.h"

#include "ui/chat/chat_header.h"
#include "ui/chat/find_bar.h"
#include "ui/composer/composer.h"
#include "ui/composer/message_edit.h"
#include "ui/sidebar/conversation_list.h"
#include "ui/sidebar/conversation_list_model.h"
#include "ui/sidebar/sidebar.h"
#include "ui/theme/page_column.h"
#include "ui/transcript/reply_message.h"
#include "ui/transcript/transcript_view.h"
#include "ui/transcript/user_message.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/label.h"
#include "ui/widgets/line_field.h"

#include <QCheckBox>
#include <QScrollBar>
#include <QTest>

namespace {

struct Program : test::WindowProgram {
    app::ConversationController& chats() { return core.conversations(); }
    ui::TranscriptView& transcript() const { return *chat().transcript(); }
    ui::MessageEdit* edit() const { return chat().composer()->edit(); }
    ui::FindBar* find() const { return chat().findChild<ui::FindBar*>(); }
    QString count() const { return find()->findChild<ui::Label*>()->text(); }

    void say(const QString& text)
    {
        const qsizetype before = chats().messages().size();
        chats().send(text);
        [&] {
            QTRY_VERIFY(chats().messages().size() == before + 2 &&
                        chats().writingConversation() == 0);
        }();
    }
    /// Whether the line of a user's message with this text is in the view.
    bool isInSight(const QString& text) const
    {
        for (auto* user : transcript().viewport()->findChildren<ui::UserMessage*>()) {
            const ui::BlockStack* stack = user->stackOf(ui::MessageAnchor::Part::Body);
            for (qsizetype block = 0; block < stack->blocks().size() && user->isVisible();
                 ++block) {
                const auto offset = static_cast<int>(stack->blocks()[block].text.indexOf(text));
                const ui::BlockStack::Place place = stack->placeOf(block);
                if (offset < 0 || place.surface == nullptr) continue;
                const QRectF line =
                    place.surface->placeOf({.fragment = place.fragment, .offset = offset}, 1);
                const QPoint middle =
                    place.surface->mapTo(transcript().viewport(), line.center().toPoint());
                if (transcript().viewport()->rect().contains(middle)) return true;
            }
        }
        return false;
    }
};

} // namespace

class FindTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void opensAtWhatWasSought()
    {
        Program program;
        const QString lines = QStringLiteral("The kettle sings before the water boils.\n");
        program.say(lines.repeated(700) % QStringLiteral("A heron stands in the reeds.\n") %
                    lines.repeated(300));
        for (int i = 0; i < 8; ++i)
            program.say(QStringLiteral("And then?"));
        const qint64 sought = program.chats().currentConversation();
        program.chats().newConversation();
        program.say(QStringLiteral("Another chat"));
        ui::Sidebar* sidebar = program.window->sidebar();
        const auto open = [&](const QString& words) {
            sidebar->searchField()->setText(words);
            QTRY_VERIFY(sidebar->model()->indexOf(sought).isValid());
            sidebar->searchField()->setFocus();
            QTest::keyClick(sidebar->searchField(), Qt::Key_Down);
            QTest::keyClick(sidebar->list(), Qt::Key_Return);
            QTRY_COMPARE(program.chats().currentConversation(), sought);
            QTest::qWait(100);
        };
        open(QStringLiteral("heron stan"));
        QVERIFY(program.isInSight(QStringLiteral("heron")));
        QVERIFY(program.find()->isVisible());
        QCOMPARE(program.count(), QStringLiteral("1 of 1"));
        QVERIFY(program.edit()->hasFocus());
        test::savePictures(*program.window, program.theme, QStringLiteral("found-in-a-chat"));
        QTest::keyClick(program.edit(), Qt::Key_Escape);
        QVERIFY(!program.find()->isVisible());
        // Another chat, and from the page without a transcript.
        program.chats().newConversation();
        QVERIFY(!program.find()->isVisible());
        open(QStringLiteral("reeds"));
        QVERIFY(program.isInSight(QStringLiteral("heron")));
    }

    void theBarGoesOnFromWhereItWas()
    {
        Program program;
        program.controls->reply = {"A", " kettle", " and", " a", " kettle", "."};
        for (int i = 0; i < 3; ++i)
            program.say(QStringLiteral("What sings?"));
        QTest::keyClick(program.window.get(), Qt::Key_F, Qt::ControlModifier);
        QLineEdit* field = program.find()->field();
        QVERIFY(field->hasFocus());
        QTest::keyClicks(field, QStringLiteral("kettle"));
        QCOMPARE(program.count(), QStringLiteral("1 of 6"));
        QTest::keyClick(field, Qt::Key_Return);
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(program.count(), QStringLiteral("3 of 6"));
        QTest::keyClick(field, Qt::Key_S);
        QCOMPARE(program.count(), QStringLiteral("Not in this chat"));
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(program.count(), QStringLiteral("Not in this chat"));
        QTest::keyClick(field, Qt::Key_Backspace);
        QCOMPARE(program.count(), QStringLiteral("3 of 6"));
        QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(program.count(), QStringLiteral("2 of 6"));
        for (int i = 0; i < 5; ++i)
            QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(program.count(), QStringLiteral("1 of 6"));
        QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(program.count(), QStringLiteral("6 of 6"));
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(!program.find()->isVisible());
        QCOMPARE(program.transcript().findCount(), 0);
        QVERIFY(program.edit()->hasFocus());
        // What was sought last is there again, to be typed over.
        QTest::keyClick(program.window.get(), Qt::Key_F, Qt::ControlModifier);
        QCOMPARE(field->selectedText(), QStringLiteral("kettle"));
        QVERIFY(program.count().endsWith(QStringLiteral("of 6")));
    }

    void theBarMindsCapitalsIfAsked()
    {
        Program program;
        program.controls->reply = {"A", " Kettle", " and", " a", " kettle", "."};
        program.say(QStringLiteral("What sings?"));
        QTest::keyClick(program.window.get(), Qt::Key_F, Qt::ControlModifier);
        QLineEdit* field = program.find()->field();
        QTest::keyClicks(field, QStringLiteral("kettle"));
        QCOMPARE(program.count(), QStringLiteral("1 of 2"));
        QCheckBox* matchCase = program.find()->matchCase();
        QCOMPARE(matchCase->accessibleName(), QStringLiteral("Match case"));
        QCOMPARE(matchCase->text(), QStringLiteral("Match case"));
        test::savePictures(*program.window, program.theme, QStringLiteral("find-bar"));
        matchCase->click();
        QCOMPARE(program.count(), QStringLiteral("1 of 1"));
        matchCase->click();
        QCOMPARE(program.count(), QStringLiteral("2 of 2")); // from where it was
    }

    // Nothing in it moves when the numbers change.
    void theBarStandsStill()
    {
        Program program;
        program.controls->reply = {"A", " kettle", "."};
        for (int i = 0; i < 12; ++i)
            program.say(QStringLiteral("What sings?"));
        QTest::keyClick(program.window.get(), Qt::Key_F, Qt::ControlModifier);
        QTest::keyClicks(program.find()->field(), QStringLiteral("kettle"));
        QSet<int> places;
        for (int i = 0; i < 12; ++i) {
            QTest::keyClick(program.find()->field(), Qt::Key_Return);
            QTest::qWait(20);
            places += program.find()->matchCase()->x();
        }
        QCOMPARE(places.size(), 1);
        test::savePictures(*program.window, program.theme, QStringLiteral("find-bar-many"));
    }

    // More hits than the scroll bar has rows are a veil, and leave its handle out.
    void theHandleIsSeenBehindVeryManyMarks()
    {
        Program program;
        program.controls->reply.assign(400, "A kettle sings.\n\n");
        program.say(QStringLiteral("What sings?"));
        QTest::keyClick(program.window.get(), Qt::Key_F, Qt::ControlModifier);
        QTest::keyClicks(program.find()->field(), QStringLiteral("kettle"));
        QTest::qWait(100);
        QScrollBar* bar = program.transcript().verticalScrollBar();
        bar->setValue(0);
        QTest::qWait(20);
        const QImage image = bar->grab().toImage();
        const auto rowOf = [&image](double share) {
            QList<QRgb> colors; // of a stretch, whatever stands between two marks
            for (int i = 0; i < 6; ++i)
                colors += image.pixel(image.width() / 2, qRound(share * image.height()) + i);
            return colors;
        };
        QVERIFY(rowOf(0.01) != rowOf(0.5));
        test::savePictures(*program.window, program.theme, QStringLiteral("find-bar-very-many"));
    }

    // What the bar has stands where the text stands, and nothing of it is cut.
    void theBarIsAsWideAsTheColumn_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<double>("scale");
        QTest::newRow("usual") << QSize(1280, 800) << 1.0;
        QTest::newRow("wide") << QSize(1900, 800) << 1.0;
        QTest::newRow("narrow") << QSize(560, 420) << 1.0;
        QTest::newRow("narrow, large") << QSize(560, 420) << 1.6;
        QTest::newRow("small") << QSize(900, 600) << 0.8;
    }
    void theBarIsAsWideAsTheColumn()
    {
        QFETCH(const QSize, size);
        QFETCH(const double, scale);
        Program program;
        program.theme.setTextScale(scale);
        program.window->resize(size);
        program.say(QStringLiteral("What sings?"));
        QTest::keyClick(program.window.get(), Qt::Key_F, Qt::ControlModifier);
        QTest::keyClicks(program.find()->field(), QStringLiteral("once"));
        QTest::qWait(50);
        const int page = program.chat().width();
        const auto [left, width] = ui::pageColumn(page, scale);
        QCOMPARE(program.find()->field()->x(), left);
        const auto* close = program.find()->closeButton();
        for (const auto* child : program.find()->findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
            QVERIFY(child == close || child->geometry().right() < left + width);
        // Close stands below the header's last button.
        const ui::ChatHeader* header = program.chat().header();
        const QWidget* last =
            header->samplingButton()->isVisible() ? header->samplingButton() : header->findButton();
        QCOMPARE(close->geometry().right(),
                 last->mapTo(header, QPoint(0, 0)).x() + last->width() - 1);
        QCOMPARE(test::layoutFaults(*program.find()), QStringList());
        test::savePictures(
            *program.window, program.theme,
            QStringLiteral("find-bar-%1")
                .arg(QLatin1StringView(QByteArray(QTest::currentDataTag()).replace(", ", "-"))));
    }

    void typingGoesToTheComposer()
    {
        Program program;
        program.say(QStringLiteral("Hello"));
        auto* reply = program.transcript().findChild<ui::ReplyMessage*>();
        QWidget* const places[] = {reply, reply->findChild<ui::TextSurface*>(),
                                   &program.transcript()};
        for (QWidget* place : places) {
            place->setFocus(Qt::MouseFocusReason);
            QVERIFY(place->hasFocus());
            QTest::keyClick(place, Qt::Key_W);
            QVERIFY(program.edit()->hasFocus());
            QTest::keyClicks(program.edit(), QStringLiteral("ords"));
            QCOMPARE(program.edit()->text(), QStringLiteral("words"));
            program.edit()->clear();
        }
        // Keys that are commands, or move, stay what they are.
        reply->setFocus();
        QTest::keyClick(reply, Qt::Key_Home);
        QTest::keyClick(reply, Qt::Key_W, Qt::AltModifier);
        QTest::keyClick(reply, Qt::Key_C, Qt::ControlModifier);
        QVERIFY(reply->hasFocus());
        QVERIFY(program.edit()->text().isEmpty());
    }

    void openingTheOpenChatReturnsTheFocus()
    {
        Program program;
        program.say(QStringLiteral("Hello"));
        ui::ConversationList* list = program.window->sidebar()->list();
        list->setFocus();
        QTest::keyClick(list, Qt::Key_Return);
        QVERIFY(program.edit()->hasFocus());
    }

    // The prompt of a long chat takes its time; how far it is is told.
    void tellsHowFarThePromptIsRead()
    {
        Program program;
        program.controls->prefillChunks = 400;
        program.chats().send(QStringLiteral("Hello"));
        const auto line = [&] {
            for (const auto* reply : program.transcript().findChildren<ui::ReplyMessage*>())
                if (reply->isVisible()) return reply->findChild<ui::ActionRow*>()->liveLine();
            return QString();
        };
        QTRY_VERIFY(line().endsWith(QStringLiteral(" of 400 tokens")));
        test::savePictures(*program.window, program.theme, QStringLiteral("reading-the-prompt"));
        QTRY_COMPARE(program.chats().writingConversation(), 0);
        QTRY_VERIFY(line().isEmpty());
    }

    void thePageHasOneColumn()
    {
        Program program;
        program.say(QStringLiteral("Hello"));
        for (const double scale : {1.0, 1.5}) {
            program.theme.setTextScale(scale);
            for (const int width : {560, 700, 900, 1041, 1280, 1501, 1920}) {
                program.window->resize(width, 700);
                QTest::qWait(30);
                const auto* reply = program.transcript().findChild<ui::ReplyMessage*>();
                const int left = reply->mapTo(&program.chat(), QPoint(ui::kBleed, 0)).x();
                const int right = left + reply->width() - 2 * ui::kBleed;
                const ui::Composer* composer = program.chat().composer();
                QCOMPARE(composer->mapTo(&program.chat(), QPoint(0, 0)).x(), left);
                QCOMPARE(composer->mapTo(&program.chat(), QPoint(composer->width(), 0)).x(), right);
            }
        }
    }
};

QTEST_MAIN(FindTest)
#include "find_test.moc"
