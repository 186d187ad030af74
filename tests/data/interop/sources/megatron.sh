#!/bin/bash
# A GPT-3 of 175 billion parameters: the data-parallel degree and the vocabulary are nowhere said.
NNODES=64
GPUS_PER_NODE=8
PP_SIZE=16 # stages
TP_SIZE=8  # ranks of a node
DP_SIZE=$((GPUS_PER_NODE * NNODES / PP_SIZE / TP_SIZE))
torchrun --nnodes $NNODES --nproc_per_node $GPUS_PER_NODE pretrain_gpt.py \
    --tensor-model-parallel-size $TP_SIZE --pipeline-model-parallel-size $PP_SIZE --sequence-parallel \
    --num-layers 96 --hidden-size 12288 --num-attention-heads 96 \
    --seq-length 2048 --max-position-embeddings 2048 \
    --micro-batch-size 1 --global-batch-size 1536 --train-iters 300000 \
    --lr 6e-5 --min-lr 6e-6 --lr-decay-style cosine --lr-warmup-fraction 0.001 --weight-decay 0.1 \
    --bf16 --use-flash-attn \
    --vocab-file /data/gpt2-vocab.json --merge-file /data/gpt2-merges.txt --data-path /data/text_document \
    --save /out/gpt3 --load /out/gpt3
