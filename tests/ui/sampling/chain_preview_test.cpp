#include "engine/sampling/sampler_chain.h"
#include "ui/sampling/chain_preview.h"

#include <QTest>

#include <cmath>
#include <numeric>
#include <random>

using engine::SamplerStage;
using engine::SamplingSettings;

namespace {

// A draw of the engine's own chain over `vocabulary` random logits, with candidates drawn under
// `drawn` settings: what the preview has to work from.
struct Draw {
    std::vector<float> logits;
    std::vector<engine::TokenId> context;
    engine::TokenEvent event;
};

engine::SampledToken sampleWith(const Draw& draw, const SamplingSettings& settings, int observe)
{
    engine::SamplerChain chain(static_cast<int>(draw.logits.size()), observe);
    chain.reset(1);
    return chain.sample(draw.logits, draw.context, settings);
}

Draw drawOf(int vocabulary, unsigned seed, float spread)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, spread);
    Draw draw;
    for (int i = 0; i < vocabulary; ++i)
        draw.logits.push_back(normal(random));
    for (int i = 0; i < 12; ++i)
        draw.context.push_back(static_cast<engine::TokenId>(random()) & (vocabulary - 1));
    draw.event.sample = sampleWith(draw, {}, 64);
    draw.event.id = draw.event.sample.id;
    return draw;
}

SamplingSettings with(void (*change)(SamplingSettings&))
{
    SamplingSettings settings;
    settings.topK = 0;
    settings.topP = 1;
    settings.minP = 0;
    settings.temperature = 1;
    change(settings);
    return settings;
}

} // namespace

class ChainPreviewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void agreesWithTheEngine_data()
    {
        QTest::addColumn<SamplingSettings>("settings");
        const std::pair<const char*, SamplingSettings> rows[] = {
            {"none", with([](SamplingSettings&) {})},
            {"default", SamplingSettings{}},
            {"top-k", with([](SamplingSettings& s) { s.topK = 7; })},
            {"top-p", with([](SamplingSettings& s) { s.topP = 0.7F; })},
            {"min-p", with([](SamplingSettings& s) { s.minP = 0.2F; })},
            {"typical", with([](SamplingSettings& s) { s.typicalP = 0.6F; })},
            {"hot", with([](SamplingSettings& s) { s.temperature = 1.7F; })},
            {"greedy", with([](SamplingSettings& s) {
                 s.temperature = 0;
                 s.topK = 9;
             })},
            {"repeat", with([](SamplingSettings& s) {
                 s.repeatPenalty = 1.4F;
                 s.topK = 10;
             })},
            {"presence", with([](SamplingSettings& s) {
                 s.presencePenalty = 1.5F;
                 s.topP = 0.8F;
             })},
            {"frequency", with([](SamplingSettings& s) { s.frequencyPenalty = 0.9F; })},
            {"all", with([](SamplingSettings& s) {
                 s = {0.6F, 20, 0.9F, 0.85F, 0.03F, 1.1F, 0.2F, 0.1F, 64, {}, -1, 0};
             })},
        };
        for (const auto& [name, settings] : rows)
            QTest::newRow(name) << settings;
    }

    // With no more tokens than candidates nothing is unknown: equal to the engine's own report.
    void agreesWithTheEngine()
    {
        QFETCH(const SamplingSettings, settings);
        for (unsigned seed = 0; seed < 20; ++seed) {
            const Draw draw = drawOf(64, seed, 2.5F);
            const engine::SampledToken expected = sampleWith(draw, settings, 64);
            const ui::ChainPreview preview = ui::previewChain(draw.event, 64, settings);
            QCOMPARE(preview.keptCount, expected.keptCount);
            QVERIFY(!preview.keptBeyond);
            for (std::size_t i = 0; i < expected.candidates.size(); ++i) {
                QCOMPARE(preview.rows[i].cutBy, expected.candidates[i].cutBy);
                QVERIFY(std::abs(preview.rows[i].finalShare -
                                 static_cast<double>(expected.candidates[i].finalProbability)) <
                        1e-4);
            }
            QVERIFY(std::abs(preview.share(SamplerStage::TopK) -
                             static_cast<double>(expected.cutTopK)) < 1e-4);
            QVERIFY(std::abs(preview.share(SamplerStage::TopP) -
                             static_cast<double>(expected.cutTopP)) < 1e-4);
            QVERIFY(std::abs(preview.share(SamplerStage::MinP) -
                             static_cast<double>(expected.cutMinP)) < 1e-4);
        }
    }

    // With a large vocabulary the tail is known by its sum only; what is kept is still right where
    // the chain keeps fewer tokens than there are candidates.
    void agreesOnLargeVocabularies_data() { agreesWithTheEngine_data(); }

    void agreesOnLargeVocabularies()
    {
        QFETCH(const SamplingSettings, settings);
        int compared = 0;
        for (unsigned seed = 0; seed < 10; ++seed) {
            const Draw draw = drawOf(4096, seed, 4.0F);
            const engine::SampledToken expected = sampleWith(draw, settings, 64);
            const ui::ChainPreview preview = ui::previewChain(draw.event, 4096, settings);
            const double sum = std::accumulate(preview.shares.begin(), preview.shares.end(), 0.0);
            QVERIFY(std::abs(sum - 1) < 1e-3);
            if (expected.keptCount >= 48 || settings.typicalP < 1) continue;
            ++compared;
            QCOMPARE(preview.keptCount, expected.keptCount);
            for (std::size_t i = 0; i < expected.candidates.size(); ++i)
                QVERIFY(std::abs(preview.rows[i].finalShare -
                                 static_cast<double>(expected.candidates[i].finalProbability)) <
                        1e-3);
        }
        QVERIFY(compared > 0 || settings.topK == 0 || settings.typicalP < 1);
    }

    void nothingIsKeptTwice()
    {
        const Draw draw = drawOf(4096, 3, 1.0F);
        const ui::ChainPreview flat =
            ui::previewChain(draw.event, 4096, with([](SamplingSettings& s) { s.topP = 0.99F; }));
        QVERIFY(flat.keptBeyond);
        QCOMPARE(flat.keptCount, 64);
    }

    void emptyEventGivesAnEmptyPreview()
    {
        const ui::ChainPreview preview = ui::previewChain({}, 0, {});
        QVERIFY(preview.rows.empty());
        QCOMPARE(preview.keptCount, 0);
    }
};

QTEST_GUILESS_MAIN(ChainPreviewTest)
#include "chain_preview_test.moc"
