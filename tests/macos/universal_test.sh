#!/usr/bin/env bash
# The libraries of both cross-builds, joined by llvm-lipo, are a universal library with exactly these slices.
#
# usage: universal_test.sh ARCHITECTURE LIBRARY     (LIBRARY lies in build/macos-ARCHITECTURE/lib)
set -euo pipefail
[ $# -eq 2 ] || { sed -n 4p "$0" >&2; exit 2; }
case $1 in arm64) architecture=x86_64 ;; *) architecture=arm64 ;; esac
other=${2/macos-$1/macos-$architecture}
[ -f "$other" ] && [ "$other" != "$2" ] || { echo "skipped: the build for the other architecture is missing: $other"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
llvm-lipo-19 -create "$2" "$other" -output "$work/libassay_shim.dylib"
bash "$(dirname "$0")/read_back.sh" slices "$work/libassay_shim.dylib" "$2" "$other"
