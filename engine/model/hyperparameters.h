#pragma once

#include "engine/model/architecture.h"
#include "engine/model/model_file.h"

#include <array>
#include <cstdint>
#include <vector>

namespace engine {

enum class RopeScaling : std::uint8_t { None, Linear, Yarn, LongRope };

enum class PoolingType : std::uint8_t { None = 0, Mean = 1, Cls = 2, Last = 3, Rank = 4 };

/// What one kind of layer turns its queries and keys by.
struct RopeHyperparameters {
    int dimensionCount = 0; ///< even; elements of a head that are rotated
    float freqBase = 10000;
    RopeScaling scaling = RopeScaling::None;
    float factor = 1;              ///< >= 1 where the context is stretched
    int originalContextLength = 0; ///< the context before stretching
    float magnitude = 1;           ///< cosine and sine are multiplied by it
    float yarnExtFactor = 1;
    float yarnBetaFast = 32;
    float yarnBetaSlow = 1;
    bool yarnTruncate = true; ///< the ramp begins and ends at whole pairs
    /// Pairs turned by time, height, width and a fourth coordinate, repeated over a head; in a text
    /// the first three are the position and the fourth is 0. All 0: every pair turns.
    std::array<int, 4> sections{};
    bool sectionsInterleaved = false; ///< time, height and width take turns
};

struct ExpertHyperparameters {
    int count = 0; ///< 0: no layer has experts
    int usedCount = 0;
    int feedForwardLength = 0;
    int groupCount = 0;
    int groupUsedCount = 0;
    ExpertGating gating = ExpertGating::Softmax;
    bool weightsNorm = false;
    float weightsScale = 1;
    int latentLength = 0; ///< of what the routed experts read and give; 0: embedding length
};

struct SsmHyperparameters {
    int convKernel = 0;
    int innerSize = 0;
    int stateSize = 0;
    int timeStepRank = 0;
    int groupCount = 0;
    bool dtBcRms = false; ///< RMS norm without weights of dt, B and C
    int dtLength = 0;     ///< PLaMo 2: of what dt is made of
    float decayBound = 0; ///< Kimi delta attention: the logarithm of the strongest decay; 0: none
};

struct RwkvHyperparameters {
    int headSize = 0;
    int timeMixExtraDim = 0;
    int timeDecayExtraDim = 0;
    int keyValueWidth = 0; ///< of all heads; fewer than there are queries' repeat
    int decayRank = 0; ///< RWKV 7: of what makes decays, rates, the part of the first values ...
    int rateRank = 0;
    int valueRank = 0;
    int gateRank = 0;            ///< ... and gates; 0: none
    int rescaleEveryNLayers = 0; ///< the stream is halved after so many; 0: never
};

/// Lengths of compressed attention (MLA).
struct LatentHyperparameters {
    int qLoraRank = 0; ///< 0: queries are not compressed
    int kvLoraRank = 0;
    int keyLength = 0;   ///< of a decompressed head, the rotated part included
    int valueLength = 0; ///< of a decompressed head
};

struct XieluHyperparameters {
    float alphaN = 0;
    float alphaP = 0;
    float beta = 0;
    float eps = 0;
};

/// What differs from layer to layer.
struct LayerHyperparameters {
    MixerKind mixer = MixerKind::Attention;
    int headCount = 0;
    int headCountKv = 0; ///< divides headCount
    int keyLength = 0;   ///< of one head
    int valueLength = 0;
    int feedForwardLength = 0;
    int kvLayer = 0;       ///< whose keys and values are read: its own or an earlier layer's
    int slidingWindow = 0; ///< positions seen; 0: all
    bool windowed = false; ///< takes `ropeSliding` rather than `rope`
    bool usesRope = true;
    float expertClamp = 0; ///< of what the routed experts' gate and up give; 0: none
    float sharedClamp = 0; ///< of the shared experts, and of a dense network
    XieluHyperparameters xielu;

    bool hasAttention() const
    {
        return mixer == MixerKind::Attention || mixer == MixerKind::LatentAttention ||
               mixer == MixerKind::AttentionAndMamba2;
    }
    bool hasSsm() const
    {
        return mixer == MixerKind::Mamba || mixer == MixerKind::Mamba2 ||
               mixer == MixerKind::PlamoMamba || mixer == MixerKind::AttentionAndMamba2;
    }
    bool isRecurrent() const
    {
        return mixer != MixerKind::None && mixer != MixerKind::Attention &&
               mixer != MixerKind::LatentAttention && mixer != MixerKind::Projection;
    }
    int queryWidth() const { return headCount * keyLength; }
    int keyWidth() const { return headCountKv * keyLength; }
    int valueWidth() const { return headCountKv * valueLength; }
    int attentionWidth() const { return headCount * valueLength; } ///< what attn_output reads
};

/// A model's numbers, in the words of the GGUF keys, each checked against bounds: later code may
/// multiply and allocate by them without fear. Immutable once read.
struct Hyperparameters {
    const Architecture* architecture = nullptr; ///< never null once read

    int contextLength = 0; ///< trained, and no more than mostPositions
    int mostPositions = 0; ///< contextLimit(); 0: any
    int embeddingLength = 0;
    int blockCount = 0;                       ///< layers of the forward pass
    int vocabularySize = 0;                   ///< rows of token_embd; 0 in a file without weights
    std::vector<LayerHyperparameters> layers; ///< (blockCount)
    /// Layers with weights of their own; the others run them again, with keys and values of their
    /// own.
    int ownBlockCount = 0;
    bool normsBetweenLoops = false; ///< by output_norm

    NormKind norm = NormKind::Rms; ///< before mixer, network and output
    bool normsAfter = false;       ///< mixer and network are normed after and not before
    float layerNormEpsilon = 0;
    float layerNormRmsEpsilon = 0;

    RopeHyperparameters rope;
    RopeHyperparameters ropeSliding; ///< of layers with a sliding window
    RopeLayout ropeLayout = RopeLayout::Halves;
    bool alibi = false;
    float maxAlibiBias = 0;
    int relativeBuckets = 0; ///< ranges of distances that have a bias; 0: none

    bool qkNormUnit = false;         ///< rotated queries and keys are normed without weights
    float attentionScale = 0;        ///< of query x key; 0: 1/sqrt(key length) of the layer
    float attnLogitSoftcapping = 0;  ///< 0: none
    float finalLogitSoftcapping = 0; ///< 0: none
    float clampKqv = 0;              ///< 0: none
    float temperatureScale = 0;      ///< 0: none
    int temperatureLength = 0;
    float temperatureOffset = 0;
    bool temperatureOnlyNoRope = false;

    ActivationKind activation = ActivationKind::Silu;
    float embeddingScale = 1;
    float residualScale = 1; ///< of what the network adds to the residual stream
    float mixerScale = 1;    ///< of what the mixer adds
    float logitScale = 1;    ///< what the logits are multiplied by
    bool parallelResidual = false;
    bool causal = true;
    WindowKind windowKind = WindowKind::Ignored; ///< of the layers that have a window
    PoolingType poolingType = PoolingType::None;

    ExpertHyperparameters experts;
    SsmHyperparameters ssm;
    RwkvHyperparameters rwkv;
    LatentHyperparameters latent;
    int shortConvLength = 0; ///< `shortconv.l_cache`
    int perLayerLength = 0;  ///< of the vector each token has for each layer; 0: none

    float normEpsilon(NormKind kind) const
    {
        return kind == NormKind::Rms ? layerNormRmsEpsilon : layerNormEpsilon;
    }
    bool hasRecurrentLayers() const;
    /// What query times key is multiplied by.
    float attentionScaleOf(const LayerHyperparameters& layer) const;
    /// What a query at `position` is multiplied by: more than 1 far into the context, where the
    /// model makes something of it.
    float queryTemperature(const LayerHyperparameters& layer, int position) const;

    /// Errors: UnsupportedArchitecture, MissingMetadata, BadMetadata (both with the key).
    static Result<Hyperparameters> read(const ModelFile& file);
};

} // namespace engine
