#include "engine/model/adapters.h"

#include <algorithm>
#include <array>
#include <format>

namespace engine {

namespace {

constexpr std::string_view kSuffixA = ".lora_a";
constexpr std::string_view kSuffixB = ".lora_b";

Result<void> expectText(const Metadata& metadata, std::string_view key, std::string_view expected)
{
    TRY_ASSIGN(const std::string found, metadata.string(key));
    if (found == expected) return {};
    return fail(ErrorCode::BadMetadata,
                std::format("`{}` of the adapter is \"{}\"; expected \"{}\"", key, found, expected),
                std::string(key));
}

Result<void> checkShape(const TensorView& tensor, const std::array<std::int64_t, 4>& expected)
{
    if (tensor.shape != expected)
        return fail(ErrorCode::BadTensor,
                    std::format("tensor `{}` of the adapter has the shape {}; expected {}",
                                tensor.name, describeShape(tensor.shape), describeShape(expected)),
                    tensor.name);
    return checkReadable(tensor);
}

} // namespace

std::string describeShape(std::span<const std::int64_t> shape)
{
    std::size_t rank = shape.size();
    while (rank > 1 && shape[rank - 1] == 1)
        --rank;
    std::string text = "[";
    for (std::size_t i = 0; i < rank; ++i)
        text += std::format("{}{}", i ? ", " : "", shape[i]);
    return text + "]";
}

Result<void> checkReadable(const TensorView& tensor)
{
    const DTypeInfo& info = dtypeInfo(tensor.dtype);
    if (info.dequantize == nullptr)
        return fail(ErrorCode::UnsupportedType,
                    std::format("tensor `{}` is of type {}, which holds no weights", tensor.name,
                                info.name),
                    std::string(info.name));
    const bool whole = tensor.columns() > 0 && tensor.columns() % info.blockElements == 0;
    if (!whole || tensor.sizeBytes / tensor.rowBytes() <
                      static_cast<std::uint64_t>(std::max<std::int64_t>(1, tensor.rows())))
        return fail(ErrorCode::BadTensor,
                    std::format("tensor `{}` of shape {} and type {} has {} bytes", tensor.name,
                                describeShape(tensor.shape), info.name, tensor.sizeBytes),
                    tensor.name);
    return {};
}

Result<void> checkIsAdapter(const ModelFile& file)
{
    // What says nothing of its type is a model.
    const std::string type = file.metadata().stringOr("general.type", "model");
    if (type == "adapter") return expectText(file.metadata(), "adapter.type", "lora");
    return fail(
        ErrorCode::BadMetadata,
        std::format("expected a LoRA adapter in GGUF, found a file whose general.type is \"{}\"",
                    type.substr(0, 80)),
        "general.type");
}

Result<Adapters> Adapters::read(std::span<const AdapterFile> files, std::string_view architecture)
{
    Adapters adapters;
    for (const AdapterFile& file : files)
        TRY(adapters.add(file, architecture));
    return adapters;
}

Result<void> Adapters::add(const AdapterFile& adapter, std::string_view architecture)
{
    const Metadata& metadata = adapter.file->metadata();
    TRY(checkIsAdapter(*adapter.file));
    TRY(expectText(metadata, "general.architecture", architecture));
    TRY_ASSIGN(const double alpha, metadata.number("adapter.lora.alpha"));
    for (const TensorView& tensor : adapter.file->tensors()) {
        const std::string_view name = tensor.name;
        const bool isA = name.ends_with(kSuffixA);
        if (!isA && !name.ends_with(kSuffixB))
            return fail(ErrorCode::BadTensor,
                        std::format("tensor `{}` of the adapter is no half of a change", name),
                        tensor.name);
        const std::string stem(name.substr(0, name.size() - kSuffixA.size()));
        const std::string otherName = stem + std::string(isA ? kSuffixB : kSuffixA);
        const TensorView* other = adapter.file->find(otherName);
        if (other == nullptr)
            return fail(ErrorCode::MissingTensor,
                        std::format("tensor `{}` of the adapter is missing", otherName), otherName);
        if (!isA) continue;
        const auto rank = static_cast<double>(std::max<std::int64_t>(1, tensor.shape[1]));
        const double scale = alpha == 0 ? 1 : alpha / rank;
        m_changes[stem].pairs.push_back(
            {tensor, *other, static_cast<float>(scale * static_cast<double>(adapter.strength))});
    }
    return {};
}

Result<std::vector<LowRank>> Adapters::changesOf(const TensorView& tensor)
{
    if (tensor.data == nullptr) return std::vector<LowRank>{};
    const auto found = m_changes.find(tensor.name);
    if (found == m_changes.end()) return std::vector<LowRank>{};
    found->second.used = true;
    constexpr std::int64_t kMostRank = 1 << 14;
    for (const LowRank& pair : found->second.pairs) {
        const std::int64_t rank = std::clamp<std::int64_t>(pair.a.shape[1], 1, kMostRank);
        TRY(checkShape(pair.a, {tensor.shape[0], rank, tensor.shape[2], 1}));
        TRY(checkShape(pair.b, {rank, tensor.shape[1], tensor.shape[2], 1}));
    }
    return found->second.pairs;
}

std::unexpected<Error> Adapters::refuse(std::string_view tensor)
{
    return fail(
        ErrorCode::BadTensor,
        std::format("the adapter changes `{}`, which the model does not have as a matrix", tensor),
        std::string(tensor));
}

Result<void> Adapters::checkAllUsed() const
{
    for (const auto& [name, changes] : m_changes)
        if (!changes.used) return refuse(name);
    return {};
}

} // namespace engine
