"""Builds one mutant beside an existing build and runs tests against it. The sources and the build stay as they are: the
changed file is compiled from a copy into a folder of the worker, linked there with the build's other objects, and the
test programs stand there by name, so that they find the changed library. Used by mutants.py."""
import json
import os
import resource
import shlex
import shutil
import signal
import subprocess

MEMORY = 12 << 30  # bytes; a mutant may ask for any amount
# What the long tier of the tests checks as well: indices of vectors and arrays. A mutant that leaves them dies.
CHECKED = ['-w', '-D_GLIBCXX_ASSERTIONS', '-fsanitize=bounds', '-fsanitize-undefined-trap-on-error']
LATE = 'not done in time'
CORE, CPU = 'lib/libtessera_core.so', 'lib/libtessera_cpu.so'
PROGRAMS = ['unit', 'ops', 'corpus', 'accuracy']


def program_path(name):
    return f'bin/tessera_{name}_tests'


class Build:
    """The build folder that mutants are made from."""

    def __init__(self, folder, scratch, without):
        self.folder, self.scratch = os.path.abspath(folder), os.path.abspath(scratch)
        self.programs = [program_path(name) for name in PROGRAMS if name not in without]
        if not os.path.exists(os.path.join(self.folder, 'build.ninja')):
            subprocess.run(['cmake', '--preset', 'release', '-B', self.folder, '-DTESSERA_UNITY=OFF'], check=True,
                           cwd=os.path.dirname(os.path.abspath(__file__)) + '/../..', stdout=subprocess.DEVNULL)
        made = subprocess.run(['nice', 'ninja', '-C', self.folder, CORE, CPU, *self.programs], capture_output=True, text=True,
                              check=False)
        if made.returncode:
            raise SystemExit(made.stdout[-4000:])
        with open(os.path.join(self.folder, 'compile_commands.json'), encoding='utf-8') as commands:
            self.compilations = [shlex.split(entry['command']) for entry in json.load(commands)]
        self.links = {target: self.last_command(target) for target in (CORE, CPU, program_path('unit'))}
        self.headers = {}

    def last_command(self, target):
        commands = subprocess.run(['ninja', '-C', self.folder, '-t', 'commands', target], check=True, capture_output=True,
                                  text=True).stdout.splitlines()
        return next(line for line in reversed(commands) if f'-o {target} ' in line)

    def compilation(self, source):
        """The arguments that compile a source into the libraries; (arguments, object)."""
        for words in self.compilations:
            target = words[words.index('-o') + 1]
            if words[-1] == source and target.startswith(('core/', 'backends/')) and 'tessera_runtime.dir' not in target:
                return words, target
        raise SystemExit(f'{source} is not compiled in {self.folder}')

    def precompiled(self, header, words):
        """A copy of a precompiled header with CHECKED."""
        if header not in self.headers:
            copy = os.path.join(self.scratch, 'headers', str(len(self.headers)), os.path.basename(header))
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copy(header, copy)
            subprocess.run([*words, *CHECKED, '-x', 'c++-header', '-o', copy + '.gch', copy], check=True, cwd=self.folder)
            self.headers[header] = copy
        return self.headers[header]

    def checked(self, words):
        """A compilation's arguments without source and object, checked."""
        words = words[:words.index('-o')]
        if '-include' in words:
            at = words.index('-include')
            header, words = words[at + 1], words[:at] + words[at + 2:]
            return [*words, *CHECKED, '-include', self.precompiled(header, words)]
        return [*words, *CHECKED]


class Worker:
    """A folder with one mutant at a time: lib/ and bin/ as tests expect them, by hard links where nothing is changed."""

    def __init__(self, build, number):
        self.build, self.folder = build, os.path.join(build.scratch, f'worker{number}')
        for target in (CORE, CPU, *build.programs):
            self.original(target)

    def original(self, target):
        place = os.path.join(self.folder, target)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if os.path.exists(place):
            os.remove(place)
        os.link(os.path.join(self.build.folder, target), place)

    def restore(self):
        for target in self.build.links:
            self.original(target)

    def make(self, source, text):
        """Whether the changed text of a source compiles; what depends on it is linked."""
        words, replaced = self.build.compilation(source)
        copy, made = os.path.join(self.folder, 'mutant.cpp'), os.path.join(self.folder, 'mutant.o')
        with open(copy, 'w', encoding='utf-8') as out:
            out.write(text)
        # A header beside the source may be named without its folder.
        command = ['nice', *self.build.checked(words), '-iquote', os.path.dirname(source), '-o', made, '-c', copy]
        if subprocess.run(command, capture_output=True, cwd=self.build.folder, check=False).returncode:
            return False
        if replaced.startswith('core/'):
            self.link(CORE, replaced, made)
        else:
            self.link(CPU, replaced, made)
        if 'tessera_runtime_objects' in replaced:  # the unit tests have the run time's archive in them as well
            self.link(program_path('unit'), None, made)
        return True

    def link(self, target, replaced, made):
        place = os.path.join(self.folder, target)
        os.remove(place)  # it may be a hard link to the build's own
        command = self.build.links[target].replace(f'-o {target} ', f'-o {place} ')
        if replaced:
            command = command.replace(f' {replaced} ', f' {made} ')
        else:  # before the archive, which then gives only what is missing
            command = command.replace(f'-o {place} ', f'-o {place} {made} ')
        subprocess.run(command, shell=True, check=True, cwd=self.build.folder)

    def test(self, program, filter_, limit):
        """(passed, seconds, first failure): seconds of all threads together, so that other work on the machine does not count."""
        command = ['nice', os.path.join(self.folder, program_path(program)), f'--gtest_filter={filter_}', '--gtest_fail_fast',
                   '--gtest_brief=1']
        environment = dict(os.environ, TESSERA_KERNEL_CACHE='off', LD_LIBRARY_PATH=os.path.join(self.folder, 'lib'))

        def limits():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))

        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            ran = subprocess.run(command, capture_output=True, text=True, errors='replace', timeout=60 + 20 * limit,
                                 env=environment, cwd=self.build.folder, check=False, preexec_fn=limits)
        except subprocess.TimeoutExpired:
            return False, limit, LATE
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if ran.returncode == 0:
            return True, seconds, ''
        if ran.returncode in (-signal.SIGXCPU, -signal.SIGKILL) and seconds > 0.9 * limit:
            return False, seconds, LATE
        failed = [line for line in ran.stdout.splitlines() if line.startswith('[  FAILED  ]')]
        return False, seconds, failed[0][13:].split(',')[0].split(' (')[0] if failed else f'exit {ran.returncode}'
