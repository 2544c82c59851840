#include "engine/model/hyperparameters.h"

#include "engine/model/hyperparameter_reader.h"

#include <algorithm>
#include <cmath>
#include <format>

namespace engine {

bool Hyperparameters::hasRecurrentLayers() const
{
    return std::ranges::any_of(layers, &LayerHyperparameters::isRecurrent);
}

Result<Hyperparameters> Hyperparameters::read(const ModelFile& file)
{
    TRY_ASSIGN(const std::string name, file.metadata().string("general.architecture"));
    TRY_ASSIGN(const Architecture* architecture, requireArchitecture(name));
    TRY_ASSIGN(Hyperparameters model, HyperparameterReader(file, *architecture).read());
    if (const TensorView* embedding = file.find("token_embd.weight")) {
        constexpr std::int64_t kMost = 1 << 24;
        if (embedding->rows() < 1 || embedding->rows() > kMost)
            return fail(ErrorCode::BadTensor,
                        std::format("`token_embd.weight` has {} rows; expected 1 to {}",
                                    embedding->rows(), kMost),
                        "token_embd.weight", static_cast<std::uint64_t>(kMost),
                        static_cast<std::uint64_t>(embedding->rows()));
        model.vocabularySize = static_cast<int>(embedding->rows());
    }
    return model;
}

float Hyperparameters::attentionScaleOf(const LayerHyperparameters& layer) const
{
    if (attentionScale > 0) return attentionScale;
    return 1 / std::sqrt(static_cast<float>(layer.keyLength));
}

float Hyperparameters::queryTemperature(const LayerHyperparameters& layer, int position) const
{
    if (temperatureScale == 0 || (temperatureOnlyNoRope && layer.usesRope)) return 1;
    const auto far = std::floor((static_cast<float>(position) + temperatureOffset) /
                                static_cast<float>(temperatureLength));
    return std::log(far + 1) * temperatureScale + 1;
}

} // namespace engine
