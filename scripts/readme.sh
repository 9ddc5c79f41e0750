#!/usr/bin/env bash
# Puts the output of the last demo.sh into README.md, between its two markers.   usage: scripts/readme.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
demo=${1:-report}/demo.txt
awk -v demo="$demo" '
    /<!-- demo:begin -->/ { print; print "```"; while ((getline line < demo) > 0) if (started || line != "") { started = 1; print line }
                            print "```"; skip = 1 }
    /<!-- demo:end -->/ { skip = 0 }
    !skip { if (!/<!-- demo:begin -->/) print }' README.md > README.md.new
mv README.md.new README.md
