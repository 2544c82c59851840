// Written by family_defaults_table.py; do not edit.
// Of Transformers 5.12.1.
#include "engine/huggingface/family_defaults.h"

#include <algorithm>
#include <array>

namespace engine {

namespace {

struct Row {
    std::string_view huggingFace;
    std::string_view json;
};

// clang-format off
constexpr Row kRows[] = {
    {"LlamaForCausalLM", R"({"intermediate_size": 11008, "max_position_embeddings": 2048, "num_attention_heads": 32, "rms_norm_eps": 1e-06, "rope_theta": 10000.0})"},
    {"LlamaModel", R"({"intermediate_size": 11008, "max_position_embeddings": 2048, "num_attention_heads": 32, "rms_norm_eps": 1e-06, "rope_theta": 10000.0})"},
    {"MistralForCausalLM", R"({"intermediate_size": 14336, "max_position_embeddings": 131072, "num_attention_heads": 32, "num_key_value_heads": 8, "rms_norm_eps": 1e-06, "rope_theta": 10000.0, "sliding_window": 4096})"},
    {"MixtralForCausalLM", R"({"intermediate_size": 14336, "max_position_embeddings": 131072, "num_attention_heads": 32, "num_experts_per_tok": 2, "num_key_value_heads": 8, "num_local_experts": 8, "rms_norm_eps": 1e-05, "rope_theta": 1000000.0})"},
    {"SmolLM3ForCausalLM", R"({"intermediate_size": 11008, "max_position_embeddings": 32768, "num_attention_heads": 16, "num_key_value_heads": 4, "rms_norm_eps": 1e-06, "rope_theta": 2000000.0})"},
    {"Mistral3ForConditionalGeneration", R"({"intermediate_size": 14336, "max_position_embeddings": 131072, "num_attention_heads": 32, "num_key_value_heads": 8, "rms_norm_eps": 1e-06, "rope_theta": 10000.0, "sliding_window": 4096})"},
    {"ArceeForCausalLM", R"({"intermediate_size": 18432, "max_position_embeddings": 4096, "num_attention_heads": 32, "rms_norm_eps": 1e-05, "rope_theta": 10000.0})"},
    {"HunYuanDenseV1ForCausalLM", R"({"intermediate_size": 11008, "max_position_embeddings": 2048, "num_attention_heads": 32, "rms_norm_eps": 1e-05, "rope_theta": 10000.0})"},
    {"HunYuanMoEV1ForCausalLM", R"({"intermediate_size": 11008, "max_position_embeddings": 2048, "moe_topk": 1, "num_attention_heads": 32, "num_experts": 1, "rms_norm_eps": 1e-05, "rope_theta": 10000.0})"},
    {"Dots1ForCausalLM", R"({"first_k_dense_replace": 0, "intermediate_size": 10944, "max_position_embeddings": 2048, "moe_intermediate_size": 1408, "n_group": 1, "norm_topk_prob": false, "num_attention_heads": 32, "num_key_value_heads": 32, "rms_norm_eps": 1e-06, "rope_theta": 10000.0, "routed_scaling_factor": 1.0, "sliding_window": 4096, "topk_group": 1})"},
    {"GraniteForCausalLM", R"({"attention_multiplier": 1.0, "embedding_multiplier": 1.0, "intermediate_size": 11008, "logits_scaling": 1.0, "max_position_embeddings": 2048, "num_attention_heads": 32, "residual_multiplier": 1.0, "rms_norm_eps": 1e-06, "rope_theta": 10000.0})"},
    {"GraniteMoeForCausalLM", R"({"attention_multiplier": 1.0, "embedding_multiplier": 1.0, "intermediate_size": 11008, "logits_scaling": 1.0, "max_position_embeddings": 2048, "num_attention_heads": 32, "num_experts_per_tok": 2, "num_local_experts": 8, "residual_multiplier": 1.0, "rms_norm_eps": 1e-06, "rope_theta": 10000.0})"},
    {"GraniteMoeSharedForCausalLM", R"({"attention_multiplier": 1.0, "embedding_multiplier": 1.0, "intermediate_size": 11008, "logits_scaling": 1.0, "max_position_embeddings": 2048, "num_attention_heads": 32, "num_experts_per_tok": 2, "num_local_experts": 8, "residual_multiplier": 1.0, "rms_norm_eps": 1e-06, "rope_theta": 10000.0, "shared_intermediate_size": 0})"},
    {"OlmoForCausalLM", R"({"intermediate_size": 11008, "max_position_embeddings": 2048, "num_attention_heads": 32, "rope_theta": 10000.0})"},
    {"Olmo2ForCausalLM", R"({"intermediate_size": 11008, "max_position_embeddings": 2048, "num_attention_heads": 32, "rms_norm_eps": 1e-05, "rope_theta": 10000.0})"},
    {"Olmo3ForCausalLM", R"({"intermediate_size": 11008, "max_position_embeddings": 2048, "num_attention_heads": 32, "rms_norm_eps": 1e-05, "rope_theta": 10000.0, "sliding_window": 4096})"},
    {"OlmoeForCausalLM", R"({"intermediate_size": 2048, "max_position_embeddings": 4096, "norm_topk_prob": false, "num_attention_heads": 16, "num_experts": 64, "num_experts_per_tok": 8, "rms_norm_eps": 1e-05, "rope_theta": 10000.0})"},
    {"Qwen2ForCausalLM", R"({"intermediate_size": 22016, "max_position_embeddings": 32768, "num_attention_heads": 32, "num_key_value_heads": 32, "rms_norm_eps": 1e-06, "rope_theta": 10000.0})"},
    {"Qwen2Model", R"({"intermediate_size": 22016, "max_position_embeddings": 32768, "num_attention_heads": 32, "num_key_value_heads": 32, "rms_norm_eps": 1e-06, "rope_theta": 10000.0})"},
    {"Qwen2MoeForCausalLM", R"({"intermediate_size": 5632, "max_position_embeddings": 32768, "moe_intermediate_size": 1408, "norm_topk_prob": false, "num_attention_heads": 16, "num_experts": 60, "num_experts_per_tok": 4, "num_key_value_heads": 16, "rms_norm_eps": 1e-06, "rope_theta": 10000.0, "shared_expert_intermediate_size": 5632, "sliding_window": 0})"},
    {"Qwen3ForCausalLM", R"({"head_dim": 128, "intermediate_size": 22016, "max_position_embeddings": 32768, "num_attention_heads": 32, "num_key_value_heads": 32, "rms_norm_eps": 1e-06, "rope_theta": 10000.0})"},
    {"Qwen3Model", R"({"head_dim": 128, "intermediate_size": 22016, "max_position_embeddings": 32768, "num_attention_heads": 32, "num_key_value_heads": 32, "rms_norm_eps": 1e-06, "rope_theta": 10000.0})"},
    {"Qwen3MoeForCausalLM", R"({"intermediate_size": 6144, "max_position_embeddings": 32768, "moe_intermediate_size": 768, "norm_topk_prob": false, "num_attention_heads": 32, "num_experts_per_tok": 8, "num_key_value_heads": 4, "num_local_experts": 128, "rms_norm_eps": 1e-06, "rope_theta": 10000.0})"},
    {"Qwen2VLForConditionalGeneration", R"({"intermediate_size": 29568, "max_position_embeddings": 32768, "num_attention_heads": 64, "num_key_value_heads": 8, "rms_norm_eps": 1e-05, "rope_theta": 1000000.0})"},
    {"Qwen2_5_VLForConditionalGeneration", R"({"intermediate_size": 29568, "max_position_embeddings": 32768, "num_attention_heads": 64, "num_key_value_heads": 8, "rms_norm_eps": 1e-05, "rope_theta": 1000000.0})"},
    {"Qwen3VLForConditionalGeneration", R"({"head_dim": 128, "intermediate_size": 22016, "max_position_embeddings": 128000, "num_attention_heads": 32, "num_key_value_heads": 32, "rms_norm_eps": 1e-06, "rope_theta": 500000.0})"},
    {"Qwen3VLMoeForConditionalGeneration", R"({"intermediate_size": 5632, "max_position_embeddings": 128000, "moe_intermediate_size": 1408, "num_attention_heads": 16, "num_experts_per_tok": 4, "num_key_value_heads": 16, "num_local_experts": 60, "rms_norm_eps": 1e-06, "rope_theta": 500000.0})"},
    {"SeedOssForCausalLM", R"({"head_dim": 128, "intermediate_size": 27648, "max_position_embeddings": 524288, "num_attention_heads": 80, "num_key_value_heads": 8, "rms_norm_eps": 1e-06, "rope_theta": 10000.0})"},
    {"GemmaForCausalLM", R"({"head_dim": 256, "intermediate_size": 24576, "max_position_embeddings": 8192, "num_attention_heads": 16, "num_key_value_heads": 16, "rms_norm_eps": 1e-06, "rope_theta": 10000.0})"},
    {"Gemma2ForCausalLM", R"({"attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0, "head_dim": 256, "intermediate_size": 9216, "max_position_embeddings": 8192, "num_attention_heads": 8, "num_key_value_heads": 4, "rms_norm_eps": 1e-06, "rope_theta": 10000.0, "sliding_window": 4096})"},
    {"Gemma3ForCausalLM", R"({"head_dim": 256, "intermediate_size": 9216, "max_position_embeddings": 131072, "num_attention_heads": 8, "num_key_value_heads": 4, "rms_norm_eps": 1e-06, "rope_local_base_freq": 10000.0, "rope_theta": 1000000.0, "sliding_window": 4096})"},
    {"Gemma3ForConditionalGeneration", R"({"head_dim": 256, "intermediate_size": 9216, "max_position_embeddings": 131072, "num_attention_heads": 8, "num_key_value_heads": 4, "rms_norm_eps": 1e-06, "rope_local_base_freq": 10000.0, "rope_theta": 1000000.0, "sliding_window": 4096})"},
    {"PhiForCausalLM", R"({"intermediate_size": 8192, "layer_norm_eps": 1e-05, "max_position_embeddings": 2048, "num_attention_heads": 32, "partial_rotary_factor": 0.5, "rope_theta": 10000.0})"},
    {"Phi3ForCausalLM", R"({"intermediate_size": 8192, "max_position_embeddings": 4096, "num_attention_heads": 32, "original_max_position_embeddings": 4096, "partial_rotary_factor": 1.0, "rms_norm_eps": 1e-05, "rope_theta": 10000.0})"},
    {"PhiMoEForCausalLM", R"({"intermediate_size": 6400, "max_position_embeddings": 131072, "num_attention_heads": 32, "num_experts_per_tok": 2, "num_key_value_heads": 8, "num_local_experts": 16, "rms_norm_eps": 1e-05, "rope_theta": 1000000.0})"},
    {"PhimoeForCausalLM", R"({"intermediate_size": 6400, "max_position_embeddings": 131072, "num_attention_heads": 32, "num_experts_per_tok": 2, "num_key_value_heads": 8, "num_local_experts": 16, "rms_norm_eps": 1e-05, "rope_theta": 1000000.0})"},
    {"GPTJForCausalLM", R"({"layer_norm_epsilon": 1e-05, "n_head": 16, "n_positions": 2048, "rotary_dim": 64})"},
    {"GPTBigCodeForCausalLM", R"({"layer_norm_epsilon": 1e-05, "multi_query": true, "n_head": 12, "n_positions": 1024, "num_key_value_heads": 1})"},
    {"BloomForCausalLM", R"({"layer_norm_epsilon": 1e-05, "n_head": 8})"},
    {"BloomModel", R"({"layer_norm_epsilon": 1e-05, "n_head": 8})"},
    {"MPTForCausalLM", R"({"expansion_ratio": 4, "layer_norm_epsilon": 1e-05, "max_seq_len": 2048, "n_heads": 16})"},
    {"MptForCausalLM", R"({"expansion_ratio": 4, "layer_norm_epsilon": 1e-05, "max_seq_len": 2048, "n_heads": 16})"},
    {"NemotronForCausalLM", R"({"intermediate_size": 24576, "max_position_embeddings": 4096, "norm_eps": 1e-05, "num_attention_heads": 48, "partial_rotary_factor": 0.5, "rope_theta": 10000.0})"},
    {"GPT2LMHeadModel", R"({"layer_norm_epsilon": 1e-05, "n_head": 12, "n_positions": 1024})"},
    {"GPTNeoXForCausalLM", R"({"intermediate_size": 24576, "layer_norm_eps": 1e-05, "max_position_embeddings": 2048, "num_attention_heads": 64, "partial_rotary_factor": 0.25, "rope_theta": 10000.0, "use_parallel_residual": true})"},
    {"FalconForCausalLM", R"({"alibi": false, "layer_norm_epsilon": 1e-05, "max_position_embeddings": 2048, "multi_query": true, "new_decoder_architecture": false, "num_attention_heads": 71, "parallel_attn": true, "rope_theta": 10000.0})"},
    {"RWForCausalLM", R"({"alibi": false, "layer_norm_epsilon": 1e-05, "max_position_embeddings": 2048, "multi_query": true, "new_decoder_architecture": false, "num_attention_heads": 71, "parallel_attn": true, "rope_theta": 10000.0})"},
    {"Starcoder2ForCausalLM", R"({"intermediate_size": 12288, "max_position_embeddings": 4096, "norm_epsilon": 1e-05, "num_attention_heads": 24, "num_key_value_heads": 2, "rope_theta": 10000.0})"},
    {"StableLmForCausalLM", R"({"intermediate_size": 6912, "layer_norm_eps": 1e-05, "max_position_embeddings": 4096, "num_attention_heads": 32, "num_key_value_heads": 32, "partial_rotary_factor": 0.25, "rope_theta": 10000.0, "use_parallel_residual": false})"},
    {"CohereForCausalLM", R"({"intermediate_size": 22528, "layer_norm_eps": 1e-05, "logit_scale": 0.0625, "max_position_embeddings": 8192, "num_attention_heads": 64, "rope_theta": 500000.0})"},
    {"Cohere2ForCausalLM", R"({"intermediate_size": 22528, "layer_norm_eps": 1e-05, "logit_scale": 0.0625, "max_position_embeddings": 8192, "num_attention_heads": 64, "rope_theta": 10000.0, "sliding_window": 4096})"},
    {"Glm4ForCausalLM", R"({"head_dim": 128, "intermediate_size": 13696, "max_position_embeddings": 131072, "num_attention_heads": 32, "num_key_value_heads": 2, "partial_rotary_factor": 0.5, "rms_norm_eps": 1.5625e-07, "rope_theta": 10000.0})"},
    {"Glm4MoeForCausalLM", R"({"first_k_dense_replace": 1, "intermediate_size": 10944, "max_position_embeddings": 131072, "moe_intermediate_size": 1408, "n_group": 1, "n_routed_experts": 128, "n_shared_experts": 1, "norm_topk_prob": true, "num_attention_heads": 96, "num_experts_per_tok": 8, "num_key_value_heads": 8, "partial_rotary_factor": 0.5, "rms_norm_eps": 1e-05, "rope_theta": 10000.0, "routed_scaling_factor": 1.0, "topk_group": 1})"},
    {"GlmForCausalLM", R"({"head_dim": 128, "intermediate_size": 13696, "max_position_embeddings": 131072, "num_attention_heads": 32, "num_key_value_heads": 2, "partial_rotary_factor": 0.5, "rms_norm_eps": 1.5625e-07, "rope_theta": 10000.0})"},
    {"Exaone4ForCausalLM", R"({"intermediate_size": 16384, "max_position_embeddings": 2048, "num_attention_heads": 32, "num_key_value_heads": 32, "rms_norm_eps": 1e-05, "rope_theta": 10000.0, "sliding_window": 4096, "sliding_window_pattern": 4})"},
    {"Ernie4_5ForCausalLM", R"({"head_dim": 128, "intermediate_size": 3072, "max_position_embeddings": 131072, "num_attention_heads": 16, "num_key_value_heads": 2, "rms_norm_eps": 1e-05, "rope_theta": 500000.0})"},
    {"Ernie4_5_ForCausalLM", R"({"head_dim": 128, "intermediate_size": 3072, "max_position_embeddings": 131072, "num_attention_heads": 16, "num_key_value_heads": 2, "rms_norm_eps": 1e-05, "rope_theta": 500000.0})"},
    {"Ernie4_5_MoeForCausalLM", R"({"intermediate_size": 12288, "max_position_embeddings": 131072, "moe_intermediate_size": 1536, "moe_k": 6, "moe_layer_interval": 1, "moe_layer_start_index": 1, "moe_num_experts": 64, "moe_num_shared_experts": 2, "num_attention_heads": 20, "num_key_value_heads": 4, "rms_norm_eps": 1e-05, "rope_theta": 500000.0})"},
    {"DeepseekV2ForCausalLM", R"({"first_k_dense_replace": 0, "intermediate_size": 11008, "kv_lora_rank": 512, "max_position_embeddings": 2048, "moe_intermediate_size": 1407, "n_routed_experts": 64, "n_shared_experts": 2, "norm_topk_prob": false, "num_attention_heads": 32, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "rms_norm_eps": 1e-06, "rope_theta": 10000.0, "routed_scaling_factor": 1.0, "v_head_dim": 128})"},
    {"DeepseekV3ForCausalLM", R"({"first_k_dense_replace": 3, "intermediate_size": 18432, "kv_lora_rank": 512, "max_position_embeddings": 4096, "moe_intermediate_size": 2048, "n_group": 8, "n_routed_experts": 256, "n_shared_experts": 1, "norm_topk_prob": true, "num_attention_heads": 128, "num_experts_per_tok": 8, "num_key_value_heads": 128, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "rms_norm_eps": 1e-06, "rope_theta": 10000.0, "routed_scaling_factor": 2.5, "topk_group": 4, "v_head_dim": 128})"},
    {"GptOssForCausalLM", R"({"head_dim": 64, "intermediate_size": 2880, "max_position_embeddings": 131072, "num_attention_heads": 64, "num_experts_per_tok": 4, "num_key_value_heads": 8, "num_local_experts": 128, "rms_norm_eps": 1e-05, "rope_parameters": {"rope_type": "yarn", "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": false, "original_max_position_embeddings": 4096, "rope_theta": 150000.0}, "rope_theta": 150000.0, "sliding_window": 128})"},
    {"Lfm2ForCausalLM", R"({"block_auto_adjust_ff_dim": true, "block_ffn_dim_multiplier": 1.0, "block_multiple_of": 256, "conv_L_cache": 3, "intermediate_size": 12288, "max_position_embeddings": 128000, "norm_eps": 1e-05, "num_attention_heads": 32, "num_key_value_heads": 8, "rope_theta": 1000000.0})"},
    {"MambaForCausalLM", R"({"conv_kernel": 4, "layer_norm_epsilon": 1e-05, "state_size": 16})"},
    {"BertModel", R"({"intermediate_size": 3072, "layer_norm_eps": 1e-12, "max_position_embeddings": 512, "num_attention_heads": 12, "type_vocab_size": 2})"},
    {"BertForMaskedLM", R"({"intermediate_size": 3072, "layer_norm_eps": 1e-12, "max_position_embeddings": 512, "num_attention_heads": 12, "type_vocab_size": 2})"},
    {"RobertaModel", R"({"intermediate_size": 3072, "layer_norm_eps": 1e-12, "max_position_embeddings": 512, "num_attention_heads": 12, "type_vocab_size": 2})"},
    {"RobertaForMaskedLM", R"({"intermediate_size": 3072, "layer_norm_eps": 1e-12, "max_position_embeddings": 512, "num_attention_heads": 12, "type_vocab_size": 2})"},
    {"XLMRobertaModel", R"({"intermediate_size": 3072, "layer_norm_eps": 1e-12, "max_position_embeddings": 512, "num_attention_heads": 12, "type_vocab_size": 2})"},
    {"XLMRobertaForMaskedLM", R"({"intermediate_size": 3072, "layer_norm_eps": 1e-12, "max_position_embeddings": 512, "num_attention_heads": 12, "type_vocab_size": 2})"},
    {"NomicBertModel", R"({"intermediate_size": 3072, "layer_norm_eps": 1e-12, "max_position_embeddings": 2048, "num_attention_heads": 12, "rope_theta": 1000.0, "type_vocab_size": 2})"},
};
// clang-format on

} // namespace

std::string_view familyDefaults(std::string_view huggingFaceClass)
{
    const auto* const found = std::ranges::find(kRows, huggingFaceClass, &Row::huggingFace);
    return found == std::end(kRows) ? std::string_view("{}") : found->json;
}

} // namespace engine
