#!/usr/bin/env bash
# What is known of an op stands in its OpDef, of a scalar function in its row. Files outside core/ops that tell opcodes
# apart by `case` are listed in opcode_switches.txt with how many cases they have and why; a new file, or another
# number, is refused: put the fact into core/ops/op.h or scalar_functions.inc and read it from there.
cd "$1" || exit 1
failed=0
declare -A allowed
while read -r file count _; do
  [[ -z $file || $file == \#* ]] && continue
  allowed[$file]=$count
  [ -f "$file" ] || { echo "$file of opcode_switches.txt is gone: remove its line"; failed=1; }
done < tests/lint/opcode_switches.txt
while IFS=: read -r file count; do
  [[ $file == core/ops/* ]] && continue
  listed=${allowed[$file]:-0}
  [ "$count" = "$listed" ] && continue
  echo "$file has $count cases of opcodes, opcode_switches.txt lists $listed"
  failed=1
done < <(grep -rcE --include='*.h' --include='*.cpp' '\bcase (Opcode|O)::' core backends editor app)
refuse() {  # refuse WHAT PATTERN FOLDER…
  local hits
  hits=$(grep -rnE --include='*.h' --include='*.cpp' "$2" "${@:3}")
  [ -z "$hits" ] && return
  printf '%s:\n%s\n' "$1" "$hits"
  failed=1
}
refuse "opcodes in code generation or run time" '\bOpcode::' backends/codegen backends/runtime
refuse "concluded from the order of an enumeration" '[<>]=? *(NodeOp|Opcode)::' core backends editor app
refuse "a palette's category used for a decision" '\bOpCategory::|nameOf\([^)]*category' core/passes core/evaluate core/compose core/element core/cost \
  core/edit/sizes core/edit/wiring core/edit/structure backends
exit $failed
