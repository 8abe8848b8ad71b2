#!/usr/bin/env bash
# RabbitMQ nodes of our own on loopback, under a temporary folder: no service is touched. Debian's rabbitmq-server is needed.
#   broker.sh with 1|3 CMD...   starts so many nodes, runs CMD with RACEWAY_RABBIT_NODES set, stops them again
#   In CMD, a node at a time: broker.sh start|await|kill|pause|resume|stop N, broker.sh ctl N ARGS...
# Several run side by side: each has a folder and ten ports of its own. To choose them: RACEWAY_RABBIT_BASE, a new or empty
# folder, or one of an earlier run; RACEWAY_RABBIT_PORT, the node 1's port less 1. All of it listens on 127.0.0.1.
set -u
base=${RACEWAY_RABBIT_BASE:-}
port=${RACEWAY_RABBIT_PORT:-}
bin=/usr/lib/rabbitmq/bin
marker=.raceway-rabbit
loopback='-kernel inet_dist_use_interface {127,0,0,1}'
caller_home=$HOME

fail() { echo "$2" >&2; exit "$1"; }
usage() { sed -n 2,6p "$0"; exit 2; }
[ -x "$bin/rabbitmq-server" ] \
  || fail 3 "RabbitMQ must be installed: $bin/rabbitmq-server is missing. apt-get install -y --no-install-recommends rabbitmq-server"

node_env() { # n: the environment of node n
  export HOME="$base/home" ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT=$((port + 9))
  export RABBITMQ_NODENAME="raceway$1@localhost" RABBITMQ_NODE_IP_ADDRESS= RABBITMQ_NODE_PORT= RABBITMQ_DIST_PORT=$((port + 3 + $1))
  export RABBITMQ_MNESIA_BASE="$base/n$1/data" RABBITMQ_LOG_BASE="$base/n$1/log" RABBITMQ_LOGS="$base/n$1/log/node.log"
  export RABBITMQ_CONFIG_FILE="$base/n$1/rabbitmq.conf" RABBITMQ_ADVANCED_CONFIG_FILE="$base/n$1/advanced.config"
  export RABBITMQ_ENABLED_PLUGINS_FILE="$base/n$1/plugins" RABBITMQ_PID_FILE="$base/n$1/pid" RABBITMQ_CONF_ENV_FILE=/dev/null
  # Erlang's schedulers must not spin on the cores that are measured.
  export RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="$loopback +S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none"
  export RABBITMQ_CTL_ERL_ARGS="$loopback +S 1:1 +sbwt none"
}

is_open() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; } # port

choose_port() { # the first ten ports that nobody has: below those that the system gives to connections
  local locks one
  locks="${TMPDIR:-/tmp}/raceway-rabbit-ports-$(id -u)"
  mkdir -p "$locks"
  for ((port = 21700; port < 22700; port += 10)); do
    exec 9>"$locks/$port"
    flock -n 9 || continue
    # Left behind by a run that was killed.
    for one in 1 2 3 4 5 6 9; do is_open $((port + one)) && continue 2; done
    return
  done
  fail 1 "Ten ports must be free from 21700 to 22700: free=none. Set RACEWAY_RABBIT_PORT."
}

choose_base() { # a new folder, or one that is ours to empty
  if [ -z "$base" ]; then
    base=$(mktemp -d "${TMPDIR:-/tmp}/raceway-rabbit.XXXXXX")
  elif [ -f "$base/$marker" ]; then
    rm -rf "$base"
  elif [ -n "$(ls -A "$base" 2>/dev/null)" ]; then
    fail 2 "The nodes' folder must be new, empty or of an earlier run: RACEWAY_RABBIT_BASE=$base. Choose another, or empty it."
  fi
  mkdir -p "$base" && : >"$base/$marker" || exit 1
}

configure() { # n nodes
  local i
  mkdir -p "$base/home" "$base/n$1/log" "$base/n$1/data"
  if [ ! -f "$base/home/.erlang.cookie" ]; then
    (umask 077 && head -c 20 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$base/home/.erlang.cookie")
    chmod 400 "$base/home/.erlang.cookie"
  fi
  {
    echo "listeners.tcp.1 = 127.0.0.1:$((port + $1))"
    echo "vm_memory_high_watermark.absolute = 1GB"
    echo "disk_free_limit.absolute = 200MB"
    echo "log.file.level = warning"
    if [ "$2" -gt 1 ]; then
      echo "cluster_partition_handling = pause_minority"
      echo "cluster_formation.peer_discovery_backend = classic_config"
      for i in $(seq "$2"); do echo "cluster_formation.classic_config.nodes.$i = raceway$i@localhost"; done
      echo "cluster_formation.randomized_startup_delay_range.min = 0"
      echo "cluster_formation.randomized_startup_delay_range.max = 2"
    fi
  } >"$base/n$1/rabbitmq.conf"
  echo '[].' >"$base/n$1/plugins"
}

# In a session of its own: what is killed with the caller's group is not the broker.
start() { node_env "$1"; setsid "$bin/rabbitmq-server" >"$base/n$1/out" 2>&1 </dev/null 9>&- & }

await() { # until the node takes connections; at most five minutes
  for _ in $(seq 300); do
    is_open $((port + $1)) && return
    sleep 1
  done
  echo "Node $1 does not start: $base/n$1/log/node.log says why." >&2
  return 1
}

end() { # nodes, code: the nodes first, then their epmd, which stays while it knows of one
  local i
  for i in $(seq "$1"); do [ -f "$base/n$i/pid" ] && kill -9 "$(cat "$base/n$i/pid")" 2>/dev/null; done
  for _ in $(seq 50); do
    case $(ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT=$((port + 9)) epmd -kill 2>&1) in *Killed*|*annot*connect*) break ;; esac
    sleep 0.1
  done
  if [ "$2" = 0 ]; then rm -rf "$base"; else echo "The nodes' logs are in $base." >&2; fi
}

with() { # nodes command…
  local nodes=$1 list="" i
  shift
  case $nodes in 1|3) ;; *) usage ;; esac
  [ $# -gt 0 ] || usage
  [ -n "$port" ] || choose_port
  choose_base
  trap 'end '"$nodes"' $?' EXIT
  configure 1 "$nodes"
  start 1
  await 1 || exit 1
  for i in $(seq 2 "$nodes"); do configure "$i" "$nodes"; start "$i"; done
  for i in $(seq "$nodes"); do await "$i" || exit 1; list="$list,127.0.0.1:$((port + i))"; done
  HOME="$caller_home" RACEWAY_RABBIT_NODES="${list#,}" RACEWAY_RABBIT_BASE="$base" RACEWAY_RABBIT_PORT="$port" "$@" 9>&-
}

command=${1:-help}
shift || true
if [ "$command" != with ]; then
  case ${1:-} in [1-3]) ;; *) usage ;; esac
  [ -n "$port" ] && [ -f "$base/$marker" ] \
    || fail 2 "A node must be one of a broker that runs: node=$1, RACEWAY_RABBIT_BASE=$base. Run this in \`broker.sh with 1|3 CMD...\`."
fi
case $command in
  with) with "${@:-help}" ;;
  start) start "$1"; await "$1" ;;
  await) await "$1" ;;
  kill) kill -9 "$(cat "$base/n$1/pid")" ;;
  pause) kill -STOP "$(cat "$base/n$1/pid")" ;;
  resume) kill -CONT "$(cat "$base/n$1/pid")" ;;
  stop) node_env "$1"; "$bin/rabbitmqctl" stop "$base/n$1/pid" ;;
  ctl) node_env "$1"; shift; "$bin/rabbitmqctl" "$@" ;;
  *) usage ;;
esac
