#!/usr/bin/env bash
# Puts the end of the last demo.sh's output, from the ablation on, into README.md between its two markers.
# usage: scripts/readme.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
demo=${1:-report}/demo.txt
awk -v demo="$demo" '
    /<!-- demo:begin -->/ {
        print
        print "```"
        while ((getline line < demo) > 0) {
            started = started || line ~ /^\$ assay ablate/
            if (started) print line
        }
        print "```"
        skip = 1
        next
    }
    /<!-- demo:end -->/ { skip = 0 }
    !skip' README.md > README.md.new
mv README.md.new README.md
