// The table of families, and the names of their tensors that differ from the common ones.

#include "engine/huggingface/family.h"
#include "engine/huggingface/family_keys.h"
#include "engine/huggingface/family_names_custom.h"
#include "engine/huggingface/family_names_encoders.h"
#include "engine/huggingface/family_names_late.h"
#include "engine/huggingface/family_names_mixers.h"
#include "engine/huggingface/tensor_rules.h"

#include <algorithm>
#include <array>

namespace engine {

namespace {

/// The rows of both, the first's before the second's.
template <std::size_t First, std::size_t Second>
constexpr std::array<NameRow, First + Second> joined(const NameRow (&first)[First],
                                                     const NameRow (&second)[Second])
{
    std::array<NameRow, First + Second> all{};
    std::ranges::copy(first, all.begin());
    std::ranges::copy(second, all.begin() + First);
    return all;
}

// Norms of what attention and network give; Gemma has those before them too.
constexpr NameRow kPostNorms[] = {
    {"layers.{}.post_attention_layernorm", "blk.{}.post_attention_norm"},
};

constexpr NameRow kSeedOss[] = {
    {"layers.{}.post_attention_layernorm", "blk.{}.post_attention_norm"},
};

constexpr NameRow kGlm4[] = {
    {"layers.{}.post_self_attn_layernorm", "blk.{}.post_attention_norm"},
    {"layers.{}.post_mlp_layernorm", "blk.{}.post_ffw_norm"},
};

constexpr NameRow kGpt2[] = {
    {"h.{}.attn.c_attn", "blk.{}.attn_qkv", deriveTransposed},
    {"h.{}.attn.c_proj", "blk.{}.attn_output", deriveTransposed},
    {"h.{}.mlp.c_fc", "blk.{}.ffn_up", deriveTransposed},
    {"h.{}.mlp.c_proj", "blk.{}.ffn_down", deriveTransposed},
};

constexpr NameRow kBigCode[] = {
    {"h.{}.attn.c_attn", "blk.{}.attn_qkv", deriveBigCodeQkv},
};

constexpr NameRow kGptNeox[] = {
    {"layers.{}.attention.query_key_value", "blk.{}.attn_qkv", deriveGroupedQkv},
    {"layers.{}.attention.dense", "blk.{}.attn_output"},
};

constexpr NameRow kFalcon[] = {
    {"h.{}.input_layernorm", "blk.{}.attn_norm"},
    {"h.{}.ln_mlp", "blk.{}.attn_norm"},
    {"h.{}.ln_attn", "blk.{}.attn_norm_2"},
    {"h.{}.self_attention.query_key_value", "blk.{}.attn_qkv", deriveGroupedQkv},
    {"h.{}.self_attention.dense", "blk.{}.attn_output"},
    {"h.{}.mlp.dense_h_to_4h", "blk.{}.ffn_up"},
    {"h.{}.mlp.dense_4h_to_h", "blk.{}.ffn_down"},
};

constexpr NameRow kStableLm[] = {
    {"layers.{}.self_attn.q_layernorm.norms.{}", "blk.{}.attn_q_norm", deriveQueryHead},
    {"layers.{}.self_attn.k_layernorm.norms.{}", "blk.{}.attn_k_norm", deriveKeyHead},
};

constexpr NameRow kGraniteMoe[] = {
    {"layers.{}.block_sparse_moe.router.layer", "blk.{}.ffn_gate_inp"},
    {"layers.{}.block_sparse_moe.input_linear", "blk.{}.ffn_gate_exps|blk.{}.ffn_up_exps",
     deriveHalves},
    {"layers.{}.block_sparse_moe.output_linear", "blk.{}.ffn_down_exps"},
    {"layers.{}.shared_mlp.input_linear", "blk.{}.ffn_gate_shexp|blk.{}.ffn_up_shexp",
     deriveHalves},
    {"layers.{}.shared_mlp.output_linear", "blk.{}.ffn_down_shexp"},
};

constexpr NameRow kInternLm2[] = {
    {"layers.{}.attention_norm", "blk.{}.attn_norm"},
    {"layers.{}.ffn_norm", "blk.{}.ffn_norm"},
    {"layers.{}.attention.wqkv", "blk.{}.attn_q|blk.{}.attn_k|blk.{}.attn_v",
     deriveSplitGroupedQkv},
    {"layers.{}.attention.wo", "blk.{}.attn_output"},
    {"layers.{}.feed_forward.w1", "blk.{}.ffn_gate"},
    {"layers.{}.feed_forward.w2", "blk.{}.ffn_down"},
    {"layers.{}.feed_forward.w3", "blk.{}.ffn_up"},
};

constexpr NameRow kExaone[] = {
    {"h.{}.attn.attention.q_proj", "blk.{}.attn_q"},
    {"h.{}.attn.attention.k_proj", "blk.{}.attn_k"},
    {"h.{}.attn.attention.v_proj", "blk.{}.attn_v"},
    {"h.{}.attn.attention.out_proj", "blk.{}.attn_output"},
    {"h.{}.mlp.c_fc_0", "blk.{}.ffn_gate"},
    {"h.{}.mlp.c_fc_1", "blk.{}.ffn_up"},
    {"h.{}.attn.attention.rotary.inv_freq", ""},
};

constexpr NameRow kErnie[] = {
    {"layers.{}.self_attn.qkv_proj", "blk.{}.attn_q|blk.{}.attn_k|blk.{}.attn_v", deriveSplitQkv},
    {"layers.{}.mlp.up_gate_proj", "blk.{}.ffn_gate|blk.{}.ffn_up", deriveHalves},
    {"layers.{}.mlp.moe_statics.e_score_correction_bias", "blk.{}.exp_probs_b.bias"},
};

constexpr NameRow kDeepSeek[] = {
    {"layers.{}.self_attn.q_a_proj", "blk.{}.attn_q_a"},
    {"layers.{}.self_attn.q_a_layernorm", "blk.{}.attn_q_a_norm"},
    {"layers.{}.self_attn.q_b_proj", "blk.{}.attn_q_b"},
    {"layers.{}.self_attn.kv_a_proj_with_mqa", "blk.{}.attn_kv_a_mqa"},
    {"layers.{}.self_attn.kv_a_layernorm", "blk.{}.attn_kv_a_norm"},
    {"layers.{}.self_attn.kv_b_proj", "blk.{}.attn_k_b|blk.{}.attn_v_b", deriveLatentKv},
};

constexpr NameRow kGptOss[] = {
    {"layers.{}.post_attention_layernorm", "blk.{}.post_attention_norm"},
    {"layers.{}.mlp.experts.gate_up_proj", "blk.{}.ffn_gate_exps.weight|blk.{}.ffn_up_exps.weight",
     deriveTransposedAlternating},
    {"layers.{}.mlp.experts.gate_up_proj_bias", "blk.{}.ffn_gate_exps.bias|blk.{}.ffn_up_exps.bias",
     deriveAlternating},
    {"layers.{}.mlp.experts.gate_up_proj_blocks",
     "blk.{}.ffn_gate_exps.weight|blk.{}.ffn_up_exps.weight", deriveAlternatingMxfp4},
    {"layers.{}.mlp.experts.gate_up_proj_scales",
     "blk.{}.ffn_gate_exps.weight|blk.{}.ffn_up_exps.weight", deriveAlternatingMxfp4},
    {"layers.{}.mlp.experts.down_proj", "blk.{}.ffn_down_exps.weight", deriveTransposed},
    {"layers.{}.mlp.experts.down_proj_bias", "blk.{}.ffn_down_exps.bias"},
    {"layers.{}.mlp.experts.down_proj_blocks", "blk.{}.ffn_down_exps.weight", deriveMxfp4},
    {"layers.{}.mlp.experts.down_proj_scales", "blk.{}.ffn_down_exps.weight", deriveMxfp4},
};

constexpr NameRow kBert[] = {
    {"embeddings.word_embeddings", "token_embd"},
    {"embeddings.position_embeddings", "position_embd"},
    {"embeddings.token_type_embeddings", "token_types"},
    {"embeddings.LayerNorm", "token_embd_norm"},
    {"embeddings.LayerNorm.gamma", "token_embd_norm.weight"},
    {"embeddings.LayerNorm.beta", "token_embd_norm.bias"},
    {"embeddings.position_ids", ""},
    {"encoder.layer.{}.attention.self.query", "blk.{}.attn_q"},
    {"encoder.layer.{}.attention.self.key", "blk.{}.attn_k"},
    {"encoder.layer.{}.attention.self.value", "blk.{}.attn_v"},
    {"encoder.layer.{}.attention.output.dense", "blk.{}.attn_output"},
    {"encoder.layer.{}.attention.output.LayerNorm", "blk.{}.attn_output_norm"},
    {"encoder.layer.{}.attention.output.LayerNorm.gamma", "blk.{}.attn_output_norm.weight"},
    {"encoder.layer.{}.attention.output.LayerNorm.beta", "blk.{}.attn_output_norm.bias"},
    {"encoder.layer.{}.intermediate.dense", "blk.{}.ffn_up"},
    {"encoder.layer.{}.output.dense", "blk.{}.ffn_down"},
    {"encoder.layer.{}.output.LayerNorm", "blk.{}.layer_output_norm"},
    {"encoder.layer.{}.output.LayerNorm.gamma", "blk.{}.layer_output_norm.weight"},
    {"encoder.layer.{}.output.LayerNorm.beta", "blk.{}.layer_output_norm.bias"},
    // Heads for other tasks than an embedding.
    {"pooler.dense", ""},
    {"cls.predictions", ""},
    {"cls.predictions.decoder", ""},
    {"cls.predictions.transform.dense", ""},
    {"cls.predictions.transform.LayerNorm", ""},
    {"cls.predictions.transform.LayerNorm.gamma", ""},
    {"cls.predictions.transform.LayerNorm.beta", ""},
    {"cls.seq_relationship", ""},
};

constexpr NameRow kRoberta[] = {
    {"embeddings.position_embeddings", "position_embd", derivePositions},
    {"embeddings.word_embeddings", "token_embd"},
    {"embeddings.token_type_embeddings", "token_types"},
    {"embeddings.LayerNorm", "token_embd_norm"},
    {"embeddings.position_ids", ""},
    {"encoder.layer.{}.attention.self.query", "blk.{}.attn_q"},
    {"encoder.layer.{}.attention.self.key", "blk.{}.attn_k"},
    {"encoder.layer.{}.attention.self.value", "blk.{}.attn_v"},
    {"encoder.layer.{}.attention.output.dense", "blk.{}.attn_output"},
    {"encoder.layer.{}.attention.output.LayerNorm", "blk.{}.attn_output_norm"},
    {"encoder.layer.{}.intermediate.dense", "blk.{}.ffn_up"},
    {"encoder.layer.{}.output.dense", "blk.{}.ffn_down"},
    {"encoder.layer.{}.output.LayerNorm", "blk.{}.layer_output_norm"},
    {"pooler.dense", ""},
    {"lm_head", ""},
    {"lm_head.dense", ""},
    {"lm_head.decoder", ""},
    {"lm_head.layer_norm", ""},
};

constexpr NameRow kGptJ[] = {
    {"h.{}.attn.q_proj", "blk.{}.attn_q"}, {"h.{}.attn.k_proj", "blk.{}.attn_k"},
    {"h.{}.attn.v_proj", "blk.{}.attn_v"}, {"h.{}.attn.out_proj", "blk.{}.attn_output"},
    {"h.{}.mlp.fc_in", "blk.{}.ffn_up"},   {"h.{}.mlp.fc_out", "blk.{}.ffn_down"},
};

constexpr NameRow kBloom[] = {
    {"word_embeddings_layernorm", "token_embd_norm"},
    {"h.{}.input_layernorm", "blk.{}.attn_norm"},
    {"h.{}.self_attention.query_key_value", "blk.{}.attn_qkv", deriveGroupedQkv},
    {"h.{}.self_attention.dense", "blk.{}.attn_output"},
    {"h.{}.post_attention_layernorm", "blk.{}.ffn_norm"},
    {"h.{}.mlp.dense_h_to_4h", "blk.{}.ffn_up"},
    {"h.{}.mlp.dense_4h_to_h", "blk.{}.ffn_down"},
};

constexpr NameRow kMpt[] = {
    {"blocks.{}.norm_1", "blk.{}.attn_norm"},
    {"blocks.{}.norm_2", "blk.{}.ffn_norm"},
    {"blocks.{}.attn.Wqkv", "blk.{}.attn_qkv"},
    {"blocks.{}.attn.q_ln", "blk.{}.attn_q_norm"},
    {"blocks.{}.attn.k_ln", "blk.{}.attn_k_norm"},
    {"blocks.{}.attn.out_proj", "blk.{}.attn_output"},
    {"blocks.{}.ffn.up_proj", "blk.{}.ffn_up"},
    {"blocks.{}.ffn.down_proj", "blk.{}.ffn_down"},
};

constexpr NameRow kBaichuan[] = {
    {"layers.{}.self_attn.W_pack", "blk.{}.attn_q|blk.{}.attn_k|blk.{}.attn_v", deriveSplitQkv},
};

constexpr NameRow kHunyuanMoe[] = {
    {"layers.{}.mlp.gate.wg", "blk.{}.ffn_gate_inp"},
    {"layers.{}.mlp.shared_mlp.gate_proj", "blk.{}.ffn_gate_shexp"},
    {"layers.{}.mlp.shared_mlp.up_proj", "blk.{}.ffn_up_shexp"},
    {"layers.{}.mlp.shared_mlp.down_proj", "blk.{}.ffn_down_shexp"},
};

constexpr NameRow kNomicBert[] = {
    {"embeddings.word_embeddings", "token_embd"},
    {"embeddings.token_type_embeddings", "token_types"},
    {"embeddings.position_ids", ""},
    {"emb_ln", "token_embd_norm"},
    {"encoder.layers.{}.attn.Wqkv", "blk.{}.attn_qkv"},
    {"encoder.layers.{}.attn.out_proj", "blk.{}.attn_output"},
    {"encoder.layers.{}.norm1", "blk.{}.attn_output_norm"},
    {"encoder.layers.{}.norm2", "blk.{}.layer_output_norm"},
    {"encoder.layers.{}.mlp.fc11", "blk.{}.ffn_up"},
    {"encoder.layers.{}.mlp.fc12", "blk.{}.ffn_gate"},
    {"encoder.layers.{}.mlp.fc2", "blk.{}.ffn_down"},
    {"pooler.dense", ""},
};

// Scores of a text, or of two: of the first token, by way of a layer with tanh.
constexpr NameRow kBertScores[] = {
    {"pooler.dense", "cls"},
    {"classifier", "cls.output"},
};

constexpr NameRow kRobertaScores[] = {
    {"classifier.dense", "cls"},
    {"classifier.out_proj", "cls.output"},
};

constexpr NameRow kDistilBertScores[] = {
    {"pre_classifier", "cls"},
    {"classifier", "cls.output"},
};

constexpr NameRow kModernBertScores[] = {
    {"head.dense", "cls"},
    {"head.norm", "cls.norm"},
    {"classifier", "cls.output"},
};

constexpr auto kDistilBertRanks = joined(kDistilBertScores, kDistilBertNames);
constexpr auto kModernBertRanks = joined(kModernBertScores, kModernBertNames);
constexpr auto kBertRanks = joined(kBertScores, kBert);
constexpr auto kRobertaRanks = joined(kRobertaScores, kRoberta);

constexpr Family kFamilies[] = {
    {"LlamaForCausalLM", "llama", {}, describeLlama, true},
    {"LlamaModel", "llama", {}, describeLlama, true},
    {"MistralForCausalLM", "llama", {}, describeMistral, true},
    {"MixtralForCausalLM", "llama", {}, describeMistral, true},
    {"SmolVLMForConditionalGeneration", "llama", {}, describeLlama, true},
    {"Idefics3ForConditionalGeneration", "llama", {}, describeLlama, true},
    {"MinistralForCausalLM", "llama", {}, describeMistral, true},
    {"HeliumForCausalLM", "llama", {}, describeLlama},
    {"SmolLM3ForCausalLM", "smollm3", {}, describeSmolLm3, true},
    {"Mistral3ForConditionalGeneration", "llama", {}, describeMistral, true},
    {"BitNetForCausalLM", "bitnet", kBitNetNames, describeBitNet},
    {"BitnetForCausalLM", "bitnet", kBitNetNames, describeBitNet},
    {"ArceeForCausalLM", "arcee", {}, describeLlama, true},
    {"BaichuanForCausalLM", "baichuan", kBaichuan, describeLlama, true},
    {"BaiChuanForCausalLM", "baichuan", kBaichuan, describeLlama, true},
    {"HunYuanDenseV1ForCausalLM", "hunyuan-dense", {}, describeHunyuan},
    {"HunYuanMoEV1ForCausalLM", "hunyuan-moe", kHunyuanMoe, describeHunyuanMoe},
    {"Dots1ForCausalLM", "dots1", {}, describeDots1},
    {"XverseForCausalLM", "xverse", {}, describeLlama, true},
    {"InternLM2ForCausalLM", "internlm2", kInternLm2, nullptr, true},
    {"InternLM3ForCausalLM", "llama", {}, describeLlama, true},
    {"MiniCPMForCausalLM", "minicpm", {}, describeMiniCpm, true},
    {"GraniteForCausalLM", "granite", {}, describeGranite, true},
    {"GraniteMoeForCausalLM", "granitemoe", kGraniteMoe, describeGraniteMoe, true},
    {"GraniteMoeSharedForCausalLM", "granitemoe", kGraniteMoe, describeGraniteMoe, true},
    {"OlmoForCausalLM", "olmo", {}, describeOlmo, true},
    {"Olmo2ForCausalLM", "olmo2", kPostNorms, describeLayerWindows},
    {"Olmo3ForCausalLM", "olmo2", kPostNorms, describeLayerWindows},
    {"OlmoeForCausalLM", "olmoe", {}, describeOlmoe},

    {"Qwen2ForCausalLM", "qwen2", {}, describeQwen},
    {"Qwen2Model", "qwen2", {}, describeQwen},
    {"Qwen2MoeForCausalLM", "qwen2moe", {}, describeQwen},
    {"Qwen3ForCausalLM", "qwen3", {}, describeQwen},
    {"Qwen3Model", "qwen3", {}, describeQwen},
    {"Qwen3MoeForCausalLM", "qwen3moe", {}, describeQwen},
    // What reads pictures turns text's positions as the plain model does.
    {"Qwen2VLForConditionalGeneration", "qwen2", {}, describeQwen},
    {"Qwen2_5_VLForConditionalGeneration", "qwen2", {}, describeQwen},
    {"Qwen3VLForConditionalGeneration", "qwen3"},
    {"Qwen3VLMoeForConditionalGeneration", "qwen3moe"},
    {"SeedOssForCausalLM", "seed_oss", kSeedOss},

    {"GemmaForCausalLM", "gemma", {}, nullptr, false, true, true},
    {"Gemma2ForCausalLM", "gemma2", kPostNorms, describeGemma2, false, true, true},
    {"Gemma3ForCausalLM", "gemma3", kPostNorms, describeGemma3, false, true, true},
    {"Gemma3ForConditionalGeneration", "gemma3", kPostNorms, describeGemma3, false, true, true},

    {"PhiForCausalLM", "phi2", {}, describePhi2},
    {"Phi3ForCausalLM", "phi3", {}, describePhi3},
    // Their own code gives each chosen expert nearly all of a weight of its own (SparseMixer);
    // GGUF's readers know softmax alone, and a folder is read as the file made of it would be.
    {"PhiMoEForCausalLM", "phimoe", {}, describePhi3},
    {"PhimoeForCausalLM", "phimoe", {}, describePhi3},
    {"GPTJForCausalLM", "gptj", kGptJ, describeGptJ},
    {"GPTBigCodeForCausalLM", "starcoder", kBigCode, describeBigCode},
    {"BloomForCausalLM", "bloom", kBloom, describeBloom},
    {"BloomModel", "bloom", kBloom, describeBloom},
    {"MPTForCausalLM", "mpt", kMpt, describeMpt},
    {"MptForCausalLM", "mpt", kMpt, describeMpt},
    {"NemotronForCausalLM", "nemotron", {}, describeNemotron, false, true},
    {"OrionForCausalLM", "orion", {}, describeOrion},
    {"GPT2LMHeadModel", "gpt2", kGpt2, describeGpt2},
    {"GPTNeoXForCausalLM", "gptneox", kGptNeox, describeGptNeox},
    {"FalconForCausalLM", "falcon", kFalcon, describeFalcon},
    {"RWForCausalLM", "falcon", kFalcon, describeFalcon},
    {"Starcoder2ForCausalLM", "starcoder2", {}, describeStarCoder2},
    {"StableLmForCausalLM", "stablelm", kStableLm, describeStableLm},
    {"CohereForCausalLM", "command-r", {}, describeCohere},
    {"Cohere2ForCausalLM", "cohere2", {}, describeCohere2},
    {"Glm4ForCausalLM", "glm4", kGlm4, describeGlm4},
    {"Glm4MoeForCausalLM", "glm4moe", kPostNorms, describeGlm4Moe},
    {"GlmForCausalLM", "chatglm", {}, describeGlm4},
    {"Glm4vForConditionalGeneration", "glm4", kGlm4, describeGlm4},
    {"Glm4vMoeForConditionalGeneration", "glm4moe", kPostNorms, describeGlm4Moe},
    {"SolarOpenForCausalLM", "glm4moe", kPostNorms, describeGlm4Moe},
    {"ExaoneForCausalLM", "exaone", kExaone, describePartRotary},
    {"Exaone4ForCausalLM", "exaone4", kPostNorms, describeLayerWindows},
    {"Exaone4_5_ForConditionalGeneration", "exaone4", kPostNorms, describeLayerWindows},
    {"Ernie4_5ForCausalLM", "ernie4_5", kErnie},
    {"Ernie4_5_ForCausalLM", "ernie4_5", kErnie},
    {"Ernie4_5_MoeForCausalLM", "ernie4_5-moe", kErnie, describeErnieMoe},
    {"DeepseekV2ForCausalLM", "deepseek2", kDeepSeek, describeDeepSeek2},
    {"DeepseekV3ForCausalLM", "deepseek2", kDeepSeek, describeDeepSeek3},
    {"GptOssForCausalLM", "gpt-oss", kGptOss, describeGptOss},
    {"Lfm2ForCausalLM", "lfm2", kLfm2Names, describeLfm2},
    {"Lfm2VlForConditionalGeneration", "lfm2", kLfm2Names, describeLfm2},
    {"Lfm2MoeForCausalLM", "lfm2moe", kLfm2Names, describeLfm2Moe},
    {"MambaForCausalLM", "mamba", kMambaNames, describeMamba},
    {"FalconMambaForCausalLM", "mamba", kMambaNames, describeFalconMamba},
    {"Mamba2ForCausalLM", "mamba2", kMambaNames, describeMamba2},
    {"JambaForCausalLM", "jamba", kJambaNames, describeJamba},
    {"FalconH1ForCausalLM", "falcon-h1", kFalconH1Names, describeFalconH1},
    {"BambaForCausalLM", "granitehybrid", kGraniteHybridNames, describeBamba, true},
    {"GraniteMoeHybridForCausalLM", "granitehybrid", kGraniteHybridNames, describeGraniteHybrid,
     true},
    {"NemotronHForCausalLM", "nemotron_h", kNemotronHNames, describeNemotronH},
    {"Qwen3NextForCausalLM", "qwen3next", kQwen3NextNames, describeQwen3Next, false, true},
    {"Qwen3_5ForCausalLM", "qwen35", kQwen35Names, describeQwen35, false, true},
    {"Qwen3_5ForConditionalGeneration", "qwen35", kQwen35Names, describeQwen35, false, true},
    {"Qwen3_5MoeForCausalLM", "qwen35moe", kQwen35Names, describeQwen35, false, true},
    {"Qwen3_5MoeForConditionalGeneration", "qwen35moe", kQwen35Names, describeQwen35, false, true},

    {"Ministral3ForCausalLM", "mistral3", {}, describeMistral, true},
    {"Mistral4ForCausalLM", "mistral4", kDeepSeek, describeMistral4},
    {"ApertusForCausalLM", "apertus", kApertusNames, describeApertus},
    {"Llama4ForCausalLM", "llama4", kLlama4Names, describeLlama4},
    {"Llama4ForConditionalGeneration", "llama4", kLlama4Names, describeLlama4},
    {"Gemma3nForCausalLM", "gemma3n", kGemma3nNames, describeGemma3n, false, false, true},
    {"Gemma3nForConditionalGeneration", "gemma3n", kGemma3nNames, describeGemma3n, false, false,
     true},
    {"Gemma4ForCausalLM", "gemma4", kGemma3nNames, describeGemma4, false, false, true},
    {"Gemma4ForConditionalGeneration", "gemma4", kGemma3nNames, describeGemma4, false, false, true},
    {"Gemma4UnifiedForConditionalGeneration", "gemma4", kGemma3nNames, describeGemma4, false, false,
     true},
    {"AfmoeForCausalLM", "afmoe", kAfmoeNames, describeAfmoe},
    {"ExaoneMoeForCausalLM", "exaone-moe", kExaoneMoeNames, describeExaoneMoe},
    {"ExaoneMoEForCausalLM", "exaone-moe", kExaoneMoeNames, describeExaoneMoe},
    {"LagunaForCausalLM", "laguna", kLagunaNames, describeLaguna},
    {"MellumForCausalLM", "mellum", {}, describeMellum},
    {"HYV3ForCausalLM", "hy_v3", kHunyuan3Names, describeHunyuan3},
    {"MiniMaxM2ForCausalLM", "minimax-m2", kMiniMaxM2Names, describeMiniMaxM2},
    {"Cohere2MoeForCausalLM", "cohere2moe", {}, describeCohere2Moe},
    {"Glm4MoeLiteForCausalLM", "deepseek2", kDeepSeek, describeDeepSeek3},
    {"YoutuForCausalLM", "deepseek2", kDeepSeek, describeDeepSeek2},
    {"Jais2ForCausalLM", "jais2"},
    // Their code came with their folders.
    {"MiniCPM3ForCausalLM", "minicpm3", kDeepSeek, describeMiniCpm3},
    {"DeepseekForCausalLM", "deepseek", {}, describeDeepSeek, true},
    {"BailingMoeForCausalLM", "bailingmoe", kBailingMoeNames, describeBailingMoe, true},
    {"BailingMoeV2ForCausalLM", "bailingmoe2", kBailingMoe2Names, describeBailingMoe2},
    {"ChatGLMModel", "chatglm", kChatGlmNames, describeChatGlm},
    {"ChatGLMForConditionalGeneration", "chatglm", kChatGlmNames, describeChatGlm},
    {"JAISLMHeadModel", "jais", kJaisNames, describeJais},
    {"MiMoV2FlashForCausalLM", "mimo2", kMimo2Names, describeMimo2},
    {"Step3p5ForCausalLM", "step35", kStep35Names, describeStep35, false, true},
    {"SmallThinkerForCausalLM", "smallthinker", kSmallThinkerNames, describeSmallThinker},
    {"CodeShellForCausalLM", "codeshell", kCodeShellNames, describeCodeShell},
    {"PLMForCausalLM", "plm", kDeepSeek, describeDeepSeek2},
    {"PanguEmbeddedForCausalLM", "pangu-embedded", {}, describeLlama},
    {"NanbeigeForCausalLM", "nanbeige", {}, describeNanbeige, true},
    {"MaincoderForCausalLM", "maincoder", {}, describeLlama},
    {"QWenLMHeadModel", "qwen", kQwen1Names, describeQwen1},
    {"OpenELMForCausalLM", "openelm", kOpenElmNames, describeOpenElm},
    {"DeciLMForCausalLM", "deci", kDeciNames, describeDeci, true},
    {"DbrxForCausalLM", "dbrx", kDbrxNames, describeDbrx},
    {"ChameleonForConditionalGeneration", "chameleon", kChameleonNames, describeChameleon, true},
    {"ChameleonForCausalLM", "chameleon", kChameleonNames, describeChameleon, true},
    {"GPTRefactForCausalLM", "refact", kRefactNames, describeRefact},
    {"PlamoForCausalLM", "plamo", kPlamoNames, describePlamo},
    {"Plamo2ForCausalLM", "plamo2", kPlamo2Names, describePlamo2},
    {"PLaMo2ForCausalLM", "plamo2", kPlamo2Names, describePlamo2},
    {"Plamo3ForCausalLM", "plamo3", kPlamo3Names, describePlamo3},
    {"PLaMo3ForCausalLM", "plamo3", kPlamo3Names, describePlamo3},
    {"RWKV7ForCausalLM", "rwkv7", kRwkv7Names, describeRwkv7},
    {"Rwkv7ForCausalLM", "rwkv7", kRwkv7Names, describeRwkv7},
    {"KimiLinearForCausalLM", "kimi-linear", kKimiLinearNames, describeKimiLinear},

    {"BertModel", "bert", kBert, describeBert},
    {"BertForMaskedLM", "bert", kBert, describeBert},
    {"RobertaModel", "bert", kRoberta, describeRoberta},
    {"RobertaForMaskedLM", "bert", kRoberta, describeRoberta},
    {"XLMRobertaModel", "bert", kRoberta, describeRoberta},
    {"XLMRobertaForMaskedLM", "bert", kRoberta, describeRoberta},
    {"CamembertModel", "bert", kRoberta, describeRoberta},
    {"CamembertForMaskedLM", "bert", kRoberta, describeRoberta},
    {"BertForSequenceClassification", "bert", kBertRanks, describeBertRanks},
    {"RobertaForSequenceClassification", "bert", kRobertaRanks, describeRobertaRanks},
    {"XLMRobertaForSequenceClassification", "bert", kRobertaRanks, describeRobertaRanks},
    {"DistilBertModel", "bert", kDistilBertNames, describeDistilBert},
    {"DistilBertForMaskedLM", "bert", kDistilBertNames, describeDistilBert},
    {"DistilBertForSequenceClassification", "bert", kDistilBertRanks, describeDistilBertRanks},
    {"ModernBertForSequenceClassification", "modern-bert", kModernBertRanks,
     describeModernBertRanks},
    {"NomicBertModel", "nomic-bert", kNomicBert, describeNomicBert},
    {"NomicBertModel", "nomic-bert-moe", kNomicBertMoeNames, describeNomicBertMoe, false, false,
     false, true},
    {"NeoBERT", "neo-bert", kNeoBertNames, describeNeoBert},
    {"NeoBERTLMHead", "neo-bert", kNeoBertNames, describeNeoBert},
    {"T5EncoderModel", "t5encoder", kT5EncoderNames, describeT5Encoder},
    {"MT5EncoderModel", "t5encoder", kT5EncoderNames, describeT5Encoder},
    {"UMT5EncoderModel", "t5encoder", kT5EncoderNames, describeT5Encoder},
    {"LlamaBidirectionalModel", "llama-embed", {}, describeLlamaEmbed, true},
    {"ModernBertModel", "modern-bert", kModernBertNames, describeModernBert},
    {"ModernBertForMaskedLM", "modern-bert", kModernBertNames, describeModernBert},
    {"JinaBertModel", "jina-bert-v2", kJinaBertV2Names, describeJinaBertV2},
    {"JinaBertForMaskedLM", "jina-bert-v2", kJinaBertV2Names, describeJinaBertV2},
    {"JinaEmbeddingsV3Model", "jina-bert-v3", kJinaBertV3Names, describeBert},
    {"EuroBertModel", "eurobert"},
    {"Gemma3TextModel", "gemma-embedding", kPostNorms, describeGemmaEmbedding, false, true, true},
};

} // namespace

const Family* findFamily(std::string_view huggingFaceClass)
{
    for (const Family& family : kFamilies) {
        if (family.huggingFace == huggingFaceClass && !family.ofSomeExperts) return &family;
    }
    return nullptr;
}

const Family* findFamily(const ModelConfig& config)
{
    const std::string name = config.architecture();
    if (config.integer("moe_every_n_layers").value_or(0) > 0) {
        for (const Family& family : kFamilies) {
            if (family.huggingFace == name && family.ofSomeExperts) return &family;
        }
    }
    const Family* const family = findFamily(name);
    return family ? family : findFamily(config.textArchitecture());
}

std::span<const Family> families()
{
    return kFamilies;
}

} // namespace engine
