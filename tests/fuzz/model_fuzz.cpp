// A tiny sound model of any architecture with some of its keys and tensors changed: an error, or a
// model that computes two tokens.

#include "tests/support/engine/tiny_models.h"

#include "engine/model/forward_pass_factory.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>

using namespace engine;

namespace {

/// Keys that a tiny model may lack.
constexpr std::array kKeys = std::to_array<std::string_view>({
    "block_count",
    "embedding_length",
    "feed_forward_length",
    "context_length",
    "attention.head_count",
    "attention.head_count_kv",
    "attention.key_length",
    "attention.value_length",
    "attention.key_length_swa",
    "attention.key_length_mla",
    "attention.q_lora_rank",
    "attention.kv_lora_rank",
    "attention.layer_norm_rms_epsilon",
    "attention.scale",
    "attention.clamp_kqv",
    "attention.max_alibi_bias",
    "attention.shared_kv_layers",
    "attention.sliding_window",
    "attention.sliding_window_pattern",
    "attention.recurrent_layers",
    "attn_logit_softcapping",
    "final_logit_softcapping",
    "logit_scale",
    "residual_scale",
    "leading_dense_block_count",
    "expert_count",
    "expert_used_count",
    "expert_group_count",
    "expert_group_used_count",
    "expert_gating_func",
    "expert_feed_forward_length",
    "expert_weights_scale",
    "nextn_predict_layers",
    "full_attention_interval",
    "rope.dimension_count",
    "rope.dimension_count_swa",
    "rope.dimension_sections",
    "rope.freq_base",
    "rope.scaling.type",
    "rope.scaling.factor",
    "rope.scaling.original_context_length",
    "rope.scaling.yarn_beta_fast",
    "rope.scaling.yarn_log_multiplier",
    "ssm.conv_kernel",
    "ssm.inner_size",
    "ssm.state_size",
    "ssm.group_count",
    "ssm.time_step_rank",
    "shortconv.l_cache",
    "wkv.head_size",
    "time_mix_extra_dim",
});

constexpr std::array<std::int64_t, 24> kWhole = {0,
                                                 1,
                                                 2,
                                                 3,
                                                 4,
                                                 5,
                                                 7,
                                                 8,
                                                 15,
                                                 16,
                                                 17,
                                                 31,
                                                 32,
                                                 33,
                                                 64,
                                                 96,
                                                 128,
                                                 255,
                                                 4096,
                                                 65'537,
                                                 -1,
                                                 2'147'483'647,
                                                 2'147'483'648,
                                                 std::numeric_limits<std::int64_t>::max()};
constexpr std::array<double, 8> kReal = {
    0.0, -1.0, 0.5, 1e-30, -0.0, 1e30, 1e300, std::numeric_limits<double>::quiet_NaN()};
constexpr std::array<const char*, 5> kTexts = {"yarn", "linear", "longrope", "none", "\xFF"};

class Input {
public:
    Input(const std::uint8_t* data, std::size_t size)
        : m_rest(data, size)
    {
    }
    std::size_t byte()
    {
        if (m_rest.empty()) return 0;
        const std::size_t value = m_rest.front();
        m_rest = m_rest.subspan(1);
        return value;
    }
    bool empty() const { return m_rest.empty(); }

private:
    std::span<const std::uint8_t> m_rest;
};

template <typename Table>
auto& pick(Table& table, std::size_t i)
{
    return table[i % table.size()];
}

const test::GgufBuilder& soundModel(std::size_t i)
{
    static const std::vector<test::TinyModel> all = test::tinyModels();
    static std::map<std::size_t, test::GgufBuilder> built;
    i %= all.size();
    const auto known = built.find(i);
    if (known != built.end()) return known->second;
    return built.emplace(i, test::buildTinyModel(all[i])).first->second;
}

MetadataValue anyValue(Input& input)
{
    const std::size_t i = input.byte();
    switch (input.byte() % 8) {
    case 0:
        return pick(kReal, i);
    case 1:
        return i % 2 == 1;
    case 2:
        return std::string(pick(kTexts, i));
    case 3:
        return std::vector<std::int64_t>(i % 5, pick(kWhole, i / 5));
    case 4:
        return std::vector<double>(i % 5, pick(kReal, i / 5));
    default:
        return pick(kWhole, i);
    }
}

void change(Metadata& metadata, const std::string& architecture, Input& input)
{
    const std::size_t which = input.byte();
    std::string key = architecture + '.' + std::string(pick(kKeys, which / 2));
    if (which % 2 == 0) { // one that is there
        const auto& there = metadata.entries();
        const auto at =
            std::next(there.begin(), static_cast<std::ptrdiff_t>(which / 2 % there.size()));
        if (at->first != "general.architecture") key = at->first;
    }
    metadata.set(key, anyValue(input));
}

/// Nothing where it is left out.
std::optional<TensorView> changed(TensorView tensor, Input& input)
{
    switch (input.byte() % 3) {
    case 0:
        return std::nullopt;
    case 1: // fewer rows or columns, of data that is longer
        for (int i = 0; i < tensor.rank; ++i) {
            auto& length = tensor.shape[static_cast<std::size_t>(i)];
            const std::size_t less = input.byte() % 4;
            if (less == 1) length = std::max<std::int64_t>(1, length / 2);
            if (less == 2 && i > 0) length = std::max<std::int64_t>(1, length - 1);
        }
        tensor.sizeBytes = static_cast<std::uint64_t>(tensor.rows()) * tensor.rowBytes();
        return tensor;
    default:
        if (tensor.rank > 1 && tensor.shape[0] % dtypeInfo(tensor.dtype).blockElements == 0 &&
            tensor.shape[1] % dtypeInfo(tensor.dtype).blockElements == 0)
            std::swap(tensor.shape[0], tensor.shape[1]);
        return tensor;
    }
}

void require(bool condition)
{
    if (!condition) std::abort();
}

void compute(const std::shared_ptr<const ModelFile>& file, bool reference)
{
    ForwardPassOptions options;
    options.reference = reference;
    const auto pass = createForwardPass(file, options);
    if (!pass) return require(!pass.error().message.empty());
    const auto state = (*pass)->createState(16, KvType::F16);
    if (!state) return require(!state.error().message.empty());
    const std::array<TokenId, 2> tokens{0, (*pass)->vocabularySize() - 1};
    std::vector<float> logits(tokens.size() * static_cast<std::size_t>((*pass)->vocabularySize()));
    const ForwardInput input{state->get(), tokens, 2};
    const auto done = (*pass)->compute({&input, 1}, logits);
    require(done.has_value() || !done.error().message.empty());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Input input(data, size);
    const std::size_t model = input.byte() * 256;
    const test::GgufBuilder& sound = soundModel(model + input.byte());
    const std::size_t flags = input.byte();
    auto file = std::make_shared<ModelFile>();
    file->mutableMetadata() = sound.metadata();
    const std::size_t hit = flags % 2 == 1 ? input.byte() % sound.tensors().size() : SIZE_MAX;
    for (std::size_t i = 0; i < sound.tensors().size(); ++i) {
        const TensorView& tensor = sound.tensors()[i];
        const auto taken = i == hit ? changed(tensor, input) : std::optional(tensor);
        if (taken) file->add(*taken);
    }
    const std::string architecture = sound.metadata().stringOr("general.architecture", "");
    for (int i = 0; i < 4 && !input.empty(); ++i)
        change(file->mutableMetadata(), architecture, input);
    compute(file, flags % 4 >= 2);
    return 0;
}
