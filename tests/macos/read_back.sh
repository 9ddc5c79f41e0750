#!/usr/bin/env bash
# Reads a Mach-O file back and checks one property of it, with LLVM's tools alone.
#
# usage: read_back.sh CHECK FILE [ARGUMENT...]
#   kind FILE TYPE                a Mach-O file of this type (EXECUTE or DYLIB), for one architecture
#   minimum FILE VERSION          runs on macOS from this version on
#   libraries FILE NAME...        links these libraries at most; nothing is searched for in a folder of this machine
#   paths FILE TEXT...            has neither these texts inside nor the usual places of builds and package managers
#   install-name FILE NAME        is found under this name
#   exports FILE [SYMBOL...]      exports exactly these symbols
#   interposes FILE SYMBOL...     replaces exactly these functions of Metal
#   initialiser FILE              runs code when it is loaded
#   imports FILE SYMBOL | imports-not FILE SYMBOL
#   signature FILE                has an ad-hoc signature that covers it, every hash of which is right
#   slices FILE THIN...           is universal, its slices are exactly these files
# Exit status 0: holds; 1: does not, and the output says what was found.
set -euo pipefail
export LC_ALL=C
[ $# -ge 2 ] || { sed -n 4,16p "$0" >&2; exit 2; }
check=$1 file=$2
shift 2
suffix=${LLVM_SUFFIX--19}

fail() { printf '%s: %s\n' "$file" "$*" | head -20 >&2; exit 1; }
commands() { "llvm-objdump$suffix" --macho --private-headers "$file"; }
# same WHAT EXPECTED FOUND: both are lists of lines in any order.
same() {
    local differences
    differences=$(diff <(sort -u <<<"$2") <(sort -u <<<"$3") | grep '^[<>]' | sed 's/^</missing: /; s/^>/not intended: /' || true)
    [ -z "$differences" ] || fail "$1"$'\n'"$differences"
}

case $check in
    kind)
        header=$("llvm-objdump$suffix" --macho --private-header "$file" | tail -1)
        grep -qE " $1 " <<<"$header" || fail "is not of type $1: $header"
        ;;
    minimum)
        version=$(commands | awk '$1 == "platform" { platform = $2 } $1 == "minos" { print platform, $2 }')
        [ "$version" = "macos $1" ] || fail "is for $version, not for macos $1"
        ;;
    libraries)
        linked=$(commands | awk '/cmd LC_(LOAD|LOAD_WEAK|REEXPORT|LAZY_LOAD|LOAD_UPWARD)_DYLIB/ { take = 1 } $1 == "name" && take { print $2; take = 0 }')
        [ -n "$linked" ] || fail "links nothing, not even libSystem"
        strange=$(grep -vxF -f <(printf '%s\n' "$@") <<<"$linked" || true)
        [ -z "$strange" ] || fail "links what not every macOS has:"$'\n'"$strange"
        searched=$(commands | awk '$2 == "LC_RPATH" { take = 1 } $1 == "path" && take { print $2; take = 0 }' | grep -v '^@' || true)
        [ -z "$searched" ] || fail "looks for libraries in"$'\n'"$searched"
        ;;
    paths)
        for text in "$@"; do
            ! grep -qaF -- "$text" "$file" || fail "has the path $text inside"
        done
        found=$(grep -aoE '/(home|root|Users|opt|usr/local|usr/include|private/tmp|tmp/[A-Za-z0-9])[^[:cntrl:]]*' "$file" | head -5 || true)
        [ -z "$found" ] || fail "has a path of some machine inside:"$'\n'"$found"
        ;;
    install-name)
        name=$(commands | awk '$2 == "LC_ID_DYLIB" { take = 1 } $1 == "name" && take { print $2; take = 0 }')
        [ "$name" = "$1" ] || fail "has the install name $name, not $1"
        ;;
    exports)
        found=$("llvm-objdump$suffix" --macho --exports-trie "$file" | awk '/^0x|^\[re-export\]/ { print $2 }')
        same "exports differ" "$([ $# -eq 0 ] || printf '%s\n' "$@")" "$found"
        ;;
    interposes)
        tuples=$("llvm-objdump$suffix" --macho --dyld-info "$file" | awk '$2 == "__interpose"')
        originals=$(awk '{ if (NR % 2 == 0) print $5, $7, $8 }' <<<"$tuples")
        replacements=$(awk 'NR % 2 == 1 && $5 != "rebase"' <<<"$tuples")
        [ -n "$tuples" ] || fail "has no __DATA,__interpose section: dyld would replace nothing"
        [ -z "$replacements" ] || fail "a replacement is not a function of this file: $replacements"
        same "interposed functions differ" "$(printf 'bind Metal %s\n' "$@")" "$originals"
        ;;
    initialiser)
        "llvm-objdump$suffix" --section-headers "$file" |
            awk '($2 == "__init_offsets" || $2 == "__mod_init_func") && $3 !~ /^0+$/ { found = 1 } END { exit !found }' ||
            fail "has no initialiser"
        ;;
    imports | imports-not)
        # Not grep -q: it would end the pipe early, which is a failure under pipefail.
        if "llvm-nm$suffix" --undefined-only --no-sort --just-symbol-name "$file" | grep -xF -- "$1" >/dev/null; then
            [ $check = imports ] || fail "imports $1"
        else
            [ $check = imports-not ] || fail "does not import $1"
        fi
        ;;
    signature)
        bytes() { od -An -v -tu1 -j "$1" -N "$2" "$file" | tr -s ' \n' ' '; }
        number() { # OFFSET: 32 bits, big-endian
            local b
            read -ra b <<<"$(bytes "$1" 4)"
            echo $(((b[0] << 24) | (b[1] << 16) | (b[2] << 8) | b[3]))
        }
        read -r blob blob_size < <(commands | awk '$2 == "LC_CODE_SIGNATURE" { take = 1 } take && $1 == "dataoff" { o = $2 } take && $1 == "datasize" { print o, $2; exit }') ||
            fail "has no signature"
        [ "$(number "$blob")" -eq $((0xfade0cc0)) ] || fail "the signature is not an embedded one"
        directory=
        for ((i = 0; i < $(number $((blob + 8))); ++i)); do
            [ "$(number $((blob + 12 + 8 * i)))" -ne 0 ] || directory=$((blob + $(number $((blob + 16 + 8 * i)))))
        done
        [ -n "$directory" ] || fail "the signature has no code directory"
        [ $(($(number $((directory + 12))) & 2)) -ne 0 ] || fail "the signature is not ad-hoc"
        hashes=$((directory + $(number $((directory + 16)))))
        slots=$(number $((directory + 28)))
        limit=$(number $((directory + 32)))
        read -ra kind <<<"$(bytes $((directory + 36)) 4)" # hash size, hash type, platform, log2 of the page size
        [ "${kind[0]}" -eq 32 ] && [ "${kind[1]}" -eq 2 ] || fail "the code hashes are not SHA-256"
        page=$((1 << kind[3]))
        [ "$limit" -eq "$blob" ] || fail "the signature covers $limit bytes, not all $blob before it"
        [ $((slots * page)) -ge "$limit" ] || fail "the signature has $slots hashes for $limit bytes"
        [ $((blob + blob_size)) -eq "$(stat -c %s "$file")" ] || fail "something follows the signature"
        pages=$(mktemp -d)
        trap 'rm -rf "$pages"' EXIT
        head -c "$limit" "$file" | split -b "$page" -a 5 -d - "$pages/"
        wrong=$(diff <(cd "$pages" && sha256sum -- * | cut -c1-64) \
            <(od -An -v -tx1 -w32 -j "$hashes" -N $((slots * 32)) "$file" | tr -d ' ') | grep -c '^<' || true)
        [ "$wrong" -eq 0 ] || fail "$wrong of $slots code hashes are wrong"
        ;;
    slices)
        architectures=
        for thin in "$@"; do
            read -r architecture < <("llvm-lipo$suffix" -archs "$thin")
            architectures+="$architecture"$'\n'
            slice=$(mktemp)
            "llvm-lipo$suffix" -thin "$architecture" "$file" -output "$slice" || fail "has no slice for $architecture"
            cmp -s "$slice" "$thin" || { rm -f "$slice"; fail "the $architecture slice is not $thin"; }
            rm -f "$slice"
        done
        same "slices differ" "${architectures%$'\n'}" "$("llvm-lipo$suffix" -archs "$file" | tr -s ' ' '\n' | grep .)"
        ;;
    *) echo "unknown check $check" >&2; exit 2 ;;
esac
