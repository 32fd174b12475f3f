#!/usr/bin/env python3
"""Cost of a program's entry by its innermost named scope, counted from the HLO text alone, without Tessera's cost model.

Usage: scope_costs.py FILE.hlo. Of each instruction: 2·M·N·K flops of a dot, 2 · elements · kernel of a convolution, one an
element of the rest; bytes of its operands and its result. Cost as in core/overview: 50 flops or 10 bytes a nanosecond.
"""
import collections, math, re, sys

BYTES = dict(f64=8, s64=8, u64=8, f32=4, s32=4, u32=4, bf16=2, f16=2, pred=1, s8=1, u8=1)
ONLY_NAMES = {'parameter', 'constant', 'tuple', 'get-tuple-element', 'bitcast', 'iota', 'call', 'while'}
LINE = re.compile(r'\s*(?:ROOT )?%?([\w.-]+) = (\w+)\[([\d,]*)\]\S* ([\w-]+)\(([^)]*)\)(.*)')


def structural(segment):
    return segment.endswith(')') or segment in ('while', 'body', 'cond', 'closed_call') or '->' in segment


def scope_of(rest):
    name = re.search(r'op_name="([^"]*)"', rest)
    path = name.group(1).split(';')[0] if name else ''
    path = re.sub(r'\w*\((\w+)\)', lambda m: m.group(0) if m.group(0).startswith('jit') else m.group(1), path)
    named = [s for s in path.split('/')[:-1] if not structural(s)]
    return re.sub(r'_\d+$', '', named[-1]) if named else '(none)'


def dims(text):
    return [int(d) for d in text.split(',') if d]


def main():
    shapes, cost = {}, collections.Counter()
    text = open(sys.argv[1]).read()
    for line in text[text.index('\nENTRY'):].splitlines():
        found = LINE.match(line)
        if not found:
            continue
        name, kind, size, op, operands, rest = found.groups()
        shapes[name] = (kind, dims(size))
        if op in ONLY_NAMES:
            continue
        read = [shapes[o] for o in re.findall(r'%?([\w.-]+)', operands) if o in shapes]
        result = math.prod(dims(size))
        flops = result
        if op == 'dot':
            inner = dims(re.search(r'lhs_contracting_dims={([\d,]*)}', rest).group(1))
            flops = 2 * result * math.prod(read[0][1][d] for d in inner)
        elif op == 'convolution':
            labels = re.search(r'dim_labels=\w+_(\w+)->', rest).group(1)
            flops = 2 * result * math.prod(read[1][1]) // read[1][1][labels.index('o')]
        elif op in ('reshape', 'transpose', 'broadcast', 'slice', 'concatenate', 'copy', 'pad', 'reverse', 'gather'):
            flops = 0
        elif op == 'reduce' and read:
            flops = math.prod(read[0][1])
        moved = sum(BYTES.get(k, 4) * math.prod(d) for k, d in read + [(kind, dims(size))])
        cost[scope_of(rest)] += flops / 50 + moved / 10
    whole = sum(cost.values())
    for scope, part in cost.most_common(6):
        print(f'{100 * part / whole:5.1f} %  {scope}')


main()
