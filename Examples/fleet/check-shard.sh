#!/bin/sh
# Checks the inputs of one shard, DTVR_SHARD of DTVR_SHARDS, and continues where an earlier run was killed.
#
#     check-shard.sh INPUTS RESULTS     INPUTS: a file with an input on each line
#                                       RESULTS: a folder that gets a file of JSON lines for each shard
set -u
status=0
dtvr check --format jsonl --inputs "$1" --resume "$2/$DTVR_SHARD.jsonl" || status=$?
# Failed checks (1) and unreadable inputs (3) are results, and are in the file. Everything else is worth another try.
case $status in
0 | 1 | 3) ;;
*) exit "$status" ;;
esac
