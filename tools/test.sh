#!/usr/bin/env bash
# Builds everything with assertions and runs the tests; ends with ctest's summary.
#   tools/test.sh          the quick tier
#   tools/test.sh --full   also the long tier, and the runtime's and frontend's tests under ASan and UBSan
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
tier=quick
case ${1:-} in
  '') ;;
  --full) tier=full ;;
  *) echo "error: unknown option '$1', expected --full or nothing" >&2; exit 1 ;;
esac
jobs=$(nproc)

# runTests PRESET DESCRIPTION CTEST-SELECTION...: prints what runs and how many, then runs it.
runTests() {
  local preset=$1 description=$2 count
  shift 2
  count=$(ctest --test-dir "build/$preset" -N "$@" | sed -n 's/^Total Tests: //p')
  echo "== tests: $description: $count"
  ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j "$jobs" "$@"
}

# buildPreset PRESET TARGET
buildPreset() {
  echo "== build: preset $1"
  mkdir -p build
  cmake --preset "$1" >"build/$1.log" 2>&1 || { cat "build/$1.log" >&2; exit 1; }
  cmake --build --preset "$1" --target "$2" -j "$jobs"
}

tools/dev/install-packages.sh
if [[ $tier == full ]]; then
  buildPreset asan trainc-sanitizer-tests
  runTests asan "runtime and frontend under ASan and UBSan" -L 'runtime|frontend' -LE long
fi
buildPreset assert all
if [[ $tier == full ]]; then
  runTests assert "full tier (quick and long)"
else
  runTests assert "quick tier" -L quick
fi
