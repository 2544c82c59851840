#pragma once

#include <string_view>

/// What the forward passes call the intermediates a TraceObserver sees. Both use these, so that a
/// difference names the first one that is not the same.
namespace engine::trace {

// Outside the layers (layer -1).
inline constexpr std::string_view kEmbedding =
    "embedding"; ///< (rows, embedding), scaled, positioned
inline constexpr std::string_view kOutputNorm = "output_norm"; ///< rows whose logits are wanted
inline constexpr std::string_view kLogits = "logits";          ///< (those rows, vocabulary)

inline constexpr std::string_view kPerLayerInputs = "per_layer_inputs"; ///< (rows, layers * length)

// Every layer.
inline constexpr std::string_view kAttentionNorm = "attention_norm";
inline constexpr std::string_view kAttentionPostNorm = "attention_post_norm";
inline constexpr std::string_view kAttentionResidual = "attention_residual"; ///< x after the mixer
inline constexpr std::string_view kLayerOutput = "layer_output";             ///< x after the layer

inline constexpr std::string_view kPerLayerOutput =
    "per_layer_output"; ///< added to x (Gemma 3n, 4)
inline constexpr std::string_view kLaurel = "laurel";

// Attention.
inline constexpr std::string_view kQ = "q"; ///< (rows, heads * key length), with bias
inline constexpr std::string_view kK = "k"; ///< (rows, KV heads * key length)
inline constexpr std::string_view kV = "v";
inline constexpr std::string_view kQNorm = "q_norm";
inline constexpr std::string_view kKNorm = "k_norm";
inline constexpr std::string_view kQRope = "q_rope"; ///< as they enter the scores, not yet scaled
inline constexpr std::string_view kKRope = "k_rope";
inline constexpr std::string_view kKvLatent = "kv_latent";  ///< (rows, kvLoraRank), normed
inline constexpr std::string_view kAttention = "attention"; ///< what attn_output reads
inline constexpr std::string_view kAttentionGate = "attention_gate";
inline constexpr std::string_view kAttentionOutput = "attention_output";

// Other mixers.
inline constexpr std::string_view kMixerIn = "mixer_in";     ///< after the first projection
inline constexpr std::string_view kMixerConv = "mixer_conv"; ///< after the short convolution
inline constexpr std::string_view kMixerScan = "mixer_scan"; ///< what the recurrence gave
inline constexpr std::string_view kMixerOutput = "mixer_output";

// Feed-forward network.
inline constexpr std::string_view kFfnNorm = "ffn_norm";
inline constexpr std::string_view kFfnGate = "ffn_gate";
inline constexpr std::string_view kFfnUp = "ffn_up";
inline constexpr std::string_view kFfnActivation = "ffn_activation"; ///< what ffn_down reads
inline constexpr std::string_view kFfnDown = "ffn_down";
inline constexpr std::string_view kFfnPostNorm = "ffn_post_norm";
inline constexpr std::string_view kRouter = "router"; ///< (rows, experts) logits
inline constexpr std::string_view kExpertWeights =
    "expert_weights";                                   ///< (rows, experts), 0: not used
inline constexpr std::string_view kExperts = "experts"; ///< their weighted sum
inline constexpr std::string_view kSharedExperts = "shared_experts";

} // namespace engine::trace
