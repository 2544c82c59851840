#include "engine/model/architecture.h"

// The table itself, and nothing else. A row says only where a family leaves the usual path, which
// is that of most: RMS norms before mixer and network, a sequential residual, rotary positions that
// turn halves, a gated SiLU network, experts by softmax with normalized weights.

namespace engine {

namespace {

using enum NormKind;
using enum RopeLayout;

// --- names of norms where files do not use the usual ones ---------------------------------------

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

/// Before and after mixer and network.
constexpr NormNames kBeforeAndAfter{
    .attentionPost{"post_attention_norm"},
    .feedForwardPost{"post_ffw_norm"},
};

/// The norm before the network is called after what it follows.
constexpr NormNames kPostAttentionIsFfnNorm{
    .attentionPost{},
    .feedForward{"post_attention_norm"},
    .feedForwardPost{},
};

constexpr NormNames kAttentionOutputIsFfnNorm{
    .attentionPost{},
    .feedForward{"attn_output_norm"},
    .feedForwardPost{},
};

/// Both halves of a layer read the same norm of the stream.
constexpr NormNames kOneNorm{
    .attentionPost{},
    .feedForward{},
    .feedForwardPost{},
};

/// A layer is only one of the halves: its norm serves whichever it is.
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

/// The first layer reads the embeddings, normed already.
constexpr NormNames kAttentionNormOptional{
    .attention{"attn_norm", true},
    .attentionPost{},
    .feedForwardPost{},
};

constexpr NormNames kEmbeddingNormIsOutput{
    .attentionPost{},
    .feedForwardPost{},
    .embedding{},
    .output{"token_embd_norm"},
};

/// Layers may be without either half.
constexpr NormNames kBothOptional{
    .attention{"attn_norm", true},
    .attentionPost{},
    .feedForward{"ffn_norm", true},
    .feedForwardPost{},
};

constexpr NormNames kRwkv{
    .attentionPost{},
    .feedForward{"attn_norm_2"},
    .feedForwardPost{},
};

/// Norms after mixer and network, by the names encoders have for them.
constexpr NormNames kGrok{
    .attentionPost{"attn_output_norm"},
    .feedForwardPost{.name = "layer_output_norm", .instead = "post_ffw_norm"},
};

constexpr NormNames kEncoderOutput{
    .attentionPost{},
    .feedForwardPost{},
    .output{"enc.output_norm"},
};

// --- rules several families share
// ------------------------------------------------------------------

constexpr ExpertRule kUnnormedSoftmax{.weightsNorm = false};
constexpr ExpertRule kUnnormedSigmoid{.gating = ExpertGating::Sigmoid, .weightsNorm = false};
constexpr ExpertRule kNormedSigmoid{.gating = ExpertGating::Sigmoid};

constexpr WindowRule kEveryFourthGlobal{.kind = WindowKind::Causal, .period = 4};

constexpr Architecture kArchitectures[] = {
    // --- Llama and what is built like it -------------------------------------------------------
    {.name = "llama", .ropeLayout = Adjacent},
    {.name = "mistral3", .ropeLayout = Adjacent},
    {.name = "nanbeige", .ropeLayout = Adjacent},
    {.name = "deci",
     .norms = kBothOptional,
     .ropeLayout = Adjacent,
     .mixerPattern = MixerPattern::NoneWhereNoHeads},
    {.name = "internlm2", .ropeLayout = Adjacent},
    {.name = "xverse", .ropeLayout = Adjacent},
    {.name = "ernie4_5", .ropeLayout = Adjacent},
    {.name = "ernie4_5-moe", .ropeLayout = Adjacent},
    {.name = "paddleocr", .ropeSections = true},
    {.name = "smollm3", .ropeLayout = Adjacent, .noRope = NoRope::EveryFourth},
    {.name = "arcee",
     .ropeLayout = Adjacent,
     .activation = ActivationKind::ReluSquared,
     .gated = false},
    {.name = "chatglm", .ropeLayout = Adjacent},
    {.name = "deepseek", .ropeLayout = Adjacent, .experts = kUnnormedSoftmax},
    {.name = "bailingmoe", .ropeLayout = Adjacent, .experts = kUnnormedSoftmax},
    {.name = "bailingmoe2", .experts = kUnnormedSigmoid},
    {.name = "maincoder", .ropeLayout = Adjacent, .qkNormAfterRope = true},
    {.name = "pangu-embedded"},
    {.name = "exaone"},
    {.name = "seed_oss", .norms = kPostAttentionIsFfnNorm},
    {.name = "hunyuan-dense", .ropeSections = true, .qkNormAfterRope = true},
    {.name = "hunyuan-moe", .qkNormAfterRope = true},
    {.name = "hunyuan_vl", .ropeSections = true, .qkNormAfterRope = true},
    {.name = "hy_v3", .experts = kUnnormedSigmoid},
    {.name = "deepseek2-ocr", .experts = kUnnormedSoftmax},
    {.name = "dots1", .experts = kUnnormedSoftmax},
    {.name = "olmoe", .experts = kUnnormedSoftmax},
    {.name = "minimax-m2", .experts = kNormedSigmoid},
    {.name = "openelm"},
    {.name = "bitnet"},
    {.name = "baichuan",
     .ropeLayout = Adjacent,
     .maxAlibiBias = 8,
     .ropeBlockCount = 32,
     .alibiBlockCount = 40},
    {.name = "refact", .position = PositionKind::Alibi, .maxAlibiBias = 8},
    {.name = "apertus", .activation = ActivationKind::Xielu, .gated = false},
    {.name = "llama4",
     .ropeLayout = Adjacent,
     .noRope = NoRope::GlobalLayers,
     .window{.kind = WindowKind::Chunked, .size = 8192, .fixedSize = true, .period = 4},
     .qkNormUnit = true,
     .noQkNormUnitExpertCount = 128,
     .temperatureScale = 0.1F,
     .temperatureLength = 8192,
     .experts{.gating = ExpertGating::Sigmoid,
              .weightsNorm = false,
              .weighInput = true,
              .chooseByLogits = true}},

    {.name = "plamo", .norms = kOneNorm, .residual = ResidualKind::Parallel},
    {.name = "grok",
     .norms = kGrok,
     .yarnBetaFast = 8,
     .yarnFactorRelative = true,
     .attentionScale = 0.08838834764831845F,
     .attentionSoftcap = 30,
     .hasAttentionSoftcap = true,
     .activation = ActivationKind::GeluTanh,
     .experts{.averagedWithDense = true},
     .embeddingScale = 78.38367176906169F,
     .logitScaling = Scaling::Multiply,
     .logitScale = 0.5773502691896257F,
     .hasFinalSoftcap = true},

    // --- Qwen
    // --------------------------------------------------------------------------------------
    {.name = "qwen", .halfFeedForward = true},
    {.name = "qwen2"},
    {.name = "qwen2vl", .ropeSections = true},
    {.name = "qwen2moe", .experts = kUnnormedSoftmax},
    {.name = "qwen3"},
    {.name = "qwen3vl", .ropeSections = true, .ropeSectionsInterleaved = true},
    {.name = "qwen3moe"},
    {.name = "qwen3vlmoe", .ropeSections = true, .ropeSectionsInterleaved = true},
    {.name = "qwen3next",
     .norms = kPostAttentionIsFfnNorm,
     .mixer = MixerKind::GatedDeltaNet,
     .mixerPattern = MixerPattern::FullAttentionInterval,
     .attentionGate = AttentionGate::InQuery},
    {.name = "qwen35",
     .norms = kPostAttentionIsFfnNorm,
     .ropeSections = true,
     .ropeSectionsInterleaved = true,
     .mixer = MixerKind::GatedDeltaNet,
     .mixerPattern = MixerPattern::FullAttentionInterval,
     .deltaHeadsTiled = true,
     .attentionGate = AttentionGate::InQuery},
    {.name = "qwen35moe",
     .norms = kPostAttentionIsFfnNorm,
     .ropeSections = true,
     .ropeSectionsInterleaved = true,
     .mixer = MixerKind::GatedDeltaNet,
     .mixerPattern = MixerPattern::FullAttentionInterval,
     .deltaHeadsTiled = true,
     .attentionGate = AttentionGate::InQuery},

    // --- Granite, MiniCPM ------------------------------------------------------------------------
    {.name = "granite",
     .ropeLayout = Adjacent,
     .noRope = NoRope::UnlessFinetuned,
     .logitScaling = Scaling::Divide},
    {.name = "granitemoe",
     .ropeLayout = Adjacent,
     .noRope = NoRope::UnlessFinetuned,
     .logitScaling = Scaling::Divide},
    {.name = "granite_swa",
     .ropeLayout = Adjacent,
     .window{.kind = WindowKind::Causal},
     .logitScaling = Scaling::Divide},
    {.name = "granitehybrid",
     .ropeLayout = Adjacent,
     .noRope = NoRope::UnlessFinetuned,
     .mixer = MixerKind::Mamba2,
     .mixerPattern = MixerPattern::WhereNoKvHeads,
     .logitScaling = Scaling::Divide},
    {.name = "minicpm",
     .ropeLayout = Adjacent,
     .embeddingScale = 12,
     .residualDepthScale = 1.4F,
     .logitScaling = Scaling::Divide,
     .logitBaseWidth = 256},
    {.name = "minicpm3",
     .mixer = MixerKind::LatentAttention,
     .embeddingScale = 12,
     .residualDepthScale = 1.4F,
     .logitScaling = Scaling::Divide,
     .logitBaseWidth = 256},

    // --- Phi, GLM
    // -----------------------------------------------------------------------------------
    // Phi 3 files carry a window, but not in a form that says which layers have it.
    {.name = "phi3"},
    {.name = "phimoe"},
    {.name = "glm4", .norms = kBeforeAndAfter, .ropeLayout = Adjacent, .ropeSections = true},
    {.name = "glm4moe",
     .norms = kPostAttentionIsFfnNorm,
     .ropeSections = true,
     .experts = kUnnormedSigmoid},

    // --- Gemma
    // ------------------------------------------------------------------------------------
    {.name = "gemma", .activation = ActivationKind::GeluTanh, .embeddingSqrt = true},
    {.name = "gemma2",
     .norms = kBeforeAndAfter,
     .window{.kind = WindowKind::Causal, .size = 4096, .period = 2},
     .queryScaleByEmbedding = 46,
     .attentionSoftcap = 50,
     .hasAttentionSoftcap = true,
     .activation = ActivationKind::GeluTanh,
     .embeddingSqrt = true,
     .finalSoftcap = 30,
     .hasFinalSoftcap = true},
    {.name = "gemma3",
     .norms = kBeforeAndAfter,
     .window{.kind = WindowKind::Causal, .period = 6, .ropeFreqBase = 10000, .ropeScaled = false},
     .queryScaleByEmbedding = 62,
     .activation = ActivationKind::GeluTanh,
     .embeddingSqrt = true,
     .hasFinalSoftcap = true},

    {.name = "gemma3n",
     .norms = kBeforeAndAfter,
     .window{.kind = WindowKind::Causal, .period = 5, .ropeFreqBase = 10000, .ropeScaled = false},
     .valueNormUnit = true,
     .kvLayersFromStart = 20,
     .attentionScale = 1,
     .activation = ActivationKind::GeluTanh,
     .altup = true,
     .sparseLayerCount = 10,
     .embeddingSqrt = true,
     .finalSoftcap = 30,
     .hasFinalSoftcap = true},
    {.name = "gemma4",
     .norms = kBeforeAndAfter,
     .window{.kind = WindowKind::Causal, .period = 6, .ropeFreqBase = 10000, .ropeScaled = false},
     .valueNormUnit = true,
     .valueFromKey = true,
     .attentionScale = 1,
     .activation = ActivationKind::GeluTanh,
     .experts{.besideDense = true},
     .embeddingSqrt = true,
     .finalSoftcap = 30,
     .hasFinalSoftcap = true},

    // --- norms of what mixer and network give --------------------------------------------------
    {.name = "olmo2",
     .norms = kPostOnly,
     .window{.kind = WindowKind::Causal, .period = 4, .ropeScaled = false}},
    {.name = "exaone4",
     .norms = kPostOnly,
     .noRope = NoRope::GlobalLayers,
     .window{.kind = WindowKind::Causal, .size = 4096, .onlyBlockCount = 64, .period = 4}},
    {.name = "exaone-moe",
     .noRope = NoRope::GlobalLayers,
     .window{.kind = WindowKind::Causal, .size = 128, .period = 4},
     .experts = kUnnormedSigmoid},
    {.name = "afmoe",
     .norms = kBeforeAndAfter,
     .noRope = NoRope::EveryFourth,
     .window = kEveryFourthGlobal,
     .attentionGate = AttentionGate::Separate,
     .experts = kUnnormedSigmoid,
     .embeddingSqrt = true},

    {.name = "laguna",
     .window{.kind = WindowKind::Causal, .period = 4, .globalFirst = true, .ropeScaled = false},
     .attentionGate = AttentionGate::SeparateSoftplus,
     .experts = kUnnormedSigmoid},
    {.name = "mimo2",
     .window{.kind = WindowKind::Causal, .ropeFreqBase = 10000, .ropeScaled = false},
     .experts = kNormedSigmoid},
    {.name = "step35",
     .halfRope = true,
     .window{.kind = WindowKind::Causal, .ropeFreqBase = 10000, .ropeScaled = false},
     .attentionGate = AttentionGate::Separate,
     .attentionGateOptional = true,
     .experts = kUnnormedSigmoid},
    {.name = "smallthinker",
     .noRope = NoRope::GlobalLayers,
     .window{.kind = WindowKind::Causal,
             .size = 4096,
             .fixedSize = true,
             .onlyWithKey = true,
             .period = 4,
             .globalFirst = true},
     .activation = ActivationKind::Relu,
     .experts{.routesLayerInput = true}},
    {.name = "plamo3",
     .norms = kBeforeAndAfter,
     .window{.kind = WindowKind::Causal, .period = 8, .ropeFreqBase = 10000, .ropeScaled = false}},
    {.name = "mellum", .window{.kind = WindowKind::Causal, .period = 4, .ropeScaled = false}},

    // --- LayerNorm
    // ----------------------------------------------------------------------------------
    {.name = "olmo", .norm = Layer, .normWeights = false, .ropeLayout = Adjacent},
    {.name = "gpt2",
     .norm = Layer,
     .position = PositionKind::Learned,
     .activation = ActivationKind::GeluTanh,
     .gated = false},
    {.name = "gptj",
     .norm = Layer,
     .norms = kOneNorm,
     .residual = ResidualKind::Parallel,
     .ropeLayout = Adjacent,
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
     .qkNorm = Layer,
     .activation = ActivationKind::GeluTanh,
     .gated = false},
    {.name = "stablelm",
     .norm = Layer,
     .norms = kFfnNormOptional,
     .residual = ResidualKind::ByTensor,
     .qkNorm = Layer},
    {.name = "starcoder",
     .norm = Layer,
     .position = PositionKind::Learned,
     .activation = ActivationKind::GeluTanh,
     .gated = false},
    {.name = "starcoder2", .norm = Layer, .activation = ActivationKind::GeluTanh, .gated = false},
    {.name = "codeshell", .norm = Layer, .activation = ActivationKind::GeluTanh, .gated = false},
    {.name = "mpt",
     .norm = Layer,
     .position = PositionKind::Alibi,
     .qkNorm = Layer,
     .activation = ActivationKind::GeluTanh,
     .gated = false},
    {.name = "bloom",
     .norm = Layer,
     .position = PositionKind::Alibi,
     .maxAlibiBias = 8,
     .activation = ActivationKind::GeluTanh,
     .gated = false},
    {.name = "jais", .norm = Layer, .position = PositionKind::Alibi, .scoresByKeyLength = true},
    {.name = "jais2", .norm = Layer, .activation = ActivationKind::ReluSquared, .gated = false},
    {.name = "nemotron", .norm = Layer, .activation = ActivationKind::ReluSquared, .gated = false},
    {.name = "orion", .norm = Layer},
    {.name = "dbrx", .norm = Layer, .norms = kAttentionOutputIsFfnNorm},
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
     .window = kEveryFourthGlobal,
     .logitScaling = Scaling::Multiply},
    {.name = "cohere2moe",
     .norm = Layer,
     .normByEpsilon = true,
     .norms = kOneNorm,
     .residual = ResidualKind::Parallel,
     .ropeLayout = Adjacent,
     .ropeInLeadingDense = true,
     .noRope = NoRope::GlobalLayers,
     .window{.kind = WindowKind::Causal, .period = 4, .globalFirst = true},
     .experts{.gating = ExpertGating::Sigmoid, .weightsNorm = false, .averagedWithShared = true},
     .logitScaling = Scaling::Multiply},

    // --- attention sinks
    // --------------------------------------------------------------------------
    {.name = "gpt-oss",
     .norms = kPostAttentionIsFfnNorm,
     .window{.kind = WindowKind::Causal, .period = 2},
     .activation = ActivationKind::SwigluOai,
     .experts{.gating = ExpertGating::SoftmaxOfSelected, .weightsNorm = false}},

    // --- compressed attention
    // -----------------------------------------------------------------------
    {.name = "deepseek2",
     .ropeLayout = Adjacent,
     .yarnLogMultiplierUnit = 0.1F,
     .yarnScalesQuery = true,
     .yarnMagnitudesCancel = true,
     .mixer = MixerKind::LatentAttention,
     .experts{.weightsNorm = false, .sigmoidVocabularySize = 154880}}, // GLM 4.7 Flash
    {.name = "mistral4",
     .ropeLayout = Adjacent,
     .yarnLogMultiplierUnit = 0.1F,
     .yarnScalesQuery = true,
     .mixer = MixerKind::LatentAttention,
     .experts = kUnnormedSoftmax},
    {.name = "plm",
     .ropeLayout = Adjacent,
     .mixer = MixerKind::LatentAttention,
     .activation = ActivationKind::ReluSquared,
     .gated = false},

    // --- mixers that are not attention
    // ----------------------------------------------------------------
    {.name = "lfm2",
     .norms = kEmbeddingNormIsOutput,
     .window{.kind = WindowKind::Causal, .period = 0},
     .mixer = MixerKind::ShortConvolution,
     .mixerPattern = MixerPattern::WhereNoKvHeads},
    {.name = "lfm2moe",
     .norms = kEmbeddingNormIsOutput,
     .mixer = MixerKind::ShortConvolution,
     .mixerPattern = MixerPattern::WhereNoKvHeads,
     .experts = kNormedSigmoid},
    {.name = "mamba", .norms = kOneNorm, .position = PositionKind::None, .mixer = MixerKind::Mamba},
    {.name = "mamba2",
     .norms = kOneNorm,
     .position = PositionKind::None,
     .mixer = MixerKind::Mamba2},
    {.name = "jamba",
     .position = PositionKind::None,
     .mixer = MixerKind::Mamba,
     .mixerPattern = MixerPattern::WhereNoKvHeads,
     .experts = kUnnormedSoftmax},
    {.name = "falcon-h1", .mixer = MixerKind::AttentionAndMamba2},
    {.name = "nemotron_h",
     .norms = kOneHalf,
     .position = PositionKind::None,
     .mixer = MixerKind::Mamba2,
     .mixerPattern = MixerPattern::WhereNoKvHeadsNoFfn,
     .activation = ActivationKind::ReluSquared,
     .gated = false,
     .experts = kUnnormedSigmoid},
    {.name = "nemotron_h_moe",
     .norms = kOneHalf,
     .position = PositionKind::None,
     .mixer = MixerKind::Mamba2,
     .mixerPattern = MixerPattern::WhereNoKvHeadsNoFfn,
     .activation = ActivationKind::ReluSquared,
     .gated = false,
     .experts = kUnnormedSigmoid},

    {.name = "rwkv6",
     .norm = Layer,
     .norms = kRwkv,
     .position = PositionKind::None,
     .mixer = MixerKind::Rwkv6,
     .gated = false},

    // --- encoders
    // -----------------------------------------------------------------------------------
    {.name = "bert",
     .norm = Layer,
     .norms = kAfterResidual,
     .position = PositionKind::Learned,
     .causal = false,
     .activation = ActivationKind::GeluErf,
     .gated = false},
    {.name = "nomic-bert", .norm = Layer, .norms = kAfterResidual, .causal = false},
    {.name = "nomic-bert-moe",
     .norm = Layer,
     .norms = kAfterResidual,
     .causal = false,
     .activation = ActivationKind::GeluErf,
     .gated = false,
     .experts = kUnnormedSoftmax},
    {.name = "jina-bert-v2",
     .norm = Layer,
     .norms = kJinaBertV2,
     .position = PositionKind::Alibi,
     .maxAlibiBias = 8,
     .causal = false,
     .qkNorm = Layer,
     .activation = ActivationKind::GeluErf,
     .gateOptional = true},
    {.name = "jina-bert-v3",
     .norm = Layer,
     .norms = kAfterResidual,
     .causal = false,
     .activation = ActivationKind::GeluErf,
     .gated = false},
    {.name = "modern-bert",
     .norm = Layer,
     .norms = kAttentionNormOptional,
     .window{.kind = WindowKind::Symmetric,
             .period = 3,
             .globalFirst = true,
             .ropeFreqBase = 10000,
             .ropeScaled = false},
     .causal = false,
     .activation = ActivationKind::GeluErf,
     .activationByMetadata = true},
    {.name = "neo-bert", .norms = kEncoderOutput, .ropeLayout = Adjacent, .causal = false},
    {.name = "eurobert", .causal = false},
    {.name = "llama-embed", .ropeLayout = Adjacent, .causal = false},
    {.name = "gemma-embedding",
     .norms = kBeforeAndAfter,
     .window{
         .kind = WindowKind::Symmetric, .period = 6, .ropeFreqBase = 10000, .ropeScaled = false},
     .causal = false,
     .activation = ActivationKind::GeluTanh,
     .embeddingSqrt = true},
};

} // namespace

std::span<const Architecture> architectures()
{
    return kArchitectures;
}

} // namespace engine
