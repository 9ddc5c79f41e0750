#!/usr/bin/env bash
# All tests: installs what is missing, builds with every compiler, runs the test programs.
source "$(dirname "$0")/setup.sh"

step() { printf '\n== %s\n' "$*"; }

if [ "$(uname -s)" = Linux ]; then
    step "format"
    git ls-files '*.h' '*.cpp' ':!metal/software/msl/include' | xargs clang-format-14 --dry-run -Werror
    step "build: g++-12, optimised, warnings are errors"
    build release gcc -DASSAY_WERROR=ON -DCMAKE_C_COMPILER=gcc-12 -DCMAKE_CXX_COMPILER=g++-12
    step "build: clang++-19, warnings are errors"
    build dev clang -DASSAY_PCH=ON -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19
    step "build: g++-12 with address and undefined-behaviour sanitizers"
    TARGET=pure_tests build asan asan -DASSAY_PCH=ON -DCMAKE_C_COMPILER=gcc-12 -DCMAKE_CXX_COMPILER=g++-12
    step "build: macOS arm64 and x86_64 (cross)"
    # What is checked is that it compiles, links and is shaped right: without optimisation, in half the time.
    build macos-arm64 macos-arm64 -DASSAY_PCH=ON "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG"
    build macos-x86_64 macos-x86_64 -DASSAY_PCH=ON "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG"
    step "tests: sanitizers (unit tests of the readers and of the search)"
    ctest --test-dir build/asan -L pure -j"$(nproc)" --output-on-failure
    step "tests: clang++-19 (unit tests)"
    ctest --test-dir build/clang -L pure -j"$(nproc)" --output-on-failure
    step "tests: everything"
    ctest --test-dir build/gcc -j"$(nproc)" --output-on-failure
    step "tests: the files built for macOS"
    ctest --test-dir build/macos-arm64 -j"$(nproc)" --output-on-failure
    ctest --test-dir build/macos-x86_64 -j"$(nproc)" --output-on-failure
else
    step "build"
    build release native
    step "tests"
    ctest --test-dir build/native -j"$(sysctl -n hw.ncpu)" --output-on-failure
fi
