# Sourced by ./run and ./test: installs what the build needs, configures and builds.
# Understands --no-install (list what is missing and stop). Sets BUILD (the release build's folder).

readonly PACKAGES=(
  g++ cmake ninja-build pkg-config ccache mold git
  qt6-base-dev qt6-svg-dev qt6-qpa-plugins libgl1-mesa-dev
  llvm-19-dev libdnnl-dev libopenblas0-serial libprotobuf-dev protobuf-compiler graphviz
  libcairo2-dev libpng-dev libmd4c-dev libmd4c-html0-dev libre2-dev libsqlite3-dev
  libzip-dev zlib1g-dev libzstd-dev libfmt-dev nlohmann-json3-dev rapidjson-dev libcli11-dev
  libopenmpi-dev openmpi-bin
  libgtest-dev libbenchmark-dev clang-format fonts-dejavu-core
  xvfb dbus at-spi2-core
)
readonly BUILD=build/release

missing_packages() {
  local package
  for package in "${PACKAGES[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' || echo "$package"
  done
}

install_missing() {
  local install=$1 missing sudo=()
  mapfile -t missing < <(missing_packages)
  [ "${#missing[@]}" -eq 0 ] && return 0
  echo "Missing packages: ${missing[*]}"
  if [ "$install" = no ]; then
    echo "Install them with: apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "Installing needs root or sudo." >&2; exit 1; }
    sudo=(sudo)
  fi
  "${sudo[@]}" apt-get update -q || { echo "apt-get update failed" >&2; exit 1; }
  DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}" ||
    { echo "Could not install: ${missing[*]}" >&2; exit 1; }
}

# configure_and_build TARGET…: quiet when there is nothing to do.
configure_and_build() {
  local configured
  [ -f "$BUILD/build.ninja" ] || configured=$(cmake --preset release 2>&1) || { echo "$configured"; exit 1; }
  [ -x "$BUILD/bin/tessera" ] || echo "Building for the first time: about ten minutes on two cores; [step/steps] is how far it is."
  ninja -C "$BUILD" "$@" || exit 1
}
