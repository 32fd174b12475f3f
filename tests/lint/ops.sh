#!/usr/bin/env bash
# Every opcode of opcodes.inc is defined once, by an OpDef in an op file or by a row of scalar_functions.inc, with its
# opcode, kind, category, summary and text of help, and has a case file with an example; and a label that an op file
# refuses with is a row of its constraints. What else a definition has is the matter of tests/ops/definitions_test.
cd "$1" || exit 1
failed=0
rows=core/element/scalar_functions.inc
named=$(tr '\n' ' ' < $rows | grep -oE 'TESSERA_(UNARY|BINARY)_FUNCTION\( *[A-Za-z0-9]+, [A-Za-z0-9]+,' | sed -E 's/.*, (.*),/\1/')
complain() { echo "$1"; failed=1; }
while IFS=$'\t' read -r op name; do
  defined=$(grep -lE "^const OpDef k$op = \{" core/ops/*.cpp)
  row=$(grep -cx "$op" <<< "$named")
  count=$(($(wc -w <<< "$defined") + row))
  [ "$count" = 1 ] || complain "$op is defined $count times, not once, in core/ops/*.cpp and $rows"
  if [ -n "$defined" ]; then
    body=$(sed -n "/^const OpDef k$op = {/,/^};/p" $defined)
    grep -qE "\.opcode = Opcode::$op,\$" <<< "$body" || complain "$defined: k$op is not .opcode = Opcode::$op"
    # Each has a default, which would go unnoticed.
    for field in kind category summary doc; do
      grep -qE "\.$field =" <<< "$body" || complain "$defined: $op has no $field"
    done
  fi
  if [ -f "tests/ops/$name.hlo" ]; then
    grep -q '^// case ' "tests/ops/$name.hlo" || complain "tests/ops/$name.hlo has no case"
    grep -qE "\b$name\(" "tests/ops/$name.hlo" || complain "tests/ops/$name.hlo does not use $name"
  else
    complain "$op has no case file tests/ops/$name.hlo"
  fi
done < <(sed -nE 's/^TESSERA_OPCODE\(([A-Za-z0-9]+), "([^"]*)".*/\1\t\2/p' core/hlo/opcodes.inc)
# A label stands in a row as {"C1", "…"}, anywhere else it is used.
for file in core/ops/*.cpp; do
  shared=$(sed -nE 's/^#include "(core\/ops\/shared\/[a-z_]+\.h)"/\1/p' "$file")
  rows=$(cat "$file" $shared | tr '\n' ' ' | grep -oE '\{ *"[A-Z][0-9]+", *["k]' | grep -oE '[A-Z][0-9]+' | sort -u)
  for label in $(grep -oE '"[A-Z][0-9]+"' "$file" | tr -d '"' | sort -u); do
    grep -qx "$label" <<< "$rows" || complain "$file: the label $label is no row of a definition's constraints"
  done
done
exit $failed
