#!/bin/bash
torchrun --nnodes 8 --nproc_per_node 8 pretrain_gpt.py \
    --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 --max-position-embeddings 2048 \
    --vocab-size 50304 --tensor-model-parallel-size 16 --pipeline-model-parallel-size 4 \
    --micro-batch-size 4 --global-batch-size 8 --train-iters 1000 --lr 1e-4 --bf16
