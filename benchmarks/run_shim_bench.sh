#!/usr/bin/env bash
# Measures what the shim costs. usage: run_shim_bench.sh BUILD_FOLDER
# Exit status 0: every figure is within its limit; 1: one is not.
set -euo pipefail
build=${1:?usage: run_shim_bench.sh BUILD_FOLDER}
profile=$(cd "$(dirname "$0")" && pwd)/shim_bench.json
code=0
"$build/bin/assay" run --profile "$profile" --draft --require -- "$build/bin/shim_bench" calls || code=$?
"$build/bin/shim_bench" start "$build/bin/assay" "$profile" || code=$?
exit "$code"
