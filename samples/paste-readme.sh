#!/usr/bin/env bash
# Does what README asks of a newcomer: makes an empty console project, adds the package, pastes the program, and runs it. It must
# print what the comment in its last statement says. The package is that of `dotnet pack`, which has to run before.
set -u
cd "$(dirname "$0")/.." || exit 1
feed=$PWD/artifacts/package/release
ls "$feed"/Raceway.Pipelines.*.nupkg >/dev/null 2>&1 || { echo "There is no package in $feed. Run: dotnet pack Raceway.slnx -c Release"; exit 1; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# What was restored under the same version before is not what was packed now.
export NUGET_PACKAGES=$out/packages DOTNET_NOLOGO=1
program=$(awk '/^```csharp$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' README.md)
expected=$(sed -n 's|.*Console.WriteLine.*; // ||p' <<<"$program")
[ -n "$expected" ] || { echo "README's program does not say what it prints."; exit 1; }
if ! { dotnet new console -o "$out/first" && cd "$out/first" && dotnet add package Raceway.Pipelines --source "$feed" \
    && printf '%s\n' "$program" >Program.cs && dotnet build -c Release -warnaserror --nologo; } >"$out/log" 2>&1; then
  cat "$out/log"
  exit 1
fi
printed=$(dotnet run -c Release --no-build)
echo "$printed"
[ "$printed" = "$expected" ] || { echo "README says: $expected"; exit 1; }
