#include "engine/model/model_kind.h"

#include <algorithm>
#include <array>
#include <format>

namespace engine {

namespace {

/// Files that belong to a model, by what general.type or general.architecture says.
struct Kind {
    std::string_view said;
    std::string_view description;
    std::string_view advice;
};

constexpr std::array kKinds = {
    Kind{"adapter", "a LoRA adapter", "open its model, and the adapter with --lora"},
    Kind{"mmproj", "the part of a model that sees or hears", "open the model itself"},
    Kind{"clip", "the part of a model that sees or hears", "open the model itself"},
    Kind{"imatrix", "an importance matrix for quantizing", "open the model it was made for"},
    Kind{"controlvector", "a control vector", "open the model it was made for"},
};

std::unexpected<Error> noModel(std::string_view description, std::string_view advice)
{
    return fail(ErrorCode::NotAModelFile,
                std::format("expected a model, found {}; {}", description, advice),
                std::string(description));
}

} // namespace

Result<void> checkIsModel(const ModelFile& file)
{
    const Metadata& metadata = file.metadata();
    for (const char* key : {"general.type", "general.architecture"}) {
        const auto* const kind = std::ranges::find(kKinds, metadata.stringOr(key, ""), &Kind::said);
        if (kind != kKinds.end()) return noModel(kind->description, kind->advice);
    }
    if (!file.tensors().empty()) return {};
    if (metadata.contains("tokenizer.ggml.tokens"))
        return noModel("a vocabulary without weights", "choose the file of the whole model");
    return noModel("a file without weights", "choose the file of the whole model");
}

Result<void> checkWrites(const Hyperparameters& model)
{
    if (model.causal) return {};
    const std::string name(model.architecture->name);
    return fail(ErrorCode::NotAModelFile,
                std::format("`{}` turns texts into vectors and has no next token: use it with "
                            "inglenook-cli embed, or choose a model that writes",
                            name),
                "a model that turns texts into vectors and cannot write");
}

} // namespace engine
