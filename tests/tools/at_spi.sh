#!/usr/bin/env bash
# at_spi.sh BIN SOURCE: tessera-studio on a screen of its own (Xvfb), with the bus of screen readers that at-spi2-core
# starts, read by at_spi_reader.
set -u
bin=$1
source=$2
skip() {
  [ -z "${TESSERA_SKIPS_LOG:-}" ] || printf '%s\teditor.at_spi\t\n' "$1" >> "$TESSERA_SKIPS_LOG"
  echo "$1: $(sed -n "s/^\[$1\] [a-z]*: //p" "$(dirname "$0")/../skips.txt")"
  exit 0
}
command -v Xvfb > /dev/null && command -v dbus-run-session > /dev/null || skip no-screen
if [ -z "${TESSERA_OWN_BUS:-}" ]; then
  TESSERA_OWN_BUS=1 exec dbus-run-session -- bash "$0" "$@"
fi
work=$(mktemp -d)
export HOME=$work XDG_RUNTIME_DIR=$work XDG_CONFIG_HOME=$work XDG_CACHE_HOME=$work
started=()
finish() {
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null; done
  wait 2>/dev/null
  rm -rf "$work"
}
trap finish EXIT
Xvfb -displayfd 3 -screen 0 1366x768x24 -nolisten tcp 3> "$work/display" 2> "$work/xvfb" &
started+=($!)
for _ in $(seq 100); do [ -s "$work/display" ] && break; sleep 0.1; done
[ -s "$work/display" ] || { echo "Xvfb does not start:"; cat "$work/xvfb"; exit 1; }
export DISPLAY=:$(tr -d '\n' < "$work/display")
QT_QPA_PLATFORM=xcb QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1 "$bin/tessera-studio" \
  "$source/tests/accessibility/graph.hlo" > "$work/studio" 2>&1 &
started+=($!)
"$bin/at_spi_reader" || { tail -5 "$work/studio"; exit 1; }
