#pragma once

#include "engine/huggingface/family.h"
#include "engine/huggingface/tensor_rules.h"

// Names of tensors in families with attention that came after most.

namespace engine {

inline constexpr NameRow kBitNetNames[] = {
    {"layers.{}.self_attn.attn_sub_norm", "blk.{}.attn_sub_norm"},
    {"layers.{}.mlp.ffn_sub_norm", "blk.{}.ffn_sub_norm"},
    {"layers.{}.self_attn.inner_attn_ln", "blk.{}.attn_sub_norm"},
    {"layers.{}.mlp.ffn_layernorm", "blk.{}.ffn_sub_norm"},
};

inline constexpr NameRow kApertusNames[] = {
    {"layers.{}.attention_layernorm", "blk.{}.attn_norm"},
    {"layers.{}.feedforward_layernorm", "blk.{}.ffn_norm"},
    {"layers.{}.mlp.act_fn.alpha_n", "xielu.alpha_n", deriveEntry},
    {"layers.{}.mlp.act_fn.alpha_p", "xielu.alpha_p", deriveEntry},
    {"layers.{}.mlp.act_fn.beta", "xielu.beta", deriveEntry},
    {"layers.{}.mlp.act_fn.eps", "xielu.eps", deriveEntry},
};

inline constexpr NameRow kLlama4Names[] = {
    {"layers.{}.feed_forward.gate_proj", "blk.{}.ffn_gate"},
    {"layers.{}.feed_forward.up_proj", "blk.{}.ffn_up"},
    {"layers.{}.feed_forward.down_proj", "blk.{}.ffn_down"},
    {"layers.{}.feed_forward.router", "blk.{}.ffn_gate_inp"},
    {"layers.{}.feed_forward.experts.gate_up_proj",
     "blk.{}.ffn_gate_exps.weight|blk.{}.ffn_up_exps.weight", deriveTransposedHalves},
    {"layers.{}.feed_forward.experts.down_proj", "blk.{}.ffn_down_exps.weight", deriveTransposed},
    {"layers.{}.feed_forward.shared_expert.gate_proj", "blk.{}.ffn_gate_shexp"},
    {"layers.{}.feed_forward.shared_expert.up_proj", "blk.{}.ffn_up_shexp"},
    {"layers.{}.feed_forward.shared_expert.down_proj", "blk.{}.ffn_down_shexp"},
};

// Gemma 3n and 4: small vectors for each token and layer, several residual streams, experts beside
// a network.
inline constexpr NameRow kGemma3nNames[] = {
    {"layers.{}.post_attention_layernorm", "blk.{}.post_attention_norm"},
    {"embed_tokens_per_layer", "per_layer_token_embd", deriveVocabularyRows},
    {"per_layer_model_projection", "per_layer_model_proj"},
    {"per_layer_projection_norm", "per_layer_proj_norm"},
    {"layers.{}.per_layer_input_gate", "blk.{}.inp_gate"},
    {"layers.{}.per_layer_projection", "blk.{}.proj"},
    {"layers.{}.post_per_layer_input_norm", "blk.{}.post_norm"},
    {"altup_projections.{}", "altup_proj", deriveAltupProjection},
    {"altup_unembed_projections.{}", "altup_unembd_proj", deriveAltupProjection},
    {"layers.{}.altup.correct_output_scale", "blk.{}.altup_correct_scale.weight"},
    {"layers.{}.altup.correction_coefs", "blk.{}.altup_correct_coef"},
    {"layers.{}.altup.prediction_coefs", "blk.{}.altup_predict_coef"},
    {"layers.{}.altup.modality_router", "blk.{}.altup_router"},
    {"layers.{}.altup.router_norm", "blk.{}.altup_router_norm"},
    {"layers.{}.laurel.linear_left", "blk.{}.laurel_l"},
    {"layers.{}.laurel.linear_right", "blk.{}.laurel_r"},
    {"layers.{}.laurel.post_laurel_norm", "blk.{}.laurel_post_norm"},
    {"layers.{}.layer_scalar", "blk.{}.layer_output_scale.weight"},
    {"layers.{}.post_feedforward_layernorm_1", "blk.{}.post_ffw_norm_1"},
    {"layers.{}.pre_feedforward_layernorm_2", "blk.{}.pre_ffw_norm_2"},
    {"layers.{}.post_feedforward_layernorm_2", "blk.{}.post_ffw_norm_2"},
    {"layers.{}.router.proj", "blk.{}.ffn_gate_inp"},
    {"layers.{}.router.scale", "blk.{}.ffn_gate_inp.scale"},
    {"layers.{}.router.per_expert_scale", "blk.{}.ffn_down_exps.scale"},
    {"layers.{}.experts.gate_up_proj", "blk.{}.ffn_gate_up_exps.weight"},
    {"layers.{}.experts.down_proj", "blk.{}.ffn_down_exps.weight"},
};

inline constexpr NameRow kModernBertNames[] = {
    {"embeddings.tok_embeddings", "token_embd"},
    {"embeddings.norm", "token_embd_norm"},
    {"layers.{}.attn.Wqkv", "blk.{}.attn_qkv"},
    {"layers.{}.attn.Wo", "blk.{}.attn_output"},
    {"layers.{}.attn_norm", "blk.{}.attn_norm"},
    {"layers.{}.mlp_norm", "blk.{}.ffn_norm"},
    {"layers.{}.mlp.Wi", "blk.{}.ffn_up"},
    {"layers.{}.mlp.Wo", "blk.{}.ffn_down"},
    {"head.dense", ""},
    {"head.norm", ""},
    {"decoder", ""},
};

inline constexpr NameRow kJinaBertV3Names[] = {
    {"embeddings.word_embeddings", "token_embd"},
    {"embeddings.token_type_embeddings", "token_types"},
    {"emb_ln", "token_embd_norm"},
    {"encoder.layers.{}.mixer.Wqkv", "blk.{}.attn_qkv"},
    {"encoder.layers.{}.mixer.out_proj", "blk.{}.attn_output"},
    {"encoder.layers.{}.norm1", "blk.{}.attn_output_norm"},
    {"encoder.layers.{}.norm2", "blk.{}.layer_output_norm"},
    {"encoder.layers.{}.mlp.fc1", "blk.{}.ffn_up"},
    {"encoder.layers.{}.mlp.fc2", "blk.{}.ffn_down"},
    {"pooler.dense", ""},
};

inline constexpr NameRow kJinaBertV2Names[] = {
    {"embeddings.word_embeddings", "token_embd"},
    {"embeddings.token_type_embeddings", "token_types"},
    {"embeddings.LayerNorm", "token_embd_norm"},
    {"encoder.layer.{}.attention.self.query", "blk.{}.attn_q"},
    {"encoder.layer.{}.attention.self.key", "blk.{}.attn_k"},
    {"encoder.layer.{}.attention.self.value", "blk.{}.attn_v"},
    {"encoder.layer.{}.attention.self.layer_norm_q", "blk.{}.attn_q_norm"},
    {"encoder.layer.{}.attention.self.layer_norm_k", "blk.{}.attn_k_norm"},
    {"encoder.layer.{}.attention.output.dense", "blk.{}.attn_output"},
    {"encoder.layer.{}.attention.output.LayerNorm", "blk.{}.attn_output_norm"},
    {"encoder.layer.{}.mlp.gated_layers", "blk.{}.ffn_up"},
    {"encoder.layer.{}.mlp.wo", "blk.{}.ffn_down"},
    {"encoder.layer.{}.mlp.layernorm", "blk.{}.layer_output_norm"},
    {"pooler.dense", ""},
    {"cls.predictions", ""},
    {"cls.predictions.decoder", ""},
    {"cls.predictions.transform.dense", ""},
    {"cls.predictions.transform.LayerNorm", ""},
};

inline constexpr NameRow kAfmoeNames[] = {
    {"layers.{}.post_attention_layernorm", "blk.{}.post_attention_norm"},
    {"layers.{}.pre_mlp_layernorm", "blk.{}.ffn_norm"},
    {"layers.{}.post_mlp_layernorm", "blk.{}.post_ffw_norm"},
    {"layers.{}.self_attn.gate_proj", "blk.{}.attn_gate"},
    {"layers.{}.mlp.router.gate", "blk.{}.ffn_gate_inp"},
    {"layers.{}.mlp.expert_bias", "blk.{}.exp_probs_b.bias"},
};

inline constexpr NameRow kExaoneMoeNames[] = {
    {"layers.{}.mlp.e_score_correction_bias", "blk.{}.exp_probs_b.bias"},
};

inline constexpr NameRow kLagunaNames[] = {
    {"layers.{}.self_attn.g_proj", "blk.{}.attn_gate"},
    {"layers.{}.mlp.experts.e_score_correction_bias", "blk.{}.exp_probs_b.bias"},
};

inline constexpr NameRow kHunyuan3Names[] = {
    {"layers.{}.mlp.router.gate", "blk.{}.ffn_gate_inp"},
    {"layers.{}.mlp.expert_bias", "blk.{}.exp_probs_b.bias"},
    {"layers.{}.mlp.shared_mlp.gate_proj", "blk.{}.ffn_gate_shexp"},
    {"layers.{}.mlp.shared_mlp.up_proj", "blk.{}.ffn_up_shexp"},
    {"layers.{}.mlp.shared_mlp.down_proj", "blk.{}.ffn_down_shexp"},
};

inline constexpr NameRow kMiniMaxM2Names[] = {
    {"layers.{}.block_sparse_moe.e_score_correction_bias", "blk.{}.exp_probs_b.bias"},
};

inline constexpr NameRow kBailingMoeNames[] = {
    {"layers.{}.attention.query_key_value", "blk.{}.attn_q|blk.{}.attn_k|blk.{}.attn_v",
     deriveSplitQkv},
    {"layers.{}.attention.dense", "blk.{}.attn_output"},
    {"lm_head", "output", deriveNormedHead},
};

inline constexpr NameRow kBailingMoe2Names[] = {
    {"layers.{}.attention.query_key_value", "blk.{}.attn_qkv"},
    {"layers.{}.attention.dense", "blk.{}.attn_output"},
    {"layers.{}.attention.query_layernorm", "blk.{}.attn_q_norm"},
    {"layers.{}.attention.key_layernorm", "blk.{}.attn_k_norm"},
    {"layers.{}.mlp.gate.expert_bias", "blk.{}.exp_probs_b.bias"},
    {"lm_head", "output", deriveNormedHead},
};

inline constexpr NameRow kChatGlmNames[] = {
    {"embedding.word_embeddings", "token_embd"},
    {"encoder.layers.{}.input_layernorm", "blk.{}.attn_norm"},
    {"encoder.layers.{}.self_attention.query_key_value", "blk.{}.attn_qkv"},
    {"encoder.layers.{}.self_attention.dense", "blk.{}.attn_output"},
    {"encoder.layers.{}.post_attention_layernorm", "blk.{}.ffn_norm"},
    {"encoder.layers.{}.mlp.dense_h_to_4h", "blk.{}.ffn_up"},
    {"encoder.layers.{}.mlp.dense_4h_to_h", "blk.{}.ffn_down"},
    {"encoder.final_layernorm", "output_norm"},
    {"output_layer", "output", deriveHead},
    {"rotary_pos_emb.inv_freq", ""},
};

inline constexpr NameRow kMimo2Names[] = {
    {"layers.{}.self_attn.attention_sink_bias", "blk.{}.attn_sinks.weight"},
};

inline constexpr NameRow kStep35Names[] = {
    {"layers.{}.self_attn.g_proj", "blk.{}.attn_gate"},
    {"layers.{}.moe.gate", "blk.{}.ffn_gate_inp"},
    {"layers.{}.moe.router_bias", "blk.{}.exp_probs_b.bias"},
    {"layers.{}.moe.gate_proj", "blk.{}.ffn_gate_exps"},
    {"layers.{}.moe.up_proj", "blk.{}.ffn_up_exps"},
    {"layers.{}.moe.down_proj", "blk.{}.ffn_down_exps"},
    {"layers.{}.share_expert.gate_proj", "blk.{}.ffn_gate_shexp"},
    {"layers.{}.share_expert.up_proj", "blk.{}.ffn_up_shexp"},
    {"layers.{}.share_expert.down_proj", "blk.{}.ffn_down_shexp"},
};

inline constexpr NameRow kSmallThinkerNames[] = {
    {"layers.{}.block_sparse_moe.primary_router", "blk.{}.ffn_gate_inp"},
    {"layers.{}.block_sparse_moe.experts.{}.gate", "blk.{}.ffn_gate_exps", deriveExpert},
    {"layers.{}.block_sparse_moe.experts.{}.up", "blk.{}.ffn_up_exps", deriveExpert},
    {"layers.{}.block_sparse_moe.experts.{}.down", "blk.{}.ffn_down_exps", deriveExpert},
};

inline constexpr NameRow kCodeShellNames[] = {
    {"h.{}.attn.rotary_emb.inv_freq", ""},
};

inline constexpr NameRow kJaisNames[] = {
    {"wte", "token_embd", deriveJais},
    {"lm_head", "output", deriveJais},
    {"relative_pe.slopes", ""},
    {"h.{}.attn.c_attn", "blk.{}.attn_qkv", deriveTransposed},
    {"h.{}.attn.c_proj", "blk.{}.attn_output", deriveTransposed},
    {"h.{}.mlp.c_fc", "blk.{}.ffn_up", deriveTransposed},
    {"h.{}.mlp.c_fc2", "blk.{}.ffn_gate", deriveTransposed},
    {"h.{}.mlp.c_proj", "blk.{}.ffn_down", deriveTransposed},
};

} // namespace engine
