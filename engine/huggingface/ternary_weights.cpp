#include "engine/huggingface/ternary_weights.h"

#include "engine/base/byte_order.h"
#include "engine/tensor/dtype.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <format>
#include <map>
#include <string>
#include <string_view>

namespace engine {

namespace {

constexpr std::string_view kWeight = ".weight";
constexpr std::string_view kScale = ".weight_scale";
constexpr std::int64_t kPerByte = 4;

std::unexpected<Error> bad(const SafetensorsEntry& tensor, std::string_view what)
{
    return fail(ErrorCode::BadTensor, std::format("tensor {}: {}", tensor.name, what), tensor.name);
}

Result<std::vector<float>> valuesOf(const SafetensorsEntry& tensor)
{
    if (tensor.type == nullptr || !tensor.type->dtype)
        return bad(tensor, "expected floating-point numbers");
    const DTypeInfo& info = dtypeInfo(*tensor.type->dtype);
    std::vector<float> values(tensor.data.size() / info.blockBytes);
    info.dequantize(tensor.data.data(), values.data(), values.size());
    return values;
}

std::uint16_t toBf16(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}

/// -1, 0 and 1 times one number, in 16 bits.
class TernaryWriter {
public:
    TernaryWriter(ModelFile& model, std::size_t count, float scale)
        : m_bytes(model.allocate(count * sizeof(std::uint16_t)))
    {
        constexpr float kLeastHalf = 6.103515625e-5F; // of full precision
        constexpr float kMostHalf = 65504;
        m_isHalf = std::abs(scale) >= kLeastHalf && std::abs(scale) <= kMostHalf;
        m_codes[0] = m_isHalf ? floatToHalf(-scale) : toBf16(-scale);
        m_codes[2] = m_isHalf ? floatToHalf(scale) : toBf16(scale);
    }

    /// `code` is one more than the value.
    void set(std::size_t index, unsigned code)
    {
        storeLittle(m_bytes.data() + index * sizeof(std::uint16_t), m_codes[std::min(code, 2U)]);
    }

    SafetensorsEntry entry(const SafetensorsEntry& source, std::vector<std::int64_t> shape) const
    {
        SafetensorsEntry result = source;
        result.type = findSafetensorsType(m_isHalf ? "F16" : "BF16");
        result.shape = std::move(shape);
        result.data = m_bytes;
        return result;
    }

private:
    std::span<std::byte> m_bytes;
    bool m_isHalf = true;
    std::uint16_t m_codes[3] = {0, 0, 0};
};

/// The rows of a quarter of the matrix lie in the lowest bits of all bytes, and so on.
Result<SafetensorsEntry> unpacked(const SafetensorsEntry& packed, float scale, ModelFile& model)
{
    if (packed.shape.size() != 2) return bad(packed, "expected a matrix");
    const std::size_t quarter = packed.data.size();
    TernaryWriter writer(model, quarter * kPerByte, scale);
    for (std::size_t i = 0; i < quarter; ++i) {
        const auto byte = std::to_integer<unsigned>(packed.data[i]);
        for (unsigned part = 0; part < kPerByte; ++part)
            writer.set(part * quarter + i, (byte >> (2 * part)) & 3U);
    }
    return writer.entry(packed, {packed.shape[0] * kPerByte, packed.shape[1]});
}

/// Each value to the nearest of the three, the number being the mean of what they are without sign.
Result<SafetensorsEntry> madeTernary(const SafetensorsEntry& matrix, ModelFile& model)
{
    constexpr double kLeast = 1e-5;
    TRY_ASSIGN(const std::vector<float> values, valuesOf(matrix));
    double sum = 0;
    for (const float value : values)
        sum += std::abs(static_cast<double>(value));
    const double mean = std::max(sum / static_cast<double>(values.size()), kLeast);
    TernaryWriter writer(model, values.size(), static_cast<float>(mean));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double nearest = std::clamp(std::nearbyint(values[i] / mean), -1.0, 1.0);
        writer.set(i, static_cast<unsigned>(nearest + 1));
    }
    return writer.entry(matrix, matrix.shape);
}

/// Takes the numbers out of `tensors`, by the name of their matrix.
Result<std::map<std::string, float, std::less<>>> takeScales(std::vector<SafetensorsEntry>& tensors)
{
    std::map<std::string, float, std::less<>> scales;
    for (const SafetensorsEntry& tensor : tensors) {
        if (!tensor.name.ends_with(kScale)) continue;
        TRY_ASSIGN(const std::vector<float> values, valuesOf(tensor));
        if (values.size() != 1 || !std::isfinite(values[0]) || values[0] == 0)
            return bad(tensor, "expected one number that is not 0");
        const std::size_t stem = tensor.name.size() - kScale.size();
        scales[tensor.name.substr(0, stem) + std::string(kWeight)] = values[0];
    }
    std::erase_if(tensors,
                  [](const SafetensorsEntry& tensor) { return tensor.name.ends_with(kScale); });
    return scales;
}

} // namespace

Result<void> readTernaryWeights(std::vector<SafetensorsEntry>& tensors, const ModelConfig& config,
                                ModelFile& model)
{
    const JsonView quantization = config["quantization_config"];
    const bool trained = config.architecture() == "BitnetForCausalLM"; // and never said so
    if (quantization["quant_method"].stringOr("") != "bitnet" && !trained) return {};
    if (quantization["use_rms_norm"].boolean().value_or(false))
        return fail(ErrorCode::BadMetadata, "config.json: use_rms_norm: expected false, found true",
                    "use_rms_norm");
    const bool divides = quantization["linear_class"].stringOr("bitlinear") != "autobitlinear";
    const bool online = trained || quantization["quantization_mode"].stringOr("") == "online";
    TRY_ASSIGN(const auto scales, takeScales(tensors));
    for (SafetensorsEntry& tensor : tensors) {
        const bool isPacked = tensor.type != nullptr && tensor.type->name == "U8";
        if (isPacked && tensor.name.ends_with(kWeight)) {
            const auto scale = scales.find(tensor.name);
            if (scale == scales.end())
                return fail(ErrorCode::MissingTensor,
                            std::format("tensor {}_scale is missing", tensor.name), tensor.name);
            TRY_ASSIGN(tensor,
                       unpacked(tensor, divides ? 1 / scale->second : scale->second, model));
        } else if (online && !isPacked && tensor.name.ends_with("_proj.weight")) {
            TRY_ASSIGN(tensor, madeTernary(tensor, model));
        }
    }
    return {};
}

} // namespace engine
