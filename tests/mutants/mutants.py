#!/usr/bin/env python3
"""mutants.py [--count N] [--seed S] [--only GLOB]… [--without PROGRAM]… [--minutes M] [--list] [--tree DIR]

Makes small mutants of the compiler's sources, builds each and runs the tests that tests.txt names for its file until the
first one fails. What survives all of them is listed in build/mutants/report.md: a test is missing there, or the mutant
is equivalent and goes to equivalent.txt with a reason. The same seed gives the same mutants; a run that was stopped goes
on where it was. It works in a copy of the tree with its own build folder, so that a mutant costs one object and one link.
"""
import argparse
import collections
import fnmatch
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import time

import operators

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FOLDERS = ['core/ops', 'core/passes', 'core/element', 'core/compose', 'backends/codegen', 'backends/runtime']
MEMORY = 12 << 30  # a mutant may ask for any amount
# A mutant may look odd: that is no reason to refuse it.
QUIET = ''.join(f'_Pragma("GCC diagnostic ignored \\"-W{name}\\"") ' for name in (
    'parentheses', 'unused-variable', 'unused-but-set-variable', 'unused-parameter', 'unused-function', 'unused-value',
    'bool-compare', 'type-limits', 'sign-compare', 'div-by-zero', 'int-in-bool-context', 'empty-body', 'return-type',
    'misleading-indentation', 'tautological-compare', 'address', 'logical-not-parentheses', 'bool-operation',
    'duplicated-branches', 'logical-op', 'implicit-fallthrough', 'range-loop-construct', 'dangling-else',
    'uninitialized', 'unused-label', 'unused-local-typedefs', 'null-dereference', 'int-to-pointer-cast'))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--count', type=int, default=100, help='mutants that compile (default 100)')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', action='append', metavar='GLOB', help='files to change, as core/passes/simplify/*')
    parser.add_argument('--without', action='append', default=[], metavar='PROGRAM',
                        help='leave out the tests of corpus, accuracy …: what survives then may yet be killed by them')
    parser.add_argument('--minutes', type=float, help='stop after so many')
    parser.add_argument('--list', action='store_true', help='print the mutants and do nothing')
    parser.add_argument('--again', action='store_true', help='run the survivors of earlier runs again')
    parser.add_argument('--tree', default=os.path.join(ROOT, 'build/mutants'), help='folder of the copy, its build and the report')
    return parser.parse_args()


# --- what to change
def sources(patterns):
    listed = subprocess.run(['git', 'ls-files', '*.cpp'], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    return [f for f in listed if any(f.startswith(folder + '/') for folder in FOLDERS) and
            (not patterns or any(fnmatch.fnmatch(f, p) for p in patterns))]


def chosen(seed, patterns):
    """An endless supply in a fixed order: folder by folder, a file by chance, one of its mutants by chance."""
    rng = random.Random(seed)
    by_folder = collections.OrderedDict((folder, []) for folder in FOLDERS)
    for file in sources(patterns):
        with open(os.path.join(ROOT, file), encoding='utf-8') as source:
            mutants = operators.mutants_of(file, source.read())
        rng.shuffle(mutants)
        if mutants:
            by_folder[next(f for f in FOLDERS if file.startswith(f + '/'))].append(mutants)
    while any(by_folder.values()):
        for files in by_folder.values():
            if not files:
                continue
            # By chance, a file of many mutants more often.
            index = rng.choices(range(len(files)), weights=[len(m) for m in files])[0]
            yield files[index].pop()
            if not files[index]:
                files.pop(index)


def read_equivalents():
    out = {}
    with open(os.path.join(HERE, 'equivalent.txt'), encoding='utf-8') as lines:
        block = [line.rstrip('\n') for line in lines if line.strip() and not line.startswith('#')]
    for i in range(0, len(block), 4):
        file, before, after, reason = block[i:i + 4]
        if not (before.startswith('- ') and after.startswith('+ ') and reason.startswith('= ')):
            sys.exit(f'equivalent.txt: four lines each: FILE, - BEFORE, + AFTER, = REASON; see {file}')
        out[f'{file} | {before[2:]} | {after[2:]}'] = reason[2:]
    return out


# --- what to run
class Plan:
    """tests.txt: "GLOB TARGET…" and, indented, the tests, PROGRAM FILTER a line; {stem} is the file's name."""

    def __init__(self, without):
        self.rules = []
        with open(os.path.join(HERE, 'tests.txt'), encoding='utf-8') as lines:
            for line in lines:
                if not line.strip() or line.startswith('#'):
                    continue
                words = line.split()
                if line[0] == ' ':
                    if words[0] not in without:
                        self.rules[-1][2].append(words)
                else:
                    self.rules.append((words[0], words[1:], []))

    def of(self, file):
        for glob, targets, tests in self.rules:
            if fnmatch.fnmatch(file, glob):
                stem = os.path.splitext(os.path.basename(file))[0]
                return targets, [(program, filter_.replace('{stem}', stem)) for program, filter_ in tests]
        sys.exit(f'tests.txt has no rule for {file}')

    def programs(self):
        return sorted({program for _, _, tests in self.rules for program, _ in tests})

    def targets(self):
        return sorted({target for _, targets, _ in self.rules for target in targets})


class Tree:
    def __init__(self, folder):
        self.source, self.build = os.path.join(folder, 'tree'), os.path.join(folder, 'tree/build/release')
        self.baseline = {}

    def copy(self):
        """What git tracks, as it stands in the working tree; files that are the same keep their times."""
        os.makedirs(self.source, exist_ok=True)
        tracked = subprocess.run(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], cwd=ROOT,
                                 check=True, capture_output=True).stdout
        wanted = {name for name in tracked.decode().split('\0') if name and os.path.isfile(os.path.join(ROOT, name))}
        for name in wanted:
            self.restore(name)
        for folder, _, names in os.walk(self.source):
            if os.path.relpath(folder, self.source).split(os.sep)[0] in ('build', '.git'):
                continue
            for name in names:
                path = os.path.join(folder, name)
                if os.path.relpath(path, self.source) not in wanted:
                    os.remove(path)

    def restore(self, name):
        source, copy = os.path.join(ROOT, name), os.path.join(self.source, name)
        with open(source, 'rb') as a:
            content = a.read()
        if os.path.exists(copy):
            with open(copy, 'rb') as b:
                if b.read() == content:
                    return
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copy(source, copy)
        os.utime(copy)

    def make(self, targets):
        return subprocess.run(['nice', 'ninja', '-C', self.build, *targets], capture_output=True, text=True)

    def configure(self, plan):
        if not os.path.exists(os.path.join(self.build, 'build.ninja')):
            subprocess.run(['cmake', '--preset', 'release'], cwd=self.source, check=True, stdout=subprocess.DEVNULL)
        made = self.make([*plan.targets(), *[f'tessera_{p}_tests' for p in plan.programs()]])
        if made.returncode:
            sys.exit(made.stdout[-4000:])

    def test(self, program, filter_):
        """(passed, seconds, first failure). A test that takes twenty times as long as without a mutant has failed."""
        limit = max(120, 20 * self.baseline.get((program, filter_), 30))
        command = ['nice', os.path.join(self.build, 'bin', f'tessera_{program}_tests'), f'--gtest_filter={filter_}',
                   '--gtest_fail_fast', '--gtest_brief=1']
        environment = dict(os.environ, TESSERA_KERNEL_CACHE='off', QT_QPA_PLATFORM='offscreen')
        begin = time.monotonic()
        try:
            ran = subprocess.run(command, capture_output=True, text=True, errors='replace', timeout=limit, env=environment,
                                 cwd=self.build, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
        except subprocess.TimeoutExpired:
            return False, limit, 'not done in time'
        seconds = time.monotonic() - begin
        if ran.returncode == 0:
            return True, seconds, ''
        failed = [line for line in ran.stdout.splitlines() if line.startswith('[  FAILED  ]')]
        return False, seconds, failed[0][13:].split(',')[0].split(' (')[0] if failed else f'exit {ran.returncode}'

    def check(self, tests):
        """Without a mutant all pass; how long they take."""
        for test in tests:
            if test in self.baseline:
                continue
            passed, seconds, failure = self.test(*test)
            if not passed:
                sys.exit(f'{test} fails without a mutant: {failure}')
            self.baseline[test] = seconds


def run_mutant(tree, plan, mutant):
    targets, tests = plan.of(mutant.file)
    tree.check(tests)
    path = os.path.join(tree.source, mutant.file)
    with open(os.path.join(ROOT, mutant.file), encoding='utf-8') as source:
        text = source.read()
    with open(path, 'w', encoding='utf-8') as copy:
        copy.write(QUIET + text[:mutant.start] + mutant.new + text[mutant.end:])
    begin = time.monotonic()
    try:
        if tree.make(targets).returncode:
            return {'outcome': 'not compiled'}
        built = time.monotonic()
        for program, filter_ in tests:
            passed, _, failure = tree.test(program, filter_)
            if not passed:
                return {'outcome': 'killed', 'by': f'{program} {failure}', 'build_s': round(built - begin, 1),
                        'test_s': round(time.monotonic() - built, 1)}
        return {'outcome': 'survived', 'build_s': round(built - begin, 1), 'test_s': round(time.monotonic() - built, 1)}
    finally:
        tree.restore(mutant.file)


def read_results(path):
    out = {}
    if os.path.exists(path):
        with open(path, encoding='utf-8') as lines:
            for line in lines:
                entry = json.loads(line)
                out[entry['key']] = entry
    return out


def write_report(path, results, equivalents):
    counts = collections.defaultdict(collections.Counter)
    for entry in results.values():
        folder = next(f for f in FOLDERS if entry['file'].startswith(f + '/'))
        outcome = 'equivalent' if entry['key'] in equivalents and entry['outcome'] == 'survived' else entry['outcome']
        for name in (folder, 'all'):
            counts[name][outcome] += 1
    lines = ['# Mutants', '', '| folder | tried | killed | survived | equivalent | not compiled |', '|---|---|---|---|---|---|']
    for name in [*FOLDERS, 'all']:
        c = counts[name]
        lines.append(f"| {name} | {c['killed'] + c['survived']} | {c['killed']} | {c['survived']} | {c['equivalent']} | {c['not compiled']} |")
    total = counts['all']['killed'] + counts['all']['survived']
    lines += ['', f"{100 * counts['all']['killed'] / total if total else 0:.1f} % of those tried are killed.", '', '## Survivors', '']
    for entry in results.values():
        if entry['outcome'] == 'survived' and entry['key'] not in equivalents:
            lines += [f"{entry['file']}:{entry['line']} ({entry['kind']})", f"    - {entry['before']}", f"    + {entry['after']}", '']
    lines += ['## Killed', '']
    for entry in results.values():
        if entry['outcome'] == 'killed':
            lines.append(f"- {entry['file']}:{entry['line']} ({entry['kind']}) by {entry['by']}")
    with open(path, 'w', encoding='utf-8') as out:
        out.write('\n'.join(lines) + '\n')
    return counts['all']


def main():
    options = parse_arguments()
    supply = chosen(options.seed, options.only)
    if options.list:
        for _, mutant in zip(range(options.count), supply):
            print(f'{mutant.file}:{mutant.line} ({mutant.kind})\n    - {mutant.before}\n    + {mutant.after}')
        return
    os.makedirs(options.tree, exist_ok=True)
    results_path = os.path.join(options.tree, 'results.jsonl')
    results, equivalents, plan = read_results(results_path), read_equivalents(), Plan(options.without)
    tree = Tree(options.tree)
    tree.copy()
    print('building the copy …', flush=True)
    tree.configure(plan)
    begin, tried = time.monotonic(), 0
    for mutant in supply:
        if tried >= options.count or (options.minutes and time.monotonic() - begin > 60 * options.minutes):
            break
        if mutant.key in equivalents:
            continue
        entry = results.get(mutant.key)
        if entry is None or (options.again and entry['outcome'] == 'survived'):
            targets, tests = plan.of(mutant.file)
            if any(test not in tree.baseline for test in tests):
                tree.make(plan.targets())  # without the last mutant
            entry = {'key': mutant.key, 'file': mutant.file, 'line': mutant.line, 'kind': mutant.kind, 'seed': options.seed,
                     'before': mutant.before, 'after': mutant.after, **run_mutant(tree, plan, mutant)}
            with open(results_path, 'a', encoding='utf-8') as out:
                out.write(json.dumps(entry) + '\n')
            results[mutant.key] = entry
            print(f"{entry['outcome']:12} {mutant.file}:{mutant.line} {mutant.before}  →  {mutant.after}  {entry.get('by', '')}", flush=True)
        tried += entry['outcome'] != 'not compiled'
    tree.make(plan.targets())
    total = write_report(os.path.join(options.tree, 'report.md'), results, equivalents)
    print(f"{total['killed']} killed, {total['survived']} survived, {total['not compiled']} do not compile; see {options.tree}/report.md")
    sys.exit(1 if total['survived'] else 0)


if __name__ == '__main__':
    main()
