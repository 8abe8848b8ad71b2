#!/usr/bin/env bash
# RabbitMQ nodes of our own on loopback, under a temporary folder: no service is touched. Debian's rabbitmq-server is needed.
#   broker.sh with 1|3 CMD...   starts so many nodes, runs CMD with RACEWAY_RABBIT_NODES set, stops them again
#   broker.sh start|kill|pause|resume|stop N, broker.sh await N, broker.sh ctl N ARGS...   a node at a time
# RACEWAY_RABBIT_BASE: folder (default /tmp/raceway-rabbit). RACEWAY_RABBIT_PORT: AMQP port of node 1 less 1 (default 56700);
# distribution ports are 1000 above, epmd's is 2000 above. All of it listens on 127.0.0.1.
set -u
base=${RACEWAY_RABBIT_BASE:-/tmp/raceway-rabbit}
port=${RACEWAY_RABBIT_PORT:-56700}
bin=/usr/lib/rabbitmq/bin
loopback='-kernel inet_dist_use_interface {127,0,0,1}'
[ -x "$bin/rabbitmq-server" ] || { echo "RabbitMQ is not installed: apt-get install -y --no-install-recommends rabbitmq-server" >&2; exit 3; }

node_env() { # n: the environment of node n
  export HOME="$base/home" ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT=$((port + 2000))
  export RABBITMQ_NODENAME="raceway$1@localhost" RABBITMQ_NODE_IP_ADDRESS= RABBITMQ_NODE_PORT= RABBITMQ_DIST_PORT=$((port + 1000 + $1))
  export RABBITMQ_MNESIA_BASE="$base/n$1/data" RABBITMQ_LOG_BASE="$base/n$1/log" RABBITMQ_LOGS="$base/n$1/log/node.log"
  export RABBITMQ_CONFIG_FILE="$base/n$1/rabbitmq.conf" RABBITMQ_ADVANCED_CONFIG_FILE="$base/n$1/advanced.config"
  export RABBITMQ_ENABLED_PLUGINS_FILE="$base/n$1/plugins" RABBITMQ_PID_FILE="$base/n$1/pid" RABBITMQ_CONF_ENV_FILE=/dev/null
  # Erlang's schedulers must not spin on the cores that are measured.
  export RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="$loopback +S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none"
  export RABBITMQ_CTL_ERL_ARGS="$loopback +S 1:1 +sbwt none"
}

configure() { # n nodes
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

start() { node_env "$1"; "$bin/rabbitmq-server" >"$base/n$1/out" 2>&1 </dev/null & }

await() { # until the node takes connections; at most three minutes
  node_env "$1"
  for _ in $(seq 180); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$((port + $1))") 2>/dev/null; then return 0; fi
    sleep 1
  done
  echo "node $1 does not start; see $base/n$1/log/node.log" >&2
  return 1
}

end() { # nodes: the nodes first, then their epmd, which stays while it knows of one
  for i in $(seq "$1"); do [ -f "$base/n$i/pid" ] && kill -9 "$(cat "$base/n$i/pid")" 2>/dev/null; done
  for _ in $(seq 50); do
    case $(ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT=$((port + 2000)) epmd -kill 2>&1) in *Killed*|*annot*connect*) break ;; esac
    sleep 0.1
  done
}

with() { # nodes command…
  local nodes=$1 list="" code
  shift
  rm -rf "$base"
  trap "end $nodes" EXIT
  configure 1 "$nodes"
  start 1
  await 1 || return 1
  for i in $(seq 2 "$nodes"); do configure "$i" "$nodes"; start "$i"; done
  for i in $(seq "$nodes"); do await "$i" || return 1; list="$list,127.0.0.1:$((port + i))"; done
  HOME="$caller_home" RACEWAY_RABBIT_NODES="${list#,}" RACEWAY_RABBIT_BASE="$base" RACEWAY_RABBIT_PORT="$port" "$@"
  code=$?
  return $code
}

caller_home=$HOME
command=${1:-help}
shift || true
case $command in
  with) with "$@" ;;
  start) start "$1"; await "$1" ;;
  await) await "$1" ;;
  kill) kill -9 "$(cat "$base/n$1/pid")" ;;
  pause) kill -STOP "$(cat "$base/n$1/pid")" ;;
  resume) kill -CONT "$(cat "$base/n$1/pid")" ;;
  stop) node_env "$1"; "$bin/rabbitmqctl" stop "$base/n$1/pid" ;;
  ctl) node_env "$1"; shift; "$bin/rabbitmqctl" "$@" ;;
  *) sed -n 2,6p "$0"; exit 2 ;;
esac
