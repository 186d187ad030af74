#!/bin/bash
#SBATCH --nodes=2 --gpus-per-node=8
ARGS=(--num-layers 4 --hidden-size 128)
export NCCL_DEBUG=${NCCL_DEBUG:-INFO}
torchrun --nnodes $SLURM_NNODES --nproc-per-node 8 pretrain_gpt.py "${ARGS[@]}" \
  --seq-length 2048 --swiglu # comment
