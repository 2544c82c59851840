#!/usr/bin/env python3
"""One table of speed and memory: bench.py PROGRAM [-t THREADS] [-d DEPTH] MODEL... (run by `./dev bench`)."""
import json
import subprocess
import sys

program, *arguments = sys.argv[1:]
options, models = [], []
while arguments:
    argument = arguments.pop(0)
    if argument in ('-p', '-n', '-t', '-r', '-d', '-b', '--kv'):
        options += [argument, arguments.pop(0)]
    else:
        models.append(argument)
if not models:
    sys.exit('usage: ./dev bench [-p N] [-n N] [-t THREADS] [-r REPETITIONS] [-d DEPTH] MODEL...')
HEAD = ('model', 'type', 'threads', 'prefill tok/s', 'decode tok/s', 'GB/s', 'of bandwidth', 'load s', 'resident / file')
rows = []
for model in models:
    run = subprocess.run([program, 'bench', model, *options, '--json'], capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(run.stderr)
    f = json.loads(run.stdout)
    rows.append((f['model'], f['quantization'], str(f['threads']), f"{f['prefill_tokens_per_s']:.1f}", f"{f['decode_tokens_per_s']:.1f}",
                 f"{f['read_gb_per_s']:.1f}", f"{100 * f['bandwidth_share']:.0f} %", f"{f['load_seconds']:.2f}",
                 f"{f['resident_bytes'] / max(f['file_bytes'], 1):.2f}"))
widths = [max(len(row[i]) for row in [HEAD, *rows]) for i in range(len(HEAD))]
for row in [HEAD, *rows]:
    print('  '.join(cell.ljust(width) for cell, width in zip(row, widths)))
