#!/usr/bin/env bash
# Every check of read_back.sh accepts a good library and refuses one that is broken in just that respect.
#
# usage: read_back_test.sh SDK ARCHITECTURE     (SDK: what clang gets as -isysroot)
set -euo pipefail
[ $# -eq 2 ] || { sed -n 4p "$0" >&2; exit 2; }
sdk=$1 architecture=$2
check=$(cd "$(dirname "$0")" && pwd)/read_back.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat >good.c <<'C'
extern void* MTLCreateSystemDefaultDevice(void);
extern void* MTLCopyAllDevices(void);
static void* create(void) { return MTLCreateSystemDefaultDevice(); }
static void* copy_all(void) { return MTLCopyAllDevices(); }
__attribute__((used, section("__DATA,__interpose"))) static const void* const tuples[][2] = {
    {(const void*)create, (const void*)MTLCreateSystemDefaultDevice},
    {(const void*)copy_all, (const void*)MTLCopyAllDevices},
};
__attribute__((visibility("default"))) volatile int intended = 1;
__attribute__((constructor)) static void on_load(void) { intended = 2; }
C
sed '/interpose/,/^};/d' good.c >stock.c
sed 's/(const void\*)copy_all, /(const void*)MTLCreateSystemDefaultDevice, /' good.c >foreign.c
sed 's/^__attribute__((constructor))//; s/^ static void on_load/void on_load/' good.c >silent.c
sed 's/"default"/"hidden"/' good.c >hidden.c
{ cat good.c; echo '__attribute__((visibility("default"))) int extra = 1;'; } >extra.c
{ cat good.c; echo 'const char* built_at = "/home/somebody/metal-assay/shim.c";'; } >path.c

make_library() { # OUTPUT SOURCE [OPTION...]
    local out=$1 source=$2
    shift 2
    clang-19 -target "$architecture-apple-macos13.0" -isysroot "$sdk" -O1 -fvisibility=hidden -fuse-ld=lld -dynamiclib \
        -Wl,-adhoc_codesign -install_name @rpath/libgood.dylib "$source" -o "$out" -framework Metal -w "$@"
}
make_library good.dylib good.c
for variant in stock foreign silent hidden extra path; do make_library $variant.dylib $variant.c; done
# The library that a package manager would bring, by its usual place.
echo 'int packaged(void) { return 1; }' >packaged.c
make_library libpackaged.dylib packaged.c -fvisibility=default -install_name /opt/homebrew/lib/libpackaged.dylib
make_library homebrew.dylib good.c -Wl,-needed_library,libpackaged.dylib
make_library searching.dylib good.c -Wl,-rpath,/opt/homebrew/lib
make_library renamed.dylib good.c -install_name @rpath/other.dylib
make_library newer.dylib good.c -target "$architecture-apple-macos14.0"
make_library unsigned.dylib good.c -Wl,-no_adhoc_codesign
cp good.dylib changed.dylib
printf 'X' | dd of=changed.dylib bs=1 seek=4000 conv=notrunc status=none

metal=/System/Library/Frameworks/Metal.framework/Versions/A/Metal
failures=0
expect() { # 0|1 CHECK FILE ARGUMENT...
    local wanted=$1 got=0
    shift
    bash "$check" "$@" >output 2>&1 || got=$?
    [ "$got" -eq "$wanted" ] && return
    failures=$((failures + 1))
    echo "read_back.sh $*: status $got, expected $wanted"
    cat output
}
refuses() { # CHECK BROKEN-FILE ARGUMENT...: also accepts the good file
    local name=$1 broken=$2
    shift 2
    expect 0 "$name" good.dylib "$@"
    expect 1 "$name" "$broken" "$@"
}
both=(_MTLCreateSystemDefaultDevice _MTLCopyAllDevices)
refuses minimum newer.dylib 13.0
refuses libraries homebrew.dylib "$metal" /usr/lib/libSystem.B.dylib
refuses libraries searching.dylib "$metal" /usr/lib/libSystem.B.dylib
refuses paths path.dylib "$work"
refuses paths path.dylib
refuses install-name renamed.dylib @rpath/libgood.dylib
refuses exports extra.dylib _intended
refuses exports hidden.dylib _intended
expect 0 exports hidden.dylib
expect 1 exports good.dylib
refuses interposes stock.dylib "${both[@]}"
refuses interposes foreign.dylib "${both[@]}"
expect 1 interposes good.dylib _MTLCreateSystemDefaultDevice
refuses initialiser silent.dylib
refuses signature unsigned.dylib
refuses signature changed.dylib
expect 0 kind good.dylib DYLIB
expect 1 kind good.dylib EXECUTE
expect 0 imports good.dylib _MTLCopyAllDevices
expect 1 imports good.dylib _objc_msgSend
expect 0 imports-not good.dylib _objc_msgSend
expect 1 imports-not good.dylib _MTLCopyAllDevices
other=x86_64
[ "$architecture" = arm64 ] || other=arm64
architecture=$other sdk=${sdk%/*}/sdk-$other
make_library other.dylib good.c
llvm-lipo-19 -create good.dylib other.dylib -output universal.dylib
llvm-lipo-19 -create good.dylib -output single.dylib
expect 0 slices universal.dylib good.dylib other.dylib
expect 1 slices universal.dylib changed.dylib other.dylib
expect 1 slices universal.dylib good.dylib
expect 1 slices single.dylib good.dylib other.dylib
[ $failures -eq 0 ]
