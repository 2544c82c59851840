#pragma once

#include "engine/model/hyperparameters.h"
#include "engine/model/model_file.h"
#include "engine/tensor/tensor_view.h"

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace engine {

/// An adapter's change of a matrix: scale * B (A x) is added to W x. Views into the adapter's file.
struct LowRank {
    TensorView a; ///< (inputs, rank)
    TensorView b; ///< (rank, outputs)
    float scale = 1;
};

/// A matrix and what belongs to it: y = (W x + changes) * scale + bias. Views into the model file;
/// a fused tensor's part is a range of its rows.
struct Linear {
    TensorView weight; ///< columns: inputs, rows: outputs
    TensorView bias;   ///< (outputs); no data where there is none
    TensorView scale;  ///< one number; no data where there is none
    std::vector<LowRank> changes;

    explicit operator bool() const { return weight.data != nullptr; }
    int inputs() const { return static_cast<int>(weight.columns()); }
    int outputs() const { return static_cast<int>(weight.rows()); }
};

/// One matrix for each expert (or head), all of one shape.
struct LinearSet {
    TensorView weight;            ///< (inputs, outputs, count) in GGUF order
    TensorView bias;              ///< (outputs, count)
    TensorView scale;             ///< (count)
    std::vector<LowRank> changes; ///< with a third dimension as the weight
    int firstRow = 0;             ///< of each matrix: the part of a fused one that is meant
    int rowCount = 0;

    explicit operator bool() const { return weight.data != nullptr; }
    int count() const { return static_cast<int>(weight.shape[2]); }
    /// REQUIRES: 0 <= index < count().
    Linear at(int index) const;
};

/// A norm's weights. `present` without a weight is a norm that only normalizes.
struct NormWeights {
    bool present = false;
    TensorView weight;
    TensorView bias;
    /// QK norms: elements normalized together; fewer than the vector has: head by head, the weights
    /// repeating where they are no more than that.
    int group = 0;
    float epsilon = 0; ///< of this norm alone; 0: the model's

    explicit operator bool() const { return present; }
};

/// One layer. What the file does not have (and need not) has no data. Names are those of the GGUF
/// tensors.
struct LayerWeights {
    NormWeights attentionNorm;
    NormWeights attentionPostNorm;
    NormWeights attentionResidualNorm;
    NormWeights attentionResidualNorm2;
    NormWeights feedForwardNorm;
    NormWeights feedForwardPostNorm;
    NormWeights feedForwardResidualNorm;

    // Attention; in a gated delta net attnQkv and attnGate are its own projections.
    Linear attnQ;
    Linear attnK;
    Linear attnV;
    Linear attnQkv;
    Linear attnGate;
    Linear attnOutput;
    NormWeights attnQNorm;
    NormWeights attnKNorm;
    NormWeights attnSubNorm; ///< of what attn_output reads
    TensorView attnSinks;    ///< (heads): a score without a value
    TensorView attnRelB;     ///< (heads, buckets): added to the scores

    // Compressed attention.
    Linear attnQA;
    NormWeights attnQANorm;
    Linear attnQB;
    Linear attnKvA; ///< (embedding) -> (kvLoraRank + rotated)
    NormWeights attnKvANorm;
    Linear attnKvB;   ///< both halves for every head; none where the two below are there
    LinearSet attnKB; ///< by head: (key length without the rotated part) -> (kvLoraRank)
    LinearSet attnVB; ///< by head: (kvLoraRank) -> (value length)

    // Feed-forward network.
    Linear ffnGate;
    Linear ffnUp;
    Linear ffnDown;
    NormWeights ffnSubNorm;  ///< of what ffn_down reads
    TensorView ffnActScales; ///< (feed-forward length): what ffn_down reads is divided by it

    // Experts.
    Linear ffnGateInp;    ///< the router
    TensorView expProbsB; ///< (experts): added for the choice only
    LinearSet ffnGateExps;
    LinearSet ffnUpExps;
    LinearSet ffnDownExps;
    TensorView ffnExpsBias; ///< (embedding): added to their sum
    Linear ffnLatentDown;   ///< what the routed experts read: (embedding) -> (latent length)
    Linear ffnLatentUp;
    Linear ffnGateInpShexp; ///< how much of the shared experts is taken
    Linear ffnGateShexp;
    Linear ffnUpShexp;
    Linear ffnDownShexp;

    // Beside a dense network (besideDense).
    NormWeights denseNormPost;
    NormWeights expertNorm;
    NormWeights expertNormPost;
    TensorView routerScale; ///< (embedding)

    // Gemma 3n and 4.
    Linear perLayerGate; ///< (embedding) -> (per-layer length)
    Linear perLayerProj;
    NormWeights perLayerPostNorm;
    TensorView layerOutputScale; ///< one number: of the layer, or of the embeddings it adds
    Linear altupCorrectCoef;     ///< (streams) -> (streams)
    Linear altupPredictCoef;     ///< (streams) -> (streams * streams)
    TensorView altupCorrectScale;
    Linear altupRouter;
    NormWeights altupRouterNorm;
    Linear laurelL;
    Linear laurelR;
    NormWeights laurelPostNorm;

    // State spaces and gated delta nets.
    Linear ssmIn;
    Linear ssmConv1d; ///< (kernel) by channel
    Linear ssmX;
    Linear ssmDt;
    TensorView ssmDtBias; ///< where there is no ssm_dt
    TensorView ssmA;
    TensorView ssmD;
    TensorView ssmNormWeight;
    NormWeights ssmDtNorm;
    NormWeights ssmBNorm;
    NormWeights ssmCNorm;
    Linear ssmOut;
    Linear ssmAlpha;
    Linear ssmBeta;
    TensorView ssmConv1dQ; ///< (kernel, channels): of Kimi delta attention
    TensorView ssmConv1dK;
    TensorView ssmConv1dV;
    Linear ssmFA; ///< decays, by way of a head's length
    Linear ssmFB;
    Linear ssmGA; ///< the gate of what is read
    Linear ssmGB;

    // Short convolution.
    Linear shortconvIn;
    Linear shortconvConv;
    Linear shortconvOut;

    // RWKV 6 and 7.
    TensorView timeMixLerpX;     ///< (embedding)
    TensorView timeMixLerpFused; ///< (embedding, 5): of decay, key, value, receptance and gate; of
                                 ///< RWKV 7 receptance, decay, key, value, rate and gate
    TensorView timeMixLerpW;     ///< or each by itself
    TensorView timeMixLerpK;
    TensorView timeMixLerpV;
    TensorView timeMixLerpR;
    TensorView timeMixLerpG;
    Linear timeMixW1;        ///< (embedding) -> (5 * extra); of RWKV 7 (decay rank)
    LinearSet timeMixW2;     ///< for each of the five: (extra) -> (embedding)
    TensorView timeMixFirst; ///< (embedding)
    TensorView timeMixDecay; ///< (embedding)
    Linear timeMixDecayW1;
    Linear timeMixDecayW2;
    TensorView timeMixA0; ///< (embedding): of the rate, of the part of the first layer's values
    Linear timeMixA1;
    Linear timeMixA2;
    TensorView timeMixV0;
    Linear timeMixV1;
    Linear timeMixV2;
    Linear timeMixG1;
    Linear timeMixG2;
    TensorView timeMixKK; ///< (embedding) each
    TensorView timeMixKA;
    TensorView timeMixRK;
    Linear timeMixKey;
    Linear timeMixValue;
    Linear timeMixReceptance;
    Linear timeMixGate;
    NormWeights timeMixLn;
    Linear timeMixOutput;
    TensorView channelMixLerpK;
    TensorView channelMixLerpR;
    Linear channelMixKey;
    Linear channelMixValue;
    Linear channelMixReceptance;

    bool hasExperts() const { return static_cast<bool>(ffnGateInp); }
};

/// A LoRA adapter's file and how much of it is applied.
struct AdapterFile {
    std::shared_ptr<const ModelFile> file;
    float strength = 1;
};

/// A model's weights by what they do, each found by name and its shape held against the
/// hyperparameters: code that trusts the hyperparameters reads inside the file. The views live as
/// long as the ModelFile and this object.
struct Weights {
    Weights() = default;
    Weights(Weights&&) = default;
    Weights& operator=(Weights&&) = default;
    Weights(const Weights&) = delete; // the views of a copy would look into the original
    Weights& operator=(const Weights&) = delete;
    ~Weights() = default;

    TensorView tokenEmbd;    ///< (embedding, vocabulary)
    TensorView tokenTypes;   ///< (embedding, kinds)
    TensorView positionEmbd; ///< (embedding, positions)
    NormWeights embeddingNorm;
    NormWeights outputNorm;
    Linear output;               ///< token_embd where the file ties them
    std::array<Linear, 2> dense; ///< what a pooled embedding goes through; without data: nothing
    Linear classifier;           ///< (embedding) -> (embedding), then tanh; of models that rank
    NormWeights classifierNorm;
    Linear classifierOutput;      ///< (embedding) -> (labels)
    TensorView perLayerTokenEmbd; ///< (layers * per-layer length, vocabulary)
    Linear perLayerModelProj;     ///< (embedding) -> (layers * per-layer length)
    NormWeights perLayerProjNorm;
    LinearSet altupProj; ///< (embedding) -> (embedding), for every stream but the first
    LinearSet altupUnembdProj;
    TensorView ropeFreqs;
    TensorView ropeFactorsLong;
    TensorView ropeFactorsShort;
    std::vector<LayerWeights> layers; ///< (blockCount)
    /// Rows of fused matrices that had to be put in another order, and vectors written out; views
    /// look into it.
    std::deque<std::vector<std::byte>> gathered;
    std::vector<AdapterFile> adapters; ///< kept for the views into them

    /// Errors: MissingTensor, BadTensor (another shape), UnsupportedType; each names the tensor. Of
    /// an adapter also BadMetadata: no LoRA adapter, or one for another architecture.
    static Result<Weights> resolve(const ModelFile& file, const Hyperparameters& model,
                                   std::span<const AdapterFile> adapters = {});
};

/// A tensor a model must have. `shape` as in TensorView.
struct WantedTensor {
    std::string name;
    std::array<std::int64_t, 4> shape{1, 1, 1, 1};
};

/// The tensors that a model of these numbers must have beside those of `file`. What it may have
/// (biases, QK norms, experts' routers) is not among them; a router that is there wants its
/// experts. Errors: as Weights::resolve, of the tensors that are there.
Result<std::vector<WantedTensor>> missingTensors(const ModelFile& file,
                                                 const Hyperparameters& model);

/// Rows [first, first + count) of a tensor, as a matrix. REQUIRES: they are there.
TensorView rowRange(const TensorView& tensor, std::int64_t first, std::int64_t count);

/// A tensor's values, all of them; for vectors. Empty for a tensor without data.
std::vector<float> readVector(const TensorView& tensor);

/// The factors to divide rope frequencies by, for a context of so many positions; empty for none.
std::vector<float> ropeFactors(const Weights& weights, const Hyperparameters& model,
                               int contextLength);

} // namespace engine
