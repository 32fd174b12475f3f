# Sourced by packaging/make: two packages. dpkg-shlibdeps reads what they need from what was linked; the rest is here.
ARCH=$(dpkg --print-architecture)

# shared_libraries FOLDER FILE…: "shlibs:Depends" of what is linked, our own library left out.
shared_libraries() {
  local folder=$1
  shift
  mkdir -p "$WORK/shlibs/debian" "$WORK/shlibs/DEBIAN"
  printf 'Source: tessera\n\nPackage: tessera\nArchitecture: any\n' > "$WORK/shlibs/debian/control"
  (cd "$WORK/shlibs" && dpkg-shlibdeps -O --ignore-missing-info -l"$WORK/tessera/usr/lib/tessera" \
    $(for file in "$@"; do printf -- '-e%s ' "$folder/$file"; done) 2> "$WORK/shlibs.log") |
    sed -n 's/^shlibs:Depends=//p' || { cat "$WORK/shlibs.log" >&2; exit 1; }
}

# finish PACKAGE: what every Debian package has, and the package itself.
finish() {
  local root=$WORK/$1 doc=$WORK/$1/usr/share/doc/$1
  install -Dm644 packaging/debian/copyright "$doc/copyright"
  sed "s/@VERSION@/$VERSION/; s/@DATE@/$(date -uRd "@$SOURCE_DATE_EPOCH")/" packaging/debian/changelog |
    gzip -9n > "$doc/changelog.gz"
  find "$root/usr/share/man" -name '*.1' -exec gzip -9n {} +
  find "$root" -name '*.a' -exec strip --strip-debug --enable-deterministic-archives {} +
  find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
  mkdir -p "$root/DEBIAN"
  sed "s/@VERSION@/$VERSION/g; s/@ARCH@/$ARCH/; s/@SIZE@/$(du -sk "$root/usr" | cut -f1)/; s/@LIBRARIES@/$LIBRARIES/" \
    "packaging/debian/$1.control" > "$root/DEBIAN/control"
  (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) > "$root/DEBIAN/md5sums"
  chmod 644 "$root"/DEBIAN/*
  dpkg-deb --root-owner-group -Zxz --build "$root" "$OUT/${1}_${VERSION}_$ARCH.deb" > /dev/null
  echo "$OUT/${1}_${VERSION}_$ARCH.deb: $(du -h "$OUT/${1}_${VERSION}_$ARCH.deb" | cut -f1)"
}

install_component headless "$WORK/tessera/usr"
LIBRARIES=$(shared_libraries "$WORK/tessera/usr" bin/tessera lib/tessera/libtessera_core.so lib/tessera/libtessera_cpu.so lib/tessera/libtessera_cuda.so)
install_component studio "$WORK/tessera-studio/usr"
STUDIO_LIBRARIES=$(shared_libraries "$WORK/tessera-studio/usr" bin/tessera-studio)
finish tessera
LIBRARIES=$STUDIO_LIBRARIES finish tessera-studio
