#!/usr/bin/env python3
"""Counts the instructions a token of the built-in model takes, run by `./dev instructions`: instructions.py PROGRAM [--renew]

PROGRAM is inglenook-cli. Each figure is the difference of two runs under valgrind that differ in the number of tokens alone, so
loading is not in it. instructions.json holds what was counted last, for each instruction set; over 10 % more fails."""
import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

KEPT = pathlib.Path(__file__).with_name('instructions.json')
ALLOWED = 0.10
# Tokens computed together and then decoded one by one, in the shorter and in the longer run.
RUNS = {
    'prefill': ((64, 0), (192, 0)),
    'decode': ((64, 0), (64, 16)),
}


def count(program, prompt, decoded, folder):
    """Instructions of a run, and the instruction set that most of its kernels were compiled for."""
    profile = pathlib.Path(folder, 'profile')
    tokens = ','.join(str(3 + i) for i in range(prompt))
    command = ['valgrind', '--tool=callgrind', f'--callgrind-out-file={profile}', program, 'logits', 'starter', '--tokens', tokens,
               '--last', '1', '--decode', str(decoded), '--threads', '1', '--ctx', '256', '--out', f'{folder}/logits.npy']
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f'instructions: the program failed under valgrind.\n{run.stderr}')
    text = profile.read_text()
    total = re.search(r'^(?:summary|totals): (\d+)', text, re.MULTILINE)
    targets = collections.Counter(re.findall(r'\bN_([A-Z0-9_]+)::', text))
    if not total or not targets:
        sys.exit('instructions: valgrind named no instructions or no kernels. Is the program stripped? Build the preset "dev".')
    return int(total[1]), targets.most_common(1)[0][0]


def measure(program):
    """Instructions of a token in prefill and in decode, and the instruction set."""
    counts, target = {}, ''
    with tempfile.TemporaryDirectory() as folder:
        for lengths in sorted({lengths for pair in RUNS.values() for lengths in pair}):
            counts[lengths], target = count(program, *lengths, folder)
    figures = {}
    for name, (short, long) in RUNS.items():
        figures[name] = round((counts[long] - counts[short]) / (sum(long) - sum(short)))
    return figures, target


def judge(figures, kept, target):
    """One line for each figure; whether none grew by more than is allowed."""
    good = True
    for name, value in figures.items():
        change = value / kept[name] - 1
        line = f'instructions: {name}, {target}: {value} a token, {kept[name]} before ({100 * change:+.1f} %)'
        if change > ALLOWED:
            good = False
            line += f'. Over {100 * ALLOWED:.0f} % more: find out why, or keep the new number with ./dev instructions --renew'
        elif change < -ALLOWED:
            line += '. Fewer: keep the new number with ./dev instructions --renew'
        print(line)
    return good


def main():
    parser = argparse.ArgumentParser(prog='./dev instructions')
    parser.add_argument('program', help=argparse.SUPPRESS)
    parser.add_argument('--renew', action='store_true', help='keep what is counted now')
    o = parser.parse_args()
    if not shutil.which('valgrind'):
        sys.exit('instructions: valgrind is missing. Install the package "valgrind" with your package manager, then run this again.')
    kept = json.loads(KEPT.read_text())
    figures, target = measure(o.program)
    if o.renew:
        kept[target] = figures
        KEPT.write_text(json.dumps(kept, indent=2, sort_keys=True) + '\n')
    if target not in kept:
        print(f'instructions: no numbers are kept for {target}; ./dev instructions --renew keeps these: {figures}')
        return 0
    return 0 if judge(figures, kept[target], target) else 1


sys.exit(main())
