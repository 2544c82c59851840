#!/usr/bin/env python3
"""One table of speed and memory, run by `./dev bench`: bench.py PROGRAM LIMITS [options] MODEL...

PROGRAM is inglenook-cli. LIMITS is inglenook_bench, which says what the machine can do, or `-`. Limits, our figures and a
peer's (--peer DIR) are taken in turn, round after round, and their medians shown: a shared machine changes by the minute."""
import argparse
import json
import os
import statistics
import subprocess
import sys

from peer import Peer


def output(command):
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(run.stderr or f'{command[0]} failed')
    return json.loads(run.stdout)


def dot_peak(program, threads):
    """8-bit operations a second, in 10^9; 0 where unknown."""
    if program == '-':
        return 0.0
    report = output([program, f'--benchmark_filter=^limits/dots/t{threads}/', '--benchmark_format=json'])
    return max((row.get('Gop/s', 0.0) for row in report['benchmarks']), default=0.0)


def forget(path):
    """Takes a file out of the system's cache, where that is possible."""
    if not os.path.isfile(path) or not hasattr(os, 'posix_fadvise'):
        return
    with open(path, 'rb') as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def rounds_of(o, model):
    """The median of every figure over the rounds."""
    ours = [o.program, 'bench', model, '-p', str(o.prompt), '-n', str(o.generate), '-d', str(o.depth), '-b', str(o.batch),
            '-t', str(o.threads), '--kv', o.kv, '-r', '1', '--json']
    peer = Peer(o.peer) if o.peer else None
    forget(model)
    cold = output([o.program, 'bench', model, '-p', '0', '-n', '0', '-t', str(o.threads), '--json'])
    rounds = []
    for _ in range(o.repetitions):
        figures = output(ours)
        figures['dot_peak'] = dot_peak(o.limits, figures['threads'])
        if peer:
            figures['peer_prefill'], figures['peer_decode'] = peer.measure(model, o.prompt, o.generate, o.depth, figures['threads'])
        rounds.append(figures)
    result = dict(rounds[0])
    for name, value in rounds[0].items():
        if isinstance(value, (int, float)):
            result[name] = statistics.median(row[name] for row in rounds)
    result['cold_seconds'] = cold['first_token_seconds']
    return result


def percent(part, whole):
    return f'{100 * part / whole:.0f} %' if whole else '–'


def cells(f):
    shown = {
        'model': f['model'],
        'type': f['quantization'],
        'threads': str(f['threads']),
        'prefill tok/s': f"{f['prefill_tokens_per_s']:.1f}",
        'of 8-bit peak': percent(f['prefill_gops'], f['dot_peak']),
        'decode tok/s': f"{f['decode_tokens_per_s']:.1f}",
        'GB/s': f"{f['read_gb_per_s']:.1f}",
        'of bandwidth': percent(f['read_gb_per_s'], f['bandwidth_gb_per_s']),
        'load s': f"{f['load_seconds']:.2f}",
        'first token s, warm': f"{f['first_token_seconds']:.2f}",
        'cold': f"{f['cold_seconds']:.2f}",
        'resident / (file + KV)': f"{f['resident_bytes'] / max(f['file_bytes'] + f['kv_bytes'], 1):.2f}",
    }
    if 'peer_prefill' in f:
        shown['llama.cpp prefill'] = f"{f['peer_prefill']:.1f}"
        shown['ratio'] = f"{f['prefill_tokens_per_s'] / max(f['peer_prefill'], 1e-9):.2f}"
        shown['llama.cpp decode'] = f"{f['peer_decode']:.1f}"
        shown['ratio '] = f"{f['decode_tokens_per_s'] / max(f['peer_decode'], 1e-9):.2f}"
    return shown


def main():
    parser = argparse.ArgumentParser(prog='./dev bench')
    parser.add_argument('program', help=argparse.SUPPRESS)
    parser.add_argument('limits', help=argparse.SUPPRESS)
    parser.add_argument('-p', dest='prompt', type=int, default=512, help='prompt tokens')
    parser.add_argument('-n', dest='generate', type=int, default=128, help='decoded tokens')
    parser.add_argument('-t', '--threads', type=int, default=0, help='0: as many as decode fastest')
    parser.add_argument('-r', dest='repetitions', type=int, default=3, help='rounds; medians are printed')
    parser.add_argument('-d', dest='depth', type=int, default=0, help='tokens already in the context')
    parser.add_argument('-b', '--batch', type=int, default=512, help='positions computed together in prefill')
    parser.add_argument('--kv', default='f16', help='KV cache type')
    parser.add_argument('--peer', metavar='DIR', help='a folder with llama-bench, or a root file system that has it')
    parser.add_argument('models', nargs='+', metavar='MODEL')
    o = parser.parse_args()
    rows = [cells(rounds_of(o, model)) for model in o.models]
    table = [list(rows[0]), *(list(row.values()) for row in rows)]
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    table.insert(1, ['-' * width for width in widths])
    for row in table:
        print('| ' + ' | '.join(cell.ljust(width) for cell, width in zip(row, widths)) + ' |')


main()
