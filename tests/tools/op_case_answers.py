#!/usr/bin/env python3
"""Asks XLA:CPU about the case files of tests/ops (format: tests/ops/README.md). Needs jax, numpy, ml_dtypes.

  op_case_answers.py FILE.hlo…          writes XLA's answers into the `// out` lines of every case that is not
                                        `// by definition`, in place
                                        `// by definition`, in place; `// by definition NAME` is computed with
                                        DEFINITIONS below, for operations that XLA:CPU does not implement
  op_case_answers.py --check FILE.hlo…  writes nothing: reports cases whose answers XLA gives otherwise, and wrong
                                        uses that XLA takes (those not marked `// by definition`)

The tests never run this; it stands beside them so that anybody can see where the expected values come from.
"""
import itertools, os, re, sys
os.environ.setdefault('JAX_PLATFORMS', 'cpu')
import numpy as np
import ml_dtypes

DTYPES = {'pred': np.bool_, 's8': np.int8, 's16': np.int16, 's32': np.int32, 's64': np.int64, 'u8': np.uint8,
          'u16': np.uint16, 'u32': np.uint32, 'u64': np.uint64, 'f16': np.float16, 'f32': np.float32,
          'f64': np.float64, 'c64': np.complex64, 'c128': np.complex128, 'bf16': ml_dtypes.bfloat16}
for name, dtype in [('s4', 'int4'), ('u4', 'uint4'), ('s2', 'int2'), ('u2', 'uint2'), ('f8e5m2', 'float8_e5m2'),
                    ('f8e4m3', 'float8_e4m3'), ('f8e4m3fn', 'float8_e4m3fn'), ('f8e4m3b11fnuz', 'float8_e4m3b11fnuz'),
                    ('f8e5m2fnuz', 'float8_e5m2fnuz'), ('f8e4m3fnuz', 'float8_e4m3fnuz'), ('f8e3m4', 'float8_e3m4'),
                    ('f8e8m0fnu', 'float8_e8m0fnu'), ('f6e2m3fn', 'float6_e2m3fn'), ('f6e3m2fn', 'float6_e3m2fn'), ('f4e2m1fn', 'float4_e2m1fn'), ('s1', 'int1'), ('u1', 'uint1')]:
    if hasattr(ml_dtypes, dtype): DTYPES[name] = getattr(ml_dtypes, dtype)


def high_half(a, b):
    bits = a.dtype.itemsize * 8 if 'int4' not in a.dtype.name else 4
    return np.array([(int(x) * int(y)) >> bits for x, y in zip(a.ravel(), b.ravel())], dtype=a.dtype).reshape(a.shape)


def wide(f): return lambda x: f(x.astype(np.complex128 if x.dtype.kind == 'c' else np.float64)).astype(x.dtype)


DEFINITIONS = {'acos': wide(np.arccos), 'acosh': wide(np.arccosh), 'asin': wide(np.arcsin), 'asinh': wide(np.arcsinh),
               'atanh': wide(np.arctanh), 'cosh': wide(np.cosh), 'sinh': wide(np.sinh), 'sign': lambda x: (x > 0).astype(x.dtype),
               'cbrt': lambda x: np.power(x.astype(np.complex128), 1 / 3).astype(x.dtype), 'mulhi': high_half}


class Section:
    """A `// case`, `// wrong` or `// common` with its lines; variants are the values of its `for` variables."""
    def __init__(self, kind, rest, lines):
        self.kind, self.lines = kind, lines
        parts = rest.split(' for ')
        self.name = parts[0].strip()
        self.variables = [(p.split(' in ')[0].strip(), p.split(' in ')[1].split()) for p in parts[1:]]

    def variants(self):
        names = [v[0] for v in self.variables]
        for values in itertools.product(*[v[1] for v in self.variables]): yield dict(zip(names, values))

    def text(self, variant, common):
        body = [l for l in self.lines if not l.startswith('//')]
        if not any(l.startswith('ENTRY') for l in body): body = ['ENTRY main {'] + body + ['}']
        text = '\n'.join(body) if any(l.startswith('HloModule') for l in body) else '\n'.join(['HloModule case', ''] + common + body)
        return substitute(text, variant) + '\n'

    def directive(self, word, variant):
        out = []
        for line in self.lines:
            if not line.startswith(f'// {word} '): continue
            rest = line[len(word) + 4:]
            keyed = re.match(r'([\w\-/,]+): (.*)', rest)
            values = list(variant.values())
            if keyed and keyed.group(1) != '/'.join(values) and keyed.group(1) not in values: continue
            out.append(keyed.group(2) if keyed else rest)
        return out

    def by_definition(self): return any(l.startswith('// by definition') for l in self.lines)

    def definition(self):
        found = [l.split()[3] for l in self.lines if l.startswith('// by definition ')]
        return DEFINITIONS.get(found[0]) if found else None

    def is_cast(self): return any(l.startswith('// by definition cast') for l in self.lines)


def substitute(text, variant):
    for name, value in variant.items(): text = text.replace('$' + name, value)
    return text


def read_sections(lines):
    sections, current = [], Section('head', '', [])
    for line in lines:
        m = re.match(r'// (case|wrong|common)\b(.*)', line)
        if m:
            sections.append(current)
            current = Section(m.group(1), m.group(2), [line])
        else: current.lines.append(line)
    return sections + [current]


# --- literals
def leaf_shapes(shape):
    if shape.is_tuple(): return [leaf for s in shape.tuple_shapes() for leaf in leaf_shapes(s)]
    return [shape]


def type_name(shape): return re.match(r'\w+', str(shape)).group()


def parse_number(token, dtype):
    if token.startswith('('): re_, im = token[1:-1].split(','); return complex(float(re_), float(im))
    if token in ('true', 'false'): return token == 'true'
    if dtype.kind in 'iu' or 'int' in dtype.name: return int(token)
    return bool(int(token)) if dtype.kind == 'b' else float(token)


def parse_literal(text, dims, dtype):
    tokens = re.findall(r'\([^)]*\)|[^\s{},]+', text)
    values = [parse_number(t, dtype) for t in tokens]
    return np.array(values).astype(dtype).reshape(dims) if dtype.kind not in 'iu' else np.array([int(v) for v in values], dtype=dtype).reshape(dims)


def splitmix(x):
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def fill(index, dims, dtype, scale, imax):
    """The rule of core/evaluate/fill.cpp with seed 0."""
    n = int(np.prod(dims, dtype=np.int64))
    with np.errstate(over='ignore'): h = splitmix(np.uint64(index << 40) ^ np.arange(n, dtype=np.uint64))
    if dtype.kind == 'b': v = (h & np.uint64(1)).astype(bool)
    elif dtype.kind in 'iu' or 'int' in dtype.name: v = (h % np.uint64(imax)).astype(np.int64).astype(dtype)
    else: v = ((h >> np.uint64(40)).astype(np.float64) / (1 << 24) * scale).astype(dtype)
    return v.reshape(dims)


def number_text(v, dtype, scalar):
    if dtype.kind == 'b': return ('true' if v else 'false') if scalar else str(int(v))
    if dtype.kind == 'c': return f'({number_text(v.real, v.real.dtype, 0)}, {number_text(v.imag, v.imag.dtype, 0)})'
    if dtype.kind in 'iu' or 'int' in dtype.name: return str(int(v))
    x = float(v)
    if x != x: return 'nan'
    if x in (float('inf'), float('-inf')): return 'inf' if x > 0 else '-inf'
    text = str(v) if dtype == np.float32 else repr(x)
    return text[:-2] if text.endswith('.0') else text


def literal_text(a):
    a = np.asarray(a)
    if a.ndim == 0: return number_text(a[()], a.dtype, True)
    if a.ndim == 1: return '{' + ', '.join(number_text(v, a.dtype, False) for v in a) + '}'
    return '{' + ', '.join(literal_text(row) for row in a) + '}'


# --- XLA
class Xla:
    def __init__(self):
        import jax
        jax.config.update('jax_enable_x64', True)
        from jax._src import xla_bridge
        self.jax, self.backend = jax, xla_bridge.get_backend('cpu')

    def compile(self, text):
        from jaxlib import _jax
        from jaxlib.xla_client import hlo
        from jax._src import compiler
        proto = hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
        computation = hlo.XlaComputation(proto)
        options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
        try: mlir = _jax.mlir.hlo_to_stablehlo(proto)
        except Exception: mlir = _jax.mlir.xla_computation_to_mlir_module(computation)
        devices = _jax.DeviceList(tuple(self.backend.devices()[:1]))
        return computation.program_shape(), self.backend.compile_and_load(mlir, devices, options)

    def run(self, text, inputs):
        program, executable = self.compile(text)
        arguments = []
        for i, shape in enumerate(leaf for p in program.parameter_shapes() for leaf in leaf_shapes(p)):
            dtype, dims = np.dtype(DTYPES[type_name(shape)]), tuple(shape.dimensions())
            filled = re.match(r'fill ([\d.]+) (\d+)', inputs[i])
            value = fill(i, dims, dtype, float(filled.group(1)), int(filled.group(2))) if filled else parse_literal(inputs[i], dims, dtype)
            arguments.append(self.jax.device_put(value, self.backend.devices()[0]))
        result = executable.execute_sharded(arguments).disassemble_into_single_device_arrays()
        return [np.asarray(r[0]) for r in result]


def defined(section, variant, common):
    """The definition applied to the arguments: to all of them, or to each where it takes one."""
    from jaxlib.xla_client import hlo
    module = hlo.hlo_module_from_text(section.text(variant, common))
    program = hlo.XlaComputation(module.as_serialized_hlo_module_proto()).program_shape()
    shapes = program.parameter_shapes()
    types = [(np.dtype(DTYPES[type_name(s)]), tuple(s.dimensions())) for s in shapes]
    values = [parse_literal(text, dims, dtype) for text, (dtype, dims) in zip(section.directive('in', variant), types)]
    with np.errstate(all='ignore'):
        if section.is_cast(): return [values[0].astype(DTYPES[type_name(program.result_shape())])]
        if len(values) > 1 and section.definition() is not high_half: return [section.definition()(v) for v in values]
        return [section.definition()(*values)]


def answers(xla, section, variant, common):
    if section.definition() or section.is_cast(): return [literal_text(v) for v in defined(section, variant, common)]
    return [literal_text(v) for v in xla.run(section.text(variant, common), section.directive('in', variant))]


def update(xla, path, check):
    lines = open(path).read().split('\n')
    while lines and not lines[-1]: lines.pop()
    sections, common, good = read_sections(lines), [], True
    for section in sections:
        if section.kind == 'common': common = [l for l in section.lines if not l.startswith('//')]
        if section.kind == 'wrong' and check and not section.by_definition():
            for variant in section.variants():
                try: xla.compile(section.text(variant, common))
                except Exception: continue
                print(f'{path}: XLA takes wrong {section.name} {variant}'); good = False
        if section.kind != 'case' or (section.by_definition() and not section.definition() and not section.is_cast()): continue
        outs = []
        for variant in section.variants():
            try: found = answers(xla, section, variant, common)
            except Exception as e:
                print(f'{path}: case {section.name} {variant}: {str(e)[:300]}'); good = False; continue
            if check and found != section.directive('out', variant): print(f'{path}: case {section.name} {variant}: XLA gives {found}'); good = False
            key = '/'.join(variant.values())
            outs += [f'// out {key + ": " if key else ""}{v}' for v in found]
        kept = [l for l in section.lines if not l.startswith('// out ')]
        while kept and not kept[-1]: kept.pop()
        section.lines = kept + outs + ['']
    if not check:
        text = '\n'.join(l for s in sections for l in s.lines).rstrip('\n') + '\n'
        open(path, 'w').write(text)
    return good


def main():
    check = sys.argv[1:2] == ['--check']
    xla, good = Xla(), True
    for path in sys.argv[1 + check:]: good = update(xla, path, check) and good
    sys.exit(0 if good else 1)


if __name__ == '__main__': main()
