#!/usr/bin/env python3
"""Programs of the size that the canvas is measured with (RESULTS.md, "Graphs of a hundred thousand instructions"):

  large_programs.py joined FILE.hlo > OUT.hlo     two copies of a program, each called once from a new entry
  large_programs.py flat N > OUT.hlo              N elementwise instructions in one computation, without scopes
"""
import random
import re
import sys


def renamed(body, computations, suffix):
    """The text with `suffix` behind each name of a computation; strings are left as they are."""
    word = re.compile(r'"[^"\n]*"|[A-Za-z_][\w.\-]*')
    return word.sub(lambda m: m.group() + suffix if m.group() in computations else m.group(), body)


def joined(path):
    text = open(path).read()
    header = re.compile(r'^(?:ENTRY )?%?([\w.\-]+) \(.*\{$', re.M)
    first = header.search(text).start()
    tables, body = text[:first].split("\n", 1)[1], text[first:]
    computations = set(header.findall(body))
    entry, inputs, output = re.search(r'^ENTRY %?([\w.\-]+) \((.*)\) -> (.*) \{$', body, re.M).groups()
    names, shapes = zip(*re.findall(r'([\w.\-]+): (\w+\[[\d,]*\])', inputs))
    lines = ["ENTRY joined {"]
    for k, shape in enumerate(shapes): lines.append(f"  {names[k]} = {shape} parameter({k})")
    for k in (1, 2): lines.append(f"  call.{k} = {output} call({', '.join(names)}), to_apply={entry}_{k}")
    lines.append(f"  ROOT both = ({output}, {output}) tuple(call.1, call.2)")
    print("HloModule joined\n" + tables)
    for k in (1, 2): print(renamed(body, computations, f"_{k}").replace("ENTRY ", ""))
    print("\n".join(lines) + "\n}")


def flat(count):
    draw = random.Random(0)
    print("HloModule flat\n\nENTRY main {\n  x.0 = f32[64,64] parameter(0)")
    for k in range(1, count):
        near = lambda: f"x.{max(0, k - draw.choice((1, 1, 2, 3, 5, 40)))}"
        op = draw.choice(("add", "multiply", "exponential", "maximum", "tanh"))
        operands = near() if op in ("exponential", "tanh") else f"{near()}, {near()}"
        print(f"  {'ROOT ' if k == count - 1 else ''}x.{k} = f32[64,64] {op}({operands})")
    print("}")


if len(sys.argv) != 3 or sys.argv[1] not in ("joined", "flat"): sys.exit(__doc__)
joined(sys.argv[2]) if sys.argv[1] == "joined" else flat(int(sys.argv[2]))
