#!/usr/bin/env bash
# packages.sh SOURCE: in the long tier both packages are installed in a bare Debian, and the single file is started there by a
# user without rights: each has to run, draw and show its window. Needs root, debootstrap and Debian's mirror.
set -u
source=$1
skip() {
  local reason
  grep -A1000 "^\[$1\]" "$source/tests/skips.txt" | sed '1d;/^\[/,$d' | grep -qx 'packages.bare' ||
    { echo "packages.bare is skipped for $1, which skips.txt does not list for it"; exit 1; }
  reason=$(sed -n "s/^\[$1\] [a-z]*: //p" "$source/tests/skips.txt")
  [ -z "${TESSERA_SKIPS_LOG:-}" ] || printf '%s\tpackages.bare\t\n' "$1" >> "$TESSERA_SKIPS_LOG"
  echo "$1: $reason"
  exit 0
}
[ "${TESSERA_TIER:-}" = long ] || skip long-tier
[ "$(id -u)" = 0 ] && command -v debootstrap unshare chroot patchelf > /dev/null || skip no-debootstrap
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() { echo "$1"; [ -f "$work/log" ] && tail -30 "$work/log"; exit 1; }
apt-get update -qq > /dev/null 2>&1 || skip no-debootstrap  # no network
debootstrap --variant=minbase bookworm "$work/bare" > "$work/log" 2>&1 || die "debootstrap fails"
cp -a "$work/bare" "$work/single"
(cd "$source" && packaging/make deb "$work/debs" && packaging/make appimage "$work/app") > "$work/log" 2>&1 || die "packaging/make fails"
if command -v lintian > /dev/null; then
  lintian --allow-root --fail-on=error,warning "$work"/debs/*.deb > "$work/log" 2>&1 || die "lintian complains"
fi

# bare ROOT USER: a script from stdin in the root as the user, with a /proc of its own.
bare() {
  unshare -mpf bash -c 'mount -t proc proc "$1/proc" && exec chroot --userspec="$2" "$1" /bin/sh -eu' in "$1" "$2" > "$work/log" 2>&1
}
mkdir -p "$work/bare/debs" "$work/single/app"
cp "$work"/debs/*.deb "$work/bare/debs/"
cp "$work"/app/*.run "$work/single/app/tessera.run"
cp -L /etc/resolv.conf "$work/bare/etc/resolv.conf" 2> /dev/null
bare "$work/bare" 0:0 <<'END' || die "the packages cannot be installed"
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends /debs/*.deb
END
bare "$work/bare" 0:0 <<'END' || die "the headless package does not work"
cd /tmp
export HOME=/tmp/home
tessera check /usr/share/tessera/examples/*.hlo
tessera run /usr/share/tessera/examples/mlp_small.hlo --profile=p.json
for form in svg pdf png html dot; do tessera render /usr/share/tessera/examples/attention.hlo -o "a.$form"; test -s "a.$form"; done
tessera compile /usr/share/tessera/examples/mlp_small.hlo -o mlp.o --header=mlp.h
tessera help import | grep -q XLA_FLAGS
tessera help --html=manual
test -s manual/pictures/build.png
END
bare "$work/bare" 0:0 <<'END' || die "the studio does not work"
cd /tmp
export HOME=/tmp/home QT_QPA_PLATFORM=offscreen
tessera-studio --screenshot window.png /usr/share/tessera/examples/softmax.hlo
test "$(wc -c < window.png)" -gt 10000
test -s /usr/share/applications/org.tessera.Studio.desktop
apt-get remove -y -qq tessera tessera-studio
test ! -e /usr/lib/tessera
END
chmod 755 "$work" "$work/single" "$work/single/app"
bare "$work/single" 65534:65534 <<'END' || die "the single file does not work"
mkdir /tmp/home
cd /tmp
export HOME=/tmp/home QT_QPA_PLATFORM=offscreen
/app/tessera.run --headless run "$(/app/tessera.run --unpack /tmp/tree && echo /tmp/tree/share/tessera/examples/mlp_small.hlo)"
/app/tessera.run --headless render /tmp/tree/share/tessera/examples/softmax.hlo -o a.pdf
/app/tessera.run --headless help import | grep -q XLA_FLAGS
/app/tessera.run --screenshot window.png /tmp/tree/share/tessera/examples/softmax.hlo
test "$(wc -c < window.png)" -gt 10000
test "$(ls /tmp/home/.cache/tessera/programs | wc -l)" = 1
head -c 2000000 /app/tessera.run > cut.run
if HOME=/tmp/other sh cut.run --headless --version; then exit 1; fi
test -z "$(ls /tmp/other/.cache/tessera/programs 2> /dev/null)"
END
ls -l "$work"/debs/*.deb "$work"/app/*.run | awk '{ print $5, $9 }'
echo "installed and run in a bare Debian"
