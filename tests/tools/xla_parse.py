#!/usr/bin/env python3
"""The rival of tests/bench/formats: XLA's own reading and printing of an HLO text, in a fresh process, as JSON. Needs jaxlib.

  xla_parse.py FILE.hlo
"""
import json, sys, time
from jaxlib.xla_client import hlo


def memory_kb(name):
    for line in open('/proc/self/status'):
        if line.startswith(name + ':'): return int(line.split()[1])


def main():
    text = open(sys.argv[1]).read()
    open('/proc/self/clear_refs', 'w').write('5')  # the peak starts anew
    before, start = memory_kb('VmRSS'), time.perf_counter()
    module = hlo.hlo_module_from_text(text)
    parsed = time.perf_counter()
    peak = memory_kb('VmHWM') - before
    options = hlo.HloPrintOptions()
    options.print_large_constants = True
    start_print = time.perf_counter()
    module.to_string(options)
    print(json.dumps({'parse_s': parsed - start, 'peak_kb': peak, 'print_s': time.perf_counter() - start_print}))


main()
