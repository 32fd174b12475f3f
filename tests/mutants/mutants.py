#!/usr/bin/env python3
"""mutants.py [--count N] [--seed S] [--only GLOB]… [--without PROGRAM]… [--minutes M] [--jobs J] [--again] [--list]

Makes small mutants of the compiler's sources, builds each and runs the tests that tests.txt names for its file until the
first one fails. What survives all of them is listed in build/mutants/report.md: a test is missing there, or the mutant
is equivalent and goes to equivalent.txt with a reason. The same seed gives the same mutants; a run that was stopped goes
on where it was. Sources and build stay as they are, but must not change meanwhile: run it in a worktree of its own.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import queue
import random
import subprocess
import sys
import threading
import time

import build
import operators

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# As many mutants of each group.
GROUPS = {'core/ops': ['core/ops'], 'core/passes': ['core/passes'], 'core/element': ['core/element', 'core/compose'],
          'backends/codegen': ['backends/codegen'], 'backends/runtime': ['backends/runtime']}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--count', type=int, default=100, help='mutants that compile (default 100)')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', action='append', metavar='GLOB', help='files to change, as core/passes/simplify/*')
    parser.add_argument('--without', action='append', default=[], metavar='PROGRAM',
                        help='leave out the tests of corpus, accuracy …: what survives then may yet be killed by them')
    parser.add_argument('--minutes', type=float, help='start no mutant after so many')
    parser.add_argument('--jobs', type=int, default=1, help='mutants at the same time')
    parser.add_argument('--list', action='store_true', help='print the mutants and do nothing')
    parser.add_argument('--again', action='store_true', help='run the survivors of earlier runs again, and nothing else')
    parser.add_argument('--build', default=os.path.join(ROOT, 'build/mutants/base'),
                        help='the build to make mutants from, each file compiled alone; made where it is missing')
    parser.add_argument('--out', default=os.path.join(ROOT, 'build/mutants'), help='folder of the results and the report')
    return parser.parse_args()


def group_of(file):
    return next((g for g, folders in GROUPS.items() if any(file.startswith(f + '/') for f in folders)), None)


# --- what to change
def mutants_by_file(patterns):
    listed = subprocess.run(['git', 'ls-files', '*.cpp'], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    for file in listed:
        if group_of(file) and (not patterns or any(fnmatch.fnmatch(file, p) for p in patterns)):
            with open(os.path.join(ROOT, file), encoding='utf-8') as source:
                yield file, operators.mutants_of(file, source.read())


def chosen(seed, patterns):
    """An endless supply in a fixed order: group by group, a file by chance, one of its mutants by chance."""
    rng = random.Random(seed)
    groups = {group: [] for group in GROUPS}
    for file, mutants in mutants_by_file(patterns):
        rng.shuffle(mutants)
        if mutants:
            groups[group_of(file)].append(mutants)
    while any(groups.values()):
        for files in groups.values():
            if not files:
                continue
            # By chance, a file of many mutants more often.
            index = rng.choices(range(len(files)), weights=[len(m) for m in files])[0]
            yield files[index].pop()
            if not files[index]:
                files.pop(index)


def survivors(results, patterns):
    """The mutants of earlier runs that lived, where the lines still stand."""
    wanted = {key for key, entry in results.items() if entry['outcome'] == 'survived'}
    for _, mutants in mutants_by_file(patterns):
        yield from (mutant for mutant in mutants if mutant.key in wanted)


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
SHORT = 15  # seconds of processor time in which a test may end without a question


class Plan:
    """tests.txt: GLOB and, indented, the tests, PROGRAM FILTER a line; {stem} is the file's name."""

    def __init__(self, without):
        self.rules = []
        with open(os.path.join(HERE, 'tests.txt'), encoding='utf-8') as lines:
            for line in lines:
                if not line.strip() or line.startswith('#'):
                    continue
                words = line.split()
                if line[0] != ' ':
                    self.rules.append((words[0], []))
                elif words[0] not in without:
                    self.rules[-1][1].append(words)

    def of(self, file):
        for glob, tests in self.rules:
            if fnmatch.fnmatch(file, glob):
                stem = os.path.splitext(os.path.basename(file))[0]
                return [(program, filter_.replace('{stem}', stem)) for program, filter_ in tests]
        sys.exit(f'tests.txt has no rule for {file}')


class Run:
    """Results, and what the workers share: how long tests may take, and which tests killed before."""

    def __init__(self, options):
        self.options, self.plan = options, Plan(options.without)
        self.path = os.path.join(options.out, 'results.jsonl')
        self.results = self.read()
        self.lock, self.limits = threading.Lock(), {}
        self.workers = queue.Queue()

    def read(self):
        if not os.path.exists(self.path):
            return {}
        with open(self.path, encoding='utf-8') as lines:
            return {entry['key']: entry for entry in map(json.loads, lines)}

    def start(self):
        base = build.Build(self.options.build, self.options.out, self.options.without)
        self.original = build.Worker(base, 'original')
        for number in range(self.options.jobs):
            self.workers.put(build.Worker(base, number))

    def test(self, worker, test):
        """As Worker.test; what needs long is compared with what it needs without a mutant."""
        with self.lock:
            limit = self.limits.get(test, SHORT)
        passed, seconds, failure = worker.test(*test, limit)
        if failure != build.LATE or test in self.limits:
            return passed, failure
        with self.lock:
            right, needed, why = self.original.test(*test, 1000)
            if not right:
                sys.exit(f'{test} fails without a mutant: {why}')
            self.limits[test] = max(SHORT, int(5 * needed))
        return self.test(worker, test) if self.limits[test] > SHORT else (passed, failure)

    def killers(self, file):
        """Tests that killed mutants of the same file or folder: they run first."""
        found = collections.defaultdict(list)
        for entry in reversed(list(self.results.values())):
            words = entry.get('by', '').split(' ')
            near = entry['file'] == file or os.path.dirname(entry['file']) == os.path.dirname(file)
            if near and len(words) == 2 and '.' in words[1] and words[0] not in self.options.without:
                found[words[0]].append(words[1])
        return [(program, ':'.join(dict.fromkeys(names[:12]))) for program, names in found.items()]

    def outcome(self, worker, mutant):
        tests = self.plan.of(mutant.file)
        worker.restore()
        path = os.path.join(ROOT, mutant.file)
        with open(path, encoding='utf-8') as source:
            text = source.read()
        begin = time.monotonic()
        if not worker.make(path, text[:mutant.start] + mutant.new + text[mutant.end:]):
            return {'outcome': 'not compiled'}
        made = time.monotonic()
        times = lambda: {'build_s': round(made - begin, 1), 'test_s': round(time.monotonic() - made, 1)}
        for test in [*self.killers(mutant.file), *tests]:
            passed, failure = self.test(worker, test)
            if not passed:
                return {'outcome': 'killed', 'by': f'{test[0]} {failure}', **times()}
        return {'outcome': 'survived', **times()}

    def one(self, mutant):
        worker = self.workers.get()
        try:
            entry = {'key': mutant.key, 'file': mutant.file, 'line': mutant.line, 'kind': mutant.kind,
                     'seed': self.options.seed, 'before': mutant.before, 'after': mutant.after, **self.outcome(worker, mutant)}
        finally:
            self.workers.put(worker)
        with self.lock:
            with open(self.path, 'a', encoding='utf-8') as out:
                out.write(json.dumps(entry) + '\n')
            self.results[mutant.key] = entry
            print(f"{entry['outcome']:12} {mutant.file}:{mutant.line} {mutant.before}  →  {mutant.after}  "
                  f"{entry.get('by', '')} ({entry.get('build_s')} + {entry.get('test_s')} s)", flush=True)

    def all(self, supply, equivalents):
        """Until so many compiled."""
        begin, tried, running = time.monotonic(), 0, set()
        wait = lambda: concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for mutant in supply:
                if mutant.key in equivalents:
                    continue
                known = self.results.get(mutant.key)
                if known and not self.options.again:
                    tried += known['outcome'] != 'not compiled'
                    continue
                while len(running) >= self.options.jobs or (running and tried + len(running) >= self.options.count):
                    done, running = wait()
                    tried += sum(future.result() for future in done)
                if tried >= self.options.count or (
                        self.options.minutes and time.monotonic() - begin > 60 * self.options.minutes):
                    break
                running.add(pool.submit(self.compiled, mutant))
            for future in running:
                future.result()

    def compiled(self, mutant):
        self.one(mutant)
        return self.results[mutant.key]['outcome'] != 'not compiled'


def write_report(path, results, equivalents):
    counts = collections.defaultdict(collections.Counter)
    for entry in results.values():
        equal = entry['key'] in equivalents and entry['outcome'] == 'survived'
        for name in (group_of(entry['file']), 'all'):
            counts[name]['equivalent' if equal else entry['outcome']] += 1
    lines = ['# Mutants', '', '| folder | tried | killed | survived | equivalent | not compiled |', '|---|---|---|---|---|---|']
    for name in [*GROUPS, 'all']:
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
    if options.list:
        for _, mutant in zip(range(options.count), chosen(options.seed, options.only)):
            print(f'{mutant.file}:{mutant.line} ({mutant.kind})\n    - {mutant.before}\n    + {mutant.after}')
        return
    os.makedirs(options.out, exist_ok=True)
    run, equivalents = Run(options), read_equivalents()
    run.start()
    supply = list(survivors(run.results, options.only)) if options.again else chosen(options.seed, options.only)
    run.all(supply, equivalents)
    total = write_report(os.path.join(options.out, 'report.md'), run.results, equivalents)
    print(f"{total['killed']} killed, {total['survived']} survived, {total['not compiled']} do not compile; see {options.out}/report.md")
    sys.exit(1 if total['survived'] else 0)


if __name__ == '__main__':
    main()
