#!/usr/bin/env bash
# Every operation of ops.inc has a definition in an op file, a case file and a help text.
cd "$1" || exit 1
failed=0
for op in $(sed -n 's/^TESSERA_OP(\([A-Za-z0-9]*\)).*/\1/p' core/ops/ops.inc); do
  name=$(sed -n "s/^TESSERA_OPCODE($op, \"\([^\"]*\)\".*/\1/p" core/hlo/opcodes.inc)
  [ -n "$name" ] || { echo "$op of ops.inc is no opcode"; failed=1; continue; }
  grep -rqE "\bk?$op\b" core/ops/*.cpp core/ops/shared/*.cpp || { echo "$op has no op file"; failed=1; }
  [ -f "tests/ops/$name.hlo" ] || { echo "$op has no case file tests/ops/$name.hlo"; failed=1; }
done
exit $failed
