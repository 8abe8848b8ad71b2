#!/usr/bin/env bash
# A PostgreSQL server of our own, on a Unix socket in a temporary folder: no service is touched, nothing listens on TCP.
#   postgres.sh with CMD...   makes and starts it, runs CMD with RACEWAY_POSTGRES set (an Npgsql connection string), removes it
#   In CMD: postgres.sh start|stop|kill    kill stops it as a crash would: no checkpoint, connections cut
# Debian's package postgresql is needed. Several run side by side. What is committed is synced, as in production.
set -u
base=${RACEWAY_POSTGRES_BASE:-}

fail() { echo "$2" >&2; exit "$1"; }
usage() { sed -n 2,5p "$0"; exit 2; }

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[ -x "$bin/initdb" ] || bin=$(dirname "$(command -v initdb)")
[ -x "$bin/initdb" ] \
  || fail 3 "PostgreSQL must be installed: /usr/lib/postgresql/*/bin/initdb is missing. apt-get install -y --no-install-recommends postgresql"

# The server refuses to run as root: then it runs as the user of Debian's package.
as_server() {
  if [ "$(id -u)" != 0 ]; then "$@"; else setpriv --reuid=postgres --regid=postgres --clear-groups --inh-caps=-all -- "$@"; fi
}

# It ends with neither the caller's terminal nor the caller's group.
start() { as_server setsid "$bin/pg_ctl" start -s -w -t 300 -D "$base/data" -l "$base/log" </dev/null >/dev/null; }

stop() { as_server "$bin/pg_ctl" stop -s -w -t 300 -m "$1" -D "$base/data" >/dev/null; }

configure() {
  local owner
  owner=$(id -un)
  [ "$owner" = root ] && owner=postgres
  id "$owner" >/dev/null || fail 3 "The server must have a user to run as: user=$owner is missing. Run this as a user other than root."
  chown "$owner" "$base" && cd "$base" || exit 1
  # Nothing but the folder, which is its owner's and root's alone, decides who connects.
  as_server "$bin/initdb" -D "$base/data" -U raceway -A trust -E UTF8 --locale=C >"$base/initdb" 2>&1 || { cat "$base/initdb" >&2; exit 1; }
  cat >>"$base/data/postgresql.conf" <<END
listen_addresses = ''
unix_socket_directories = '$base'
fsync = on
synchronous_commit = on
shared_buffers = 128MB
# What the server does now and then by itself would fall into some of the rounds that are compared.
max_wal_size = 8GB
autovacuum = off
END
}

end() {
  trap - EXIT
  [ -f "$base/data/postmaster.pid" ] && stop immediate
  cd / && rm -rf "$base"
}

with() { # command…
  local here=$PWD
  [ $# -gt 0 ] || usage
  base=$(mktemp -d "${TMPDIR:-/tmp}/raceway-pg.XXXXXX") || exit 1
  [ ${#base} -le 80 ] || { rmdir "$base"; fail 2 "The path of a socket must have 100 characters at most: TMPDIR=${TMPDIR:-/tmp}. Set a shorter one."; }
  trap end EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  configure
  start || { tail -n 20 "$base/log" >&2; exit 1; }
  # For the case that this shell is killed and cannot clean up.
  setsid bash -c 'tail --pid="$1" -f /dev/null; export RACEWAY_POSTGRES_BASE=$2; [ -d "$2" ] && exec "$3" remove' - \
    $$ "$base" "$(cd "$here" && realpath "$0")" \
    </dev/null >/dev/null 2>&1 &
  cd "$here" || exit 1
  RACEWAY_POSTGRES="Host=$base;Username=raceway;Database=postgres" RACEWAY_POSTGRES_BASE="$base" "$@"
}

command=${1:-help}
shift || true
case $command in
  with) with "$@" ;;
  start | stop | kill | remove)
    [ -n "$base" ] && [ -d "$base/data" ] \
      || fail 2 "The server must be one that runs: RACEWAY_POSTGRES_BASE=$base. Run this in \`postgres.sh with CMD...\`."
    ;;&
  start) start ;;
  stop) stop fast ;;
  kill) stop immediate ;;
  remove) end ;;
  *) usage ;;
esac
