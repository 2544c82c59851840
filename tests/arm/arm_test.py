#!/usr/bin/env python3
"""Runs what was cross-compiled for 64-bit Arm in an emulator, once for each width of vectors: arm_test.py BUILD REFERENCES

BUILD is the build folder; REFERENCES holds a folder for each model with logits of this machine's own program (see `./dev arm`),
which the Arm program's must equal byte for byte."""
import pathlib
import subprocess
import sys

BUILD, REFERENCES = (pathlib.Path(argument) for argument in sys.argv[1:])
# Each CPU has the plain NEON and the bfloat16 kernels, too; what differs is the width of SVE's vectors.
CPUS = {
    'SVE2 of 128 bits': 'max,sve-max-vq=1',
    'SVE of 256 bits': 'max,sve-max-vq=2',
    'SVE of 512 bits': 'max,sve-max-vq=4',
    'SVE of 1024 bits': 'max,sve-max-vq=8',
    'NEON alone': 'cortex-a53',
}
# All kernels run on all CPUs; what is above them runs once.
KERNELS = 'engine_kernels_test'
OTHERS = ['engine_base_test', 'engine_tensor_test']


def emulate(cpu, program, *arguments):
    return subprocess.run(['qemu-aarch64', '-cpu', cpu, str(BUILD / 'bin' / program), *map(str, arguments)], capture_output=True,
                          text=True, check=False)


def succeeded(run, what):
    good = run.returncode == 0
    print(f'arm: {what}: {"passed" if good else "FAILED"}', flush=True)
    if not good:
        print(run.stdout + run.stderr, flush=True)
    return good


def same_logits(name, cpu):
    """Whether the program gives the bytes it gives on this machine's own CPU."""
    good = True
    for reference in sorted(REFERENCES.glob('*/logits.npy')):
        arguments = (reference.parent / 'arguments').read_text().split('\n')
        out = reference.parent / 'arm.npy'
        run = emulate(cpu, 'inglenook-cli', 'logits', *arguments, '--threads', 1, '--out', out)
        if run.returncode == 0 and out.read_bytes() != reference.read_bytes():
            run.returncode, run.stderr = 1, f'Its logits are not those of this machine ({out}, {reference}).'
        good &= succeeded(run, f'logits of {reference.parent.name} on {name}')
    return good


def main():
    good = True
    for name, cpu in CPUS.items():
        good &= succeeded(emulate(cpu, KERNELS, '--gtest_brief=1'), f'{KERNELS} on {name}')
        good &= same_logits(name, cpu)
    for program in OTHERS:
        good &= succeeded(emulate('max', program, '--gtest_brief=1'), program)
    return 0 if good else 1


sys.exit(main())
