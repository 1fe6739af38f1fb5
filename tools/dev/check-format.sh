#!/usr/bin/env bash
# Fails if a tracked C++ file is not formatted as .clang-format says; --fix formats them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mode=(--dry-run -Werror)
case ${1:-} in
  '') ;;
  --fix) mode=(-i) ;;
  *) echo "error: unknown option '$1', expected --fix or nothing" >&2; exit 1 ;;
esac
git ls-files -z '*.h' '*.cpp' '*.c' | xargs -0 -r clang-format-22 "${mode[@]}"
