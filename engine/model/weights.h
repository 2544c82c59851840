#pragma once

#include "engine/model/hyperparameters.h"
#include "engine/model/model_file.h"
#include "engine/tensor/tensor_view.h"

#include <vector>

namespace engine {

/// A matrix and what belongs to it: y = (W x) * scale + bias. Views into the model file; a fused
/// tensor's part is a range of its rows.
struct Linear {
    TensorView weight; ///< columns: inputs, rows: outputs
    TensorView bias;   ///< (outputs); no data where there is none
    TensorView scale;  ///< one number; no data where there is none

    explicit operator bool() const { return weight.data != nullptr; }
    int inputs() const { return static_cast<int>(weight.columns()); }
    int outputs() const { return static_cast<int>(weight.rows()); }
};

/// One matrix for each expert (or head), all of one shape.
struct LinearSet {
    TensorView weight; ///< (inputs, outputs, count) in GGUF order
    TensorView bias;   ///< (outputs, count)
    TensorView scale;  ///< (count)
    int firstRow = 0;  ///< of each matrix: the part of a fused one that is meant
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
    NormWeights ffnSubNorm; ///< of what ffn_down reads

    // Experts.
    Linear ffnGateInp;    ///< the router
    TensorView expProbsB; ///< (experts): added for the choice only
    LinearSet ffnGateExps;
    LinearSet ffnUpExps;
    LinearSet ffnDownExps;
    Linear ffnGateInpShexp; ///< how much of the shared experts is taken
    Linear ffnGateShexp;
    Linear ffnUpShexp;
    Linear ffnDownShexp;

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
    Linear ssmBetaAlpha; ///< both, interleaved by key head

    // Short convolution.
    Linear shortconvIn;
    Linear shortconvConv;
    Linear shortconvOut;

    bool hasExperts() const { return static_cast<bool>(ffnGateInp); }
};

/// A model's weights by what they do, each found by name and its shape held against the
/// hyperparameters: code that trusts the hyperparameters reads inside the file. The views live as
/// long as the ModelFile.
struct Weights {
    TensorView tokenEmbd;    ///< (embedding, vocabulary)
    TensorView tokenTypes;   ///< (embedding, kinds)
    TensorView positionEmbd; ///< (embedding, positions)
    NormWeights embeddingNorm;
    NormWeights outputNorm;
    Linear output; ///< token_embd where the file ties them
    TensorView ropeFreqs;
    TensorView ropeFactorsLong;
    TensorView ropeFactorsShort;
    std::vector<LayerWeights> layers; ///< (blockCount)

    /// Errors: MissingTensor, BadTensor (another shape), UnsupportedType; each names the tensor.
    static Result<Weights> resolve(const ModelFile& file, const Hyperparameters& model);
};

/// Rows [first, first + count) of a tensor, as a matrix. REQUIRES: they are there.
TensorView rowRange(const TensorView& tensor, std::int64_t first, std::int64_t count);

/// A tensor's values, all of them; for vectors. Empty for a tensor without data.
std::vector<float> readVector(const TensorView& tensor);

/// The factors to divide rope frequencies by, for a context of so many positions; empty for none.
std::vector<float> ropeFactors(const Weights& weights, const Hyperparameters& model,
                               int contextLength);

} // namespace engine
