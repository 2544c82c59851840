#include "engine/model_info.h"

#include "engine/gguf/file_type.h"
#include "engine/model/context_limit.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <format>
#include <limits>
#include <map>
#include <set>

namespace engine {

namespace {

constexpr std::int64_t kMostHeads = 1 << 16;
constexpr std::int64_t kMostLayers = 1 << 16;

/// The number N of a tensor "blk.N.rest", and the rest; -1 and the whole name for others.
struct TensorPlace {
    int layer = -1;
    std::string_view rest;
};

TensorPlace placeOf(std::string_view name)
{
    constexpr std::string_view kPrefix = "blk.";
    if (!name.starts_with(kPrefix)) return {-1, name};
    int layer = -1;
    const char* begin = name.data() + kPrefix.size();
    const auto [end, error] = std::from_chars(begin, name.data() + name.size(), layer);
    if (error != std::errc{} || end == name.data() + name.size() || *end != '.') return {-1, name};
    return {layer, name.substr(static_cast<std::size_t>(end + 1 - name.data()))};
}

// Experts as one tensor of rank 3 ("ffn_up_exps"), or in old files one by one ("ffn_up.7").
bool isRoutedExpert(std::string_view rest)
{
    constexpr std::array<std::string_view, 3> kOldPrefixes = {"ffn_gate.", "ffn_up.", "ffn_down."};
    if (rest.contains("_exps.")) return true;
    return std::ranges::any_of(kOldPrefixes, [rest](std::string_view prefix) {
        return rest.starts_with(prefix) && rest.size() > prefix.size() &&
               rest[prefix.size()] >= '0' && rest[prefix.size()] <= '9';
    });
}

// Tables that are looked up, a row a token.
bool isLookup(std::string_view name)
{
    constexpr std::array<std::string_view, 4> kTables = {
        "token_embd.weight", "position_embd.weight", "token_types.weight",
        "per_layer_token_embd.weight"};
    return std::ranges::contains(kTables, name);
}

/// Reads `architecture.key`, one number or one a layer.
class LayerValues {
public:
    LayerValues(const Metadata& metadata, const std::string& key, std::int64_t fallback)
        : m_value(metadata.integerOr(key, fallback))
        , m_values(metadata.integers(key))
    {
    }

    /// Held to what a model can have, so that sums of them fit.
    std::uint64_t at(int layer) const
    {
        const auto index = static_cast<std::size_t>(layer);
        const std::int64_t value =
            m_values && index < m_values->size() ? (*m_values)[index] : m_value;
        return static_cast<std::uint64_t>(std::clamp<std::int64_t>(value, 0, kMostHeads));
    }

private:
    std::int64_t m_value;
    std::optional<std::vector<std::int64_t>> m_values;
};

class Describer {
public:
    Describer(const ModelFile& file, std::string architecture)
        : m_file(file)
        , m_metadata(file.metadata())
        , m_architecture(std::move(architecture))
    {
        // The layers that predict tokens further ahead are no part of plain decoding.
        m_decodedLayers = bounded("block_count", kMostLayers) - bounded("nextn_predict_layers", 0);
    }

    ModelInfo describe(const std::filesystem::path& path) const
    {
        ModelInfo info;
        info.architecture = m_architecture;
        info.name = m_metadata.stringOr("general.name", path.stem().string());
        info.contextLength = asInt(m_metadata.integerOr(key("context_length"), 0));
        if (const int most = asInt(contextLimit(m_metadata)); most > 0)
            info.contextLength = std::min(info.contextLength, most);
        info.tokenizer = m_metadata.stringOr("tokenizer.ggml.model", "");
        info.preTokenizer = m_metadata.stringOr("tokenizer.ggml.pre", "");
        info.chatTemplate = m_metadata.stringOr("tokenizer.chat_template", "");
        info.hasChatTemplate = !info.chatTemplate.empty();
        info.vocabularySize = vocabularySize();
        info.fileBytes = m_file.fileBytes();
        info.tensorBytes = m_file.tensorBytes();
        for (const TensorView& tensor : m_file.tensors())
            info.parameters += static_cast<std::uint64_t>(tensor.elements());
        info.dtypes = dtypes();
        info.quantization = quantization();
        info.kvBytesPerToken = kvBytesPerToken();
        addCosts(info);
        return info;
    }

private:
    std::string key(std::string_view name) const
    {
        return m_architecture + "." + std::string(name);
    }

    std::int64_t bounded(std::string_view name, std::int64_t fallback) const
    {
        return std::clamp<std::int64_t>(m_metadata.integerOr(key(name), fallback), 0, kMostLayers);
    }

    static int asInt(std::int64_t value)
    {
        return static_cast<int>(
            std::clamp<std::int64_t>(value, 0, std::numeric_limits<int>::max()));
    }

    int vocabularySize() const
    {
        if (const auto* tokens = m_metadata.strings("tokenizer.ggml.tokens"))
            return asInt(static_cast<std::int64_t>(tokens->size()));
        const TensorView* embedding = m_file.find("token_embd.weight");
        return asInt(m_metadata.integerOr(key("vocab_size"), embedding ? embedding->rows() : 0));
    }

    /// The most frequent first.
    std::vector<std::pair<std::string, std::uint64_t>> dtypes() const
    {
        std::map<DType, std::uint64_t> counts;
        for (const TensorView& tensor : m_file.tensors())
            ++counts[tensor.dtype];
        std::vector<std::pair<std::string, std::uint64_t>> named;
        named.reserve(counts.size());
        for (const auto& [dtype, count] : counts)
            named.emplace_back(dtypeInfo(dtype).name, count);
        std::ranges::stable_sort(named, std::greater<>{},
                                 &std::pair<std::string, std::uint64_t>::second);
        return named;
    }

    std::string quantization() const
    {
        const std::string_view said = fileTypeName(m_metadata.integerOr("general.file_type", -1));
        if (!said.empty()) return std::string(said);
        std::map<DType, std::uint64_t> counts;
        for (const TensorView& tensor : m_file.tensors()) {
            if (tensor.rank >= 2) ++counts[tensor.dtype];
        }
        const auto most =
            std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
        return most == counts.end() ? std::string{} : std::string(dtypeInfo(most->first).name);
    }

    bool hasTensor(int layer, std::string_view name) const
    {
        return m_file.find(std::format("blk.{}.{}", layer, name)) != nullptr;
    }

    // A layer's mixer is attention where it projects keys; a fused projection may also belong to a
    // recurrent mixer, which has a convolution of its own.
    bool isAttention(int layer) const
    {
        if (hasTensor(layer, "attn_k.weight") || hasTensor(layer, "attn_kv_a_mqa.weight"))
            return true;
        return hasTensor(layer, "attn_qkv.weight") && !hasTensor(layer, "ssm_conv1d.weight");
    }

    std::set<int> layers() const
    {
        std::set<int> found;
        for (const TensorView& tensor : m_file.tensors()) {
            const int layer = placeOf(tensor.name).layer;
            if (layer >= 0 && layer < m_decodedLayers) found.insert(layer);
        }
        return found;
    }

    std::uint64_t kvBytesPerToken() const
    {
        if (!m_metadata.booleanOr(key("attention.causal"), true)) return 0;
        const std::int64_t heads = m_metadata.integerOr(key("attention.head_count"), 0);
        const std::int64_t headLength =
            m_metadata.integerOr(key("embedding_length"), 0) / std::max<std::int64_t>(heads, 1);
        const LayerValues headsKv(m_metadata, key("attention.head_count_kv"), heads);
        const LayerValues keyLength(m_metadata, key("attention.key_length"), headLength);
        const LayerValues valueLength(m_metadata, key("attention.value_length"), headLength);
        // The key of multi-head latent attention holds its value: kv_lora_rank, then the rotated
        // part.
        const bool latent = m_metadata.contains(key("attention.key_length_mla"));
        const std::int64_t ownLayers = m_decodedLayers - bounded("attention.shared_kv_layers", 0);
        std::uint64_t elements = 0;
        for (const int layer : layers()) {
            if (layer >= ownLayers || !isAttention(layer)) continue;
            elements +=
                headsKv.at(layer) * (keyLength.at(layer) + (latent ? 0 : valueLength.at(layer)));
        }
        return elements * sizeof(std::uint16_t);
    }

    void addCosts(ModelInfo& info) const
    {
        const auto experts = m_metadata.integerOr(key("expert_count"), 0);
        const auto used = m_metadata.integerOr(key("expert_used_count"), experts);
        const double share =
            experts > 0
                ? std::clamp(static_cast<double>(used) / static_cast<double>(experts), 0.0, 1.0)
                : 1.0;
        const bool tied = m_file.find("output.weight") == nullptr;
        for (const TensorView& tensor : m_file.tensors()) {
            const TensorPlace place = placeOf(tensor.name);
            if (place.layer >= m_decodedLayers) continue;
            const bool head = tied && tensor.name == "token_embd.weight";
            if (isLookup(tensor.name) && !head) {
                info.weightBytesPerToken += tensor.rowBytes();
                continue;
            }
            const double part = isRoutedExpert(place.rest) ? share : 1.0;
            info.weightBytesPerToken +=
                static_cast<std::uint64_t>(part * static_cast<double>(tensor.sizeBytes));
            if (tensor.rank >= 2)
                info.multiplyAddsPerToken +=
                    static_cast<std::uint64_t>(part * static_cast<double>(tensor.elements()));
        }
    }

    const ModelFile& m_file;
    const Metadata& m_metadata;
    std::string m_architecture;
    std::int64_t m_decodedLayers = 0;
};

} // namespace

Result<ModelInfo> describeModel(const ModelFile& file, const std::filesystem::path& path)
{
    TRY_ASSIGN(std::string architecture, file.metadata().string("general.architecture"));
    return Describer(file, std::move(architecture)).describe(path);
}

Result<ModelInfo> inspectModel(const std::filesystem::path& path)
{
    TRY_ASSIGN(const ModelFile file, ModelFile::open(path));
    return describeModel(file, path);
}

} // namespace engine
