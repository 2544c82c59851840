#!/usr/bin/env python3
"""How far each quantized type takes a model's next-token probabilities from the slow f32 pass: ours, and llama.cpp's on the same file.

usage: kl_divergence.py CLI FIXTURES      prints a table in Markdown; exit 1 where ours are further by more than a tenth
FIXTURES/quant has the models and llama.cpp's logits. Needs python3 with numpy; exit 77 where it is not there."""
import glob
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError as missing:
    print(f'skipped: {missing}')
    sys.exit(77)

CLI, FIXTURES = sys.argv[1:3]
SLACK = 1.1  # a few rows of logits tell no more
NOISE = 1e-9  # of f32 itself


def logits(model, tokens, last, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'logits.npy')
        subprocess.run([CLI, 'logits', model, '--tokens', ','.join(map(str, tokens)), '--last', str(last), '--kv', 'f32', '--out', out,
                        *arguments], check=True, timeout=300)
        return np.load(out)


def log_softmax(rows):
    rows = rows.astype(np.float64)
    rows = rows - rows.max(-1, keepdims=True)
    return rows - np.log(np.exp(rows).sum(-1, keepdims=True))


def divergence(truth, found):
    """Mean over the rows of KL(truth || found), in nats."""
    p, q = log_softmax(truth), log_softmax(found)
    return float((np.exp(p) * (p - q)).sum(-1).mean())


def main():
    further = []
    print('| model | Inglenook | llama.cpp | ratio |\n| --- | --- | --- | --- |')
    for path in sorted(glob.glob(os.path.join(FIXTURES, 'quant/golden/*.json'))):
        with open(path) as file:
            golden = json.load(file)
        peer = path[:-len('.json')] + '.llamacpp.npy'
        if 'forced_tokens' not in golden or not os.path.exists(peer):
            continue
        name = os.path.basename(path)[:-len('.json')]
        model = os.path.join(FIXTURES, 'quant/models', golden['model'])
        peer = np.load(peer)
        tokens = golden['prompt'] + golden['forced_tokens']
        truth = logits(model, tokens, len(peer), '--reference')
        ours, theirs = divergence(truth, logits(model, tokens, len(peer))), divergence(truth, peer)
        print(f'| {name} | {ours:.2e} | {theirs:.2e} | {f'{ours / theirs:.2f}' if theirs > NOISE else '-'} |')
        if ours > SLACK * theirs + NOISE:
            further.append(name)
    if further:
        print(f'further than llama.cpp: {", ".join(further)}')
    return 1 if further else 0


sys.exit(main())
