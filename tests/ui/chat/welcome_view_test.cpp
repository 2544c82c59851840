#include "ui/chat/welcome_view.h"
#include "ui/widgets/button.h"
#include "ui/widgets/label.h"

#include <QTest>

using ui::Theme;
using ui::WelcomeView;

class WelcomeViewTest : public QObject {
    Q_OBJECT
    Theme m_theme{Theme::Mode::Light};

private Q_SLOTS:
    void cleanup() { m_theme.setTextScale(1); }

    void wordsKeepTheirColumn_data()
    {
        QTest::addColumn<int>("state");
        QTest::addColumn<int>("width");
        QTest::addColumn<double>("scale");
        for (const auto state :
             {WelcomeView::State::NoModel, WelcomeView::State::Loading, WelcomeView::State::Ready})
            for (const int width : {404, 464, 694, 1600})
                for (const double scale : {1.0, 1.5})
                    QTest::addRow("%d-%d-%.1f", static_cast<int>(state), width, scale)
                        << static_cast<int>(state) << width << scale;
    }

    // Longer lines are hard to read, however wide the page's column is.
    void wordsKeepTheirColumn()
    {
        QFETCH(const int, state);
        QFETCH(const int, width);
        QFETCH(const double, scale);
        m_theme.setTextScale(scale);
        WelcomeView view(m_theme);
        view.setState(static_cast<WelcomeView::State>(state), QStringLiteral("Qwen3 8B"));
        view.resize(width, 700);
        view.show();
        const auto labels = view.findChildren<ui::Label*>();
        QVERIFY(labels.size() >= 2);
        for (const ui::Label* label : labels) {
            QVERIFY(label->isVisible());
            QVERIFY2(label->width() <= 632, qPrintable(label->text()));
            QVERIFY(view.rect().contains(label->geometry()));
            QVERIFY(label->height() >= label->heightForWidth(label->width()));
            QVERIFY(qAbs(label->geometry().center().x() - view.width() / 2) <= 1);
        }
    }

    void whatDoesNotFitIsLeftOutWhole()
    {
        WelcomeView view(m_theme);
        view.setState(WelcomeView::State::NoModel, {});
        view.show();
        for (int height = 400; height >= 0; height -= 10) {
            view.resize(464, height);
            for (const QObject* object : view.children()) {
                const auto* part = qobject_cast<const QWidget*>(object);
                if (part != nullptr && part->isVisible())
                    QVERIFY(view.rect().contains(part->geometry()));
            }
            // The way to a model goes last.
            QCOMPARE(view.openButton()->isVisible(), height >= 32 + view.openButton()->height());
        }
    }
};

QTEST_MAIN(WelcomeViewTest)
#include "welcome_view_test.moc"
