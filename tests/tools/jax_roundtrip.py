"""Runs `tessera print --to=jax` of corpus programs in jaxlib and compares with the expected outputs.

  python3 jax_roundtrip.py --tessera=build/dev/bin/tessera --corpus=DIR [--timeout=120] [NAME …]

A line a program: ok, differs, no form (the instruction jax.lax has none for), or the error. Programs of several devices and
those without expected.npz are left out. A tool for development; the product's own tests need no Python."""
import argparse
import json
import os
import subprocess
import sys
import tempfile


def read_npz(path, np, ml_dtypes):
    out = {}
    for key, value in np.load(path).items():
        name, _, suffix = key.partition("__")
        if suffix:
            kind = np.dtype(getattr(ml_dtypes, suffix))
            value = value.view(kind) if kind.itemsize == value.dtype.itemsize and suffix[0] != "i" and suffix[0] != "u" else value.astype(kind)
        out[name] = value
    return out


def splitmix(np, words):
    with np.errstate(over="ignore"):
        z = words + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def filled(np, leaf, kind, shape, imax):
    count = int(np.prod(shape, dtype=np.int64))
    h = splitmix(np, (np.uint64(leaf) << np.uint64(40)) ^ np.arange(count, dtype=np.uint64))
    kind = np.dtype(kind)
    if kind == np.bool_:
        flat = (h & np.uint64(1)).astype(kind)
    elif kind.kind in "iu" or "int" in kind.name:
        flat = (h % np.uint64(imax)).astype(np.int64).astype(kind)
    else:
        flat = ((h >> np.uint64(40)).astype(np.float64) / 2.0**24 * 0.02).astype(kind)
    return flat.reshape(shape)


def tolerance(np, kind):
    name = np.dtype(kind).name
    if np.dtype(kind).kind in "biu" or "int" in name:
        return 0, 0
    return {"float32": (1e-4, 1e-5), "complex64": (1e-4, 1e-5), "float64": (1e-9, 1e-12), "complex128": (1e-9, 1e-12)}.get(name, (5e-2, 1e-2))


def run_one(program, folder):
    import importlib.util

    import jax
    import ml_dtypes
    import numpy as np

    spec = importlib.util.spec_from_file_location("program", program)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path = os.path.join(folder, "inputs.npz")
    given = read_npz(path, np, ml_dtypes) if os.path.exists(path) else {}
    imax = 1000 if os.path.basename(folder).startswith("hf_") else 8
    leaf = 0

    def argument(part):
        nonlocal leaf
        if isinstance(part, list):
            return tuple(argument(p) for p in part)
        number, leaf = leaf, leaf + 1
        value = given.get("arg%d" % number)
        return value.astype(part[0]) if value is not None else filled(np, number, part[0], part[1], imax)

    out = jax.tree_util.tree_leaves(module.main(*[argument(p) for p in module.PARAMETERS]))
    expected = read_npz(os.path.join(folder, "expected.npz"), np, ml_dtypes)
    for i, value in enumerate(out):
        want, have = expected["out%d" % i], np.asarray(value)
        if want.shape != have.shape or want.dtype != have.dtype:
            return "differs: out%d is %s%s, expected %s%s" % (i, have.dtype, have.shape, want.dtype, want.shape)
        rtol, atol = tolerance(np, want.dtype)
        wide = np.complex128 if want.dtype.kind == "c" else np.float64
        a, b = want.astype(wide), have.astype(wide)
        scale = np.max(np.abs(a[np.isfinite(a)]), initial=0)
        if not np.allclose(b, a, rtol=rtol, atol=atol * scale, equal_nan=True):
            with np.errstate(invalid="ignore"):
                return "differs: out%d by %g of %g" % (i, np.nanmax(np.abs(a - b)), scale)
    return "ok"


def read_exceptions(path):
    if not path:
        return {}
    with open(path) as lines:
        rows = [line.split("#")[0].split(None, 1) for line in lines if line.split("#")[0].strip()]
    return {name: said.strip() for name, said in rows}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera", required=True)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--exceptions", help="lines NAME SAID…: programs whose line begins so, with a reason after #")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.one:
        print(run_one(*options.one))
        return
    names = options.names or sorted(os.listdir(options.corpus))
    tally, wrong, exceptions = {}, [], read_exceptions(options.exceptions)
    for name in names:
        folder = os.path.join(options.corpus, name)
        if not os.path.exists(os.path.join(folder, "expected.npz")) or name.startswith(("spmd_", "gspmd_", "pmap_")):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            program = os.path.join(scratch, "program.py")
            printed = subprocess.run([options.tessera, "print", os.path.join(folder, "before.hlo"), "--to=jax", "-o", program],
                                     capture_output=True, text=True)
            if printed.returncode:
                said = "no form: " + printed.stderr.strip().splitlines()[-1]
            else:
                command = [sys.executable, __file__, "--tessera=x", "--corpus=x", "--one", program, folder]
                try:
                    ran = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
                    lines = (ran.stdout if ran.returncode == 0 else ran.stderr).strip().splitlines()
                    said = lines[-1] if ran.returncode == 0 else "error: " + " | ".join(lines[-3:])[-400:]
                except subprocess.TimeoutExpired:
                    said = "error: not done in %g s" % options.timeout
        wanted = exceptions.pop(name, "ok")
        if not said.startswith(wanted):
            wrong.append("%s: %s; expected %s" % (name, said, wanted))
        tally[said.split(":")[0]] = tally.get(said.split(":")[0], 0) + 1
        print("%-32s %s" % (name, said), flush=True)
    print(json.dumps(tally))
    if options.exceptions and (wrong or (exceptions and not options.names)):
        sys.exit("\n".join(wrong + ["%s is an exception and was not tried" % name for name in exceptions]))


main()
