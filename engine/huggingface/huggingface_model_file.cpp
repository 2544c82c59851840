#include "engine/huggingface/huggingface_model_file.h"

#include "engine/huggingface/checkpoint.h"
#include "engine/huggingface/family.h"
#include "engine/huggingface/family_defaults.h"
#include "engine/huggingface/model_config.h"
#include "engine/huggingface/model_folder.h"
#include "engine/huggingface/rope_keys.h"
#include "engine/huggingface/ternary_weights.h"
#include "engine/huggingface/vocabulary.h"

#include <algorithm>
#include <array>
#include <format>

namespace engine {

namespace {

Result<const Family*> familyOf(const ModelConfig& config)
{
    const std::string name = config.architecture();
    const Family* family = findFamily(config);
    if (family == nullptr)
        return fail(ErrorCode::UnsupportedArchitecture,
                    std::format("config.json: this model is a `{}`; Inglenook does not know it yet",
                                name.substr(0, 80)),
                    name.substr(0, 80));
    return family;
}

// Weights in a quantized form of their own have tensors we could not read; the kinds we can are
// gpt-oss's and BitNet's.
Result<void> checkQuantization(const ModelConfig& config)
{
    const JsonView quantization = config["quantization_config"];
    if (!quantization) return {};
    const std::string method = quantization["quant_method"].stringOr("unknown");
    if (method == "mxfp4" || method == "bitnet") return {};
    return fail(ErrorCode::UnsupportedType,
                std::format("config.json: weights quantized by {} are not read; expected F32, F16 "
                            "or BF16",
                            method.substr(0, 80)),
                method.substr(0, 80));
}

void writeGeneral(const std::filesystem::path& folder, const Family& family, ModelFile& model)
{
    Metadata& metadata = model.mutableMetadata();
    metadata.set("general.architecture", std::string(family.gguf));
    metadata.set("general.name", modelFolderName(folder));
}

constexpr std::int64_t kMostTokens = 2'097'152;

Result<std::int64_t> embeddingRows(const ModelFile& model)
{
    const TensorView* embedding = model.find("token_embd.weight");
    if (embedding == nullptr)
        return fail(ErrorCode::MissingTensor, "the token embedding is missing",
                    "token_embd.weight");
    if (embedding->rank != 2 || embedding->rows() > kMostTokens)
        return fail(ErrorCode::BadTensor,
                    std::format("the token embedding: expected a matrix of at most {} rows, found "
                                "{}",
                                kMostTokens, embedding->rows()),
                    "token_embd.weight");
    return embedding->rows();
}

/// As many as the embedding has rows, where the folder has weights; else what config.json says, but
/// at least as many as the tokenizer has.
Result<std::int64_t> vocabularySize(const std::filesystem::path& folder, const ModelConfig& config,
                                    const Family* family, const TokenizerFiles& files)
{
    ModelFile unused; // holds the mappings while the headers are read
    if (const auto tensors = openCheckpoint(folder, unused); tensors && family) {
        for (const SafetensorsEntry& tensor : *tensors) {
            if (isTokenEmbedding(tensor.name, *family) && !tensor.shape.empty())
                return std::clamp<std::int64_t>(tensor.shape.front(), 1, kMostTokens);
        }
    }
    const std::int64_t said = config.integer("vocab_size").value_or(0);
    const std::int64_t size = std::max(said, tokenCount(files));
    if (size >= 1 && size <= kMostTokens) return size;
    return fail(ErrorCode::FileCorrupt,
                std::format("{}: expected a tokenizer of 1 to {} tokens, found {}",
                            folder.filename().string(), kMostTokens, size),
                "tokenizer.json", kMostTokens, static_cast<std::uint64_t>(size));
}

/// Sentence Transformers' folders say in a file of their own how a text's vectors become one.
Result<void> writePooling(const std::filesystem::path& folder, KeyWriter keys)
{
    constexpr std::uint64_t kMostBytes = 1U << 20U;
    struct Mode {
        std::string_view name;
        std::uint64_t type;
    };
    constexpr std::array kModes = {Mode{"pooling_mode_mean_tokens", 1},
                                   Mode{"pooling_mode_cls_token", 2},
                                   Mode{"pooling_mode_lasttoken", 3}};
    const auto json = readJsonFile(folder / "1_Pooling" / "config.json", kMostBytes);
    if (!json && json.error().code == ErrorCode::FileNotFound) return {};
    if (!json) return std::unexpected(json.error());
    for (const Mode& mode : kModes) {
        if (JsonView(*json)[mode.name].boolean().value_or(false))
            keys.set("pooling_type", mode.type);
    }
    return {};
}

} // namespace

Result<ModelFile> openHuggingFaceModel(const std::filesystem::path& folder)
{
    TRY_ASSIGN(ModelConfig config, ModelConfig::read(folder));
    TRY_ASSIGN(const Family* family, familyOf(config));
    config.setDefaults(nlohmann::json::parse(familyDefaults(family->huggingFace)));
    TRY(checkQuantization(config));

    ModelFile model;
    writeGeneral(folder, *family, model);
    TRY(writeHyperparameters(config, *family, model.mutableMetadata()));
    TRY(writePooling(folder, KeyWriter(family->gguf, model.mutableMetadata())));

    TRY_ASSIGN(std::vector<SafetensorsEntry> tensors, openCheckpoint(folder, model));
    TRY(readTernaryWeights(tensors, config, model));
    TensorWriter writer(model, config, *family);
    TRY(writeTensors(std::move(tensors), writer));
    TRY(writeRopeFactors(config, writer));

    TRY_ASSIGN(const std::int64_t tokens, embeddingRows(model));
    TRY(writeVocabulary(folder, config, tokens, model.mutableMetadata()));
    return model;
}

Result<ModelFile> openHuggingFaceVocabulary(const std::filesystem::path& folder)
{
    TRY_ASSIGN(const TokenizerFiles files, readTokenizerFiles(folder));
    auto config = ModelConfig::read(folder);
    // A tokenizer can be without a model.
    if (!config && config.error().code != ErrorCode::NotAModelFile)
        return std::unexpected(std::move(config).error());
    const ModelConfig known =
        config ? std::move(*config) : ModelConfig::fromJson(nlohmann::json::object());
    const Family* family = findFamily(known);
    ModelFile model;
    if (family) writeGeneral(folder, *family, model);
    TRY_ASSIGN(const std::int64_t tokens, vocabularySize(folder, known, family, files));
    TRY(writeVocabulary(files, known, tokens, model.mutableMetadata()));
    return model;
}

} // namespace engine
