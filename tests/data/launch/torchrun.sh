#!/bin/bash
# Run "gpt 7b, \"long\"" of Slipway: 2 x 8 ranks; the run folder is shared by the nodes.
# On each node, with the address of the first one:
#   bash FILE 0 ADDRESS
#   bash FILE 1 ADDRESS
set -eu
NODE_RANK="${1:?number of this node, from 0}" MASTER_ADDR="${2:?address of the first node}"
run=/data/slipway/runs/20261123-124323042-7f3a9c21
export OMP_NUM_THREADS=2
export SLIPWAY_RUN_ID=20261123-124323042-7f3a9c21
export SLIPWAY_VERSION=0.7.0
export SLIPWAY_HOME=/data/slipway
mkdir -p -- "$run/logs" "$run/control"
if [ ! -e "$run/config.json" ]; then
    cat > "$run/config.json.$NODE_RANK" <<'SLIPWAY_CONFIG'
{
  "schema": 1,
  "name": "gpt 7b, \"long\"",
  "software": "",
  "model": {
    "family": "llama",
    "num_layers": 4,
    "hidden_size": 128,
    "ffn_hidden_size": 384,
    "num_heads": 4,
    "vocab_size": 2048,
    "max_seq_len": 256,
    "tie_embeddings": false,
    "norm_eps": 1e-05,
    "rope_theta": 10000.0,
    "qk_norm": false
  },
  "train": {
    "seq_len": 256,
    "global_batch_size": 16,
    "micro_batch_size": 2,
    "num_steps": 100,
    "precision": "fp32",
    "grad_dtype": "fp32",
    "recompute": {
      "policy": "none"
    },
    "spikes": {
      "rule": "robust_z",
      "policy": "alert",
      "z_limit": 6.0,
      "grad_norm_limit": 0.0
    },
    "batch_ramp": {
      "initial": 0
    },
    "eval": {
      "every_steps": 0
    },
    "device": "gpu",
    "attention_kernel": "fused",
    "fused_kernels": true,
    "cuda_graphs": false,
    "seed": 1,
    "threads_per_rank": 2
  },
  "optimizer": {
    "kind": "adamw",
    "lr": 0.0003,
    "beta1": 0.9,
    "beta2": 0.95,
    "eps": 1e-08,
    "weight_decay": 0.1,
    "clip_norm": 1.0,
    "adaptive_clip": 0.0,
    "moment_dtype": "fp32",
    "schedule": {
      "kind": "cosine",
      "warmup_steps": 0,
      "min_lr_ratio": 0.1
    }
  },
  "parallel": {
    "dp": 16,
    "tp": 1,
    "pp": 1,
    "cp": 1,
    "ep": 1,
    "etp": 1,
    "zero_stage": 0,
    "reduce_dtype": "fp32",
    "overlap_grad_reduce": true,
    "bucket_bytes": 26214400,
    "offload": "none",
    "rank_order": [
      "tp",
      "cp",
      "dp",
      "pp"
    ]
  },
  "data": {
    "tokens": "",
    "poison_step": 0
  },
  "checkpoint": {
    "every_steps": 0,
    "keep": 2,
    "start_from": "",
    "restore_moments": true
  },
  "telemetry": {
    "spans_every_steps": 0,
    "noise_every_steps": 0
  }
}
SLIPWAY_CONFIG
    mv -- "$run/config.json.$NODE_RANK" "$run/config.json"
fi
started="$(grep -c '"kind":"header"' "$run/metrics.jsonl" 2>/dev/null || true)"
export SLIPWAY_LOGS="$run/logs" SLIPWAY_NODE="node$NODE_RANK" SLIPWAY_ATTEMPT="${SLIPWAY_ATTEMPT:-$((started + 1))}"
exec torchrun --nnodes=2 --nproc-per-node=8 --node-rank="$NODE_RANK" \
    --master-addr="$MASTER_ADDR" --master-port=29400 --max-restarts=0 --no-python \
    /bin/bash -c 'export MASTER_PORT=29500; exec "$@" >> "$SLIPWAY_LOGS/rank_$(printf %05d "$RANK").log" 2>&1' rank \
    /opt/slipway/bin/slipway-trainer --config "$run/config.json" --run-dir "$run" --resume latest
