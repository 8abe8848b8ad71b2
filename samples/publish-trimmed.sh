#!/usr/bin/env bash
# Publishes samples trimmed and self-contained, runs what comes out, and compares what it prints with expected.txt. A warning
# is an error, as everywhere in the repository.
#   samples/publish-trimmed.sh            all of them
#   samples/publish-trimmed.sh KeyedLanes FSharpScript
set -u
cd "$(dirname "$0")" || exit 1
[ $# -gt 0 ] || set -- */
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0
for name in "$@"; do
  name=${name%/}
  # Apart from the build's own output, which restoring for one system would change.
  if ! dotnet publish "$name"/*.*proj -c Release --use-current-runtime --self-contained -p:PublishTrimmed=true \
      --artifacts-path "$out/artifacts" -o "$out/$name" -v quiet >"$out/log" 2>&1; then
    cat "$out/log"
    result="is not published"
  elif grep -E "warning [A-Z]+[0-9]+" "$out/log"; then
    result="is published with warnings"
  elif ! "$out/$name/$name" >"$out/output" || ! diff "$name/expected.txt" "$out/output"; then
    result="does not print what is expected"
  else
    result=ok
  fi
  echo "$name: $result"
  [ "$result" = ok ] || failed=1
done
exit $failed
