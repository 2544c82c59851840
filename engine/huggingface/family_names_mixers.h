#pragma once

#include "engine/huggingface/family.h"
#include "engine/huggingface/tensor_rules.h"

// Names of tensors in families some of whose mixers are no attention.

namespace engine {

inline constexpr NameRow kMambaNames[] = {
    {"layers.{}.norm", "blk.{}.attn_norm"},
    {"layers.{}.mixer.in_proj", "blk.{}.ssm_in"},
    {"layers.{}.mixer.conv1d", "blk.{}.ssm_conv1d", deriveConvolution},
    {"layers.{}.mixer.x_proj", "blk.{}.ssm_x"},
    {"layers.{}.mixer.dt_proj", "blk.{}.ssm_dt"},
    {"layers.{}.mixer.A_log", "blk.{}.ssm_a", deriveDecay},
    {"layers.{}.mixer.D", "blk.{}.ssm_d"},
    {"layers.{}.mixer.out_proj", "blk.{}.ssm_out"},
    // Mamba 2.
    {"layers.{}.mixer.dt_bias", "blk.{}.ssm_dt.bias"},
    {"layers.{}.mixer.norm", "blk.{}.ssm_norm", deriveSsmNorm},
};

inline constexpr NameRow kJambaNames[] = {
    {"layers.{}.mamba.in_proj", "blk.{}.ssm_in"},
    {"layers.{}.mamba.conv1d", "blk.{}.ssm_conv1d", deriveConvolution},
    {"layers.{}.mamba.x_proj", "blk.{}.ssm_x"},
    {"layers.{}.mamba.dt_proj", "blk.{}.ssm_dt"},
    {"layers.{}.mamba.A_log", "blk.{}.ssm_a", deriveDecay},
    {"layers.{}.mamba.D", "blk.{}.ssm_d"},
    {"layers.{}.mamba.out_proj", "blk.{}.ssm_out"},
    {"layers.{}.mamba.dt_layernorm", "blk.{}.ssm_dt_norm"},
    {"layers.{}.mamba.b_layernorm", "blk.{}.ssm_b_norm"},
    {"layers.{}.mamba.c_layernorm", "blk.{}.ssm_c_norm"},
    {"layers.{}.pre_ff_layernorm", "blk.{}.ffn_norm"},
    {"layers.{}.feed_forward.gate_proj", "blk.{}.ffn_gate"},
    {"layers.{}.feed_forward.up_proj", "blk.{}.ffn_up"},
    {"layers.{}.feed_forward.down_proj", "blk.{}.ffn_down"},
    {"layers.{}.feed_forward.router", "blk.{}.ffn_gate_inp"},
    {"layers.{}.feed_forward.experts.{}.gate_proj", "blk.{}.ffn_gate_exps", deriveExpert},
    {"layers.{}.feed_forward.experts.{}.up_proj", "blk.{}.ffn_up_exps", deriveExpert},
    {"layers.{}.feed_forward.experts.{}.down_proj", "blk.{}.ffn_down_exps", deriveExpert},
    {"layers.{}.feed_forward.experts.gate_up_proj",
     "blk.{}.ffn_gate_exps.weight|blk.{}.ffn_up_exps.weight", deriveHalves},
    {"layers.{}.feed_forward.experts.down_proj", "blk.{}.ffn_down_exps.weight"},
};

inline constexpr NameRow kGraniteHybridNames[] = {
    {"layers.{}.mamba.in_proj", "blk.{}.ssm_in"},
    {"layers.{}.mamba.conv1d", "blk.{}.ssm_conv1d", deriveConvolution},
    {"layers.{}.mamba.dt_bias", "blk.{}.ssm_dt.bias"},
    {"layers.{}.mamba.A_log", "blk.{}.ssm_a", deriveDecay},
    {"layers.{}.mamba.D", "blk.{}.ssm_d"},
    {"layers.{}.mamba.norm", "blk.{}.ssm_norm", deriveSsmNorm},
    {"layers.{}.mamba.out_proj", "blk.{}.ssm_out"},
    {"layers.{}.block_sparse_moe.router.layer", "blk.{}.ffn_gate_inp"},
    {"layers.{}.block_sparse_moe.input_linear", "blk.{}.ffn_gate_exps|blk.{}.ffn_up_exps",
     deriveHalves},
    {"layers.{}.block_sparse_moe.output_linear", "blk.{}.ffn_down_exps"},
    {"layers.{}.shared_mlp.input_linear", "blk.{}.ffn_gate|blk.{}.ffn_up", deriveSharedHalves},
    {"layers.{}.shared_mlp.output_linear", "blk.{}.ffn_down", deriveShared},
    // Bamba.
    {"layers.{}.feed_forward.gate_proj", "blk.{}.ffn_gate"},
    {"layers.{}.feed_forward.up_proj", "blk.{}.ffn_up"},
    {"layers.{}.feed_forward.down_proj", "blk.{}.ffn_down"},
    {"layers.{}.pre_ff_layernorm", "blk.{}.ffn_norm"},
};

inline constexpr NameRow kFalconH1Names[] = {
    {"embed_tokens", "token_embd", deriveFalconH1},
    {"lm_head", "output", deriveFalconH1},
    {"layers.{}.self_attn.q_proj", "blk.{}.attn_q", deriveFalconH1},
    {"layers.{}.self_attn.k_proj", "blk.{}.attn_k", deriveFalconH1},
    {"layers.{}.self_attn.v_proj", "blk.{}.attn_v", deriveFalconH1},
    {"layers.{}.self_attn.o_proj", "blk.{}.attn_output", deriveFalconH1},
    {"layers.{}.feed_forward.gate_proj", "blk.{}.ffn_gate", deriveFalconH1},
    {"layers.{}.feed_forward.up_proj", "blk.{}.ffn_up"},
    {"layers.{}.feed_forward.down_proj", "blk.{}.ffn_down", deriveFalconH1},
    {"layers.{}.mamba.in_proj", "blk.{}.ssm_in", deriveFalconH1},
    {"layers.{}.mamba.conv1d", "blk.{}.ssm_conv1d", deriveConvolution},
    {"layers.{}.mamba.dt_bias", "blk.{}.ssm_dt.bias"},
    {"layers.{}.mamba.A_log", "blk.{}.ssm_a", deriveDecay},
    {"layers.{}.mamba.D", "blk.{}.ssm_d"},
    {"layers.{}.mamba.norm", "blk.{}.ssm_norm", deriveSsmNorm},
    {"layers.{}.mamba.out_proj", "blk.{}.ssm_out", deriveFalconH1},
    {"layers.{}.pre_ff_layernorm", "blk.{}.ffn_norm"},
};

inline constexpr NameRow kNemotronHNames[] = {
    {"layers.{}.norm", "blk.{}.attn_norm"},
    {"layers.{}.mixer.in_proj", "blk.{}.ssm_in"},
    {"layers.{}.mixer.conv1d", "blk.{}.ssm_conv1d", deriveConvolution},
    {"layers.{}.mixer.dt_bias", "blk.{}.ssm_dt.bias"},
    {"layers.{}.mixer.A_log", "blk.{}.ssm_a", deriveDecay},
    {"layers.{}.mixer.D", "blk.{}.ssm_d"},
    {"layers.{}.mixer.norm", "blk.{}.ssm_norm", deriveSsmNorm},
    {"layers.{}.mixer.out_proj", "blk.{}.ssm_out"},
    {"layers.{}.mixer.q_proj", "blk.{}.attn_q"},
    {"layers.{}.mixer.k_proj", "blk.{}.attn_k"},
    {"layers.{}.mixer.v_proj", "blk.{}.attn_v"},
    {"layers.{}.mixer.o_proj", "blk.{}.attn_output"},
    {"layers.{}.mixer.up_proj", "blk.{}.ffn_up"},
    {"layers.{}.mixer.down_proj", "blk.{}.ffn_down"},
    {"layers.{}.mixer.gate", "blk.{}.ffn_gate_inp"},
    {"layers.{}.mixer.gate.e_score_correction_bias", "blk.{}.exp_probs_b.bias"},
    {"layers.{}.mixer.experts.{}.up_proj", "blk.{}.ffn_up_exps", deriveExpert},
    {"layers.{}.mixer.experts.{}.down_proj", "blk.{}.ffn_down_exps", deriveExpert},
    {"layers.{}.mixer.experts.up_proj", "blk.{}.ffn_up_exps.weight"},
    {"layers.{}.mixer.experts.down_proj", "blk.{}.ffn_down_exps.weight"},
    {"layers.{}.mixer.shared_experts.up_proj", "blk.{}.ffn_up_shexp"},
    {"layers.{}.mixer.shared_experts.down_proj", "blk.{}.ffn_down_shexp"},
    {"layers.{}.mixer.fc1_latent_proj", "blk.{}.ffn_latent_down"},
    {"layers.{}.mixer.fc2_latent_proj", "blk.{}.ffn_latent_up"},
};

inline constexpr NameRow kQwen3NextNames[] = {
    {"layers.{}.post_attention_layernorm", "blk.{}.post_attention_norm"},
    {"layers.{}.linear_attn.in_proj_qkvz", "blk.{}.ssm_in"},
    {"layers.{}.linear_attn.in_proj_ba", "blk.{}.ssm_ba"},
    {"layers.{}.linear_attn.conv1d", "blk.{}.ssm_conv1d", deriveConvolution},
    {"layers.{}.linear_attn.dt_bias", "blk.{}.ssm_dt.bias"},
    {"layers.{}.linear_attn.A_log", "blk.{}.ssm_a", deriveDecay},
    {"layers.{}.linear_attn.norm", "blk.{}.ssm_norm"},
    {"layers.{}.linear_attn.out_proj", "blk.{}.ssm_out"},
};

// Value heads that read the same key head lie together in a folder; in GGUF they are as far apart
// as there are key heads.
inline constexpr NameRow kQwen35Names[] = {
    {"layers.{}.post_attention_layernorm", "blk.{}.post_attention_norm"},
    {"layers.{}.linear_attn.in_proj_qkv", "blk.{}.attn_qkv", deriveTiledValues},
    {"layers.{}.linear_attn.in_proj_z", "blk.{}.attn_gate", deriveTiledValues},
    {"layers.{}.linear_attn.in_proj_b", "blk.{}.ssm_beta", deriveTiledHeads},
    {"layers.{}.linear_attn.in_proj_a", "blk.{}.ssm_alpha", deriveTiledHeads},
    {"layers.{}.linear_attn.conv1d", "blk.{}.ssm_conv1d", deriveTiledValues},
    {"layers.{}.linear_attn.dt_bias", "blk.{}.ssm_dt.bias", deriveTiledHeads},
    {"layers.{}.linear_attn.A_log", "blk.{}.ssm_a", deriveTiledDecay},
    {"layers.{}.linear_attn.norm", "blk.{}.ssm_norm"},
    {"layers.{}.linear_attn.out_proj", "blk.{}.ssm_out", deriveTiledColumns},
};

inline constexpr NameRow kLfm2Names[] = {
    {"embedding_norm", "token_embd_norm"},
    {"layers.{}.operator_norm", "blk.{}.attn_norm"},
    {"layers.{}.ffn_norm", "blk.{}.ffn_norm"},
    {"layers.{}.conv.conv", "blk.{}.shortconv.conv", deriveConvolution},
    {"layers.{}.conv.in_proj", "blk.{}.shortconv.in_proj"},
    {"layers.{}.conv.out_proj", "blk.{}.shortconv.out_proj"},
    {"layers.{}.feed_forward.w1", "blk.{}.ffn_gate"},
    {"layers.{}.feed_forward.w2", "blk.{}.ffn_down"},
    {"layers.{}.feed_forward.w3", "blk.{}.ffn_up"},
    {"layers.{}.feed_forward.gate", "blk.{}.ffn_gate_inp"},
    {"layers.{}.feed_forward.expert_bias", "blk.{}.exp_probs_b.bias"},
    {"layers.{}.feed_forward.experts.{}.w1", "blk.{}.ffn_gate_exps", deriveExpert},
    {"layers.{}.feed_forward.experts.{}.w2", "blk.{}.ffn_down_exps", deriveExpert},
    {"layers.{}.feed_forward.experts.{}.w3", "blk.{}.ffn_up_exps", deriveExpert},
    {"layers.{}.feed_forward.experts.gate_up_proj",
     "blk.{}.ffn_gate_exps.weight|blk.{}.ffn_up_exps.weight", deriveHalves},
    {"layers.{}.feed_forward.experts.down_proj", "blk.{}.ffn_down_exps.weight"},
};

} // namespace engine
