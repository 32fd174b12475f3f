#!/usr/bin/env python3
"""Tries a quarter and four times the value of each tuning constant on the programs of tests/bench/programs.

  tuning_sweep.py build/release/bin/tessera [--only=fusion.] [--programs=sort,knn] [--minutes=60] [--state=FILE]

A case (constant, value, program) is tried once. Where instructions, memory or time then differ from what the machine's own
value takes, both are run again in turns, and the least of each counts. Ratios are "machine's value : tried value", so under
1 the tried value is worse. Where `tessera opt` prints the same module for both values, a constant that only passes read
decides nothing. The state file keeps what is done: a sweep may end at any time and go on later. Writes TUNING.md beside
this file; figures of a machine that is busy with other things are worth little, but for instructions and memory.
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
GATE, TELLS = 0.06, 0.10  # differences: worth another look; worth a row
PASSES_ONLY = ("simplify.", "control.", "siblings.", "fusion.")
MEASURES = ("run", "compile", "memory", "instructions")
# Where a group decides nothing without one of these opcodes.
CONCERNS = {
    "sort.": r" (sort|topk|custom-call)\(",
    "movement.": r" (transpose|concatenate|pad|copy)\(",
    "products.": r" (dot|convolution)\(",
    "epilogues.": r" (dot|convolution)\(",
    "regions.": r" (while|conditional|call)\(",
    "control.": r" (while|conditional)\(",
}


def environment(constant, value):
    out = dict(os.environ)
    out.pop("TESSERA_TUNING", None)
    if constant:
        out["TESSERA_TUNING"] = f"{constant}={value}"
    return out


def run(tessera, program, constant=None, value=None):
    """One process: least time of a run, time of compiling, bytes, instructions of all of it; None where it fails."""
    with tempfile.TemporaryDirectory() as cache, tempfile.NamedTemporaryFile("r") as counts:
        command = [tessera, "run", program, "--json", "--runs=12", "--kernel-cache=" + cache]
        counted = ["perf", "stat", "-x,", "-e", "instructions:u", "-o", counts.name, "--"]
        try:
            ran = subprocess.run(counted + command, capture_output=True, text=True, timeout=120,
                                 env=environment(constant, value))
            report = json.loads(ran.stdout)
            out = {"run": report["run_ms"], "compile": report["compile_ms"], "memory": report["peak_bytes"]}
        except (subprocess.TimeoutExpired, json.JSONDecodeError, KeyError):
            return None
        count = re.search(r"^(\d+),", counts.read(), re.M)
    return out | {"instructions": int(count.group(1)) if count else 0}


def least(samples):
    return {measure: min(sample[measure] for sample in samples) for measure in MEASURES}


def ratios(own, tried):
    return {measure: own[measure] / tried[measure] if tried[measure] > 0 and own[measure] > 0 else 1.0
            for measure in MEASURES}


def differs(ratio, share):
    return ratio > 1 + share or ratio < 1 / (1 + share)


def optimised(tessera, program, constant=None, value=None):
    ran = subprocess.run([tessera, "opt", program], capture_output=True, text=True, env=environment(constant, value))
    return ran.stdout


class Sweep:
    def __init__(self, options):
        self.tessera, self.state = options.tessera, options.state
        self.own, self.modules, self.texts = {}, {}, {}
        self.done = {}
        if os.path.exists(self.state):
            for line in open(self.state):
                entry = json.loads(line)
                self.done[entry["constant"], entry["factor"], entry["program"]] = entry

    def concerns(self, constant, program):
        if program not in self.texts:
            self.texts[program] = open(program).read()
        wanted = [pattern for group, pattern in CONCERNS.items() if constant.startswith(group)]
        return all(re.search(pattern, self.texts[program]) for pattern in wanted)

    def ownOf(self, program):
        if program not in self.own:
            self.own[program] = least([sample for sample in (run(self.tessera, program) for _ in range(3)) if sample])
        return self.own[program]

    def isSameModule(self, constant, value, program):
        if not constant.startswith(PASSES_ONLY) or constant == "fusion.maxUnrolledRounds":  # code generation reads it, too
            return False
        if program not in self.modules:
            self.modules[program] = optimised(self.tessera, program)
        return self.modules[program] == optimised(self.tessera, program, constant, value)

    def measure(self, constant, value, program):
        if not self.concerns(constant, program) or self.isSameModule(constant, value, program):
            return {}
        tried = run(self.tessera, program, constant, value)
        if not tried:
            return {"failed": True}
        own = self.ownOf(program)
        first = ratios(own, tried)
        # Time alone may be another program's doing: it counts when the instructions differ, or when it differs much.
        if not (differs(first["instructions"], 0.02) or differs(first["memory"], GATE) or differs(first["run"], 0.25)):
            return {}
        ours, theirs = [own], [tried]
        for _ in range(4):
            ours.append(run(self.tessera, program))
            theirs.append(run(self.tessera, program, constant, value))
        return ratios(least([s for s in ours if s]), least([s for s in theirs if s]))

    def tryCase(self, constant, factor, value, program):
        name = os.path.basename(program)[:-4]
        if (constant, factor, name) in self.done:
            return
        entry = {"constant": constant, "factor": factor, "program": name, "ratios": self.measure(constant, value, program)}
        self.done[constant, factor, name] = entry
        with open(self.state, "a") as out:
            out.write(json.dumps(entry) + "\n")


def valuesOf(constant):
    """By factor: the value within the range, where it is another one."""
    out = {}
    for factor, value in (("÷4", constant["value"] / 4), ("×4", constant["value"] * 4)):
        value = min(max(value, constant["least"]), constant["most"])
        value = int(value) if constant["whole"] else value
        if value != constant["value"]:
            out[factor] = value
    return out


def effect(entries):
    told = []
    for entry in entries:
        if entry["ratios"].get("failed"):
            told.append((0, f"{entry['program']}: did not end in two minutes"))
        for measure in MEASURES[:3]:
            ratio = entry["ratios"].get(measure, 1.0)
            # What a busy machine does to a time is no effect: instructions or a large difference must bear it out.
            isBorneOut = measure == "memory" or differs(entry["ratios"].get("instructions", 1.0), 0.02)
            if differs(ratio, TELLS) and (isBorneOut or differs(ratio, 0.25)):
                told.append((min(ratio, 1 / ratio), f"{measure} of {entry['program']} {ratio:.2f}"))
    return "; ".join(text for _, text in sorted(told)[:6]) or "–"


def write(sweep, constants, path, programs):
    lines = ["# Tuning constants", "",
             "Written by `tuning_sweep.py`: what a quarter and four times the value of each constant of core/base/tuning.inc do to",
             f"the {len(programs)} programs of `programs/`. Ratios are machine's value : tried value, the least of five processes of 12",
             "runs each, in turns; under 1 the tried value is worse. Differences of less than 10 %, and of times up to 25 % that",
             "the number of instructions does not bear out, are left out. –: no program tells the two values apart. Blank: not",
             "tried, at the end of its range or not yet.", "",
             "| constant | value here | ÷4 | ×4 |", "|---|---|---|---|"]
    for constant in constants:
        cells = []
        for factor in ("÷4", "×4"):
            entries = [e for (name, f, _), e in sweep.done.items() if name == constant["name"] and f == factor]
            whole = len(entries) >= len(programs)
            cells.append(effect(entries) if whole else "")
        lines.append(f"| `{constant['name']}` | {constant['value']:g} | {cells[0]} | {cells[1]} |")
    open(path, "w").write("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tessera")
    parser.add_argument("--only", default="", help="constants whose names begin so")
    parser.add_argument("--programs", default="", help="names, separated by commas")
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--state", default="tuning_sweep.jsonl")
    options = parser.parse_args()
    end = time.time() + 60 * options.minutes
    programs = sorted(glob.glob(os.path.join(HERE, "programs", "*.hlo")))
    wanted = [name for name in options.programs.split(",") if name]
    programs = [p for p in programs if not wanted or os.path.basename(p)[:-4] in wanted]
    listed = subprocess.run([options.tessera, "machine", "--tuning", "--json"], capture_output=True, text=True, check=True,
                            env=environment(None, None))
    constants = [c for c in json.loads(listed.stdout)["tuning"] if not c["name"].startswith("caches.")]
    sweep = Sweep(options)
    for constant in constants:
        if not constant["name"].startswith(options.only):
            continue
        for factor, value in valuesOf(constant).items():
            for program in programs:
                if time.time() < end:
                    sweep.tryCase(constant["name"], factor, value, program)
    write(sweep, constants, os.path.join(HERE, "TUNING.md"), programs)


if __name__ == "__main__":
    main()
