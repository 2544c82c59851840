#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace engine {

enum class NormKind : std::uint8_t {
    Rms,   ///< x / sqrt(mean(x^2) + eps)
    Layer, ///< (x - mean(x)) / sqrt(variance(x) + eps)
};

/// How a layer's mixer and feed-forward network meet the residual stream x.
enum class ResidualKind : std::uint8_t {
    Sequential, ///< x += mixer(norm(x)); x += ffn(norm(x))
    Parallel,   ///< x += mixer(norm(x)) + ffn(norm(x)), both of the same x
    ByMetadata, ///< Parallel where `use_parallel_residual` says so
    ByTensor,   ///< Parallel in layers without a norm before the feed-forward network
};

enum class PositionKind : std::uint8_t {
    Rope,
    Learned, ///< position_embd is added to the token embedding
    Alibi,   ///< a bias that grows with the distance, its slope by head
    Buckets, ///< a learned bias for each head and range of distances (T5)
    None,
};

/// Which two elements of a head one rotation turns.
enum class RopeLayout : std::uint8_t {
    Adjacent, ///< (2i, 2i+1)
    Halves,   ///< (i, i + dimensionCount/2)
};

/// Layers that do not rotate queries and keys (NoPE).
enum class NoRope : std::uint8_t {
    Never,
    EveryFourth,     ///< layers 3, 7, 11, ...
    GlobalLayers,    ///< layers without a sliding window, in a model that has some with one
    UnlessFinetuned, ///< all of them where `rope.scaling.finetuned` is false
};

enum class WindowKind : std::uint8_t {
    Ignored,   ///< the model has none, or its files carry the key without meaning it
    Causal,    ///< the last `slidingWindow` positions, the own one included
    Chunked,   ///< the positions of the own chunk of `slidingWindow`
    Symmetric, ///< half a window to either side (encoders)
};

enum class ActivationKind : std::uint8_t {
    Silu,
    GeluTanh, ///< 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
    GeluErf,  ///< 0.5 x (1 + erf(x / sqrt(2)))
    Relu,
    ReluSquared,
    SwigluOai, ///< gpt-oss: clamped gate * sigmoid(1.702 gate) * (clamped up + 1)
    Xielu,     ///< with `xielu.*` by layer
};

enum class MixerKind : std::uint8_t {
    None, ///< the layer is a feed-forward network alone
    Attention,
    LatentAttention, ///< MLA: keys and values from one compressed vector a position
    ShortConvolution,
    Mamba,
    Mamba2,
    GatedDeltaNet,
    Projection, ///< attn_output alone, of the position's own norm (DeciLM's "linear attention")
    AttentionAndMamba2, ///< both, of the same norm, summed
    Rwkv6,
    Rwkv7,
    PlamoMamba, ///< Mamba 2 with dt, B and C made of what was convolved, as in Mamba
    KimiDelta,  ///< a gated delta net whose memory fades by each element of the key
};

/// Which layers have `Architecture::mixer` in place of attention.
enum class MixerPattern : std::uint8_t {
    Every,
    NoneWhereNoHeads,     ///< `head_count` of the layer is 0: it has no mixer at all; where only
                          ///< `head_count_kv` is, a projection
    WhereNoKvHeads,       ///< `head_count_kv` of the layer is 0
    WhereNoKvHeadsNoFfn,  ///< as before and `feed_forward_length` is 0; where only the latter is
                          ///< not, the layer has no mixer
    FullAttentionInterval ///< all but every `full_attention_interval`-th
};

enum class Scaling : std::uint8_t { None, Multiply, Divide };

/// How an expert's weight comes of the router's logits. The numbers are those of the GGUF key
/// `expert_gating_func`.
enum class ExpertGating : std::uint8_t {
    None = 0,
    Softmax = 1,
    Sigmoid = 2,
    SoftmaxOfSelected = 3, ///< softmax over the chosen experts only
};

/// Where an attention layer has a gate on what it read.
enum class AttentionGate : std::uint8_t {
    None,
    InQuery,          ///< attn_q gives for each head the query and then its gate
    Separate,         ///< attn_gate: one number an element, or one a head
    SeparateSoftplus, ///< the same, through softplus and not the sigmoid
};

/// The name of a norm's tensor in a family's files.
struct NormName {
    std::string_view name;      ///< empty: no such norm
    bool optional = false;      ///< used where the tensor is there
    std::string_view instead{}; ///< taken instead where the file has it
};

/// A layer's norms by what they do; default names are those most families use.
struct NormNames {
    NormName attention{"attn_norm"};                     ///< before the mixer
    NormName attentionPost{"post_attention_norm", true}; ///< of the mixer's output
    NormName feedForward{"ffn_norm"};                    ///< before the feed-forward network
    NormName feedForwardPost{"post_ffw_norm", true};     ///< of its output
    NormName attentionResidual{};   ///< of the residual stream after the mixer was added
    NormName attentionResidual2{};  ///< after the layer's input was added once more
    NormName feedForwardResidual{}; ///< of the residual stream after the layer
    NormName embedding{"token_embd_norm", true};
    NormName output{"output_norm"};
};

struct WindowRule {
    WindowKind kind = WindowKind::Ignored;
    int size = 0;             ///< where the file has no `attention.sliding_window`
    int onlyBlockCount = 0;   ///< models of another depth have none, whatever the file says
    bool fixedSize = false;   ///< `size` whatever the file says, unless it says 0
    bool onlyWithKey = false; ///< files without the key have no windows
    int period = 1;           ///< every period-th layer sees all; 0: none does; 1: all do
    bool globalFirst = false; ///< the first of each period sees all, not the last
    float ropeFreqBase = 0;   ///< of windowed layers without a key; 0: as the others
    bool ropeScaled = true;   ///< rope scaling holds in windowed layers too
};

struct ExpertRule {
    ExpertGating gating = ExpertGating::Softmax;
    bool weightsNorm = true;     ///< where the file has no `expert_weights_norm`
    bool weighInput = false;     ///< the weight scales what the expert reads, not what it gives
    bool chooseByLogits = false; ///< the top experts are chosen before the gating function
    float clamp = 0; ///< of what their gate and up give, where the file does not say; 0: none
    bool clampsBefore = false; ///< the gate is cut off before its activation, not after
    /// Experts stand beside a dense network, each with norms of its own; the router reads the
    /// stream normed without weights, times ffn_gate_inp.scale / sqrt(embedding length).
    bool besideDense = false;
    /// Where a layer has a dense network too, both read the same and their sum is times sqrt(1/2).
    bool averagedWithDense = false;
    /// Experts stand beside a dense network: they and the router read the layer's input by a norm
    /// of their own.
    bool ofLayerInput = false;
    /// The router reads what the layer reads, before any norm.
    bool routesLayerInput = false;
    /// Where a layer has shared experts, the sum of them and of the routed ones is halved.
    bool averagedWithShared = false;
    /// Files with a vocabulary of so many tokens mean the sigmoid where they say nothing.
    int sigmoidVocabularySize = 0;
};

/// One row of the table: everything in which a family's forward pass differs from the others', as
/// data. What a tensor's presence decides (biases, QK norms, sinks, shared experts, tied output,
/// fused projections) is not here. Numbers come from the metadata.
struct Architecture {
    std::string_view name; ///< `general.architecture`

    bool encoderNames = false; ///< layers are `enc.blk`, attn_output is attn_o
    NormKind norm = NormKind::Rms;
    bool normByEpsilon = false; ///< RMS in files that have the epsilon of an RMS norm
    bool normWeights = true;    ///< false: the norms before mixer, network and output have none
    NormNames norms{};
    bool embeddingNormUnit = false; ///< embeddings: RMS norm without weights
    float postNormEpsilon = 0;      ///< of the norms after mixer and network; 0: as the others'
    ResidualKind residual = ResidualKind::Sequential;

    PositionKind position = PositionKind::Rope;
    RopeLayout ropeLayout = RopeLayout::Halves;
    /// `rope.dimension_sections` holds: such models turn halves whatever the row says.
    bool ropeSections = false;
    bool ropeSectionsInterleaved = false;
    bool halfRope = false; ///< rope.dimension_count is twice what layers without a window turn
    /// Layers below `leading_dense_block_count` rotate in any case.
    bool ropeInLeadingDense = false;
    NoRope noRope = NoRope::Never;
    WindowRule window{};
    float maxAlibiBias = 0; ///< where the file does not say
    /// Families whose files do not say which of their models they are: the depth of the one with
    /// rotary positions and of the one with ALiBi; models of another depth have no positions.
    int ropeBlockCount = 0;
    int alibiBlockCount = 0;
    /// `rope.scaling.yarn_log_multiplier` is stored times this.
    float yarnLogMultiplierUnit = 1;
    bool yarnScalesQuery = false; ///< the YaRN magnitude is in the attention scale (MLA)
    /// `mscale` is taken for what `mscale_all_dim` is, and not for 1: the two cancel.
    bool yarnMagnitudesCancel = false;
    float yarnBetaFast = 32; ///< where the file does not say
    /// `rope.scaling.yarn_attn_factor` is times the paper's factor, not in its place.
    bool yarnFactorRelative = false;

    bool causal = true;
    MixerKind mixer = MixerKind::Attention;
    MixerPattern mixerPattern = MixerPattern::Every;
    MixerKind otherMixer = MixerKind::Attention; ///< of the layers that do not have `mixer`
    /// RWKV: the network is of a mixture of the token with the one before. Without it RWKV 6 is a
    /// gated linear attention.
    bool channelMixing = false;
    /// Kimi delta attention: decays are exp(bound * sigmoid(a x)), and neither they nor the gate go
    /// through a low rank.
    bool boundedDecay = false;
    /// Gated delta net: value head h reads key head h mod key heads, not h / (value / key heads).
    bool deltaHeadsTiled = false;
    bool choosesKeys = false; ///< an indexer chooses the keys a query reads: contextLimit()
    bool qkNormAfterRope = false;
    NormKind qkNorm = NormKind::Rms;
    bool qkNormUnit = false; ///< rotated layers: RMS norm without weights, after the rotation
    int noQkNormUnitExpertCount = 0; ///< with this many experts there is no such norm
    bool headNormScales = false;     ///< query norms have one weight a head, key norms none
    bool valueNormUnit = false;      ///< values: RMS norm without weights
    bool valueFromKey = false;       ///< without attn_v values are what attn_k gives
    /// From this layer on keys and values are those of the last earlier layer of the same kind; 0:
    /// as `attention.shared_kv_layers` says.
    int kvLayersFromStart = 0;
    AttentionGate attentionGate = AttentionGate::None;
    bool attentionGateOptional = false; ///< only in layers that have attn_gate
    float attentionScale = 0;           ///< where the file does not say; 0: 1/sqrt(key length)
    bool scoresByKeyLength = false;     ///< ... or 1/(key length)
    /// With this many blocks the scale is 1/sqrt(embedding length / head count).
    int queryScaleByEmbedding = 0;
    float attentionSoftcap = 0; ///< where the file does not say; 0: none
    bool hasAttentionSoftcap = false;
    float temperatureScale = 0; ///< of queries far into the context, where the file does not say
    int temperatureLength = 0;

    ActivationKind activation = ActivationKind::Silu;
    bool reluWithoutGate = false;      ///< ... and ReLU in files without ffn_gate
    bool activationByMetadata = false; ///< `hidden_activation` may name another
    bool gated = true;                 ///< act(gate(x)) * up(x); otherwise act(up(x))
    bool gateOptional = false;         ///< gated only where the file has a gate, apart or in ffn_up
    bool halfFeedForward = false;      ///< feed_forward_length counts gate and up together
    ExpertRule experts{};
    bool perLayerOfStream = false; ///< per-layer inputs are of the embedding alone, not looked up
    bool addsEmbedding = false;    ///< layer_output_scale times the embeddings is added to a layer
    bool altup = false;       ///< several residual streams, one of which is computed (Gemma 3n)
    int sparseLayerCount = 0; ///< first layers whose gates keep only their largest values

    bool embeddingSqrt = false;   ///< embeddings times sqrt(embedding length)
    float embeddingScale = 0;     ///< where the file does not say; 0: none
    float residualDepthScale = 0; ///< residual_scale is this / sqrt(blocks) where it does not say
    Scaling logitScaling = Scaling::None; ///< by `logit_scale`
    float logitScale = 1;                 ///< where the file does not say
    float logitBaseWidth = 0;             ///< ... or embedding length / this
    float finalSoftcap = 0;               ///< where the file does not say; 0: none
    bool hasFinalSoftcap = false;
    bool outputOfPooled = false; ///< `output` is what a pooled embedding goes through
    /// Tokens that are parts of pictures, [first, end), which no text continues with.
    int pictureTokensFirst = 0;
    int pictureTokensEnd = 0;
};

/// Takes the family's tokens of pictures from the choice. `logits`: one for each token.
void hidePictureTokens(const Architecture& row, std::span<float> logits);

/// Every family we know, by name.
std::span<const Architecture> architectures();

/// Null for a name we do not know.
const Architecture* findArchitecture(std::string_view name);

/// UnsupportedArchitecture with a sentence for people where the name is not in the table.
Result<const Architecture*> requireArchitecture(std::string_view name);

} // namespace engine
