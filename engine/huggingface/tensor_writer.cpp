#include "engine/huggingface/tensor_writer.h"

#include "engine/huggingface/family.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <format>
#include <unordered_map>

namespace engine {

namespace {

std::unexpected<Error> bad(std::string_view name, std::string_view what)
{
    return fail(ErrorCode::BadTensor, std::format("tensor {}: {}", name, what), std::string(name));
}

float unchanged(float value)
{
    return value;
}

float plusOne(float value)
{
    return value + 1.0F;
}

// What GGUF files hold in f32 although it is no vector.
bool isAlwaysF32(std::string_view gguf)
{
    constexpr std::array<std::string_view, 5> kParts = {"_norm.", "ffn_gate_inp", "ssm_conv1d",
                                                        "shortconv.conv.", "position_embd"};
    return gguf.ends_with(".ssm_a") || std::ranges::any_of(kParts, [gguf](std::string_view part) {
               return gguf.contains(part);
           });
}

/// A tensor's name taken apart: "model.layers.3.mlp.experts.7.w1.weight" is
/// "layers.{}.mlp.experts.{}.w1" with the numbers 3 and 7 and the suffix ".weight".
struct ParsedName {
    std::string pattern;
    std::string_view suffix;
    std::vector<std::int64_t> numbers;
};

std::string_view withoutPrefixes(std::string_view name)
{
    constexpr std::array<std::string_view, 11> kPrefixes = {
        "model.",   "language_model.", "text_model.", "transformer.", "gpt_neox.",  "bert.",
        "roberta.", "ernie.",          "backbone.",   "new.",         "distilbert."};
    bool again = true;
    while (again) {
        again = false;
        for (const std::string_view prefix : kPrefixes) {
            if (!name.starts_with(prefix)) continue;
            name.remove_prefix(prefix.size());
            again = true;
        }
    }
    return name;
}

ParsedName parseName(std::string_view name)
{
    ParsedName parsed;
    name = withoutPrefixes(name);
    for (const std::string_view suffix : {".weight", ".bias"}) {
        if (!name.ends_with(suffix)) continue;
        parsed.suffix = suffix;
        name.remove_suffix(suffix.size());
        break;
    }
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('.', begin), name.size());
        const std::string_view part = name.substr(begin, end - begin);
        std::int64_t number = 0;
        const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), number);
        const bool isNumber = error == std::errc{} && stop == part.data() + part.size() &&
                              number >= 0 && !part.empty();
        if (begin > 0) parsed.pattern += '.';
        parsed.pattern += isNumber ? "{}" : part;
        if (isNumber) parsed.numbers.push_back(number);
        begin = end + 1;
    }
    return parsed;
}

/// Whether one of a name's components is any of these.
bool hasAny(std::string_view name, std::span<const std::string_view> components)
{
    for (std::size_t begin = 0; begin < name.size();) {
        const std::size_t end = std::min(name.find('.', begin), name.size());
        if (std::ranges::contains(components, name.substr(begin, end - begin))) return true;
        begin = end + 1;
    }
    return false;
}

// The parts of a model that see and hear; only its text is read.
bool isOtherModality(std::string_view name)
{
    constexpr std::array<std::string_view, 13> kParts = {
        "vision_tower", "vision_model",         "visual",      "multi_modal_projector",
        "audio_tower",  "vision_embed_tokens",  "embed_audio", "embed_vision",
        "audio_model",  "multimodal_projector", "connector",   "image_newline",
        "vqmodel"};
    return hasAny(name, kParts);
}

/// Where a part of the model is called its language, what is beside it and not known sees or hears.
bool isBesideLanguage(std::string_view name)
{
    constexpr std::array<std::string_view, 2> kLanguage = {"language_model", "lm_head"};
    return !hasAny(name, kLanguage);
}

// Layers beside the model's own that predict tokens further ahead, which plain decoding does not.
bool predictsFurther(std::string_view name)
{
    return name.starts_with("mtp.") || name.starts_with("model.mtp.");
}

class NameTable {
public:
    explicit NameTable(const Family& family)
    {
        for (const NameRow& row : family.names)
            m_rows.emplace(row.huggingFace, &row);
        for (const NameRow& row : commonNames())
            m_rows.emplace(row.huggingFace, &row);
    }

    const NameRow* find(const ParsedName& name) const
    {
        // A row may be for one of weight and bias alone.
        const std::string whole = name.pattern + std::string(name.suffix);
        const auto exact = m_rows.find(whole);
        if (exact != m_rows.end()) return exact->second;
        const auto any = m_rows.find(name.pattern);
        return any == m_rows.end() ? nullptr : any->second;
    }

private:
    std::unordered_map<std::string_view, const NameRow*> m_rows;
};

Result<void> checkElements(const SafetensorsEntry& tensor)
{
    if (tensor.data.empty()) return bad(tensor.name, "expected at least one element, found none");
    return {};
}

} // namespace

std::string TensorSource::name(std::string_view pattern) const
{
    std::string name(pattern);
    if (const std::size_t place = name.find("{}"); place != std::string::npos)
        name.replace(place, 2, std::to_string(layer));
    const bool whole = name.ends_with(".weight") || name.ends_with(".bias");
    return whole ? name : name + std::string(suffix);
}

Result<void> TensorWriter::write(const std::string& name, const SafetensorsEntry& tensor)
{
    // That after a gated delta net is as it is in every family.
    const bool norm =
        name.contains("_norm.") && name.ends_with(".weight") && !name.contains(".ssm_norm.");
    const bool shift = norm && m_family.normsPlusOne;
    const bool plain = tensor.shape.size() < 2 || isAlwaysF32(name) || name.ends_with(".bias");
    SafetensorsEntry finished = tensor;
    if (shift || (plain && tensor.type->dtype != DType::F32)) {
        TRY_ASSIGN(finished, m_shaper.mapped(tensor, shift ? plusOne : unchanged));
    }
    if (!finished.type->dtype)
        return fail(ErrorCode::UnsupportedType,
                    std::format("tensor {}: type {} holds no weights we read", tensor.name,
                                tensor.type->name),
                    std::string(tensor.type->name));
    std::vector<std::int64_t> shape(finished.shape.rbegin(), finished.shape.rend());
    if (shape.empty()) shape.push_back(1);
    return writeBlocks(name, *finished.type->dtype, shape, finished.data);
}

Result<void> TensorWriter::writeBlocks(const std::string& name, DType dtype,
                                       std::span<const std::int64_t> shape,
                                       std::span<const std::byte> data)
{
    TensorView view{.name = name,
                    .dtype = dtype,
                    .rank = static_cast<int>(shape.size()),
                    .data = data.data(),
                    .sizeBytes = data.size()};
    if (shape.size() > view.shape.size())
        return bad(name, std::format("expected at most 4 dimensions, found {}", shape.size()));
    std::ranges::copy(shape, view.shape.begin());
    if (!m_model.add(std::move(view))) return bad(name, "the folder holds it twice");
    return {};
}

Result<void> TensorWriter::collect(const std::string& name, std::int64_t index, std::int64_t count,
                                   const SafetensorsEntry& tensor)
{
    if (index < 0 || index >= count)
        return bad(tensor.name, std::format("expected one of {} parts", count));
    Collected& collected = m_collected[name];
    collected.count = count;
    if (!collected.parts.try_emplace(index, tensor).second)
        return bad(tensor.name, "expected once, found twice");
    return {};
}

Result<void> TensorWriter::writeCollected()
{
    for (const auto& [name, collected] : m_collected) {
        std::vector<SafetensorsEntry> parts;
        for (const auto& [index, part] : collected.parts) {
            if (index != std::ssize(parts)) break;
            parts.push_back(part);
        }
        if (std::ssize(parts) != collected.count)
            return fail(ErrorCode::MissingTensor,
                        std::format("part {} of {} tensors of {} is missing", parts.size(),
                                    collected.count, name),
                        name);
        TRY_ASSIGN(const SafetensorsEntry all, m_shaper.stacked(parts));
        TRY(write(name, all));
    }
    m_collected.clear();
    if (m_waiting.empty()) return {};
    return fail(ErrorCode::MissingTensor,
                std::format("tensor {}: the one that belongs with it is missing",
                            m_waiting.begin()->second.name),
                m_waiting.begin()->first);
}

void TensorWriter::setEntry(std::string_view key, std::int64_t index, double value)
{
    auto list = m_model.metadata().numbers(key);
    if (!list || index < 0 || index >= std::ssize(*list)) return;
    (*list)[static_cast<std::size_t>(index)] = value;
    m_model.mutableMetadata().set(std::string(key), std::move(*list));
}

std::optional<SafetensorsEntry> TensorWriter::partner(const std::string& name,
                                                      const SafetensorsEntry& tensor)
{
    const auto [place, isNew] = m_waiting.try_emplace(name, tensor);
    if (isNew) return std::nullopt;
    SafetensorsEntry other = std::move(place->second);
    m_waiting.erase(place);
    return other;
}

Result<void> writeTensors(std::vector<SafetensorsEntry> tensors, TensorWriter& writer)
{
    const NameTable table(writer.family());
    const std::int64_t layers = writer.config().layerCount();
    constexpr std::array<std::string_view, 1> kLanguage = {"language_model"};
    const bool partsLanguage = std::ranges::any_of(
        tensors, [&](const SafetensorsEntry& tensor) { return hasAny(tensor.name, kLanguage); });
    for (SafetensorsEntry& tensor : tensors) {
        if (isOtherModality(tensor.name) || predictsFurther(tensor.name)) continue;
        const ParsedName parsed = parseName(tensor.name);
        const NameRow* row = table.find(parsed);
        if (row == nullptr && partsLanguage && isBesideLanguage(tensor.name)) continue;
        if (row == nullptr)
            return bad(tensor.name,
                       std::format("a {} has no tensor of that name", writer.family().huggingFace));
        if (row->gguf.empty()) continue;
        TRY(checkElements(tensor));
        TensorSource source{
            .tensor = std::move(tensor), .gguf = row->gguf, .suffix = parsed.suffix};
        if (!parsed.numbers.empty()) source.layer = parsed.numbers.front();
        if (parsed.numbers.size() > 1) source.expert = parsed.numbers[1];
        // Layers behind the last predict tokens further ahead, which plain decoding does not.
        if (source.layer >= layers) continue;
        if (row->derive)
            TRY(row->derive(source, writer));
        else
            TRY(writer.write(source.name(), source.tensor));
    }
    return writer.writeCollected();
}

bool isTokenEmbedding(std::string_view name, const Family& family)
{
    const ParsedName parsed = parseName(name);
    const NameRow* row = NameTable(family).find(parsed);
    return row && row->gguf == "token_embd" && parsed.suffix == ".weight";
}

} // namespace engine
