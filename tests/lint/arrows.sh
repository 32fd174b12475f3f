#!/usr/bin/env bash
# Arrows run one way: core knows nobody; no Qt in core, backends or the command line; LLVM only in backends/codegen
# and backends/cpu; backends know only core; the editor knows core and backends/*.h.
cd "$1" || exit 1
failed=0
refuse() {  # refuse WHAT PATTERN FOLDER…
  local what=$1 pattern=$2 hits
  shift 2
  hits=$(grep -rnE --include='*.h' --include='*.cpp' "$pattern" "$@" 2>/dev/null)
  [ -z "$hits" ] && return
  echo "$what:"
  echo "$hits"
  failed=1
}
refuse "Qt outside editor and app/studio" '#include *<Q' core backends app/cli app/shared
refuse "LLVM outside backends/codegen and backends/cpu" '#include *[<"]llvm/' core editor app backends/cpu/aot backends/*.h backends/*.cpp
mapfile -t headers < <(find core backends/*.h app/cli app/shared -name '*.h')
refuse "LLVM, modules or plans in the run time" '#include *[<"](llvm/|core/(formats|ops|passes|evaluate|compose|devices|element/(element|region)|hlo/(module|literal))|backends/(cpu|codegen|aot))' backends/runtime
refuse "LLVM, Qt or protobuf in a header" '#include *[<"](llvm|google/protobuf|Q[A-Z]|.*\.pb\.h)' "${headers[@]}"
refuse "core includes another folder" '#include "(backends|editor|app)/' core
refuse "backends include editor or app" '#include "(editor|app)/' backends
refuse "editor includes app or the inside of backends" '#include "(app/|backends/[a-z_]*/)' editor
exit $failed
