#!/usr/bin/env bash
# Publishes samples as native programs (NativeAOT, which trims as well), runs what comes out, and compares what it prints with
# expected.txt. A warning is an error, as everywhere in the repository. Needs a C compiler for the linker, and zlib's headers.
#   samples/publish-native.sh             all of them
#   samples/publish-native.sh KeyedLanes FSharpScript
set -u
cd "$(dirname "$0")" || exit 1
if ! command -v clang >/dev/null && ! command -v gcc >/dev/null; then
  # The closing line of the proof says it too.
  [ -z "${RACEWAY_TALLY:-}" ] || echo "NotRun native samples" >>"$RACEWAY_TALLY"
  echo "There is neither clang nor gcc to link them."
  echo "native samples: NOT RUN"
  exit 0
fi
[ $# -gt 0 ] || set -- */
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0
for name in "$@"; do
  name=${name%/}
  # Apart from the build's own output, which restoring for one system would change.
  if ! dotnet publish "$name"/*.*proj -c Release --use-current-runtime -p:PublishAot=true -nodeReuse:false \
      --artifacts-path "$out/artifacts" -o "$out/$name" -v quiet >"$out/log" 2>&1; then
    cat "$out/log"
    result="is not published"
  elif grep -E "warning [A-Z]+[0-9]+" "$out/log"; then
    result="is published with warnings"
  elif [ -e "$out/$name/$name.dll" ]; then
    result="is not native"
  elif ! "$out/$name/$name" >"$out/output" || ! diff "$name/expected.txt" "$out/output"; then
    result="does not print what is expected"
  else
    result="ok, $(($(stat -c %s "$out/$name/$name") / 1000000)) MB"
  fi
  echo "$name: $result"
  [[ $result == ok* ]] || failed=1
done
exit $failed
