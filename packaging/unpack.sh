#!/bin/sh
# Tessera @VERSION@ in one file. FILE [ARGUMENT…] starts the studio; FILE --headless [ARGUMENT…], or a link to it that is
# called tessera, the program without a window. FILE --unpack FOLDER unpacks it there and starts nothing.
# It unpacks itself once, into tessera/programs of the user's cache folder; $TESSERA_UNPACK names another place.
set -eu
sum=@SUM@
fail() { echo "tessera: $1" >&2; exit "$2"; }
self=$(readlink -f -- "$0") || fail "cannot find $0" 66
# unpack FOLDER: into a new folder beside it, which then gets its name; whoever comes second takes what is there.
unpack() {
  (umask 077 && mkdir -p -- "$(dirname -- "$1")") || fail "cannot make $(dirname -- "$1")" 73
  work=$(mktemp -d -- "$1.XXXXXX") || fail "cannot write to $(dirname -- "$1")" 73
  trap 'rm -rf -- "$work"' EXIT
  trap 'exit 130' INT TERM HUP
  tail -n +@LINES@ -- "$self" > "$work/archive" || fail "cannot unpack: the disk may be full" 73
  if command -v sha256sum > /dev/null; then
    [ "$(sha256sum < "$work/archive" | cut -d' ' -f1)" = "$sum" ] || fail "$self is damaged: its check sum is wrong" 66
  fi
  mkdir -- "$work/tree"
  gzip -dc < "$work/archive" | tar -xf - -C "$work/tree" --no-same-owner || fail "cannot unpack: the disk may be full" 73
  mv -T -- "$work/tree" "$1" 2> /dev/null || [ -x "$1/bin/tessera" ] || fail "cannot write $1" 73
  rm -rf -- "$work"
  trap - EXIT INT TERM HUP
}
if [ "${1:-}" = --unpack ]; then
  [ $# = 2 ] || fail "--unpack takes a folder" 64
  [ ! -e "$2" ] || fail "$2 is there already" 73
  unpack "$2"
  exit 0
fi
cache=${TESSERA_UNPACK:-${XDG_CACHE_HOME:-${HOME:-/tmp/tessera-$(id -u)}/.cache}/tessera/programs}
tree=$cache/@VERSION@-$(echo "$sum" | cut -c1-16)
if [ ! -x "$tree/bin/tessera" ]; then
  [ -t 2 ] && echo "tessera: unpacking once to $tree …" >&2
  unpack "$tree"
fi
# A folder that another user can write may hold another program.
[ -O "$tree" ] || fail "$tree belongs to another user: set TESSERA_UNPACK" 73
export FONTCONFIG_FILE="${FONTCONFIG_FILE:-$tree/etc/fonts.conf}"
program=tessera-studio
case $(basename -- "$0") in tessera) program=tessera ;; esac
if [ "${1:-}" = --headless ]; then
  program=tessera
  shift
fi
exec "$tree/bin/$program" "$@"
