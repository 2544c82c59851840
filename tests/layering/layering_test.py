#!/usr/bin/env python3
"""Arrows run down only: engine (no Qt) <- app (no Gui) <- ui; of the engine, app includes the public face and base alone.

The command line program is a second face of the engine for scripts and tests: it may include any engine header."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
GUI = re.compile(r'^(QtGui|QtWidgets|QApplication|QWidget|QGuiApplication|QPainter|QPixmap|QImage|QColor|QFont|QIcon|Q\w*Widget)\b')
ENGINE_FACE = re.compile(r'^engine/(engine\.h|base/)')
LINES = 700  # of a source; tables of numbers may be longer


def violations(path: pathlib.Path, include: str):
    floor = path.relative_to(ROOT).parts[0]
    headless = path.relative_to(ROOT).parts[:2] == ('app', 'cli')
    if floor == 'engine' and (include.startswith(('app/', 'ui/', 'Q', 'KF', 'KSyntax'))):
        yield 'engine knows nobody and no Qt'
    if floor == 'app' and include.startswith('ui/'):
        yield 'app does not know ui'
    if floor == 'app' and GUI.match(include):
        yield 'app does not use Gui or Widgets'
    if floor == 'app' and not headless and include.startswith('engine/') and not ENGINE_FACE.match(include):
        yield 'app includes engine/engine.h and engine/base/ only'
    if floor == 'ui' and include.startswith('engine/'):
        yield 'ui knows app, not the engine'


def main() -> int:
    found = []
    for floor in ('engine', 'app', 'ui'):
        for path in sorted((ROOT / floor).rglob('*')):
            if path.suffix not in ('.h', '.cpp'):
                continue
            lines = path.read_text(encoding='utf-8').splitlines()
            if len(lines) > LINES and not path.stem.endswith(('_table', '_tables')):
                found.append(f'{path.relative_to(ROOT)}: {len(lines)} lines; at most {LINES}')
            for number, line in enumerate(lines, 1):
                match = INCLUDE.match(line)
                if match:
                    found += [f'{path.relative_to(ROOT)}:{number}: {why}: {match[1]}' for why in violations(path, match[1])]
    print('\n'.join(found) or 'the arrows run down')
    return 1 if found else 0


sys.exit(main())
