"""Writes a checkpoint as a GGUF v3 file: matrices as Q8_0, norms as F32."""
import argparse
import json
import pathlib
import struct

import torch

import bpe

ALIGNMENT = 32
U32, F32, BOOL, STRING, ARRAY, I32 = 4, 6, 7, 8, 9, 5
TYPE_F32, TYPE_Q8_0 = 0, 8
NORMAL, CONTROL = 1, 3

TEMPLATE = ("{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] | trim + '<|end|>' }}{% endfor %}"
            "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}")

NAMES = {"attention_norm": "attn_norm", "q": "attn_q", "k": "attn_k", "v": "attn_v", "o": "attn_output",
         "q_norm": "attn_q_norm", "k_norm": "attn_k_norm", "feed_forward_norm": "ffn_norm",
         "gate": "ffn_gate", "up": "ffn_up", "down": "ffn_down"}


def string(text):
    data = text.encode("utf-8")
    return struct.pack("<Q", len(data)) + data


def value(kind, content):
    if kind == STRING:
        return string(content)
    return struct.pack({U32: "<I", F32: "<f", BOOL: "<?", I32: "<i"}[kind], content)


def entry(key, kind, content, element=None):
    if kind != ARRAY:
        return string(key) + struct.pack("<I", kind) + value(kind, content)
    head = string(key) + struct.pack("<IIQ", ARRAY, element, len(content))
    return head + b"".join(value(element, item) for item in content)


def q8_0(tensor):
    """Blocks of 32: a half-precision scale and 32 signed bytes."""
    blocks = tensor.float().reshape(-1, 32)
    scale = (blocks.abs().amax(dim=1) / 127).half()
    inverse = torch.where(scale > 0, 1 / scale.float(), torch.zeros(()))
    quants = (blocks * inverse[:, None]).round().clamp(-127, 127).to(torch.int8)
    return b"".join(struct.pack("<e", s) + q.numpy().tobytes() for s, q in zip(scale.tolist(), quants))


def name_of(parameter):
    if parameter == "embedding.weight":
        return "token_embd.weight"
    if parameter == "norm.weight":
        return "output_norm.weight"
    _, layer, part, _ = parameter.split(".")
    return f"blk.{layer}.{NAMES[part]}.weight"


def metadata(shape, tokenizer):
    ends = tokenizer.ids["<|end|>"]
    types = [CONTROL if token in bpe.SPECIALS else NORMAL for token in tokenizer.tokens]
    return [
        ("general.architecture", STRING, "qwen3"),
        ("general.type", STRING, "model"),
        ("general.name", STRING, "Starter"),
        ("general.basename", STRING, "Inglenook Starter"),
        ("general.version", STRING, "1"),
        ("general.author", STRING, "The Inglenook project"),
        ("general.description", STRING, "A tiny model that knows how to use Inglenook, trained from the project's own text."),
        ("general.license", STRING, "mit"),
        ("general.languages", ARRAY, ["en"], STRING),
        ("general.file_type", U32, 7),
        ("general.quantization_version", U32, 2),
        ("general.alignment", U32, ALIGNMENT),
        ("qwen3.block_count", U32, shape["layers"]),
        ("qwen3.context_length", U32, shape["context"]),
        ("qwen3.embedding_length", U32, shape["width"]),
        ("qwen3.feed_forward_length", U32, shape["feed_forward"]),
        ("qwen3.attention.head_count", U32, shape["heads"]),
        ("qwen3.attention.head_count_kv", U32, shape["kv_heads"]),
        ("qwen3.attention.key_length", U32, shape["head_width"]),
        ("qwen3.attention.value_length", U32, shape["head_width"]),
        ("qwen3.attention.layer_norm_rms_epsilon", F32, shape["epsilon"]),
        ("qwen3.rope.freq_base", F32, shape["rope_base"]),
        ("tokenizer.ggml.model", STRING, "gpt2"),
        ("tokenizer.ggml.pre", STRING, "qwen2"),
        ("tokenizer.ggml.tokens", ARRAY, tokenizer.tokens, STRING),
        ("tokenizer.ggml.token_type", ARRAY, types, I32),
        ("tokenizer.ggml.merges", ARRAY, [f"{a} {b}" for a, b in tokenizer.merges], STRING),
        ("tokenizer.ggml.eos_token_id", U32, ends),
        ("tokenizer.ggml.padding_token_id", U32, ends),
        ("tokenizer.ggml.add_bos_token", BOOL, False),
        ("tokenizer.chat_template", STRING, TEMPLATE),
    ]


def write(path, weights, shape, tokenizer):
    entries = [entry(*row) for row in metadata(shape, tokenizer)]
    infos, data = [], b""
    for parameter, tensor in weights.items():
        flat = tensor.ndim == 1
        payload = tensor.float().numpy().tobytes() if flat else q8_0(tensor)
        infos.append(string(name_of(parameter)) + struct.pack("<I", tensor.ndim)
                     + b"".join(struct.pack("<Q", n) for n in reversed(tensor.shape))
                     + struct.pack("<IQ", TYPE_F32 if flat else TYPE_Q8_0, len(data)))
        data += payload + bytes(-len(payload) % ALIGNMENT)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(entries)) + b"".join(entries) + b"".join(infos)
    path.write_bytes(head + bytes(-len(head) % ALIGNMENT) + data)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=pathlib.Path, help="as for train.py")
    options.add_argument("output", type=pathlib.Path)
    options = options.parse_args()
    saved = torch.load(options.folder / "checkpoint.pt", weights_only=False, map_location="cpu")
    tokenizer = bpe.Tokenizer(json.loads((options.folder / "tokenizer.json").read_text()))
    write(options.output, saved["mean"], saved["shape"], tokenizer)
    print(f"{options.output}: {options.output.stat().st_size} bytes, step {saved['step']}")


if __name__ == "__main__":
    main()
