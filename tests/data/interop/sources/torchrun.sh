#!/bin/bash
torchrun --nnodes=4 --nproc_per_node=8 --node_rank=0 --master_port=29500 \
    --master_addr="master" train.py
