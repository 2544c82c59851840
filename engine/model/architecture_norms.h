#pragma once

#include "engine/model/architecture.h"

// Names of norms where files do not use the usual ones, for the rows of the table.

namespace engine {

/// Encoders that normalize the residual stream after each half of a layer (BERT).
inline constexpr NormNames kAfterResidual{
    .attention{},
    .attentionPost{},
    .feedForward{},
    .feedForwardPost{},
    .attentionResidual{"attn_output_norm"},
    .feedForwardResidual{"layer_output_norm"},
    .output{},
};

inline constexpr NormNames kJinaBertV2{
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
inline constexpr NormNames kPostOnly{
    .attention{},
    .attentionPost{"post_attention_norm"},
    .feedForward{},
    .feedForwardPost{"post_ffw_norm"},
};

/// Before and after mixer and network.
inline constexpr NormNames kBeforeAndAfter{
    .attentionPost{"post_attention_norm"},
    .feedForwardPost{"post_ffw_norm"},
};

/// The norm before the network is called after what it follows.
inline constexpr NormNames kPostAttentionIsFfnNorm{
    .attentionPost{},
    .feedForward{"post_attention_norm"},
    .feedForwardPost{},
};

inline constexpr NormNames kAttentionOutputIsFfnNorm{
    .attentionPost{},
    .feedForward{"attn_output_norm"},
    .feedForwardPost{},
};

/// Both halves of a layer read the same norm of the stream.
inline constexpr NormNames kOneNorm{
    .attentionPost{},
    .feedForward{},
    .feedForwardPost{},
};

/// A layer is only one of the halves: its norm serves whichever it is.
inline constexpr NormNames kOneHalf{
    .attentionPost{},
    .feedForward{"attn_norm"},
    .feedForwardPost{},
};

inline constexpr NormNames kFalcon{
    .attention{.name = "attn_norm", .instead = "attn_norm_2"},
    .attentionPost{},
    .feedForward{"attn_norm"},
    .feedForwardPost{},
};

inline constexpr NormNames kFfnNormOptional{
    .attentionPost{},
    .feedForward{"ffn_norm", true},
    .feedForwardPost{},
};

/// The first layer reads the embeddings, normed already.
inline constexpr NormNames kAttentionNormOptional{
    .attention{"attn_norm", true},
    .attentionPost{},
    .feedForwardPost{},
};

inline constexpr NormNames kEmbeddingNormIsOutput{
    .attentionPost{},
    .feedForwardPost{},
    .embedding{},
    .output{"token_embd_norm"},
};

/// Layers may be without either half.
inline constexpr NormNames kBothOptional{
    .attention{"attn_norm", true},
    .attentionPost{},
    .feedForward{"ffn_norm", true},
    .feedForwardPost{},
};

inline constexpr NormNames kRwkv{
    .attentionPost{},
    .feedForward{"attn_norm_2"},
    .feedForwardPost{},
};

/// `swin_norm` says whether they stand before mixer and network or after.
inline constexpr NormNames kNormsByMetadata{
    .attentionPost{},
    .feedForwardPost{},
};

/// Norms after mixer and network, by the names encoders have for them.
inline constexpr NormNames kGrok{
    .attentionPost{"attn_output_norm"},
    .feedForwardPost{.name = "layer_output_norm", .instead = "post_ffw_norm"},
};

inline constexpr NormNames kEncoderOutput{
    .attentionPost{},
    .feedForwardPost{},
    .output{"enc.output_norm"},
};

} // namespace engine
