#!/bin/sh
# Checks an archive with GNU parallel on several hosts, over ssh.
#
#     parallel.sh HOSTS INPUTS RESULTS [SHARDS]     HOSTS: one,two,... SHARDS: default 16
#
# The absolute paths are those of a file system that all hosts share. A job that fails is repeated on another host, and
# continues with its file.
set -eu
hosts=$1 inputs=$2 results=$3 shards=${4:-16}
folder=$(cd "$(dirname "$0")" && pwd)
seq 0 $((shards - 1)) | parallel --sshlogin "$hosts" --jobs 2 --retries 3 --joblog "$results/joblog" \
    env DTVR_SHARD={} DTVR_SHARDS="$shards" "$folder/check-shard.sh" "$inputs" "$results"
