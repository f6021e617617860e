#!/bin/bash
#SBATCH --nodes=4 --ntasks-per-node=1 --cpus-per-task=32
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
srun --overlap --nodes=1 -w "$head" ray start --head --port 6379 --num-cpus 32 --block &
sleep 20
srun --overlap --nodes=3 -x "$head" ray start --address "$head:6379" --num-cpus 32 --block &
sleep 20
srun --overlap --nodes=1 -w "$head" sqljury evaluate cases.jsonl -d /shared/databases --executor "ray:$head:6379"
