#!/bin/sh
# Checks an archive with 16 tasks of Slurm. Submit it from this folder:
#
#     sbatch slurm-array.sh INPUTS RESULTS
#
# The paths are those of a file system that all nodes share. A task that is requeued continues with its file.
#SBATCH --job-name=dtvr-check
#SBATCH --array=0-15
#SBATCH --cpus-per-task=1
#SBATCH --time=12:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
export DTVR_SHARD="$SLURM_ARRAY_TASK_ID" DTVR_SHARDS="$SLURM_ARRAY_TASK_COUNT"
exec "$SLURM_SUBMIT_DIR/check-shard.sh" "$1" "$2"
