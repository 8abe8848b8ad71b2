#!/usr/bin/env bash
# Does what a newcomer does with the templates: installs the package, makes a project of each template, builds it with warnings as
# errors, runs it and looks at what it prints; then uninstalls. The packages are those of `dotnet pack`, which has to run before.
# Installed into a folder of its own: what the user has installed for dotnet new is left alone.
#   src/Templates/try.sh [PROGRAM]    PROGRAM: the tool's raceway.dll, which then measures the benchmark's trial as well
set -u
cd "$(dirname "$0")/../.." || exit 1
tool=${1:+$(realpath "$1")}
feed=$PWD/artifacts/package/release
pack=$(find "$feed" -maxdepth 1 -name 'Raceway.Templates.*.nupkg' 2>/dev/null | sort | tail -1)
[ -n "$pack" ] || { echo "There is no package in $feed. Run: dotnet pack Raceway.slnx -c Release"; exit 1; }
out=$(mktemp -d)
worker=""
trap '[ -z "$worker" ] || kill "$worker" 2>/dev/null; rm -rf "$out"' EXIT
# What was restored under the same version before is not what was packed now.
export NUGET_PACKAGES=$out/packages DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1
cat >"$out/nuget.config" <<EOF
<configuration><packageSources><add key="packed here" value="$feed" /></packageSources></configuration>
EOF
cd "$out" || exit 1
new() { dotnet new "$@" --debug:custom-hive "$out/hive"; }
fail() { echo "$1"; [ $# -lt 2 ] || cat "$2"; exit 1; }
quietly() { "$@" >"$out/log" 2>&1 || fail "FAILED: $*" "$out/log"; }
build() { quietly dotnet build "$1" -c Release -warnaserror -nodeReuse:false; }
# NAME EXPECTED: what the program of a project prints.
prints() {
  local printed
  printed=$(dotnet exec "$1/bin/Release/net10.0/$(basename "$1").dll") || fail "$1 has failed."
  echo "$1: $printed"
  [ "$printed" = "$2" ] || fail "expected: $2"
}

quietly new install "$pack"

quietly new raceway-console --output First.Console
build First.Console
prints First.Console "Drained: 10000 orders, 46257000 cents"

# A name that is not one of code: in code it is my_app, in the names of files my-app.
quietly new raceway-console --tests --output my-app
build my-app/my-app.Tests
prints my-app/my-app "Drained: 10000 orders, 46257000 cents"
dotnet exec my-app/my-app.Tests/bin/Release/net10.0/my-app.Tests.dll >"$out/log" || fail "my-app.Tests:" "$out/log"
grep -q 'Total: 2,' "$out/log" || fail "my-app.Tests did not run its two tests:" "$out/log"
echo "my-app.Tests: 2 passed"

# Names that Raceway and its templates have themselves.
quietly new raceway-console --output Pipeline
build Pipeline
quietly new raceway-benchmark --output Orders
build Orders
prints Orders "Drained: 216390499 cents, right: True"
if [ -n "$tool" ]; then
  # A search this short may end before it can recommend anything, and then says so by its exit code. That it ran the trial is what counts.
  # A machine that is slow at the moment gets a longer one.
  : >"$out/log"
  for budget in 5s 30s; do
    dotnet exec "$tool" tune --assembly Orders/bin/Release/net10.0/Orders.dll --goal throughput --budget $budget >>"$out/log" 2>&1
    rounds=$(sed -nE 's/.*[^0-9]([0-9]+) rounds of trials.*/\1/p' "$out/log" | tail -1)
    [ "${rounds:-0}" -gt 0 ] && break
  done
  [ "${rounds:-0}" -gt 0 ] || fail "raceway tune does not measure the benchmark:" "$out/log"
  echo "Orders: raceway tune has measured it in $rounds rounds"
fi

quietly new raceway-worker --output Store
build Store
# Until something is stored, at most a minute; then it is told to stop, as a service is. (What was started in the background may ignore
# Ctrl+C's signal.) A minute later it is ended.
(cd Store && exec dotnet exec bin/Release/net10.0/Store.dll) >"$out/log" 2>&1 &
worker=$!
for _ in $(seq 600); do grep -q "readings are stored" "$out/log" && break; sleep 0.1; done
kill -TERM "$worker" 2>/dev/null
for _ in $(seq 600); do kill -0 "$worker" 2>/dev/null || break; sleep 0.1; done
kill -KILL "$worker" 2>/dev/null
wait "$worker" || fail "Store has failed:" "$out/log"
worker=""
for line in "Pipeline readings has started" "readings are stored" "Pipeline readings has handled everything" "readings were stored in all"; do
  grep -q "$line" "$out/log" || fail "Store does not say '$line':" "$out/log"
done
echo "Store: started, stored, drained, ended"

quietly new uninstall Raceway.Templates
new list raceway 2>/dev/null | grep -q raceway- && fail "The templates are still there."
echo "templates: 5 projects made, built and run"
