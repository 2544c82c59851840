#!/usr/bin/env python3
"""Writes small random models and tokenizers with Transformers and asks inglenook-cli for the same numbers from the folder.

usage: huggingface_folders.py CLI [NAME...]
Needs python3 with torch, transformers, tokenizers and numpy; exit 77 where they are not there."""
import base64, json, os, subprocess, sys, tempfile

try:
    import numpy as np
    import tokenizers
    import torch
    import transformers
except ImportError as missing:
    print(f'skipped: {missing}')
    sys.exit(77)

CLI = sys.argv[1]
WANTED = sys.argv[2:]
TOKENS = [1] + [(i * 37) % 250 + 3 for i in range(40)]
SIZES = dict(vocab_size=256, hidden_size=64, intermediate_size=96, num_hidden_layers=3, num_attention_heads=4,
             num_key_value_heads=2, max_position_embeddings=256, pad_token_id=0, bos_token_id=1, eos_token_id=2)
BOUND = 5e-3  # of the logits' standard deviation: what GELU's two forms differ by
HYBRID = dict(layer_types=['mamba', 'attention', 'mamba'], mamba_n_heads=8, mamba_d_head=16, mamba_d_state=16, mamba_n_groups=1)
NEMOTRON = dict(layers_block_type=['mamba', 'moe', 'attention', 'mamba', 'moe'], head_dim=16, mamba_num_heads=8, mamba_head_dim=16,
                ssm_state_size=16, n_groups=2, n_routed_experts=4, num_experts_per_tok=2, moe_intermediate_size=32,
                moe_shared_expert_intermediate_size=48, n_group=1, topk_group=1)
DELTA = dict(num_hidden_layers=4, head_dim=32, linear_key_head_dim=16, linear_value_head_dim=16, linear_num_key_heads=2)
SPARSE = dict(head_dim=16, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=32, sliding_window=16)
# Class, and what differs from SIZES.
MODELS = {
    'llama': ('LlamaConfig', {}),
    'llama-bias': ('LlamaConfig', dict(attention_bias=True)),
    'llama3-rope': ('LlamaConfig', dict(rope_theta=500000.0, rope_scaling=dict(
        rope_type='llama3', factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=64))),
    'llama-linear': ('LlamaConfig', dict(rope_scaling=dict(rope_type='linear', factor=4.0))),
    'llama-yarn': ('LlamaConfig', dict(rope_scaling=dict(rope_type='yarn', factor=4.0, original_max_position_embeddings=64))),
    'llama-yarn-factor': ('LlamaConfig', dict(rope_scaling=dict(
        rope_type='yarn', factor=4.0, attention_factor=1.5, original_max_position_embeddings=64))),
    'llama-yarn-mscale': ('LlamaConfig', dict(rope_scaling=dict(
        rope_type='yarn', factor=4.0, mscale=1.5, mscale_all_dim=0.7, truncate=False, original_max_position_embeddings=64))),
    'llama-tied': ('LlamaConfig', dict(tie_word_embeddings=True)),
    'mistral': ('MistralConfig', dict(sliding_window=None)),
    'mixtral': ('MixtralConfig', dict(num_local_experts=4, sliding_window=None)),
    'qwen2': ('Qwen2Config', {}),
    'qwen2moe': ('Qwen2MoeConfig', dict(num_experts=4, num_experts_per_tok=2, moe_intermediate_size=32,
                                        shared_expert_intermediate_size=48, decoder_sparse_step=1)),
    'qwen3': ('Qwen3Config', dict(head_dim=32)),
    'qwen3moe': ('Qwen3MoeConfig', dict(head_dim=32, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=32)),
    'gemma': ('GemmaConfig', dict(head_dim=16)),
    'gemma2': ('Gemma2Config', dict(head_dim=16, sliding_window=16, query_pre_attn_scalar=16)),
    'gemma3': ('Gemma3TextConfig', dict(head_dim=16, sliding_window=16, query_pre_attn_scalar=16, num_hidden_layers=7)),
    'phi2': ('PhiConfig', dict(num_key_value_heads=4)),
    'phi3': ('Phi3Config', dict(sliding_window=None)),
    'gpt2': ('GPT2Config', dict(num_key_value_heads=4, n_embd=64, n_layer=3, n_head=4, n_positions=256)),
    'gptneox': ('GPTNeoXConfig', dict(num_key_value_heads=4)),
    'gptj': ('GPTJConfig', dict(intermediate_size=256, num_key_value_heads=4, n_embd=64, n_layer=3, n_head=4, n_positions=256, rotary_dim=8)),
    'falcon': ('FalconConfig', dict(num_key_value_heads=4, new_decoder_architecture=False, multi_query=True, parallel_attn=True, bias=False)),
    'falcon-new': ('FalconConfig', dict(new_decoder_architecture=True, num_kv_heads=2, bias=False)),
    'bloom': ('BloomConfig', dict(intermediate_size=256, num_key_value_heads=4, n_layer=3, n_head=4)),
    'mpt': ('MptConfig', dict(num_key_value_heads=4, d_model=64, n_layers=3, n_heads=4, max_seq_len=256)),
    'starcoder': ('GPTBigCodeConfig', dict(intermediate_size=256, num_key_value_heads=4, n_embd=64, n_layer=3, n_head=4, n_positions=256)),
    'starcoder2': ('Starcoder2Config', dict(sliding_window=None)),
    'stablelm': ('StableLmConfig', {}),
    'bitnet': ('BitNetConfig', {}),
    'bitnet-silu': ('BitNetConfig', dict(hidden_act='silu', tie_word_embeddings=True)),
    'olmo': ('OlmoConfig', {}),
    'olmo2': ('Olmo2Config', {}),
    'olmoe': ('OlmoeConfig', dict(num_experts=4, num_experts_per_tok=2)),
    'granite': ('GraniteConfig', dict(embedding_multiplier=12.0, logits_scaling=8.0, residual_multiplier=0.22,
                                      attention_multiplier=0.25)),
    'granitemoe': ('GraniteMoeConfig', dict(num_local_experts=4, num_experts_per_tok=2)),
    'smollm3': ('SmolLM3Config', dict(num_hidden_layers=4)),
    'command-r': ('CohereConfig', {}),
    'cohere2': ('Cohere2Config', dict(sliding_window=16, num_hidden_layers=4)),
    'deepseek2': ('DeepseekV3Config', dict(num_key_value_heads=4, n_routed_experts=4, num_experts_per_tok=2, n_group=1, topk_group=1,
                                           moe_intermediate_size=32, kv_lora_rank=32, q_lora_rank=24, qk_rope_head_dim=8,
                                           qk_nope_head_dim=16, v_head_dim=16, first_k_dense_replace=1, n_shared_experts=1)),
    'glm4': ('Glm4Config', dict(head_dim=16)),
    'glm4moe': ('Glm4MoeConfig', dict(head_dim=16, n_routed_experts=4, num_experts_per_tok=2, moe_intermediate_size=32,
                                      first_k_dense_replace=1)),
    'ernie4_5': ('Ernie4_5Config', dict(head_dim=16)),
    'gpt-oss': ('GptOssConfig', dict(head_dim=16, num_local_experts=4, num_experts_per_tok=2, sliding_window=16)),
    'seed_oss': ('SeedOssConfig', dict(head_dim=16)),
    'arcee': ('ArceeConfig', {}),
    'nemotron': ('NemotronConfig', {}),
    'hunyuan-dense': ('HunYuanDenseV1Config', dict(head_dim=16)),
    'dots1': ('Dots1Config', dict(n_shared_experts=1, n_routed_experts=4, num_experts_per_tok=2, moe_intermediate_size=32, first_k_dense_replace=1)),
    'lfm2': ('Lfm2Config', dict(layer_types=['conv', 'full_attention', 'conv'], block_auto_adjust_ff_dim=False)),
    'mamba': ('MambaConfig', {}),
    'mistral-window': ('MistralConfig', dict(sliding_window=16)),
    'mixtral-window': ('MixtralConfig', dict(num_local_experts=4, sliding_window=16)),
    'starcoder2-window': ('Starcoder2Config', dict(sliding_window=16)),
    'qwen2-window': ('Qwen2Config', dict(use_sliding_window=True, sliding_window=16, max_window_layers=1)),
    'qwen3-window': ('Qwen3Config', dict(use_sliding_window=True, sliding_window=16, max_window_layers=2, head_dim=32)),
    'phi3-window': ('Phi3Config', dict(sliding_window=16)),
    'olmo3': ('Olmo3Config', dict(sliding_window=16, num_hidden_layers=5)),
    'exaone4': ('Exaone4Config', dict(sliding_window=None, layer_types=['full_attention'] * 3)),
    'exaone4-window': ('Exaone4Config', dict(sliding_window=16, sliding_window_pattern=4, num_hidden_layers=5)),
    'exaone4-short': ('Exaone4Config', dict(sliding_window=64, sliding_window_pattern=4, num_hidden_layers=5)),
    'gemma3-other': ('Gemma3TextConfig', dict(head_dim=16, sliding_window=16, query_pre_attn_scalar=16, layer_types=[
        'full_attention', 'sliding_attention', 'sliding_attention'])),
    'gpt-oss-other': ('GptOssConfig', dict(head_dim=16, num_local_experts=4, num_experts_per_tok=2, sliding_window=16, layer_types=[
        'full_attention', 'full_attention', 'sliding_attention'])),
    'glm': ('GlmConfig', dict(head_dim=16)),
    'deepseek-v2': ('DeepseekV2Config', dict(num_key_value_heads=4, n_routed_experts=4, num_experts_per_tok=2, moe_intermediate_size=32, kv_lora_rank=32,
                                             q_lora_rank=24, qk_rope_head_dim=8, qk_nope_head_dim=16, v_head_dim=16, first_k_dense_replace=1, n_shared_experts=1)),
    'granitemoeshared': ('GraniteMoeSharedConfig', dict(num_local_experts=4, num_experts_per_tok=2, shared_intermediate_size=48)),
    'ernie4_5-moe': ('Ernie4_5_MoeConfig', dict(moe_num_experts=4, moe_k=2, moe_intermediate_size=32, moe_num_shared_experts=1)),
    'hunyuan-moe': ('HunYuanMoEV1Config', dict(head_dim=16, num_experts=4, moe_topk=2)),
    'ministral3': ('Ministral3Config', dict(head_dim=16, rope_parameters=dict(
        rope_type='yarn', rope_theta=1e6, factor=16.0, original_max_position_embeddings=16, beta_fast=32.0, beta_slow=1.0, mscale=1.0,
        mscale_all_dim=1.0, llama_4_scaling_beta=0.1))),
    'mistral4': ('Mistral4Config', dict(num_key_value_heads=4, n_routed_experts=4, num_experts_per_tok=2, moe_intermediate_size=32, kv_lora_rank=32,
                                        q_lora_rank=24, qk_rope_head_dim=8, qk_nope_head_dim=16, v_head_dim=16, first_k_dense_replace=1,
                                        n_shared_experts=1, n_group=1, topk_group=1)),
    'apertus': ('ApertusConfig', {}),
    'llama4': ('Llama4TextConfig', dict(head_dim=16, num_hidden_layers=4, intermediate_size=48, intermediate_size_mlp=96, num_local_experts=4,
                                        num_experts_per_tok=1, interleave_moe_layer_step=2)),
    'llama4-temperature': ('Llama4TextConfig', dict(head_dim=16, num_hidden_layers=4, intermediate_size=48, intermediate_size_mlp=96,
                                                    num_local_experts=4, num_experts_per_tok=2, interleave_moe_layer_step=1,
                                                    attn_temperature_tuning=True, floor_scale=16)),
    'gemma4': ('Gemma4TextConfig', dict(head_dim=16, global_head_dim=32, num_hidden_layers=6, hidden_size_per_layer_input=0, sliding_window=16,
                                        num_kv_shared_layers=0)),
    'gemma4-small-embeddings': ('Gemma4TextConfig', dict(head_dim=16, global_head_dim=32, num_hidden_layers=12, hidden_size_per_layer_input=32,
                                                         vocab_size_per_layer_input=256, sliding_window=16, num_kv_shared_layers=4,
                                                         use_double_wide_mlp=True)),
    'gemma4-experts': ('Gemma4TextConfig', dict(head_dim=16, global_head_dim=32, num_hidden_layers=6, hidden_size_per_layer_input=0,
                                                sliding_window=16, num_kv_shared_layers=0, enable_moe_block=True, num_experts=4,
                                                top_k_experts=2, moe_intermediate_size=32, num_global_key_value_heads=1,
                                                attention_k_eq_v=True)),
    'mamba2': ('Mamba2Config', dict(num_heads=8, head_dim=16, state_size=16, n_groups=1, expand=2)),
    'falcon-mamba': ('FalconMambaConfig', {}),
    'granitehybrid': ('GraniteMoeHybridConfig', dict(HYBRID, num_local_experts=4, num_experts_per_tok=2, shared_intermediate_size=48,
                                                     embedding_multiplier=12.0, logits_scaling=8.0, residual_multiplier=0.22,
                                                     attention_multiplier=0.25)),
    'granitehybrid-dense': ('GraniteMoeHybridConfig', dict(HYBRID, num_local_experts=0, num_experts_per_tok=0, shared_intermediate_size=80,
                                                           position_embedding_type='rope')),
    'falcon-h1': ('FalconH1Config', dict(head_dim=16, mamba_d_ssm=128, mamba_n_heads=8, mamba_d_head=16, mamba_d_state=16, mamba_n_groups=2,
                                         embedding_multiplier=5.0, lm_head_multiplier=0.3, attention_in_multiplier=0.9,
                                         attention_out_multiplier=0.7, ssm_in_multiplier=1.2, ssm_out_multiplier=0.8,
                                         mlp_multipliers=[0.9, 0.6], ssm_multipliers=[0.8, 0.9, 1.1, 1.2, 0.7], key_multiplier=0.5)),
    'falcon-h1-tied': ('FalconH1Config', dict(head_dim=16, mamba_d_ssm=128, mamba_n_heads=8, mamba_d_head=16, mamba_d_state=16, mamba_n_groups=2,
                                              mamba_rms_norm=True, mamba_norm_before_gate=False, embedding_multiplier=5.0,
                                              lm_head_multiplier=0.3, tie_word_embeddings=True)),
    'jamba': ('JambaConfig', dict(num_hidden_layers=4, attn_layer_period=4, attn_layer_offset=2, num_experts=4, num_experts_per_tok=2,
                                  use_mamba_kernels=False)),
    'nemotron_h': ('NemotronHConfig', dict(NEMOTRON, moe_latent_size=None)),
    'nemotron_h-latent': ('NemotronHConfig', dict(NEMOTRON, moe_latent_size=40, routed_scaling_factor=2.5)),
    'qwen3next': ('Qwen3NextConfig', dict(DELTA, linear_num_value_heads=4, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=32,
                                          shared_expert_intermediate_size=48, decoder_sparse_step=1)),
    'qwen35': ('Qwen3_5TextConfig', dict(DELTA, linear_num_value_heads=6)),
    'qwen35moe': ('Qwen3_5MoeTextConfig', dict(DELTA, linear_num_value_heads=4, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=32,
                                               shared_expert_intermediate_size=48)),
    'lfm2moe': ('Lfm2MoeConfig', dict(layer_types=['conv', 'full_attention', 'conv'], num_experts=4, num_experts_per_tok=2,
                                      moe_intermediate_size=32, num_dense_layers=1)),
    'minimax-m2': ('MiniMaxM2Config', dict(head_dim=16, num_local_experts=4, num_experts_per_tok=2, intermediate_size=32)),
    'exaone-moe': ('ExaoneMoeConfig', dict(SPARSE, num_hidden_layers=4, num_shared_experts=1, first_k_dense_replace=1)),
    'afmoe': ('AfmoeConfig', dict(SPARSE, num_hidden_layers=4, num_dense_layers=1, num_shared_experts=1)),
    'laguna': ('LagunaConfig', dict(SPARSE, shared_expert_intermediate_size=48)),
    'cohere2moe': ('Cohere2MoeConfig', dict(SPARSE, num_hidden_layers=4, first_k_dense_replace=1)),
    'mellum': ('MellumConfig', dict(SPARSE)),
    'hy_v3': ('HYV3Config', dict(SPARSE, first_k_dense_replace=1)),
    'jais2': ('Jais2Config', dict(head_dim=16)),
    'glm4-moe-lite': ('Glm4MoeLiteConfig', dict(num_key_value_heads=4, n_routed_experts=4, num_experts_per_tok=2, moe_intermediate_size=32,
                                                kv_lora_rank=32, q_lora_rank=24, qk_rope_head_dim=8, qk_nope_head_dim=16, v_head_dim=16,
                                                n_shared_experts=1, n_group=1, topk_group=1)),
    'ministral': ('MinistralConfig', dict(head_dim=16, sliding_window=16)),
    'helium': ('HeliumConfig', dict(head_dim=16)),
    # Its class makes as many frequencies as if all of a head were rotated, whatever part it says.
    'bamba': ('BambaConfig', dict(mamba_n_heads=8, mamba_d_head=16, mamba_d_state=16, mamba_n_groups=1, attn_layer_indices=[1],
                                  rope_parameters=dict(rope_type='default', rope_theta=10000.0, partial_rotary_factor=1.0))),
    'solar-open': ('SolarOpenConfig', dict(head_dim=16, n_routed_experts=4, num_experts_per_tok=2, moe_intermediate_size=32)),
    'youtu': ('YoutuConfig', dict(num_key_value_heads=4, kv_lora_rank=32, q_lora_rank=24, qk_rope_head_dim=8, qk_nope_head_dim=16,
                                  v_head_dim=16)),
}
# Compared by the mean of the last hidden states.
ENCODERS = {
    'modern-bert': ('ModernBertConfig', dict(num_hidden_layers=7, local_attention=16)),
    'eurobert': ('EuroBertConfig', {}),
    'nomic-bert': ('NomicBertConfig', {}),
    'jina-bert-v3': ('JinaEmbeddingsV3Config', {}),
    'distilbert': ('DistilBertConfig', dict(dim=64, n_layers=3, n_heads=4, hidden_dim=96)),
    'camembert': ('CamembertConfig', {}),
    't5-encoder': ('T5Config', dict(d_kv=16, d_ff=96, num_layers=3, num_heads=4, feed_forward_proj='gated-gelu')),
    't5-encoder-relu': ('T5Config', dict(d_kv=24, d_ff=96, num_layers=3, num_heads=4)),
    'umt5-encoder': ('UMT5Config', dict(d_kv=16, d_ff=96, num_layers=3, num_heads=4)),
}
# Compared by the scores of the text.
RANKERS = {
    'bert-ranks': ('BertConfig', dict(num_labels=1)),
    'bert-labels': ('BertConfig', dict(num_labels=3)),
    'roberta-ranks': ('RobertaConfig', dict(num_labels=1, max_position_embeddings=258)),
    'distilbert-ranks': ('DistilBertConfig', dict(num_labels=1, dim=64, n_layers=3, n_heads=4, hidden_dim=96)),
    'modern-bert-ranks': ('ModernBertConfig', dict(num_labels=1, local_attention=16)),
    'modern-bert-mean': ('ModernBertConfig', dict(num_labels=3, local_attention=16, classifier_pooling='mean', classifier_bias=True,
                                                  classifier_activation='silu')),
    'xlm-roberta-ranks': ('XLMRobertaConfig', dict(num_labels=1, max_position_embeddings=258)),
}
# Half of what the configuration is for.
CLASSES = {'T5Config': 'T5EncoderModel', 'UMT5Config': 'UMT5EncoderModel'}


def cli(*arguments, text=None):
    run = subprocess.run([CLI, *arguments], input=text, capture_output=True, timeout=300)
    if run.returncode:
        raise RuntimeError(run.stderr.decode(errors='replace').strip()[-300:])
    return run.stdout


def write_tokenizer(folder):
    vocab = {f'<{i}>': i for i in range(256)}
    tok = tokenizers.Tokenizer(tokenizers.models.BPE(vocab, []))
    tok.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.decoder = tokenizers.decoders.ByteLevel()
    tok.save(os.path.join(folder, 'tokenizer.json'))


def randomize(model):
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            if 'A_log' in name:
                continue
            if parameter.dim() > 1:
                parameter.copy_(noise * 0.12)
            else:
                parameter.add_(noise * 0.1)
        for name, buffer in model.named_buffers():
            if 'e_score_correction' in name:
                buffer.copy_(torch.randn(buffer.shape, generator=generator) * 0.1)


def leave_out_defaults(folder, config_class):
    """What the class would have by itself is not in config.json, as in many folders that people wrote by hand."""
    path = os.path.join(folder, 'config.json')
    with open(path) as file:
        config = json.load(file)
    for key in [k for k in config if k not in ('architectures', 'model_type', 'hidden_size', 'num_hidden_layers')]:
        fewer = {k: v for k, v in config.items() if k != key}
        try:
            same = config_class(**fewer).to_dict() == config_class(**config).to_dict()
        except Exception:  # needed by the class
            same = False
        if same:
            config = fewer
    with open(path, 'w') as file:
        json.dump(config, file)


def differ(folder, expected, encoder):
    out = os.path.join(folder, 'found.npy')
    tokens = ','.join(map(str, TOKENS))
    if encoder:
        cli('embed', folder, '--tokens', tokens, '--out', out)
        return np.abs(np.load(out) - expected.mean(0)).max() / expected.std()
    cli('logits', folder, '--tokens', tokens, '--last', '16', '--kv', 'f32', '--out', out)
    found = np.load(out).astype(np.float64)[:, :expected.shape[1]]
    return np.abs(found - expected[-16:]).max() / expected.std()


def check_ranker(name):
    config_class, changes = RANKERS[name]
    sizes = {k: v for k, v in SIZES.items() if k != 'num_key_value_heads'}
    config = getattr(transformers, config_class)(**{**sizes, **changes})
    model = getattr(transformers, config_class.replace('Config', 'ForSequenceClassification'))(config).float().eval()
    transformers.utils.logging.disable_progress_bar()
    randomize(model)
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        write_tokenizer(folder)
        with torch.no_grad():
            expected = model(torch.tensor([TOKENS])).logits[0].double().numpy()
        out = os.path.join(folder, 'found.npy')
        cli('embed', folder, '--tokens', ','.join(map(str, TOKENS)), '--out', out)
        worst = np.abs(np.load(out).ravel() - expected).max()
    return None if worst < BOUND else f'{worst:.2e} apart'


def check_model(name):
    if name in RANKERS:
        return check_ranker(name)
    encoder = name in ENCODERS
    config_class, changes = ENCODERS[name] if encoder else MODELS[name]
    if not hasattr(transformers, config_class):
        return 'not in this version of Transformers'
    sizes = {k: v for k, v in SIZES.items() if k != 'num_key_value_heads' or not encoder}
    config = getattr(transformers, config_class)(**{**sizes, **changes})
    config._attn_implementation = 'eager'
    torch.manual_seed(1)
    # Not every class that can is in the list of those that do.
    own = getattr(transformers, CLASSES.get(config_class, config_class.replace('Config', 'ForCausalLM')), None)
    kind = transformers.AutoModel if encoder else transformers.AutoModelForCausalLM
    listed = type(config) in kind._model_mapping and config_class not in CLASSES
    model = (kind.from_config(config) if listed else own(config)).float().eval()
    randomize(model)
    transformers.utils.logging.disable_progress_bar()
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        write_tokenizer(folder)
        with torch.no_grad():
            given = model(torch.tensor([TOKENS]))
            expected = (given.last_hidden_state if encoder else given.logits)[0].double().numpy()
        apart = {}
        for kind in ('all', 'few'):
            apart[kind] = differ(folder, expected, encoder)
            leave_out_defaults(folder, getattr(transformers, config_class))
    wrong = {kind: f'{worst:.2e}' for kind, worst in apart.items() if not worst < BOUND}
    return f'{wrong} of the standard deviation apart, with all keys or few' if wrong else None


TEXTS = ['Hello, world!', '  two  spaces ', 'a\nb\n\n c\t', "it's 12345 or 3.14", 'naïve café ÉCOLE', '你好，世界。こんにちは', '🦙 emoji 👩‍👩‍👧',
         '<s>special</s> <mask> x', 'x <mask>  y', '', 'don\'t STOP-me_now (ok)', 'مرحبا بالعالم', 'ſtraße ﬁne ½ Ⅷ']
CORPUS = TEXTS * 20 + ['The quick brown fox jumps over the lazy dog and the dog sleeps.', 'Once upon a time there was a small model.',
                       'Numbers 1 22 333 4444, words and wordings, sleeping and slept.'] * 30


def special(*names, **flags):
    return [tokenizers.AddedToken(n, special=True, **flags) for n in names]


def byte_level():
    tok = tokenizers.Tokenizer(tokenizers.models.BPE())
    tok.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tok.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=600, special_tokens=special('<s>', '</s>'),
                                             initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet())
    tok.train_from_iterator(CORPUS, trainer)
    tok.add_special_tokens(special('<mask>', lstrip=True))
    return tok


def llama3_like():
    tok = byte_level()
    pattern = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
               r"\s+(?!\S)|\s+")
    tok.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([
        tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), 'isolated'),
        tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    return tok


def byte_fallback():
    vocab = ['<unk>', '<s>', '</s>'] + [f'<0x{i:02X}>' for i in range(256)]
    learned = tokenizers.Tokenizer(tokenizers.models.BPE())
    learned.normalizer = tokenizers.normalizers.Sequence([tokenizers.normalizers.Prepend('▁'), tokenizers.normalizers.Replace(' ', '▁')])
    learned.train_from_iterator([t for t in CORPUS if t.isascii()], tokenizers.trainers.BpeTrainer(vocab_size=400))
    model = json.loads(learned.to_str())['model']
    ids = {t: i for i, t in enumerate(vocab)}
    for token in sorted(model['vocab'], key=model['vocab'].get):
        ids.setdefault(token, len(ids))
    merges = [tuple(m) if isinstance(m, list) else tuple(m.split(' ')) for m in model['merges']]
    tok = tokenizers.Tokenizer(tokenizers.models.BPE(ids, merges, unk_token='<unk>', byte_fallback=True, fuse_unk=True))
    tok.normalizer = learned.normalizer
    tok.add_special_tokens(special('<unk>', '<s>', '</s>'))
    tok.post_processor = tokenizers.processors.TemplateProcessing('<s> $A', special_tokens=[('<s>', 1)])
    return tok


def unigram():
    tok = tokenizers.Tokenizer(tokenizers.models.Unigram())
    tok.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([tokenizers.pre_tokenizers.WhitespaceSplit(),
                                                           tokenizers.pre_tokenizers.Metaspace()])
    tok.train_from_iterator(CORPUS, tokenizers.trainers.UnigramTrainer(
        vocab_size=400, unk_token='<unk>', special_tokens=special('<unk>', '<s>', '</s>')))
    tok.post_processor = tokenizers.processors.TemplateProcessing('<s> $A </s>', special_tokens=[('<s>', 1), ('</s>', 2)])
    return tok


def word_piece():
    tok = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token='[UNK]'))
    tok.normalizer = tokenizers.normalizers.BertNormalizer()
    tok.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    tok.train_from_iterator(CORPUS, tokenizers.trainers.WordPieceTrainer(
        vocab_size=500, special_tokens=special('[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]')))
    tok.post_processor = tokenizers.processors.BertProcessing(('[SEP]', 3), ('[CLS]', 2))
    return tok


TOKENIZERS = {'tokenizer-byte-level': byte_level, 'tokenizer-llama3': llama3_like, 'tokenizer-byte-fallback': byte_fallback,
              'tokenizer-unigram': unigram, 'tokenizer-wordpiece': word_piece}


def check_tokenizer(name):
    tok = TOKENIZERS[name]()
    wrong = []
    # A unigram vocabulary's line breaks are for its own table of characters, which this one has none of.
    texts = [t for t in TEXTS if 'unigram' not in name or '\n' not in t]
    with tempfile.TemporaryDirectory() as folder:
        tok.save(os.path.join(folder, 'tokenizer.json'))
        lines = ''.join(json.dumps(dict(text_b64=base64.b64encode(t.encode()).decode(), parse_special=True, add_special=True)) + '\n' for t in texts)
        answers = cli('tokenize', folder, text=lines.encode()).decode().splitlines()
    for text, answer in zip(texts, answers, strict=True):
        expected = tok.encode(text).ids
        found = json.loads(answer)['ids']
        if found != expected:
            wrong.append(f'{text!r}: expected {expected}, found {found}')
    return '; '.join(wrong[:3]) or None


def main():
    failures = 0
    for name in WANTED or [*MODELS, *ENCODERS, *RANKERS, *TOKENIZERS]:
        try:
            problem = (check_tokenizer if name in TOKENIZERS else check_model)(name)
        except Exception as error:  # a peer's failure is one model's, not the run's
            problem = f'{type(error).__name__}: {error}'
        failures += problem is not None
        print(f'{name}: {problem or "ok"}', flush=True)
    return 1 if failures else 0


sys.exit(main())
