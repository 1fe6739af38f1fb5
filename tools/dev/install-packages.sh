#!/usr/bin/env bash
# Installs what trainc is built from (packages.txt). Silent and quick when nothing is missing. On Debian 12, as root or
# with sudo, says what it installs and installs it; elsewhere says what is missing and where to get it, and fails.
# TRAINC_OS_RELEASE names another os-release file, for the test of the second case.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# The fields "package probe reason" of every line that is not a comment.
packages() { grep -v '^#' "$here/packages.txt"; }

isDebian12() {
  local osRelease=${TRAINC_OS_RELEASE:-/etc/os-release}
  [[ -r $osRelease ]] && (. "$osRelease" && [[ ${ID:-} == debian && ${VERSION_ID:-} == 12 ]])
}

missingPackages() {
  local package probe reason
  packages | while read -r package probe reason; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
}

# probeFound KIND:NAME
probeFound() {
  case $1 in
    cmd:*) command -v "${1#cmd:}" >/dev/null ;;
    file:*) [[ -e ${1#file:} ]] ;;
    header:*) echo "#include <${1#header:}>" | "${CXX:-c++}" -x c++ -std=c++17 -E - >/dev/null 2>&1 ;;
    *) echo "error: packages.txt: unknown probe '$1'" >&2; exit 1 ;;
  esac
}

reportMissing() {
  local package probe reason missing=0
  while read -r package probe reason; do
    probeFound "$probe" && continue
    echo "missing: ${probe#*:} ($reason; Debian package $package)" >&2
    missing=1
  done < <(packages)
  ((missing)) || return 0
  cat >&2 <<'HELP'
error: the packages above are missing; they are installed automatically on Debian 12 only
LLVM 22 must lie in /usr/lib/llvm-22: https://apt.llvm.org has it for other Debian and Ubuntu releases, source at
https://github.com/llvm/llvm-project. The rest: your distribution's packages of the same names.
HELP
  return 1
}

installMissing() {
  local -a missing=("$@") asRoot=()
  [[ $(id -u) == 0 ]] || asRoot=(sudo)
  echo "installing Debian packages: ${missing[*]}"
  "${asRoot[@]}" apt-get update -qq
  "${asRoot[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null
}

if ! isDebian12; then
  reportMissing
  exit
fi
mapfile -t missing < <(missingPackages)
((${#missing[@]})) || exit 0
if [[ $(id -u) != 0 ]] && ! command -v sudo >/dev/null; then
  echo "error: missing Debian packages: ${missing[*]}; run as root: apt-get install ${missing[*]}" >&2
  exit 1
fi
installMissing "${missing[@]}"
