#pragma once

#include "engine/huggingface/family.h"
#include "engine/huggingface/tensor_rules.h"

// Names of tensors in families that turn texts into vectors and came after BERT's.

namespace engine {

inline constexpr NameRow kDistilBertNames[] = {
    {"embeddings.word_embeddings", "token_embd"},
    {"embeddings.position_embeddings", "position_embd"},
    {"embeddings.LayerNorm", "token_embd_norm"},
    {"embeddings.position_ids", ""},
    {"layer.{}.attention.q_lin", "blk.{}.attn_q"},
    {"layer.{}.attention.k_lin", "blk.{}.attn_k"},
    {"layer.{}.attention.v_lin", "blk.{}.attn_v"},
    {"layer.{}.attention.out_lin", "blk.{}.attn_output"},
    {"layer.{}.sa_layer_norm", "blk.{}.attn_output_norm"},
    {"layer.{}.ffn.lin1", "blk.{}.ffn_up"},
    {"layer.{}.ffn.lin2", "blk.{}.ffn_down"},
    {"layer.{}.output_layer_norm", "blk.{}.layer_output_norm"},
    // Of what guesses words that are left out.
    {"vocab_transform", ""},
    {"vocab_layer_norm", ""},
    {"vocab_projector", ""},
};

inline constexpr NameRow kNomicBertMoeNames[] = {
    {"embeddings.word_embeddings", "token_embd"},
    {"embeddings.token_type_embeddings", "token_types"},
    {"embeddings.position_ids", ""},
    {"emb_ln", "token_embd_norm"},
    {"encoder.layers.{}.attn.Wqkv", "blk.{}.attn_qkv"},
    {"encoder.layers.{}.attn.out_proj", "blk.{}.attn_output"},
    {"encoder.layers.{}.norm1", "blk.{}.attn_output_norm"},
    {"encoder.layers.{}.norm2", "blk.{}.layer_output_norm"},
    {"encoder.layers.{}.mlp.fc1", "blk.{}.ffn_up"},
    {"encoder.layers.{}.mlp.fc2", "blk.{}.ffn_down"},
    {"encoder.layers.{}.mlp.router.layer", "blk.{}.ffn_gate_inp"},
    {"encoder.layers.{}.mlp.experts.mlp.w1", "blk.{}.ffn_up_exps.weight", deriveExpertRows},
    {"encoder.layers.{}.mlp.experts.mlp.w2", "blk.{}.ffn_down_exps.weight",
     deriveExpertRowsTransposed},
    {"encoder.layers.{}.mlp.experts", "blk.{}.ffn_exps"},
    {"pooler.dense", ""},
};

inline constexpr NameRow kNeoBertNames[] = {
    {"encoder", "token_embd"},
    {"layer_norm", "enc.output_norm"},
    {"transformer_encoder.{}.qkv", "blk.{}.attn_qkv", deriveGroupedQkv},
    {"transformer_encoder.{}.wo", "blk.{}.attn_output"},
    {"transformer_encoder.{}.ffn.w12", "blk.{}.ffn_up"},
    {"transformer_encoder.{}.ffn.w3", "blk.{}.ffn_down"},
    {"transformer_encoder.{}.attention_norm", "blk.{}.attn_norm"},
    {"transformer_encoder.{}.ffn_norm", "blk.{}.ffn_norm"},
    {"freqs_cis", ""},
    {"decoder", ""},
};

inline constexpr NameRow kT5EncoderNames[] = {
    {"shared", "token_embd"},
    {"encoder.embed_tokens", ""}, // shared again
    {"encoder.final_layer_norm", "enc.output_norm"},
    {"encoder.block.{}.layer.{}.layer_norm", "enc.blk.{}.attn_norm|enc.blk.{}.ffn_norm",
     deriveHalfNorm},
    {"encoder.block.{}.layer.{}.SelfAttention.q", "enc.blk.{}.attn_q"},
    {"encoder.block.{}.layer.{}.SelfAttention.k", "enc.blk.{}.attn_k"},
    {"encoder.block.{}.layer.{}.SelfAttention.v", "enc.blk.{}.attn_v"},
    {"encoder.block.{}.layer.{}.SelfAttention.o", "enc.blk.{}.attn_o"},
    {"encoder.block.{}.layer.{}.SelfAttention.relative_attention_bias", "enc.blk.{}.attn_rel_b"},
    {"encoder.block.{}.layer.{}.DenseReluDense.wi", "enc.blk.{}.ffn_up"},
    {"encoder.block.{}.layer.{}.DenseReluDense.wi_0", "enc.blk.{}.ffn_gate"},
    {"encoder.block.{}.layer.{}.DenseReluDense.wi_1", "enc.blk.{}.ffn_up"},
    {"encoder.block.{}.layer.{}.DenseReluDense.wo", "enc.blk.{}.ffn_down"},
};

} // namespace engine
