// Names of tensors that mean the same in every family that has them.

#include "engine/huggingface/family.h"
#include "engine/huggingface/tensor_rules.h"

namespace engine {

namespace {

constexpr NameRow kCommonNames[] = {
    // Beside the layers.
    {"embed_tokens", "token_embd"},
    {"tok_embeddings", "token_embd"},
    {"wte", "token_embd"},
    {"embed_in", "token_embd"},
    {"word_embeddings", "token_embd"},
    {"embeddings", "token_embd"},
    {"embedding", "token_embd"},
    {"wpe", "position_embd"},
    {"norm", "output_norm"},
    {"ln_f", "output_norm"},
    {"norm_f", "output_norm"},
    {"final_layernorm", "output_norm"},
    {"final_layer_norm", "output_norm"},
    {"final_norm", "output_norm"},
    {"lm_head", "output", deriveHead},
    {"embed_out", "output", deriveHead},
    {"output", "output", deriveHead},

    // Llama and the many that are named like it.
    {"layers.{}.input_layernorm", "blk.{}.attn_norm"},
    {"layers.{}.self_attn.q_proj", "blk.{}.attn_q", deriveQuery},
    {"layers.{}.self_attn.k_proj", "blk.{}.attn_k", deriveKey},
    {"layers.{}.self_attn.v_proj", "blk.{}.attn_v"},
    {"layers.{}.self_attn.o_proj", "blk.{}.attn_output"},
    {"layers.{}.self_attn.dense", "blk.{}.attn_output"},
    {"layers.{}.self_attn.out_proj", "blk.{}.attn_output"},
    {"layers.{}.self_attn.qkv_proj", "blk.{}.attn_qkv"},
    {"layers.{}.self_attn.q_norm", "blk.{}.attn_q_norm"},
    {"layers.{}.self_attn.k_norm", "blk.{}.attn_k_norm"},
    {"layers.{}.self_attn.q_layernorm", "blk.{}.attn_q_norm"},
    {"layers.{}.self_attn.k_layernorm", "blk.{}.attn_k_norm"},
    {"layers.{}.self_attn.query_layernorm", "blk.{}.attn_q_norm"},
    {"layers.{}.self_attn.key_layernorm", "blk.{}.attn_k_norm"},
    {"layers.{}.self_attn.sinks", "blk.{}.attn_sinks.weight"},
    {"layers.{}.post_attention_layernorm", "blk.{}.ffn_norm"},
    {"layers.{}.pre_feedforward_layernorm", "blk.{}.ffn_norm"},
    {"layers.{}.post_feedforward_layernorm", "blk.{}.post_ffw_norm"},
    {"layers.{}.mlp.gate_proj", "blk.{}.ffn_gate"},
    {"layers.{}.mlp.up_proj", "blk.{}.ffn_up"},
    {"layers.{}.mlp.down_proj", "blk.{}.ffn_down"},
    {"layers.{}.mlp.gate_up_proj", "blk.{}.ffn_up"},
    {"layers.{}.mlp.fc1", "blk.{}.ffn_up"},
    {"layers.{}.mlp.fc2", "blk.{}.ffn_down"},
    {"layers.{}.mlp.c_fc", "blk.{}.ffn_up"},
    {"layers.{}.mlp.c_proj", "blk.{}.ffn_down"},
    {"layers.{}.mlp.dense_h_to_4h", "blk.{}.ffn_up"},
    {"layers.{}.mlp.dense_4h_to_h", "blk.{}.ffn_down"},

    // Experts.
    {"layers.{}.mlp.gate", "blk.{}.ffn_gate_inp"},
    {"layers.{}.mlp.router", "blk.{}.ffn_gate_inp"},
    {"layers.{}.mlp.gate.e_score_correction_bias", "blk.{}.exp_probs_b.bias"},
    {"layers.{}.mlp.gate.e_score_correction", "blk.{}.exp_probs_b"},
    {"layers.{}.mlp.experts.{}.gate_proj", "blk.{}.ffn_gate_exps", deriveExpert},
    {"layers.{}.mlp.experts.{}.up_proj", "blk.{}.ffn_up_exps", deriveExpert},
    {"layers.{}.mlp.experts.{}.down_proj", "blk.{}.ffn_down_exps", deriveExpert},
    {"layers.{}.mlp.experts.gate_up_proj", "blk.{}.ffn_gate_exps.weight|blk.{}.ffn_up_exps.weight",
     deriveExpertHalves},
    {"layers.{}.mlp.experts.down_proj", "blk.{}.ffn_down_exps.weight", deriveExpertDown},
    {"layers.{}.mlp.shared_expert.gate_proj", "blk.{}.ffn_gate_shexp"},
    {"layers.{}.mlp.shared_expert.up_proj", "blk.{}.ffn_up_shexp"},
    {"layers.{}.mlp.shared_expert.down_proj", "blk.{}.ffn_down_shexp"},
    {"layers.{}.mlp.shared_expert_gate", "blk.{}.ffn_gate_inp_shexp"},
    {"layers.{}.mlp.shared_experts.gate_proj", "blk.{}.ffn_gate_shexp"},
    {"layers.{}.mlp.shared_experts.up_proj", "blk.{}.ffn_up_shexp"},
    {"layers.{}.mlp.shared_experts.down_proj", "blk.{}.ffn_down_shexp"},
    {"layers.{}.block_sparse_moe.gate", "blk.{}.ffn_gate_inp"},
    {"layers.{}.block_sparse_moe.experts.{}.w1", "blk.{}.ffn_gate_exps", deriveExpert},
    {"layers.{}.block_sparse_moe.experts.{}.w2", "blk.{}.ffn_down_exps", deriveExpert},
    {"layers.{}.block_sparse_moe.experts.{}.w3", "blk.{}.ffn_up_exps", deriveExpert},

    // GPT-2 and what is named like it.
    {"h.{}.ln_1", "blk.{}.attn_norm"},
    {"h.{}.ln_2", "blk.{}.ffn_norm"},
    {"h.{}.attn.c_attn", "blk.{}.attn_qkv"},
    {"h.{}.attn.c_proj", "blk.{}.attn_output"},
    {"h.{}.mlp.c_fc", "blk.{}.ffn_up"},
    {"h.{}.mlp.c_proj", "blk.{}.ffn_down"},

    // What the code can work out by itself.
    {"layers.{}.self_attn.rotary_emb.inv_freq", ""},
    {"layers.{}.attention.rotary_emb.inv_freq", ""},
    {"rotary_emb.inv_freq", ""},
    {"layers.{}.self_attn.masked_bias", ""},
    {"layers.{}.attention.bias", ""},
    {"layers.{}.attention.masked_bias", ""},
    {"h.{}.attn.bias", ""},
    {"h.{}.attn.masked_bias", ""},
};

} // namespace

std::span<const NameRow> commonNames()
{
    return kCommonNames;
}

} // namespace engine
