#pragma once

#include "engine/base/thread_pool.h"
#include "engine/kernels/packed_matrix.h"
#include "engine/model/weights.h"

#include <functional>
#include <stop_token>
#include <vector>

namespace engine::fast {

/// An adapter's change: scale * B (A x).
struct PackedLowRank {
    PackedMatrix a;
    PackedMatrix b;
    float scale = 1;
};

/// y = (W x + changes) * scale + bias, W packed for the kernels.
struct PackedLinear {
    PackedMatrix matrix;
    std::vector<float> bias; ///< (rows), or empty
    float scale = 1;
    std::vector<PackedLowRank> changes;
    /// A matrix of 16 bits among quantized ones takes its inputs in 16 bits, as other readers of
    /// the file do: the same greedy text comes out, and 8-bit products beside it are coarser.
    bool roundsInputs = false;

    explicit operator bool() const { return matrix.rows() > 0; }
    int inputs() const { return matrix.columns(); }
    int outputs() const { return matrix.rows(); }
};

struct PackedNorm {
    bool present = false;
    std::vector<float> weight; ///< empty: a norm that only normalizes
    std::vector<float> bias;
    int group = 0;     ///< elements normalized together; 0: all of them
    float epsilon = 0; ///< of this norm alone; 0: the model's

    explicit operator bool() const { return present; }
};

/// One layer's weights, in the words of LayerWeights.
struct PackedLayer {
    PackedNorm attentionNorm;
    PackedNorm attentionPostNorm;
    PackedNorm attentionResidualNorm;
    PackedNorm attentionResidualNorm2;
    PackedNorm feedForwardNorm;
    PackedNorm feedForwardPostNorm;
    PackedNorm feedForwardResidualNorm;

    PackedLinear attnQ;
    PackedLinear attnK;
    PackedLinear attnV;
    PackedLinear attnQkv;
    PackedLinear attnGate;
    PackedLinear attnOutput;
    PackedNorm attnQNorm;
    PackedNorm attnKNorm;
    PackedNorm attnSubNorm;
    std::vector<float> attnSinks;
    std::vector<float> alibiSlopes; ///< (heads), or empty
    std::vector<float> attnRelB;    ///< (buckets, heads), or empty

    PackedLinear attnQA;
    PackedNorm attnQANorm;
    PackedLinear attnQB;
    PackedLinear attnKvA;
    PackedNorm attnKvANorm;
    std::vector<PackedLinear>
        attnKB; ///< by head: (key length without the rotated part) -> (kvLoraRank)
    std::vector<PackedLinear> attnVB; ///< by head: (kvLoraRank) -> (value length)

    PackedLinear ffnGate;
    PackedLinear ffnUp;
    PackedLinear ffnDown;
    PackedNorm ffnSubNorm;
    std::vector<float> ffnActScales;

    PackedLinear ffnGateInp;
    std::vector<float> expProbsB;
    std::vector<float> ffnExpsBias;
    std::vector<PackedLinear> ffnGateExps;
    std::vector<PackedLinear> ffnUpExps;
    std::vector<PackedLinear> ffnDownExps;
    PackedLinear ffnLatentDown;
    PackedLinear ffnLatentUp;
    PackedLinear ffnGateInpShexp;
    PackedLinear ffnGateShexp;
    PackedLinear ffnUpShexp;
    PackedLinear ffnDownShexp;

    PackedNorm denseNormPost;
    PackedNorm expertNorm;
    PackedNorm expertNormPost;
    std::vector<float> routerScale; ///< (embedding)

    PackedLinear perLayerGate;
    PackedLinear perLayerProj;
    PackedNorm perLayerPostNorm;
    std::vector<float> layerOutputScale; ///< one number, or empty
    PackedLinear altupCorrectCoef;
    PackedLinear altupPredictCoef;
    std::vector<float> altupCorrectScale; ///< (embedding)
    PackedLinear altupRouter;
    PackedNorm altupRouterNorm;
    PackedLinear laurelL;
    PackedLinear laurelR;
    PackedNorm laurelPostNorm;

    PackedLinear ssmIn;
    PackedLinear ssmX;
    PackedLinear ssmDt;
    PackedLinear ssmOut;
    PackedLinear ssmAlpha;
    PackedLinear ssmBeta;
    PackedLinear ssmFA;
    PackedLinear ssmFB;
    PackedLinear ssmGA;
    PackedLinear ssmGB;
    std::vector<float> ssmConv1d; ///< (channels, kernel)
    std::vector<float> ssmConv1dBias;
    std::vector<float> ssmDtBias;
    std::vector<float> ssmA;
    std::vector<float> ssmD;
    PackedNorm ssmNorm;
    PackedNorm ssmDtNorm;
    PackedNorm ssmBNorm;
    PackedNorm ssmCNorm;

    std::vector<float> timeMixLerpX;     ///< (embedding)
    std::vector<float> timeMixLerpFused; ///< (5, embedding): decay, key, value, receptance, gate
    PackedLinear timeMixW1;
    std::vector<PackedLinear> timeMixW2; ///< for each of the five
    std::vector<float> timeMixFirst;
    std::vector<float> timeMixDecay;
    PackedLinear timeMixDecayW1;
    PackedLinear timeMixDecayW2;
    std::vector<float> timeMixA0;
    PackedLinear timeMixA1;
    PackedLinear timeMixA2;
    std::vector<float> timeMixV0;
    PackedLinear timeMixV1;
    PackedLinear timeMixV2;
    PackedLinear timeMixG1;
    PackedLinear timeMixG2;
    std::vector<float> timeMixKK;
    std::vector<float> timeMixKA;
    std::vector<float> timeMixRK;
    PackedLinear timeMixKey;
    PackedLinear timeMixValue;
    PackedLinear timeMixReceptance;
    PackedLinear timeMixGate;
    PackedNorm timeMixLn; ///< by heads
    PackedLinear timeMixOutput;
    std::vector<float> channelMixLerpK;
    std::vector<float> channelMixLerpR;
    PackedLinear channelMixKey;
    PackedLinear channelMixValue;
    PackedLinear channelMixReceptance;

    PackedLinear shortconvIn;
    PackedLinear shortconvOut;
    std::vector<float> shortconvConv; ///< (channels, kernel)
    std::vector<float> shortconvConvBias;

    bool hasExperts() const { return static_cast<bool>(ffnGateInp); }
    bool hasFeedForward() const { return hasExperts() || ffnDown || channelMixValue; }
};

/// All of a model's weights, packed. Immutable once made. The file's pages are let go as they are
/// packed.
struct PackedWeights {
    PackedLinear tokenEmbd;          ///< (vocabulary, embedding)
    PackedLinear untiedOutput;       ///< empty where tokenEmbd is the output too
    std::vector<float> tokenType;    ///< (embedding), of kind 0; or empty
    std::vector<float> positionEmbd; ///< (positions, embedding); or empty
    TensorView perLayerTokenEmbd;    ///< read where it lies: a row a token
    PackedLinear perLayerModelProj;
    PackedNorm perLayerProjNorm;
    std::vector<PackedLinear> altupProj; ///< for every stream but the first
    std::vector<PackedLinear> altupUnembdProj;
    PackedNorm embeddingNorm;
    PackedNorm outputNorm;
    std::vector<PackedLayer> layers;
    int roundedInputs = 0; ///< the most inputs of a matrix that rounds them
    int changeRank = 0;    ///< the greatest rank of an adapter's change
    int changeOutputs = 0; ///< and its greatest height
    std::uint64_t bytes = 0;

    int streams() const { return 1 + static_cast<int>(altupProj.size()); }
    const PackedLinear& output() const { return untiedOutput ? untiedOutput : tokenEmbd; }

    /// `progress` is called with the share of the tensors' bytes that is packed. Errors:
    /// OutOfMemory, UnsupportedType, BadTensor, Cancelled.
    static Result<PackedWeights> pack(const ModelFile& file, const Hyperparameters& model,
                                      const Weights& weights, ThreadPool& pool,
                                      const std::function<void(double)>& progress,
                                      const std::stop_token& stop);
};

} // namespace engine::fast
