#include "tests/support/engine/tiny_models.h"

#include "tests/support/engine/temp_folder.h"

#include "engine/model/hyperparameters.h"
#include "engine/model/weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>

namespace test {

namespace {

using engine::Architecture;
using engine::DType;
using engine::MetadataValue;
using engine::MixerKind;
using engine::MixerPattern;

constexpr int kWidth = 64;
constexpr int kLayers = 4;
constexpr int kVocabulary = 512;
constexpr int kHeads = 4;
constexpr int kHeadsKv = 2;
constexpr int kHeadLength = 16;

/// How many layers a row needs to be itself.
int layersOf(const Architecture& row)
{
    if (row.ropeBlockCount > 0) return row.ropeBlockCount;
    if (row.window.onlyBlockCount > 0) return row.window.onlyBlockCount;
    if (row.kvLayersFromStart > 0) return row.kvLayersFromStart + 2;
    return kLayers;
}

/// FNV-1a: the same everywhere.
std::uint64_t seedOf(std::string_view name)
{
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char letter : name)
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
    return hash;
}

/// What a family's files may say beside what all tiny models do.
struct Variation {
    std::string_view architecture;
    std::string_view key;
    MetadataValue value;
};

const std::vector<Variation>& variations()
{
    static const std::vector<Variation> all{
        {"nanbeige", "num_loops", std::uint64_t{2}},
        {"mimo2", "attention.value_scale", 0.7},
        {"step35", "swiglu_clamp_exp", std::vector<double>{0, 0.2, 0, 0.3}},
        {"step35", "swiglu_clamp_shexp", std::vector<double>{0.4, 0, 0.1, 0}},
        {"cohere2moe", "leading_dense_block_count", std::uint64_t{1}},
        {"nemotron_h_moe", "moe_latent_size", std::uint64_t{80}},
        {"chameleon", "swin_norm", true},
        {"maion-coder", "moe_latent_size", std::uint64_t{80}},
        {"muse-glimmer", "final_logit_softcapping", 5.0},
        {"rwkv6", "feed_forward_length", std::uint64_t{512}},
    };
    return all;
}

class TinyModelBuilder {
public:
    explicit TinyModelBuilder(const TinyModel& model)
        : m_model(model)
        , m_row(*engine::findArchitecture(model.architecture))
        , m_layers(layersOf(m_row))
        , m_random(seedOf(model.name))
    {
    }

    GgufBuilder build()
    {
        addVocabulary(m_builder, Vocabulary::SentencePiece, kVocabulary, m_random.next());
        setSizes();
        setMixers();
        if (m_model.extras)
            for (const Variation& variation : variations())
                if (variation.architecture == m_row.name)
                    set(std::string(variation.key), variation.value);
        if (m_model.experts) setExperts();
        if (m_row.altup || m_row.perLayerOfStream)
            tensor("per_layer_proj_norm.weight", {32, 1, 1, 1});
        addMissing();
        if (m_model.extras) {
            addExtras();
            addMissing();
        }
        return std::move(m_builder);
    }

private:
    void set(const std::string& key, MetadataValue value)
    {
        m_builder.set(m_model.architecture + '.' + key, std::move(value));
    }

    static MetadataValue whole(int value) { return static_cast<std::uint64_t>(value); }

    void setSizes()
    {
        m_builder.set("general.architecture", MetadataValue(m_model.architecture));
        set("context_length", whole(256));
        set("embedding_length", whole(kWidth));
        set("block_count", whole(m_layers));
        set("feed_forward_length", whole(96));
        set("attention.head_count", whole(kHeads));
        set("attention.head_count_kv", whole(kHeadsKv));
        set("attention.layer_norm_rms_epsilon", 1e-5);
        set("attention.layer_norm_epsilon", 1e-5);
        set("attention.sliding_window", whole(8));
        set("rope.dimension_count", whole(8));
        set("logit_scale", 2.0);
        for (const char* key : {"xielu.alpha_n", "xielu.alpha_p", "xielu.beta"})
            m_builder.set(key, std::vector<double>(static_cast<std::size_t>(m_layers), 0.5));
        m_builder.set("xielu.eps", std::vector<double>(static_cast<std::size_t>(m_layers), -1e-6));
    }

    void setMixers()
    {
        set("ssm.conv_kernel", whole(4));
        set("ssm.inner_size", whole(64));
        set("ssm.state_size", whole(16));
        set("ssm.time_step_rank", whole(4));
        set("ssm.group_count", whole(2));
        set("shortconv.l_cache", whole(3));
        set("wkv.head_size", whole(16));
        set("time_mix_extra_dim", whole(8));
        set("time_decay_extra_dim", whole(12));
        set("attention.decay_lora_rank", whole(24));
        set("attention.iclr_lora_rank", whole(8));
        set("attention.value_residual_mix_lora_rank", whole(12));
        set("attention.gate_lora_rank", whole(20));
        set("kda.head_dim", whole(16));
        set("attention.indexer.top_k", whole(8));
        set("attention.indexer.block_size", whole(8));
        set("kda.gate_lower_bound", -5.0);
        set("attention.relative_buckets_count", whole(32));
        if (m_row.mixer == MixerKind::LatentAttention ||
            m_row.otherMixer == MixerKind::LatentAttention) {
            set("attention.kv_lora_rank", whole(32));
            set("attention.q_lora_rank", whole(48));
            set("attention.key_length_mla", whole(24));
            set("attention.value_length_mla", whole(16));
        }
        std::vector<std::uint64_t> heads(static_cast<std::size_t>(m_layers), kHeads);
        std::vector<std::uint64_t> headsKv(static_cast<std::size_t>(m_layers), kHeadsKv);
        std::vector<std::uint64_t> feedForward(static_cast<std::size_t>(m_layers), 96);
        if (m_row.mixerPattern == MixerPattern::NoneWhereNoHeads) {
            heads[1] = headsKv[1] = 0;
            headsKv[2] = 0;
        } else if (m_row.mixerPattern == MixerPattern::WhereNoKvHeads) {
            headsKv = {0, 0, kHeadsKv, 0};
        } else if (m_row.mixerPattern == MixerPattern::WhereNoKvHeadsNoFfn) {
            headsKv = {0, 0, kHeadsKv, 0};
            feedForward = {0, 96, 0, 0};
        } else {
            return;
        }
        set("attention.head_count", heads);
        set("attention.head_count_kv", headsKv);
        set("feed_forward_length", feedForward);
    }

    void setExperts()
    {
        set("expert_count", whole(8));
        set("expert_used_count", whole(3));
        set("expert_feed_forward_length", whole(32));
        set("expert_weights_norm", true);
        for (int layer = 1; layer < m_layers; ++layer) {
            // In families whose layers are one half only the second is a network.
            if (m_row.mixerPattern == MixerPattern::WhereNoKvHeadsNoFfn && layer != 1) continue;
            tensor(inLayer(layer, "ffn_gate_inp.weight"), {kWidth, 8, 1, 1});
            if (m_row.experts.averagedWithDense)
                tensor(inLayer(layer, "ffn_up.weight"), {kWidth, 96, 1, 1});
            if (m_row.experts.besideDense || !m_model.extras) continue;
            tensor(inLayer(layer, "exp_probs_b.bias"), {8, 1, 1, 1});
            if (m_row.name == "nomic-bert-moe")
                tensor(inLayer(layer, "ffn_exps.bias"), {kWidth, 1, 1, 1});
            tensor(inLayer(layer, "ffn_down_shexp.weight"), {32, kWidth, 1, 1});
            tensor(inLayer(layer, "ffn_gate_inp_shexp.weight"), {kWidth, 1, 1, 1});
        }
    }

    /// Tensors a file may have: the readers use them wherever they are.
    void addExtras()
    {
        for (int layer = 0; layer < m_layers; ++layer) {
            if (has(inLayer(layer, "shortconv.conv.weight")))
                tensor(inLayer(layer, "shortconv.conv.bias"), {kWidth, 1, 1, 1});
            if (!has(inLayer(layer, "attn_q.weight")) || !has(inLayer(layer, "attn_k.weight")) ||
                has(inLayer(layer, "ssm_beta.weight")))
                continue;
            if (!m_row.headNormScales)
                tensor(inLayer(layer, "attn_q_norm.weight"), {kHeadLength, 1, 1, 1});
            tensor(inLayer(layer, "attn_k_norm.weight"), {kHeadLength, 1, 1, 1});
            tensor(inLayer(layer, "attn_k.bias"), {kHeadsKv * kHeadLength, 1, 1, 1});
            tensor(inLayer(layer, "attn_output.bias"), {kWidth, 1, 1, 1});
            tensor(inLayer(layer, "attn_sinks.weight"), {kHeads, 1, 1, 1});
            tensor(inLayer(layer, "attn_sub_norm.weight"), {kWidth, 1, 1, 1});
            if (const std::int64_t rows = rowsOf(inLayer(layer, "ffn_up.weight")); rows > 0)
                tensor(inLayer(layer, "ffn_up.bias"), {rows, 1, 1, 1});
            if (const std::int64_t rows = columnsOf(inLayer(layer, "ffn_down.weight")); rows > 0) {
                tensor(inLayer(layer, "ffn_sub_norm.weight"), {rows, 1, 1, 1});
                if (m_row.name == "mpt")
                    m_builder.tensor(inLayer(layer, "ffn.act.scales"), {rows}, DType::F32,
                                     m_random.normals(static_cast<std::size_t>(rows), 0.1, 1));
            }
        }
        if (!m_row.outputOfPooled) tensor("output.bias", {kVocabulary, 1, 1, 1});
        if (m_row.ropeLayout == engine::RopeLayout::Halves &&
            !has("output.weight")) // the others tie it
            tensor("output.weight", {kWidth, kVocabulary, 1, 1});
        if (m_row.norm == engine::NormKind::Layer && has("output_norm.weight"))
            tensor("output_norm.bias", {kWidth, 1, 1, 1});
    }

    /// 0 where there is no such tensor.
    std::int64_t rowsOf(const std::string& name) const
    {
        for (const engine::TensorView& tensor : m_builder.tensors())
            if (tensor.name == name) return tensor.shape[1];
        return 0;
    }

    std::int64_t columnsOf(const std::string& name) const
    {
        const auto tensors = m_builder.tensors();
        const auto found = std::ranges::find(tensors, name, &engine::TensorView::name);
        return found == tensors.end() ? 0 : found->shape[0];
    }

    bool has(const std::string& name) const { return rowsOf(name) > 0; }

    static std::string inLayer(int layer, const std::string& name)
    {
        return "blk." + std::to_string(layer) + '.' + name;
    }

    /// What the row itself asks for. Two rounds: experts ask for theirs once the router is there.
    void addMissing()
    {
        if (!has("token_embd.weight")) tensor("token_embd.weight", {kWidth, kVocabulary, 1, 1});
        const TempFolder folder;
        const auto file = engine::ModelFile::open(m_builder.write(folder.path() / "tiny.gguf"));
        ASSERT_TRUE(file) << file.error().message;
        const auto model = engine::Hyperparameters::read(*file);
        ASSERT_TRUE(model) << m_model.name << ": " << model.error().message;
        const auto missing = engine::missingTensors(*file, *model);
        ASSERT_TRUE(missing) << m_model.name << ": " << missing.error().message;
        for (const engine::WantedTensor& wanted : *missing)
            tensor(wanted.name, wanted.shape);
    }

    void tensor(const std::string& name, std::array<std::int64_t, 4> shape)
    {
        std::size_t count = 1;
        for (const std::int64_t length : shape)
            count *= static_cast<std::size_t>(length);
        const bool isNorm = name.find("norm") != std::string::npos && name.ends_with(".weight");
        const bool isVector = shape[1] == 1;
        std::vector<float> values;
        if (name.ends_with("ssm_a")) {
            for (const float value : m_random.normals(count, 0.5))
                values.push_back(-std::exp(value));
        } else if (isNorm) {
            // Many layers that add as much as they are given would blow rounding up until it is
            // seen.
            const bool isDamped = m_layers > kLayers * 4 && name.find("post_") != std::string::npos;
            values = m_random.normals(count, isDamped ? 0.02 : 0.2, isDamped ? 0.1 : 1);
        } else {
            // A state space multiplies three things made of its input: kept small, lest it explode.
            const double gain = name.find(".ssm_") != std::string::npos ? 0.4 : 1.2;
            const double deviation =
                isVector ? 0.3 : gain / std::sqrt(static_cast<double>(shape[0]));
            values = m_random.normals(count, deviation);
        }
        int rank = 4;
        while (rank > 1 && shape[static_cast<std::size_t>(rank) - 1] == 1)
            --rank;
        const bool isMatrix = rank > 1 && name.ends_with(".weight") && !isNorm &&
                              shape[0] % 32 == 0 && name.find("conv") == std::string::npos;
        m_builder.tensor(name, {shape.begin(), shape.begin() + rank},
                         isMatrix ? m_model.matrixType : DType::F32, values);
    }

    const TinyModel& m_model;
    const Architecture& m_row;
    int m_layers;
    RandomNumbers m_random;
    GgufBuilder m_builder;
};

bool hasExperts(const Architecture& row)
{
    static const engine::ExpertRule kUsual;
    return row.experts.gating != kUsual.gating || row.experts.weightsNorm != kUsual.weightsNorm ||
           row.experts.besideDense || row.experts.averagedWithDense ||
           row.experts.routesLayerInput || row.experts.ofLayerInput || row.experts.clamp > 0 ||
           row.name.find("moe") != std::string_view::npos || row.name == "llama" ||
           row.name == "maion-coder";
}

} // namespace

std::vector<TinyModel> tinyModels()
{
    std::vector<TinyModel> models;
    for (const Architecture& row : engine::architectures()) {
        const std::string name(row.name);
        models.push_back({.name = name, .architecture = name});
        models.push_back({.name = name + "_extras", .architecture = name, .extras = true});
        if (hasExperts(row))
            models.push_back(
                {.name = name + "_experts", .architecture = name, .experts = true, .extras = true});
    }
    return models;
}

GgufBuilder buildTinyModel(const TinyModel& model)
{
    return TinyModelBuilder(model).build();
}

} // namespace test
