#!/usr/bin/env python3
"""Writes family_defaults_table.cpp from the configuration classes of Transformers.

usage: python3 family_defaults_table.py > family_defaults_table.cpp

A folder's config.json may leave out what its class has a value for. Taken are the classes in family_table.cpp and the names
that the folder's reader looks at; what a class derives from other values (a head's length from the width, say) is left out."""
import json, pathlib, re, sys

import transformers

HERE = pathlib.Path(__file__).parent
# Classes by other names, whose code came with their folders.
SAME = {'PhiMoEForCausalLM': 'PhimoeForCausalLM', 'RWForCausalLM': 'FalconForCausalLM', 'MPTForCausalLM': 'MptForCausalLM',
        'Ernie4_5_ForCausalLM': 'Ernie4_5ForCausalLM', 'ExaoneMoEForCausalLM': 'ExaoneMoeForCausalLM'}
# The reader knows these better, or they are the tokenizer's.
LEFT_OUT = {'architectures', 'dtype', 'torch_dtype', 'rope_parameters', 'rope_scaling', 'text_config', 'vocab_size', 'layer_types', 'attn_config',
            'tie_word_embeddings', 'query_pre_attn_scalar', 'model_type'}
SIZES = {'hidden_size', 'n_embd', 'd_model', 'num_hidden_layers', 'n_layer', 'n_layers'}  # no folder is without
CHANGED = dict(num_hidden_layers=3, hidden_size=96, num_attention_heads=6)


def names_read():
    sources = [p.read_text() for p in HERE.glob('*.cpp') if not p.stem.endswith('_table')]
    return {n for s in sources for n in re.findall(r'"([A-Za-z_]\w*)"', s)} - LEFT_OUT


def values(config):
    config = config.get_text_config()
    rope = config.to_dict().get('rope_parameters') or {}
    found = {k: v for k, v in config.to_dict().items() if isinstance(v, (bool, int, float, str))}
    full, sliding = rope.get('full_attention', rope), rope.get('sliding_attention', {})
    for source, target in (('rope_theta', 'rope_theta'), ('partial_rotary_factor', 'partial_rotary_factor')):
        if source in full:
            found[target] = full[source]
    if 'rope_theta' in sliding:
        found['rope_local_base_freq'] = sliding['rope_theta']
    if full.get('rope_type', 'default') != 'default':
        found['rope_parameters'] = full
    return found


def defaults(config_class, wanted):
    composite = hasattr(config_class(), 'text_config')
    build = lambda values: config_class(text_config=values) if composite else config_class(**values)
    plain = values(build({}))
    aliases = getattr(config_class().get_text_config().__class__, 'attribute_map', {})
    changes = {aliases.get(k, k): v for k, v in CHANGED.items()}
    try:
        other = values(build(changes))
    except Exception:  # the widths must belong together
        changes = {k: v for k, v in changes.items() if 'layer' in k}
        other = values(build(changes))
    kept = {k: v for k, v in plain.items() if other.get(k) == v or k in changes}
    if 'kv_lora_rank' in kept:
        kept.pop('head_dim', None)  # a part of a head
    if 'multi_query' in kept:
        kept.pop('num_key_value_heads', None)  # follows from it
    return {k: v for k, v in sorted(kept.items()) if k in wanted and k not in SIZES and not k.endswith('token_id') or k == 'rope_parameters'}


def main():
    wanted = names_read()
    table = (HERE / 'family_table.cpp').read_text()
    table = table[table.index('kFamilies[]'):]
    rows = []
    for name in dict.fromkeys(re.findall(r'^    \{"(\w+)",', table, re.M)):
        model = getattr(transformers, SAME.get(name, name), None)
        if model is None:
            continue
        text = json.dumps(defaults(model.config_class, wanted))
        rows.append(f'    {{"{name}", R"({text})"}},')
    print('// Written by family_defaults_table.py; do not edit.')
    print(f'// Of Transformers {transformers.__version__}.')
    print('#include "engine/huggingface/family_defaults.h"\n\n#include <algorithm>\n#include <array>\n\nnamespace engine {\n\nnamespace {\n')
    print('struct Row {\n    std::string_view huggingFace;\n    std::string_view json;\n};\n\n// clang-format off')
    print('constexpr Row kRows[] = {')
    print('\n'.join(rows))
    print('};\n// clang-format on\n\n} // namespace\n\nstd::string_view familyDefaults(std::string_view huggingFaceClass)\n{')
    print('    const auto* const found = std::ranges::find(kRows, huggingFaceClass, &Row::huggingFace);')
    print('    return found == std::end(kRows) ? std::string_view("{}") : found->json;\n}\n\n} // namespace engine')


main()
