#pragma once

#include "engine/huggingface/family.h"
#include "engine/huggingface/tensor_rules.h"

// Names of tensors in families whose code came with their folders.

namespace engine {

inline constexpr NameRow kQwen1Names[] = {
    {"h.{}.mlp.w1", "blk.{}.ffn_up"},
    {"h.{}.mlp.w2", "blk.{}.ffn_gate"},
    {"h.{}.attn.rotary_emb.inv_freq", ""},
};

inline constexpr NameRow kOpenElmNames[] = {
    {"token_embeddings", "token_embd"},
    {"layers.{}.attn_norm", "blk.{}.attn_norm"},
    {"layers.{}.ffn_norm", "blk.{}.ffn_norm"},
    {"layers.{}.attn.qkv_proj", "blk.{}.attn_qkv"},
    {"layers.{}.attn.q_norm", "blk.{}.attn_q_norm"},
    {"layers.{}.attn.k_norm", "blk.{}.attn_k_norm"},
    {"layers.{}.attn.out_proj", "blk.{}.attn_output"},
    {"layers.{}.ffn.proj_1", "blk.{}.ffn_gate|blk.{}.ffn_up", deriveHalves},
    {"layers.{}.ffn.proj_2", "blk.{}.ffn_down"},
};

inline constexpr NameRow kDeciNames[] = {
    {"layers.{}.self_attn.k_proj", "blk.{}.attn_k", deriveOwnHeads},
    {"layers.{}.self_attn.linear_attn", "blk.{}.attn_output"},
};

inline constexpr NameRow kDbrxNames[] = {
    {"blocks.{}.norm_attn_norm.norm_1", "blk.{}.attn_norm"},
    {"blocks.{}.norm_attn_norm.norm_2", "blk.{}.attn_output_norm"},
    {"blocks.{}.norm_attn_norm.attn.Wqkv", "blk.{}.attn_qkv"},
    {"blocks.{}.norm_attn_norm.attn.out_proj", "blk.{}.attn_output"},
    {"blocks.{}.ffn.router.layer", "blk.{}.ffn_gate_inp"},
    {"blocks.{}.ffn.experts.mlp.w1", "blk.{}.ffn_gate_exps.weight", deriveExpertRows},
    {"blocks.{}.ffn.experts.mlp.v1", "blk.{}.ffn_up_exps.weight", deriveExpertRows},
    {"blocks.{}.ffn.experts.mlp.w2", "blk.{}.ffn_down_exps.weight", deriveExpertRowsTransposed},
};

inline constexpr NameRow kChameleonNames[] = {
    {"layers.{}.self_attn.q_norm", "blk.{}.attn_q_norm", deriveHeadNorm},
    {"layers.{}.self_attn.k_norm", "blk.{}.attn_k_norm", deriveHeadNorm},
};

inline constexpr NameRow kRefactNames[] = {
    {"h.{}.attn.q", "blk.{}.attn_q"},
    {"h.{}.attn.kv", "blk.{}.attn_k|blk.{}.attn_v", deriveHalves},
    {"h.{}.mlp.gate_up_proj", "blk.{}.ffn_gate|blk.{}.ffn_up", deriveHalves},
};

inline constexpr NameRow kPlamoNames[] = {
    {"layers.layers.{}.norm", "blk.{}.attn_norm"},
    {"layers.layers.{}.self_attn.q_proj", "blk.{}.attn_q", derivePlamoQuery},
    {"layers.layers.{}.self_attn.k_proj", "blk.{}.attn_k"},
    {"layers.layers.{}.self_attn.v_proj", "blk.{}.attn_v"},
    {"layers.layers.{}.self_attn.o_proj", "blk.{}.attn_output", derivePlamoOutput},
    {"layers.layers.{}.self_attn.rotary_emb.inv_freq", ""},
    {"layers.layers.{}.mlp.gate_proj", "blk.{}.ffn_gate"},
    {"layers.layers.{}.mlp.up_proj", "blk.{}.ffn_up"},
    {"layers.layers.{}.mlp.down_proj", "blk.{}.ffn_down"},
};

// Norms are stored less what they begin with, which those of what mixer and network give have less
// of.
inline constexpr NameRow kPlamo2Names[] = {
    {"norm", "output_norm", derivePlusOne},
    {"layers.layers.{}.pre_mixer_norm", "blk.{}.attn_norm", derivePlusOne},
    {"layers.layers.{}.post_mixer_norm", "blk.{}.post_attention_norm", derivePlusFifth},
    {"layers.layers.{}.pre_mlp_norm", "blk.{}.ffn_norm", derivePlusOne},
    {"layers.layers.{}.post_mlp_norm", "blk.{}.post_ffw_norm", derivePlusElevenths},
    {"layers.layers.{}.mixer.qkv_proj", "blk.{}.attn_qkv"},
    {"layers.layers.{}.mixer.o_proj", "blk.{}.attn_output"},
    {"layers.layers.{}.mixer.q_weight", "blk.{}.attn_q_norm.weight"},
    {"layers.layers.{}.mixer.k_weight", "blk.{}.attn_k_norm.weight"},
    {"layers.layers.{}.mixer.in_proj", "blk.{}.ssm_in"},
    {"layers.layers.{}.mixer.conv1d", "blk.{}.ssm_conv1d", deriveConvolution},
    {"layers.layers.{}.mixer.bcdt_proj", "blk.{}.ssm_x"},
    {"layers.layers.{}.mixer.dt_proj", "blk.{}.ssm_dt"},
    {"layers.layers.{}.mixer.dt_bias", "blk.{}.ssm_dt.bias"},
    {"layers.layers.{}.mixer.A_log", "blk.{}.ssm_a", deriveDecay},
    {"layers.layers.{}.mixer.D", "blk.{}.ssm_d"},
    {"layers.layers.{}.mixer.dt_norm_weight", "blk.{}.ssm_dt_norm.weight"},
    {"layers.layers.{}.mixer.B_norm_weight", "blk.{}.ssm_b_norm.weight"},
    {"layers.layers.{}.mixer.C_norm_weight", "blk.{}.ssm_c_norm.weight"},
    {"layers.layers.{}.mixer.out_proj", "blk.{}.ssm_out"},
    {"layers.layers.{}.mlp.gate_up_proj", "blk.{}.ffn_up"},
    {"layers.layers.{}.mlp.down_proj", "blk.{}.ffn_down"},
};

inline constexpr NameRow kPlamo3Names[] = {
    {"norm", "output_norm", derivePlusOne},
    {"layers.layers.{}.pre_mixer_norm", "blk.{}.attn_norm", derivePlusOne},
    {"layers.layers.{}.post_mixer_norm", "blk.{}.post_attention_norm", derivePlusFifth},
    {"layers.layers.{}.pre_mlp_norm", "blk.{}.ffn_norm", derivePlusOne},
    {"layers.layers.{}.post_mlp_norm", "blk.{}.post_ffw_norm", derivePlusElevenths},
    {"layers.layers.{}.mixer.qkv_proj", "blk.{}.attn_qkv"},
    {"layers.layers.{}.mixer.o_proj", "blk.{}.attn_output"},
    {"layers.layers.{}.mixer.q_norm", "blk.{}.attn_q_norm", derivePlusOne},
    {"layers.layers.{}.mixer.k_norm", "blk.{}.attn_k_norm", derivePlusOne},
    {"layers.layers.{}.mlp.gate_up_proj", "blk.{}.ffn_up"},
    {"layers.layers.{}.mlp.down_proj", "blk.{}.ffn_down"},
};

// As the library of linear attention names them. A matrix of low rank is two, numbered 0 and 2.
inline constexpr NameRow kRwkv7Names[] = {
    {"layers.{}.pre_norm", "token_embd_norm"},
    {"layers.{}.attn_norm", "blk.{}.attn_norm"},
    {"layers.{}.ffn_norm", "blk.{}.attn_norm_2"},
    {"layers.{}.attn.x_r", "blk.{}.time_mix_lerp_fused.weight", deriveLerp},
    {"layers.{}.attn.x_w", "blk.{}.time_mix_lerp_fused.weight", deriveLerp},
    {"layers.{}.attn.x_k", "blk.{}.time_mix_lerp_fused.weight", deriveLerp},
    {"layers.{}.attn.x_v", "blk.{}.time_mix_lerp_fused.weight", deriveLerp},
    {"layers.{}.attn.x_a", "blk.{}.time_mix_lerp_fused.weight", deriveLerp},
    {"layers.{}.attn.x_g", "blk.{}.time_mix_lerp_fused.weight", deriveLerp},
    {"layers.{}.attn.x_x", "blk.{}.time_mix_lerp_fused.weight", deriveVectors},
    {"layers.{}.attn.k_k", "blk.{}.time_mix_k_k.weight", deriveVector},
    {"layers.{}.attn.k_a", "blk.{}.time_mix_k_a.weight", deriveVector},
    {"layers.{}.attn.r_k", "blk.{}.time_mix_r_k.weight", deriveVector},
    {"layers.{}.attn.r_proj", "blk.{}.time_mix_receptance"},
    {"layers.{}.attn.k_proj", "blk.{}.time_mix_key"},
    {"layers.{}.attn.v_proj", "blk.{}.time_mix_value"},
    {"layers.{}.attn.o_proj", "blk.{}.time_mix_output"},
    {"layers.{}.attn.w_lora.lora.{}", "blk.{}.time_mix_w1|blk.{}.time_mix_w2", deriveHalfNorm},
    {"layers.{}.attn.w_lora.lora.{}.bias", "blk.{}.time_mix_w0.weight"},
    {"layers.{}.attn.a_lora.lora.{}", "blk.{}.time_mix_a1|blk.{}.time_mix_a2", deriveHalfNorm},
    {"layers.{}.attn.a_lora.lora.{}.bias", "blk.{}.time_mix_a0.weight"},
    {"layers.{}.attn.v_lora.lora.{}", "blk.{}.time_mix_v1|blk.{}.time_mix_v2", deriveHalfNorm},
    {"layers.{}.attn.v_lora.lora.{}.bias", "blk.{}.time_mix_v0.weight"},
    {"layers.{}.attn.g_lora.lora.{}", "blk.{}.time_mix_g1|blk.{}.time_mix_g2", deriveHalfNorm},
    {"layers.{}.attn.g_norm", "blk.{}.time_mix_ln"},
    {"layers.{}.ffn.x_k", "blk.{}.channel_mix_lerp_k.weight", deriveVector},
    {"layers.{}.ffn.key", "blk.{}.channel_mix_key"},
    {"layers.{}.ffn.value", "blk.{}.channel_mix_value"},
};

inline constexpr NameRow kKimiLinearNames[] = {
    {"layers.{}.self_attn.kv_a_proj_with_mqa", "blk.{}.attn_kv_a_mqa"},
    {"layers.{}.self_attn.kv_a_layernorm", "blk.{}.attn_kv_a_norm"},
    {"layers.{}.self_attn.kv_b_proj", "blk.{}.attn_k_b|blk.{}.attn_v_b", deriveLatentKv},
    {"layers.{}.self_attn.q_conv1d", "blk.{}.ssm_conv1d_q", deriveConvolution},
    {"layers.{}.self_attn.k_conv1d", "blk.{}.ssm_conv1d_k", deriveConvolution},
    {"layers.{}.self_attn.v_conv1d", "blk.{}.ssm_conv1d_v", deriveConvolution},
    {"layers.{}.self_attn.f_a_proj", "blk.{}.ssm_f_a"},
    {"layers.{}.self_attn.f_b_proj", "blk.{}.ssm_f_b"},
    {"layers.{}.self_attn.g_a_proj", "blk.{}.ssm_g_a"},
    {"layers.{}.self_attn.g_b_proj", "blk.{}.ssm_g_b"},
    {"layers.{}.self_attn.b_proj", "blk.{}.ssm_beta"},
    {"layers.{}.self_attn.A_log", "blk.{}.ssm_a", deriveFlatDecay},
    {"layers.{}.self_attn.dt_bias", "blk.{}.ssm_dt.bias"},
    {"layers.{}.self_attn.o_norm", "blk.{}.ssm_norm"},
    {"layers.{}.block_sparse_moe.gate.e_score_correction_bias", "blk.{}.exp_probs_b.bias"},
    {"layers.{}.block_sparse_moe.shared_experts.gate_proj", "blk.{}.ffn_gate_shexp"},
    {"layers.{}.block_sparse_moe.shared_experts.up_proj", "blk.{}.ffn_up_shexp"},
    {"layers.{}.block_sparse_moe.shared_experts.down_proj", "blk.{}.ffn_down_shexp"},
};

} // namespace engine
