#!/usr/bin/env bash
# The main job, from nothing: installs what is missing, builds, compares the published logs of a host and its
# guest, probes the default device, finds the smallest safe profile for llama.cpp and runs a client under it.
# Leaves everything in report/.   usage: scripts/demo.sh [FOLDER]
source "$(dirname "$0")/setup.sh"

report=${1:-report}
if [ "$(uname -s)" = Linux ]; then
    build release demo -DASSAY_TESTS=OFF -DCMAKE_C_COMPILER=gcc-12 -DCMAKE_CXX_COMPILER=g++-12
else
    build release demo -DASSAY_TESTS=OFF
fi
assay=build/demo/bin/assay
client=build/demo/bin/assay-demo-client
rm -rf "$report"
mkdir -p "$report"

# show COMMAND...: prints the command as a reader would type it, then runs it.
show() {
    local typed="$*"
    printf '\n$ %s\n' "${typed//build\/demo\/bin\//}"
    "$@"
}

{
    # diff exits 1 when the tables differ, which is what is to be seen here.
    show $assay import tests/data/trycua-cua/tiny-host-minimal.stderr -o "$report/host.json"
    show $assay import tests/data/trycua-cua/tiny-stock-minimal.stderr -o "$report/guest.json"
    show $assay diff "$report/host.json" "$report/guest.json" || [ $? -eq 1 ]
    show $assay probe -o "$report/probe.json"
    show $assay ablate --goal llama.cpp --repeats 30 -o "$report/llama.cpp"
    show $assay profile show "$report/llama.cpp/profile.json"
    show $client
    show $assay run --require --profile "$report/llama.cpp/profile.json" -- $client
} 2>&1 | tee "$report/demo.txt"

# The client's line: "float matrix product  VARIANT  TIME ms  correct", stock first.
awk '/^float matrix product/ { time[++n] = $(NF - 2); variant[n] = $4 } END {
    printf "\nThe client chose %s stock and %s under the profile; the matrix product took %.1f times as long stock.\n",
        variant[1], variant[2], time[1] / time[2]
    print "Both ran on the software device: the ratio compares code paths on this CPU and is no GPU speed-up." }' \
    "$report/demo.txt" | tee -a "$report/demo.txt"
echo "Report: $report/"
