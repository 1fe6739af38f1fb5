#!/usr/bin/env bash
# From a fresh clone to a trained model: installs packages, builds trainc, compiles examples/gpt2 and trains it on text
# for about two minutes on two cores; ends with the losses and a sample of what the model writes.
#   tools/quickstart.sh               on the King James Bible (Debian package bible-kjv)
#   tools/quickstart.sh --text FILE   on your own text, a few hundred KB or more
# Everything it makes lies in build/; a second run builds only what changed and trains again.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
text=
case ${1:-} in
  '') ;;
  --text)
    [[ $# == 2 ]] || { echo "error: --text expects one file" >&2; exit 1; }
    [[ -r $2 && -f $2 ]] || { echo "error: $2: cannot be read" >&2; exit 1; }
    text=$(realpath "$2")
    ;;
  *) echo "error: unknown option '$1', expected --text FILE or nothing" >&2; exit 1 ;;
esac
cd "$root"
out=build/quickstart
bin=build/release/bin
steps=700

say() { printf '\n== %s\n' "$*"; }

build() {
  mkdir -p build
  cmake --preset release >build/release.log 2>&1 || { cat build/release.log >&2; exit 1; }
  cmake --build --preset release --target bin/trainc bin/trainc-run bin/trainc-bigram
}

prepareData() {
  mkdir -p $out
  if [[ -z $text ]]; then
    text=$out/bible.txt
    [[ -s $text ]] || bible -f gen1:1-rev22:21 >$text
  fi
  $bin/trainc data "$text" -o $out/train.bin --held-out 0.1 --held-out-output $out/held-out.bin --force
}

tools/dev/install-packages.sh
say "build (the first takes some minutes)"
build
say "data: ${text:-the King James Bible}, the last 10% held out"
prepareData
say "compile examples/gpt2 into $out/gpt2.plan"
$bin/trainc compile examples/gpt2/gpt2.cpp -o $out/gpt2.plan --global-batch 16 --micro-batch 16 \
  --threads "$(nproc)" --set steps=$steps --set learning-rate=3e-3 --set floor=3e-4 --force
say "train"
$bin/trainc-run $out/gpt2.plan --data $out/train.bin --steps $steps --seed 1 --eval-data $out/held-out.bin \
  --metrics $out/metrics.jsonl --save $out/gpt2.safetensors --sample 400 --force
echo "a bigram model's held-out loss: $($bin/trainc-bigram $out/train.bin $out/held-out.bin)"
say "the plan, the metrics and the trained weights lie in $out"
