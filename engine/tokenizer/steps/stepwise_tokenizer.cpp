#include "engine/tokenizer/steps/stepwise_tokenizer.h"

#include "engine/tokenizer/steps/word_cutter.h"
#include "engine/tokenizer/steps/word_model.h"

#include <format>

namespace engine {

namespace {

class StepwiseEncoder final : public TextEncoder {
public:
    StepwiseEncoder(WordCutter cutter, std::unique_ptr<const WordModel> model)
        : m_cutter(std::move(cutter))
        , m_model(std::move(model))
    {
    }

    void encode(std::string_view text, TextPlace place, std::vector<TokenId>& out) const override
    {
        const WordList list = m_cutter.cut(std::string(text), place.atStart);
        for (std::size_t i = 0; i < list.words.size(); ++i)
            m_model->encode(list[i], out);
    }

private:
    WordCutter m_cutter;
    std::unique_ptr<const WordModel> m_model;
};

} // namespace

Result<TokenizerSteps> TokenizerSteps::read(const Metadata& metadata, const Vocabulary& vocabulary)
{
    TokenizerSteps steps;
    if (!metadata.contains(kKey)) return steps;
    const auto parsed = parseJson(metadata.stringOr(kKey, ""));
    if (!parsed)
        return fail(ErrorCode::BadMetadata, std::format("{}: expected JSON", kKey),
                    std::string(kKey));
    const JsonView json(*parsed);
    TRY_ASSIGN(steps.normalizer, Normalizer::create(json["normalizer"]));
    if (!json["model"]) return steps;
    TRY_ASSIGN(WordCutter cutter, WordCutter::create(json["pre_tokenizer"]));
    TRY_ASSIGN(auto model, WordModel::create(json["model"], metadata, vocabulary));
    TRY_ASSIGN(steps.decoder, PieceDecoder::create(json["decoder"]));
    if (json["clean_spaces"].boolean().value_or(false)) steps.decoder->cleanSpaces();
    steps.encoder = std::make_unique<const StepwiseEncoder>(std::move(cutter), std::move(model));
    return steps;
}

} // namespace engine
