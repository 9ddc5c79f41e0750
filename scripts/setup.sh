# Installs what the build and the tests need and is missing. Sourced by demo.sh and test.sh; nothing else is
# needed on a fresh Debian 12 machine or on a Mac with Homebrew.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

debian_packages=(
    git cmake ninja-build g++-12 gobjc-12 clang-19 clang-format-14
    libboost-json1.81-dev libboost-program-options1.81-dev libfmt-dev doctest-dev
    libgnustep-base-dev libmd-dev
    lld-19 llvm-19 xz-utils # the cross-build for macOS
)
command -v npm >/dev/null || debian_packages+=(npm) # brings its headers
brew_packages=(cmake ninja boost fmt doctest)

install_debian() {
    local missing=()
    for package in "${debian_packages[@]}"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    local as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    echo "Installing: ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

install_macos() {
    command -v brew >/dev/null || { echo "Homebrew is needed: https://brew.sh" >&2; exit 3; }
    for package in "${brew_packages[@]}"; do
        brew list --formula "$package" >/dev/null 2>&1 || brew install --quiet "$package"
    done
}

case "$(uname -s)" in
    Darwin) install_macos ;;
    Linux)
        command -v apt-get >/dev/null || { echo "This script knows Debian 12 and macOS only." >&2; exit 3; }
        install_debian ;;
    *) echo "This script knows Debian 12 and macOS only." >&2; exit 3 ;;
esac

# build PRESET FOLDER [CMAKE ARGUMENT...]: configures and builds into build/FOLDER; TARGET limits what is built.
build() {
    local preset=$1 folder=$2
    shift 2
    cmake --preset "$preset" -B "build/$folder" "$@" >"build/$folder.configure.log" 2>&1 ||
        { cat "build/$folder.configure.log"; return 1; }
    cmake --build "build/$folder" --target "${TARGET:-all}" >"build/$folder.build.log" 2>&1 ||
        { grep -E -A12 'error:|warning:|FAILED:|undefined reference' "build/$folder.build.log" || cat "build/$folder.build.log"; return 1; }
}
mkdir -p build
