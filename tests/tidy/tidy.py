#!/usr/bin/env python3
"""clang-tidy over sources that changed since they were last found clean, run by `./dev tidy`: tidy.py BUILD SOURCE...

BUILD is a build folder with Ninja files, built: its record of included headers says what a source depends on. A source found clean
leaves a sum of all of that in BUILD/tidy and is not read again until the sum differs. Reading Qt's and the standard library's
headers takes most of the time, so sources of one folder are read as one, as far as their names do not collide."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOGETHER = 10  # sources read as one, at most
TIDY = ['clang-tidy', '--quiet', '--header-filter=/(engine|app|ui)/.*\\.(h|cpp)$', '--checks=-bugprone-suspicious-include']
PRECOMPILED = re.compile(r' -Winvalid-pch| -include \S+cmake_pch\.hxx')


class Source(NamedTuple):
    path: pathlib.Path
    arguments: str  # of the compiler, without the source and what is made of it
    kept: pathlib.Path  # the sum it had when it was found clean
    sum: str


class Sums:
    """Sums of what the verdict on a source depends on; files are read once."""

    def __init__(self, build):
        version = subprocess.run(['clang-tidy', '--version'], capture_output=True, check=True).stdout
        self.common = version + ' '.join(TIDY).encode() + (ROOT / '.clang-tidy').read_bytes()
        self.of_files, self.headers, listed = {}, {}, []
        deps = subprocess.run(['ninja', '-C', build, '-t', 'deps'], capture_output=True, text=True, check=True)
        for line in deps.stdout.splitlines():
            if line.startswith(' '):
                path = (build / line.strip()).resolve()
                if path.is_relative_to(ROOT) and not path.is_relative_to(build):
                    listed.append(path)
            elif line:
                listed = self.headers[line.split(':')[0]] = []

    def of_file(self, path):
        if path not in self.of_files:
            self.of_files[path] = hashlib.sha256(path.read_bytes()).digest() if path.exists() else b''
        return self.of_files[path]

    def of_source(self, path, built, arguments):
        files = [path, *sorted(self.headers.get(built, []))]
        return hashlib.sha256(b'\0'.join([self.common, arguments.encode(), *map(self.of_file, files)])).hexdigest()


def sources(build, wanted):
    sums = Sums(build)
    for entry in json.loads((build / 'compile_commands.json').read_text()):
        path = pathlib.Path(entry['file'])
        if path in wanted:
            arguments = PRECOMPILED.sub('', entry['command'].split(' -o ')[0])
            yield Source(path, arguments, build / 'tidy' / path.relative_to(ROOT), sums.of_source(path, entry['output'], arguments))


def rooms(todo):
    """Sources of one folder with the same arguments; a source that Highway compiles for many targets stands alone."""
    found = {}
    for source in todo:
        alone = 'hwy/foreach_target.h' in source.path.read_text()
        found.setdefault((source.path.parent, source.arguments, source.path if alone else None), []).append(source)
    for room in found.values():
        count = -(-len(room) // TOGETHER)
        yield from (room[i::count] for i in range(count))


def write_together(build, batch):
    """A file that is all sources of a batch, or the only one, and the folder with its compile commands."""
    folder = build / 'tidy' / 'together' / hashlib.sha256(str(batch[0].path).encode()).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / 'together.cpp' if len(batch) > 1 else batch[0].path
    if len(batch) > 1:
        file.write_text(''.join(f'#include "{source.path}"\n' for source in batch))
    commands = [{'directory': str(build), 'command': f'{batch[0].arguments} -c {file}', 'file': str(file)}]
    (folder / 'compile_commands.json').write_text(json.dumps(commands))
    return file, folder


def split(build, batch):
    """Batches whose sources compile as one: those in which the compiler finds a name again go on to the next."""
    while len(batch) > 1:
        file, _ = write_together(build, batch)
        command = ['clang++', *shlex.split(batch[0].arguments)[1:], '-fsyntax-only', '-Wno-everything', '-ferror-limit=0', file]
        errors = subprocess.run(command, cwd=build, capture_output=True, text=True, check=False).stderr
        apart = [source for source in batch[1:] if re.search(rf'^{re.escape(str(source.path))}:.* error: ', errors, re.MULTILINE)]
        if not apart and errors:
            apart = batch[1:]
        yield [source for source in batch if source not in apart]
        batch = apart
    if batch:
        yield batch


def check(build, batch):
    """What clang-tidy says of a batch, empty where that is nothing; sources it does not name are kept as clean."""
    file, folder = write_together(build, batch)
    run = subprocess.run([*TIDY, '-p', folder, file], cwd=ROOT, capture_output=True, text=True, check=False)
    findings = (run.stdout.strip() or run.stderr.strip()) if run.returncode else ''
    for source in batch:
        if not findings or (str(source.path) not in findings and '.h:' not in findings and 'error: ' in findings):
            source.kept.parent.mkdir(parents=True, exist_ok=True)
            source.kept.write_text(source.sum)
    return findings


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    listed = list(sources(build, {(ROOT / name).resolve() for name in sys.argv[2:]}))
    todo = [source for source in listed if not source.kept.exists() or source.kept.read_text() != source.sum]
    print(f'tidy: {len(listed) - len(todo)} of {len(listed)} sources are as they were when found clean', flush=True)
    found = 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get('INGLENOOK_JOBS', 0)) or os.cpu_count()) as pool:
        read = [pool.submit(lambda room=room: [check(build, batch) for batch in split(build, room)]) for room in rooms(todo)]
        for room in concurrent.futures.as_completed(read):
            for findings in filter(None, room.result()):
                found += 1
                print(findings, flush=True)
    return 1 if found else 0


sys.exit(main())
