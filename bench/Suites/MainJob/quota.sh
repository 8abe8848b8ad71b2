#!/usr/bin/env bash
# Runs a command with a share of the processors, as a container with --cpus has it. Linux, as root.
#   quota.sh CPUS CMD...    CPUS: 0.5, 1, 1.5 and so on
set -u

fail() { echo "$2" >&2; exit "$1"; }
[ $# -ge 2 ] || { sed -n 2,3p "$0"; exit 2; }
period=100000
quota=$(awk -v cpus="$1" -v period=$period 'BEGIN { if (cpus !~ /^[0-9]+(\.[0-9]+)?$/ || cpus < 0.01) exit 1; printf "%d", cpus * period }') \
  || fail 2 "CPUS must be a number from 0.01 on; it is '$1'."
shift

# Version 2 has one tree, version 1 one for each controller.
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
  group=/sys/fs/cgroup/raceway-quota.$$
  echo +cpu >/sys/fs/cgroup/cgroup.subtree_control 2>/dev/null
  mkdir "$group" 2>/dev/null && echo "$quota $period" 2>/dev/null >"$group/cpu.max"
else
  group=/sys/fs/cgroup/cpu/raceway-quota.$$
  mkdir "$group" 2>/dev/null && echo $period 2>/dev/null >"$group/cpu.cfs_period_us" && echo "$quota" 2>/dev/null >"$group/cpu.cfs_quota_us"
fi || { rmdir "$group" 2>/dev/null; fail 3 "A control group with a limit on the processor must be made, which only root may: $group. In a container, use its own limit: --cpus."; }

(echo "$BASHPID" >"$group/cgroup.procs" && exec "$@")
status=$?
# What the command has left running keeps the group.
rmdir "$group" 2>/dev/null || echo "Processes of the command still run, so its control group stays: $group" >&2
exit $status
