#!/usr/bin/env bash
# Publishes the unit tests of the ring and the pipeline, the samples and the tool for ARM64, and runs them on a processor that qemu
# emulates. Closes with "N passed, N failed", or says what it needs. What this shows, and what not: docs/correctness.md.
#   verification/arm64.sh                        all of it
#   verification/arm64.sh ring pipeline          some of: ring, pipeline, samples, job
set -u
cd "$(dirname "$0")/.." || exit 1
[ $# -gt 0 ] || set -- ring pipeline samples job
if ! command -v qemu-aarch64-static >/dev/null || ! command -v apt-get >/dev/null; then
  # The closing line of the proof says it too.
  [ -z "${RACEWAY_TALLY:-}" ] || echo "NotRun arm64" >>"$RACEWAY_TALLY"
  echo "It needs qemu-aarch64-static (Debian's package qemu-user-static), and apt-get for libraries of ARM64."
  echo "arm64: NOT RUN"
  exit 0
fi
# In the tree, as tests read its files; apart from the other builds' output.
built=$PWD/artifacts/arm64
published=$built/published
libraries=$built/libraries
out=$(mktemp -d)
trap 'rm -rf "$out" "$published"' EXIT
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1
passed=0
failed=0

# What a program of .NET loads, as Debian has it for ARM64, unpacked into a folder: nothing is installed.
fetch() {
  [ -e "$libraries/complete" ] && return
  rm -rf "$libraries"
  mkdir -p "$libraries" "$out/lists/partial" "$out/cache/archives/partial" "$out/packages"
  foreign() {
    apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root -o Dir::State::status=/dev/null \
      -o Dir::State::lists="$out/lists" -o Dir::Cache="$out/cache" "$@" 2>>"$out/log"
  }
  # Its name has a suffix from Debian 13 on.
  foreign update && (cd "$out/packages" && foreign download libc6 libgcc-s1 libstdc++6 \
    && { foreign download libssl3t64 || foreign download libssl3; }) || return
  local package
  for package in "$out"/packages/*.deb; do dpkg-deb -x "$package" "$libraries" || return; done
  # Newer packages have all of it below /usr.
  [ -e "$libraries/lib" ] || ln -s usr/lib "$libraries/lib"
  touch "$libraries/complete"
}

publish() { # PROJECT: into $published
  rm -rf "$published"
  dotnet publish "$1" -c Release -r linux-arm64 --self-contained --artifacts-path "$built" -o "$published" \
    -p:RunAnalyzers=false -m:1 -nodeReuse:false -v quiet >"$out/log" 2>&1 && return
  cat "$out/log"
  echo "$1 is not published"
  failed=$((failed + 1))
  return 1
}
emulate() { # PROGRAM ARGUMENTS…: for an hour at most, or as $limit says to timeout
  # The runtime maps compiled code twice, to write to it beside running it; once is safer under emulation.
  DOTNET_EnableWriteXorExecute=0 DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 timeout ${limit:-3600} qemu-aarch64-static -L "$libraries" "$@"
}
check() { # NAME COMMAND…: one of what is counted
  local name=$1
  shift
  if "$@"; then passed=$((passed + 1)); else echo "$name has FAILED"; failed=$((failed + 1)); fi
}

tests() { # FOLDER: a test project
  publish "tests/$1" || return
  local name
  name=$(basename "tests/$1"/*.csproj .csproj)
  # Without the long runs: emulated they take hours. What counts the bytes of the whole process runs in one of its own: emulated
  # it takes so long that what other tests have left behind allocates meanwhile.
  program "$name" -namespace- "$name.Stress" -class- '*AllocationTests'
  program "$name" -class '*AllocationTests'
}
program() { # NAME OPTIONS…: some of its tests
  local name=$1 summary
  shift
  emulate "$published/$name" "$@" -noColor >"$out/log" 2>&1
  summary=$(sed -nE 's/.*Total: ([0-9]+), Errors: ([0-9]+), Failed: ([0-9]+), Skipped: ([0-9]+),.*/\1 \2 \3 \4/p' "$out/log" | tail -1)
  if [ -z "$summary" ]; then
    tail -n 40 "$out/log"
    echo "$name: did not run to its end"
    failed=$((failed + 1))
    return
  fi
  read -r total errors wrong skipped <<<"$summary"
  grep -aE -A 12 '\[FAIL\]|\[SKIP\]' "$out/log"
  echo "$name: $((total - wrong - skipped)) passed, $((wrong + errors)) failed, $skipped skipped"
  passed=$((passed + total - wrong - skipped))
  failed=$((failed + wrong + errors))
}

sample() { # NAME
  case $1 in Accounts) accounts ;; *) emulate "$published/$1" ;; esac >"$out/output" && diff "samples/$1/expected.txt" "$out/output" && echo "$1: ok"
}
# Without arguments this sample starts itself, and a system that does not know ARM64 cannot do that. Here the script starts each
# process, and prints what the sample would.
accounts() {
  local whole=$out/whole killed="" kills=0 runs=0 from took
  mkdir "$whole" || return
  from=$(date +%s%N)
  echo "without interruption    $(last run "$whole")"
  took=$((($(date +%s%N) - from) / 1000000))
  while [ "$kills" -lt 5 ]; do
    [ -n "$killed" ] || { killed=$out/killed-$((runs += 1)) && mkdir "$killed" || return; }
    killed_after $((took * RANDOM / 32768 + 1)) run "$killed"
    case $? in
      137) kills=$((kills + 1)) ;;
      # It was done before its time: the next one begins anew.
      0) killed="" took=$((took * 4 / 5)) ;;
      *) cat "$out/log"; return 1 ;;
    esac
  done
  echo "killed 5 times          $(last run "$killed")"
  echo "verify                  $(last verify "$killed")"
  cmp -s "$whole/replies.txt" "$killed/replies.txt" && echo "the same replies, byte for byte: True"
}
last() { emulate "$published/Accounts" "$@" 2>&1 | tail -n 1; }
killed_after() { # MILLISECONDS ARGUMENTS…: 137 if it was killed
  local time
  time=$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))
  shift
  limit="-s KILL $time" emulate "$published/Accounts" "$@" >"$out/log" 2>&1
}
samples() {
  local project name
  for project in samples/*/*.*proj; do
    name=$(basename "$(dirname "$project")")
    publish "$project" && check "$name" sample "$name"
  done
}

# The files' hashes by the job are those that sha512sum has, on this processor.
job() {
  mkdir "$out/input"
  printf '<doc>\r\n  <member name="T:A" />\n\nno final newline' >"$out/input/a.xml"
  : >"$out/input/empty.xml"
  head -c 300000 /dev/urandom >"$out/input/binary.xml"
  emulate "$published/raceway" run --quick --input "$out/input" --manifest "$out/manifest" >"$out/log" 2>&1 || { cat "$out/log"; return 1; }
  (cd "$out" && sha512sum "$out"/input/a.xml "$out"/input/binary.xml "$out"/input/empty.xml | diff - "$out/manifest") && echo "main job: ok"
}

if ! fetch; then
  cat "$out/log"
  echo "The libraries of ARM64 could not be fetched."
  exit 1
fi
for part in "$@"; do
  echo "== $part"
  case $part in
    ring) tests Ring.Tests ;;
    pipeline) tests Pipeline.Tests ;;
    samples) samples ;;
    job) publish bench/Lab && check "main job" job ;;
    *) echo "There is no part $part."; exit 2 ;;
  esac
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
