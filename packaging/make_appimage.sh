# Sourced by packaging/make: one file, a shell script with a compressed archive behind it. It unpacks once into a private
# folder of the user's cache and starts from there. No FUSE, no root; sh, tail, tar and gzip, which every system has.
command -v patchelf > /dev/null || { echo "a single file needs patchelf: apt-get install patchelf" >&2; exit 1; }
TREE=$WORK/tree
install_component headless "$TREE"
install_component studio "$TREE"

# What the kernel and the C library must agree on stays with the system; all else is taken along. GL is never used by the
# studio, but Qt is linked to its dispatch libraries.
SYSTEM='^(linux-vdso|ld-linux.*|libc|libm|libdl|libpthread|librt|libresolv|libutil|libanl|libnss_.*)\.so'
LIBRARIES=$TREE/lib/tessera
PLUGINS=$(qtpaths6 --plugin-dir 2>/dev/null || echo "/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)/qt6/plugins")
for plugin in platforms/libqxcb.so platforms/libqoffscreen.so platforms/libqwayland-generic.so \
  wayland-shell-integration/libxdg-shell.so wayland-graphics-integration-client/libqt-plugin-wayland-egl.so \
  imageformats/libqsvg.so iconengines/libqsvgicon.so platforminputcontexts/libcomposeplatforminputcontextplugin.so \
  platforminputcontexts/libibusplatforminputcontextplugin.so; do
  [ -f "$PLUGINS/$plugin" ] && install -Dm644 "$PLUGINS/$plugin" "$TREE/lib/tessera/plugins/$plugin"
done
[ -f "$LIBRARIES/plugins/platforms/libqxcb.so" ] || { echo "Qt's xcb plugin is not in $PLUGINS" >&2; exit 1; }
needed() {
  find "$TREE" -type f ! -name libtessera_mpi.so \( -name '*.so*' -o -path '*/bin/*' \) -print0 | LD_LIBRARY_PATH=$LIBRARIES xargs -0 -n1 ldd 2>/dev/null |
    sed -n 's/^[[:space:]]*\([^ ]*\) => \(\/[^ ]*\) .*/\1 \2/p' | sort -u | grep -vE "$SYSTEM" | grep -v "$TREE"
}
needed | while read -r name path; do install -m644 "$path" "$LIBRARIES/$name"; done
[ -z "$(needed)" ] || { echo "these libraries were not taken along:"; needed; exit 1; } >&2
# A library with a path of its own (LLVM has one) would not look for others beside it.
for library in "$LIBRARIES"/*.so*; do
  if readelf -d "$library" | grep -q RUNPATH; then patchelf --set-rpath '$ORIGIN' "$library"; fi
done
printf '[Paths]\nPrefix = ../lib/tessera\nPlugins = plugins\n' > "$TREE/bin/qt.conf"
mkdir -p "$TREE/share/fonts" "$TREE/etc"
cp -L /usr/share/fonts/truetype/dejavu/DejaVuSans{,-Bold,Mono}.ttf "$TREE/share/fonts/" 2>/dev/null ||
  cp -L /usr/share/fonts/truetype/dejavu/DejaVuSans{,-Bold}.ttf "$TREE/share/fonts/"
cat > "$TREE/etc/fonts.conf" <<'FONTS'
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">../share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
FONTS
install -Dm644 LICENSE "$TREE/share/doc/tessera/LICENSE"
install -m644 NOTICE "$TREE/share/doc/tessera/NOTICE"
# The licences of what was taken along.
for library in "$LIBRARIES"/*.so*; do
  package=$(dpkg -S "$(realpath "/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)/$(basename "$library")" 2>/dev/null)" 2>/dev/null | cut -d: -f1) || continue
  [ -f "/usr/share/doc/$package/copyright" ] && install -Dm644 "/usr/share/doc/$package/copyright" "$TREE/share/doc/$package/copyright"
done
ARCHIVE=$WORK/tree.tar.gz
tar --sort=name --owner=0 --group=0 --mtime="@$SOURCE_DATE_EPOCH" -C "$TREE" -cf - . | gzip -9n > "$ARCHIVE"
SUM=$(sha256sum "$ARCHIVE" | cut -d' ' -f1)
FILE=$OUT/Tessera-$VERSION-$(uname -m).run
sed "s/@VERSION@/$VERSION/; s/@SUM@/$SUM/; s/@GLIBC@/$(ldd --version | sed -n '1s/.* //p')/" packaging/unpack.sh > "$WORK/file"
LINES=$(($(wc -l < "$WORK/file") + 1))
sed -i "s/@LINES@/$LINES/" "$WORK/file"
cat "$ARCHIVE" >> "$WORK/file"
chmod 755 "$WORK/file"
mv "$WORK/file" "$FILE"
echo "$FILE: $(du -h "$FILE" | cut -f1)"
