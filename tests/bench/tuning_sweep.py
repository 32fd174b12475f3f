#!/usr/bin/env python3
"""Tries a quarter and four times the value of each tuning constant on the programs of tests/bench/programs.

  tuning_sweep.py build/release/bin/tessera [--code] [--only=fusion.] [--programs=knn,scan_rnn] [--minutes=60] [--state=FILE]

First, what no load of the machine changes: whether `tessera opt` prints another module, for constants that only passes read,
and whether `tessera compile` writes another object, for those that the run time does not read. Where it is the same one, the
constant decides nothing in that program. --code ends there. Without it, the other cases are run: once, and where time or
memory differ, both values again in turns, the least of each counts. That wants a quiet machine. The state file keeps what is
done: a sweep may end at any time and go on later. Writes TUNING.md beside this file.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FACTORS = ("÷4", "×4")
MEASURES = {"run": "run_ms", "compile": "compile_ms", "memory": "peak_bytes"}
GATE, TELLS = 0.06, 0.10  # differences: worth another look; worth a place in the table
TURNS = 8
READ_BY_PASSES_ALONE = ("simplify.", "control.", "siblings.", "fusion.")
ALSO_READ_LATER = ("fusion.maxUnrolledRounds",)  # by code generation
COMPILE_TIME = ("codegen.kernelsInBatch", "codegen.lookupsPerThread")  # the same code, made in another time


def nameOf(program):
    folder, file = os.path.split(program)
    return os.path.basename(folder) if file == "before.hlo" else file[:-4]


def environment(constant=None, value=None):
    out = {name: text for name, text in os.environ.items() if name != "TESSERA_TUNING"}
    return out | ({"TESSERA_TUNING": f"{constant}={value}"} if constant else {})


def optimised(tessera, program, *tuning):
    return subprocess.run([tessera, "opt", program], capture_output=True, text=True, env=environment(*tuning)).stdout


def objectOf(tessera, program, *tuning):
    """The bytes of the program compiled ahead of time; None where it cannot be."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "program.o")
        command = [tessera, "compile", program, "-o", out, "--name=program"]
        subprocess.run(command, capture_output=True, env=environment(*tuning))
        return open(out, "rb").read() if os.path.exists(out) else None


def runTimeWords():
    """All words of the run time's sources: what it reads is among them."""
    sources = (f for kind in ("cpp", "h", "inc")
               for f in glob.glob(os.path.join(HERE, "../../backends/runtime/**/*." + kind), recursive=True))
    return set(re.findall(r"\w+", "".join(open(f).read() for f in sources)))


def run(tessera, program, *tuning):
    """One process: the least time of a run, the time of compiling, bytes; None where it fails."""
    with tempfile.TemporaryDirectory() as cache:
        command = [tessera, "run", program, "--json", "--runs=12", "--kernel-cache=" + cache]
        try:
            ran = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment(*tuning))
            report = json.loads(ran.stdout)
            return {measure: report[name] for measure, name in MEASURES.items()}
        except (subprocess.TimeoutExpired, json.JSONDecodeError, KeyError):
            return None


def least(samples):
    return {measure: min(sample[measure] for sample in samples if sample) for measure in MEASURES}


def ratios(own, tried):
    return {measure: own[measure] / tried[measure] if min(own[measure], tried[measure]) > 0 else 1.0
            for measure in MEASURES}


def differs(ratio, share):
    return ratio > 1 + share or ratio < 1 / (1 + share)


class Sweep:
    def __init__(self, options):
        self.tessera, self.state, self.codeAlone = options.tessera, options.state, options.code
        self.own, self.modules, self.objects, self.done = {}, {}, {}, {}
        self.runTimeWords = runTimeWords()
        if os.path.exists(self.state):
            for line in open(self.state):
                entry = json.loads(line)
                self.done[entry["constant"], entry["factor"], entry["program"]] = entry

    def changesCode(self, constant, value, program):
        """None: cannot be told without a run."""
        if constant.startswith(READ_BY_PASSES_ALONE) and constant not in ALSO_READ_LATER:
            output, kept = optimised, self.modules
        elif constant not in COMPILE_TIME and constant.split(".")[1] not in self.runTimeWords:
            output, kept = objectOf, self.objects
        else:
            return None
        if program not in kept:
            kept[program] = output(self.tessera, program)
        return None if kept[program] is None else kept[program] != output(self.tessera, program, constant, value)

    def measure(self, constant, own, value, program):
        """Ratios of both in turns; {} where one process each is much alike. Also our value is set by name: programs under
        a tuning leave out the kernel cache."""
        tried = run(self.tessera, program, constant, value)
        if not tried:
            return None
        if program not in self.own:
            self.own[program] = least([run(self.tessera, program, constant, own) for _ in range(3)])
        if not any(differs(ratio, GATE) for ratio in ratios(self.own[program], tried).values()):
            return {}
        ours, theirs = [], []
        for _ in range(TURNS):
            ours.append(run(self.tessera, program, constant, own))
            theirs.append(run(self.tessera, program, constant, value))
        return ratios(least(ours), least(theirs))

    def tryCase(self, constant, own, factor, value, program):
        key = constant, factor, nameOf(program)
        entry = self.done.get(key) or {"constant": key[0], "factor": key[1], "program": key[2],
                                       "changes": self.changesCode(constant, value, program)}
        wantsRun = entry["changes"] is not False and not self.codeAlone and "ratios" not in entry
        if key in self.done and not wantsRun:
            return
        if wantsRun:
            entry["ratios"] = self.measure(constant, own, value, program)
        self.done[key] = entry
        with open(self.state, "a") as out:
            out.write(json.dumps(entry) + "\n")


def valuesOf(constant):
    """By factor: the value within the range, where it is another one."""
    out = {}
    for factor, value in zip(FACTORS, (constant["value"] / 4, constant["value"] * 4)):
        value = min(max(value, constant["least"]), constant["most"])
        value = int(value) if constant["whole"] else value
        if value != constant["value"]:
            out[factor] = value
    return out


def effectOf(entry):
    """What the table says of one program; "" where nothing moves, None where that is not known."""
    if entry["changes"] is False:
        return ""
    if "ratios" not in entry:
        return f"{entry['program']} (other code)" if entry["changes"] else None
    if entry["ratios"] is None:
        return f"{entry['program']} fails or takes over two minutes"
    told = [f"{measure} {ratio:.2f}" for measure, ratio in entry["ratios"].items() if differs(ratio, TELLS)]
    return f"{entry['program']} {', '.join(told)}" if told else ""


def cell(sweep, constant, factor, programs):
    if factor not in valuesOf(constant):
        return "end of its range"
    unknown = {"changes": None}
    effects = [effectOf(sweep.done.get((constant["name"], factor, nameOf(program)), unknown)) for program in programs]
    known = [effect for effect in effects if effect is not None]
    if not known:
        return "not measured"
    told = "; ".join(effect for effect in known if effect) or "none"
    return told if len(known) == len(programs) else f"{told} (of {len(known)} programs)"


def write(sweep, constants, programs, path):
    lines = ["# Tuning constants", "",
             "Written by `tuning_sweep.py`: what a quarter and four times the value of each constant of `core/base/tuning.inc` do",
             f"to {len(programs)} programs of `programs/` and the corpus. Ratios are machine's value : tried value, the least of eight processes",
             "of 12 runs each in turns; under 1 the tried value is worse; less than 10 % is left out. \"none\": no program tells the",
             "two values apart (of a constant that the run time does not read: module or object come out the same). \"other code\":",
             "they differ; times have not been measured. \"of N programs\": the others have not been tried, mostly those that the constant cannot",
             "reach. Single programs differ by up to a seventh where nothing does: `chosenBy` counts what the constant can explain.", "",
             "| constant | value here | ÷4 | ×4 |", "|---|---|---|---|"]
    for constant in constants:
        cells = [cell(sweep, constant, factor, programs) for factor in FACTORS]
        lines.append(f"| `{constant['name']}` | {constant['value']:.10g} | {cells[0]} | {cells[1]} |")
    with open(path, "w") as out:
        out.write("\n".join(lines) + "\n")


def constantsOf(tessera):
    listed = subprocess.run([tessera, "machine", "--tuning", "--json"], capture_output=True, text=True, check=True,
                            env=environment())
    constants = [c for c in json.loads(listed.stdout)["tuning"] if not c["name"].startswith("caches.")]
    return [c | {"value": int(c["value"]) if c["whole"] else c["value"]} for c in constants]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tessera")
    parser.add_argument("--code", action="store_true", help="only what no load of the machine changes")
    parser.add_argument("--only", default="", help="constants whose names begin so; several, separated by commas")
    parser.add_argument("--programs", default="", help="names, separated by commas")
    parser.add_argument("--more", default="", help="a pattern of other programs, such as 'corpus/*/before.hlo'")
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--state", default="tuning_sweep.jsonl")
    parser.add_argument("--table", default=os.path.join(HERE, "TUNING.md"))
    options = parser.parse_args()
    end = time.time() + 60 * options.minutes
    programs = sorted(glob.glob(os.path.join(HERE, "programs", "*.hlo")))
    programs += sorted(glob.glob(options.more))
    if options.programs:
        programs = [p for p in programs if nameOf(p) in options.programs.split(",")]
    constants = constantsOf(options.tessera)
    sweep = Sweep(options)
    for constant in constants:
        if not constant["name"].startswith(tuple(options.only.split(","))):
            continue
        for factor, value in valuesOf(constant).items():
            for program in programs:
                if time.time() < end:
                    sweep.tryCase(constant["name"], constant["value"], factor, value, program)
    write(sweep, constants, programs, options.table)


if __name__ == "__main__":
    main()
