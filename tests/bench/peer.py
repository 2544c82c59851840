"""llama.cpp beside us: `llama-bench` from a folder, or from the root file system of another distribution."""
import ctypes
import json
import os
import subprocess

MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
PROGRAM = 'llama-bench'


class Peer:
    """DIR holds `llama-bench` (or bin/llama-bench), or is a root with it in usr/bin, entered by chroot."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.is_root = os.path.exists(os.path.join(self.folder, 'usr/bin', PROGRAM))
        candidates = [os.path.join(self.folder, name) for name in (PROGRAM, 'bin/' + PROGRAM)]
        self.program = next((name for name in candidates if os.path.exists(name)), None)
        if not self.is_root and not self.program:
            raise SystemExit(f'{folder}: holds no {PROGRAM}. Name a folder with it, or a root where llama.cpp-tools is installed.')

    def measure(self, model, prompt, generate, depth, threads):
        """(prefill, decode) in tokens a second, with flash attention."""
        model = os.path.abspath(model)
        shown = os.path.join('/mnt', os.path.basename(model)) if self.is_root else model
        arguments = ['-m', shown, '-p', str(prompt), '-n', str(generate), '-d', str(depth), '-t', str(threads), '-r', '1', '-fa', '1', '-o', 'json']
        if self.is_root:
            run = subprocess.run(['/usr/bin/' + PROGRAM, *arguments], capture_output=True, text=True, check=False, cwd='/',
                                 env={'PATH': '/usr/bin:/bin'}, preexec_fn=lambda: enter(self.folder, os.path.dirname(model)))
        else:
            run = subprocess.run([self.program, *arguments], capture_output=True, text=True, check=False)
        if run.returncode:
            raise SystemExit(f'{PROGRAM} failed on {model}: {run.stderr[-500:]}')
        speeds = {bool(row['n_gen']): row['avg_ts'] for row in json.loads(run.stdout)}
        return speeds.get(False, 0.0), speeds.get(True, 0.0)


def enter(root, models):
    """Makes `root` the root of this process alone, with the system's folders, and `models` as /mnt."""
    libc = ctypes.CDLL(None, use_errno=True)

    def mount(source, target, flags):
        if libc.mount(source.encode(), target.encode(), None, flags, None):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), target)

    os.unshare(os.CLONE_NEWNS | (os.CLONE_NEWUSER if os.getuid() else 0))
    mount('none', '/', MS_REC | MS_PRIVATE)
    for folder in ('/dev', '/proc', '/sys'):
        mount(folder, root + folder, MS_BIND | MS_REC)
    mount(models, root + '/mnt', MS_BIND)
    os.chroot(root)
    os.chdir('/')
