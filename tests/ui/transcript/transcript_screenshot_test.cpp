// Writes pictures of a rich conversation for the eye, and checks that something was painted.
#include "ui/theme/theme.h"
#include "ui/transcript/reply_message.h"
#include "ui/transcript/transcript_view.h"
#include "ui/transcript/user_message.h"

#include <QDir>
#include <QScrollBar>
#include <QTest>

#include <memory>

using namespace ui;
using namespace Qt::StringLiterals;
using app::Message;
using app::MessageState;
using app::Role;

namespace {

Message message(qint64 id, Role role, const QString& text, const QTime& time)
{
    Message m;
    m.id = id;
    m.role = role;
    m.text = text;
    m.createdAt = QDateTime(QDate(2025, 3, 9), time);
    if (role == Role::Assistant) {
        m.modelName = u"Qwen3 8B"_s;
        m.stats = {.tokens = 412,
                   .tokensPerSecond = 23.4,
                   .secondsToFirstToken = 0.31,
                   .seconds = 17.6,
                   .seed = 0,
                   .stopReason = {}};
    }
    return m;
}

const QString kTea =
    u"### Newton's law of cooling\n"
    "The gap to room temperature shrinks at a steady rate, so the tea follows the exponential "
    "below. For a ceramic mug, \\(k \\approx 0.035\\) per minute.\n\n"
    "| Mug | 0 min | 5 min | 10 min | 16 min | 30 min |\n|---|---|---|---|---|---|\n"
    "| Open | 90.0 | 78.8 | 69.3 | **60.0** | 44.5 |\n| With a lid | 90.0 | 83.3 | 77.3 | 70.8 | "
    "58.4 |\n\n"
    "- **A lid** stops evaporation and nearly halves *k*.\n"
    "- **A thin cup** loses heat faster, so raise *k* a little.\n\n"
    "```python\nfrom math import log\n\ndef minutes_until(target, start=90.0, room=20.0, "
    "k=0.035):\n"
    "    \"\"\"Minutes until the tea cools to `target` degrees.\"\"\"\n"
    "    return log((start - room) / (target - room)) / k\n\n"
    "print(round(minutes_until(60)))    # 16\n```"_s;

const QString kMilkThought =
    u"Compare two orders. Mixing with milk at 5 °C: a share of 0.118 gives 80 °C from 90 °C. Then "
    "decay over ten minutes with k = 0.035. The other order decays first and mixes after."_s;

const QString kMilk =
    u"**Milk first wins, by a little.** Heat leaves in proportion to the gap between the tea and "
    "the "
    "room. A splash of cold milk takes the mug from 90 °C to 80 °C at once, so the gap is smaller "
    "from the start:\n\n1. Milk now, then wait ten minutes: **62.3 °C**\n"
    "2. Wait ten minutes, then milk: **61.7 °C**\n\n"
    "The difference is small because the milk is only an eighth of the mug. The smaller gap is why "
    "it holds on: less heat escapes each minute, so from then on it cools **more"_s;

const QString kRich =
    u"# A first heading\n\nText with `inline code`, *italics*, ~~struck~~ words, a "
    "[link](https://example.org/docs) and https://example.org.\n\n"
    "## Lists\n\n1. First\n   - nested with `--flags`\n     - deeper\n2. Second\n\n"
    "   ```sh\n   cmake --preset dev && ninja -C build/dev "
    "a-very-long-target-name-that-does-not-fit "
    "another-one and-one-more\n   ```\n\n- [x] done\n- [ ] open\n\n"
    "> A quotation of two lines, long enough that it has to wrap somewhere in the middle of the "
    "column it stands in.\n>\n> - with an item\n\n---\n\n"
    "| Option | Meaning | Default |\n|:--|:--|--:|\n"
    "| `--threads` | How many threads compute at the same time; more than there are cores makes it "
    "slower, not faster | 8 |\n| `--ctx` | Longest context | 8192 |\n\n"
    "![chart](https://example.org/chart.png) and <b>raw HTML</b>.\n\n"
    "\u0647\u0630\u0627 \u0646\u0635 \u0639\u0631\u0628\u064A \u0645\u0639 `code` \u0641\u064A "
    "\u0627\u0644\u0648\u0633\u0637.\n\n\\[ e^{i\\pi} + 1 = 0 \\]\n\n#### Small heading\nEnd."_s;

} // namespace

class TranscriptScreenshotTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void paints_data();
    void paints();

private:
    void save(TranscriptView& view, const QString& name);
    void conversation(TranscriptView& view);
    void streaming(TranscriptView& view);
    void rich(TranscriptView& view);
    void editing(TranscriptView& view);
    void failed(TranscriptView& view);

    QString m_folder = QStringLiteral(INGLENOOK_BINARY_DIR) + u"/screenshots/"_s;
};

void TranscriptScreenshotTest::initTestCase()
{
    QVERIFY(QDir().mkpath(m_folder));
}

void TranscriptScreenshotTest::paints_data()
{
    QTest::addColumn<bool>("dark");
    QTest::addColumn<double>("scale");
    QTest::addColumn<int>("width");
    QTest::newRow("light") << false << 1.0 << 696;
    QTest::newRow("dark") << true << 1.0 << 696;
    QTest::newRow("narrow-light") << false << 1.0 << 560;
    QTest::newRow("large-dark") << true << 1.4 << 900;
}

void TranscriptScreenshotTest::save(TranscriptView& view, const QString& name)
{
    QTest::qWait(20);
    const QPixmap picture = view.grab();
    QVERIFY(picture.save(m_folder + u"transcript-"_s + name + u'-' +
                         QString::fromLatin1(QTest::currentDataTag()) + u".png"));
    // More than one colour: something was painted.
    const QImage image = picture.toImage();
    QSet<QRgb> colors;
    for (int y = 0; y < image.height(); y += 7)
        for (int x = 0; x < image.width(); x += 7)
            colors.insert(image.pixel(x, y));
    QVERIFY(colors.size() > 8);
}

void TranscriptScreenshotTest::conversation(TranscriptView& view)
{
    Message tea = message(2, Role::Assistant, kTea, QTime(14, 32));
    tea.reasoning = u"Newton's law."_s;
    view.setMessages(
        {message(1, Role::User,
                 u"My tea is 90 °C and the kitchen is 20 °C. When can I drink it? A small Python "
                 "function would help."_s,
                 QTime(14, 31)),
         tea});
    view.setBranches(2, 2, 3);
    save(view, u"conversation"_s);
}

void TranscriptScreenshotTest::streaming(TranscriptView& view)
{
    view.appendMessage(message(3, Role::User, u"What if I add cold milk first?"_s, QTime(14, 34)));
    Message reply = message(4, Role::Assistant, {}, QTime(14, 35));
    reply.state = MessageState::Writing;
    reply.stats = {};
    view.appendMessage(reply);
    view.grow(4, {.text = {}, .reasoning = kMilkThought.first(53)});
    view.setLive(4, 20.0, 20, 1.0);
    save(view, u"thinking"_s);
    view.grow(4, {.text = kMilk, .reasoning = kMilkThought.sliced(53)});
    view.setLive(4, 21.8, 138, 6.3);
    QTest::qWait(50);
    auto replies = view.viewport()->findChildren<ReplyMessage*>();
    QVERIFY(!replies.isEmpty());
    replies.last()->reveal(MessageAnchor::Part::Thought);
    view.scrollToEnd();
    save(view, u"streaming"_s);
}

void TranscriptScreenshotTest::rich(TranscriptView& view)
{
    view.setMessages({message(5, Role::User, u"Show\n\n    everything\tyou have"_s, QTime(9, 1)),
                      message(6, Role::Assistant, kRich, QTime(9, 2))});
    view.verticalScrollBar()->setValue(0);
    save(view, u"rich-1"_s);
    view.verticalScrollBar()->setValue(620);
    view.setFindText(u"co"_s);
    save(view, u"rich-2"_s);
    view.setFindText({});
}

void TranscriptScreenshotTest::editing(TranscriptView& view)
{
    conversation(view);
    view.startEditing(1);
    view.verticalScrollBar()->setValue(0);
    save(view, u"editing"_s);
}

void TranscriptScreenshotTest::failed(TranscriptView& view)
{
    Message reply = message(8, Role::Assistant,
                            u"These figures changed:\n\n- **Revenue** rose from 41.2 to 44.9 "
                            "million.\n- **Energy** fell from 2.6 to"_s,
                            QTime(15, 2));
    reply.state = MessageState::Failed;
    reply.error = u"There is not enough memory to go on. The next part needs 1.2 GB; 0.6 GB are "
                  "free. What was written so far is kept, and the rest of your computer is not "
                  "affected."_s;
    reply.stats = {.tokens = 61, .tokensPerSecond = 9.8, .stopReason = {}};
    Message stopped = message(10, Role::Assistant, u"It is"_s, QTime(15, 4));
    stopped.state = MessageState::Stopped;
    view.setMessages({message(7, Role::User, u"List every figure that changed."_s, QTime(15, 1)),
                      reply, message(9, Role::User, u"And now?"_s, QTime(15, 3)), stopped});
    save(view, u"failed"_s);
}

void TranscriptScreenshotTest::paints()
{
    QFETCH(bool, dark);
    QFETCH(double, scale);
    QFETCH(int, width);
    Theme theme(dark ? Theme::Mode::Dark : Theme::Mode::Light);
    theme.setTextScale(scale);
    qApp->setPalette(theme.palette());
    TranscriptView view;
    view.setTheme(&theme);
    view.resize(width, 630);
    view.show();
    conversation(view);
    streaming(view);
    rich(view);
    editing(view);
    failed(view);
}

QTEST_MAIN(TranscriptScreenshotTest)
#include "transcript_screenshot_test.moc"
