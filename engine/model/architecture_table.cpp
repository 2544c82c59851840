#include "engine/model/architecture.h"

// The table itself, and nothing else. A row says only where a family leaves the usual path, which
// is Llama's: RMS norms before mixer and network, a sequential residual, rotary positions, a gated
// SiLU network.

namespace engine {

namespace {

using enum NormKind;
using enum RopeLayout;

// --- names of norms where files do not use the usual ones --------------------------------------

/// Encoders that normalize the residual stream after each half of a layer (BERT).
constexpr NormNames kAfterResidual{
    .attention{},
    .attentionPost{},
    .feedForward{},
    .feedForwardPost{},
    .attentionResidual{"attn_output_norm"},
    .feedForwardResidual{"layer_output_norm"},
    .output{},
};

constexpr NormNames kJinaBertV2{
    .attention{},
    .attentionPost{},
    .feedForward{},
    .feedForwardPost{},
    .attentionResidual{"attn_output_norm"},
    .attentionResidual2{"attn_norm_2", true},
    .feedForwardResidual{"layer_output_norm"},
    .output{},
};

/// Only what mixer and network give is normalized (OLMo 2).
constexpr NormNames kPostOnly{
    .attention{},
    .attentionPost{"post_attention_norm"},
    .feedForward{},
    .feedForwardPost{"post_ffw_norm"},
};

/// The norm before the network is called after what it follows.
constexpr NormNames kPostAttentionIsFfnNorm{
    .attentionPost{},
    .feedForward{"post_attention_norm"},
    .feedForwardPost{},
};

/// Both halves of a layer read the same norm of the stream.
constexpr NormNames kOneNorm{
    .attentionPost{},
    .feedForward{},
    .feedForwardPost{},
};

/// One half a layer: the norm before it serves whichever it is.
constexpr NormNames kOneHalf{
    .attentionPost{},
    .feedForward{"attn_norm"},
    .feedForwardPost{},
};

constexpr NormNames kFalcon{
    .attention{.name = "attn_norm", .instead = "attn_norm_2"},
    .attentionPost{},
    .feedForward{"attn_norm"},
    .feedForwardPost{},
};

constexpr NormNames kFfnNormOptional{
    .attentionPost{},
    .feedForward{"ffn_norm", true},
    .feedForwardPost{},
};

constexpr NormNames kEmbeddingNormIsOutput{
    .attentionPost{},
    .feedForwardPost{},
    .embedding{},
    .output{"token_embd_norm"},
};

// --- rules several families share ---------------------------------------------------------------

constexpr ExpertRule kSigmoidExperts{.gating = ExpertGating::Sigmoid, .weightsNorm = false};
constexpr ExpertRule kPlainSoftmaxExperts{.weightsNorm = false};

constexpr Architecture kArchitectures[] = {
    // --- Llama and what is built like it ---------------------------------------------------------
    {.name = "llama", .ropeLayout = Adjacent},
    {.name = "internlm2", .ropeLayout = Adjacent},
    {.name = "xverse", .ropeLayout = Adjacent},
    {.name = "ernie4_5", .ropeLayout = Adjacent},
    {.name = "smollm3", .ropeLayout = Adjacent, .noRope = NoRope::EveryFourth},
    {.name = "exaone"},
    {.name = "qwen2"},
    {.name = "qwen3"},
    {.name = "qwen2moe", .experts = kPlainSoftmaxExperts},
    {.name = "qwen3moe"},
    {.name = "granite",
     .ropeLayout = Adjacent,
     .noRope = NoRope::UnlessFinetuned,
     .logitScaling = Scaling::Divide},
    {.name = "granitemoe",
     .ropeLayout = Adjacent,
     .noRope = NoRope::UnlessFinetuned,
     .logitScaling = Scaling::Divide},
    {.name = "minicpm",
     .ropeLayout = Adjacent,
     .embeddingScale = 12,
     .residualDepthScale = 1.4f,
     .logitScaling = Scaling::Divide,
     .logitBaseWidth = 256},
    // Files carry a window, but not in a form that says which layers have it.
    {.name = "phi3"},
    {.name = "glm4", .ropeLayout = Adjacent},

    // --- Gemma
    // ------------------------------------------------------------------------------------
    {.name = "gemma", .activation = ActivationKind::GeluTanh, .embeddingSqrt = true},
    {.name = "gemma2",
     .window{.kind = WindowKind::Causal, .size = 4096, .period = 2},
     .queryScaleByEmbedding = 46,
     .attentionSoftcap = 50,
     .hasAttentionSoftcap = true,
     .activation = ActivationKind::GeluTanh,
     .embeddingSqrt = true,
     .finalSoftcap = 30,
     .hasFinalSoftcap = true},
    {.name = "gemma3",
     .window{.kind = WindowKind::Causal, .period = 6, .ropeFreqBase = 10000, .ropeScaled = false},
     .queryScaleByEmbedding = 62,
     .activation = ActivationKind::GeluTanh,
     .embeddingSqrt = true,
     .hasFinalSoftcap = true},

    // --- norms of outputs
    // ----------------------------------------------------------------------------
    {.name = "olmo2",
     .norms = kPostOnly,
     .window{.kind = WindowKind::Causal, .period = 4, .ropeScaled = false}},

    // --- LayerNorm
    // ------------------------------------------------------------------------------------
    {.name = "olmo", .norm = Layer, .normWeights = false, .ropeLayout = Adjacent},
    {.name = "gpt2",
     .norm = Layer,
     .position = PositionKind::Learned,
     .activation = ActivationKind::GeluTanh,
     .gated = false},
    {.name = "gptneox",
     .norm = Layer,
     .residual = ResidualKind::ByMetadata,
     .activation = ActivationKind::GeluTanh,
     .gated = false},
    {.name = "falcon",
     .norm = Layer,
     .norms = kFalcon,
     .residual = ResidualKind::Parallel,
     .activation = ActivationKind::GeluTanh,
     .gated = false},
    {.name = "phi2",
     .norm = Layer,
     .norms = kOneNorm,
     .residual = ResidualKind::Parallel,
     .activation = ActivationKind::GeluTanh,
     .gated = false},
    {.name = "stablelm",
     .norm = Layer,
     .norms = kFfnNormOptional,
     .residual = ResidualKind::ByTensor,
     .qkNorm = Layer},
    {.name = "starcoder2", .norm = Layer, .activation = ActivationKind::GeluTanh, .gated = false},
    {.name = "command-r",
     .norm = Layer,
     .norms = kOneNorm,
     .residual = ResidualKind::Parallel,
     .ropeLayout = Adjacent,
     .qkNorm = Layer,
     .logitScaling = Scaling::Multiply},
    {.name = "cohere2",
     .norm = Layer,
     .norms = kOneNorm,
     .residual = ResidualKind::Parallel,
     .ropeLayout = Adjacent,
     .noRope = NoRope::GlobalLayers,
     .window{.kind = WindowKind::Causal, .period = 4},
     .logitScaling = Scaling::Multiply},

    // --- experts
    // ---------------------------------------------------------------------------------------
    {.name = "gpt-oss",
     .norms = kPostAttentionIsFfnNorm,
     .window{.kind = WindowKind::Causal, .period = 2},
     .activation = ActivationKind::SwigluOai,
     .experts{.gating = ExpertGating::SoftmaxOfSelected, .weightsNorm = false}},

    // --- compressed attention
    // ----------------------------------------------------------------------------
    {.name = "deepseek2",
     .ropeLayout = Adjacent,
     .yarnLogMultiplierUnit = 0.1f,
     .yarnScalesQuery = true,
     .mixer = MixerKind::LatentAttention,
     .experts = kPlainSoftmaxExperts},

    // --- mixers that are not attention
    // ---------------------------------------------------------------------
    {.name = "lfm2",
     .norms = kEmbeddingNormIsOutput,
     .mixer = MixerKind::ShortConvolution,
     .mixerPattern = MixerPattern::WhereNoKvHeads},
    {.name = "mamba", .norms = kOneNorm, .position = PositionKind::None, .mixer = MixerKind::Mamba},
    {.name = "qwen35",
     .norms = kPostAttentionIsFfnNorm,
     .mixer = MixerKind::GatedDeltaNet,
     .mixerPattern = MixerPattern::FullAttentionInterval,
     .deltaHeadsTiled = true,
     .attentionGate = AttentionGate::InQuery},

    // --- encoders
    // ---------------------------------------------------------------------------------------------
    {.name = "bert",
     .norm = Layer,
     .norms = kAfterResidual,
     .position = PositionKind::Learned,
     .causal = false,
     .activation = ActivationKind::GeluErf,
     .gated = false},
    {.name = "nomic-bert", .norm = Layer, .norms = kAfterResidual, .causal = false},
};

} // namespace

std::span<const Architecture> architectures()
{
    return kArchitectures;
}

} // namespace engine
