#!/bin/bash
#SBATCH --job-name=slipway-20261123-124323042-7f3a9c21
#SBATCH --comment=20261123-124323042-7f3a9c21
#SBATCH --dependency=singleton
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
#SBATCH --cpus-per-task=2
#SBATCH --gpus-per-node=8
#SBATCH --partition=gpu
#SBATCH --account=team-a
#SBATCH --time=8:00:00
#SBATCH --signal=B:USR1@300
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=slipway-20261123-124323042-7f3a9c21-%j.log

# Run "gpt 7b, \"long\"" of Slipway: 2 x 8 ranks.
# USR1 before the time limit and TERM at preemption ask for a checkpoint; the job is then queued again and
# continues from it, unless this attempt has made none.
set -u

run=/data/slipway/runs/20261123-124323042-7f3a9c21
export OMP_NUM_THREADS=2
export SLIPWAY_RUN_ID=20261123-124323042-7f3a9c21
export SLIPWAY_VERSION=0.7.0
export SLIPWAY_HOME=/data/slipway
mkdir -p -- "$run/logs" "$run/control"
if [ ! -e "$run/config.json" ]; then
    cat > "$run/config.json.part" <<'SLIPWAY_CONFIG'
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
    mv -- "$run/config.json.part" "$run/config.json"
fi

# Slurm can start a job twice after a failure of its controller: who makes the claim runs.
claim="$run/control/claim_${SLURM_JOB_ID}_${SLURM_RESTART_COUNT:-0}"
mkdir -- "$claim" || { echo "slipway: this attempt has been started before" >&2; exit 0; }
set -- "$run"/control/claim_*
export SLIPWAY_ATTEMPT="$#" SLIPWAY_LOGS="$run/logs"
export MASTER_ADDR="$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)"
export MASTER_PORT="$((20000 + SLURM_JOB_ID % 20000))"

newest() {
    local found= file
    for file in "$run"/checkpoints/step_*/manifest.json; do
        if [ -e "$file" ]; then found="$file"; fi
    done
    printf '%s\n' "$found"
}
before="$(newest)"
job="${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}"
ended=
rm -f -- "$run/control/stop"
trap 'ended=1; : > "$run/control/stop"' USR1 TERM

srun --nodes=2 --ntasks=16 --ntasks-per-node=8 --cpus-per-task=2 --gpus-per-node=8 \
    --kill-on-bad-exit=1 --wait=60 --export=ALL \
    /bin/bash -c 'export RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS LOCAL_WORLD_SIZE=8 GROUP_RANK=$SLURM_NODEID SLIPWAY_NODE=node$SLURM_NODEID; exec "$@" >> "$SLIPWAY_LOGS/rank_$(printf %05d "$RANK").log" 2>&1' rank \
    /opt/slipway/bin/slipway-trainer --config "$run/config.json" --run-dir "$run" --resume latest &
ranks=$!
while :; do
    wait "$ranks"
    code=$?
    kill -0 "$ranks" 2>/dev/null || break
done

# A grace time before a preemption: Slurm signals the ranks alone, which have stopped without a request of anybody.
if [ -z "$ended" ] && [ "$code" -eq 14 ] && [ ! -e "$run/control/stop" ] &&
    [ "$(squeue --noheader --jobs="$job" --format=%T 2>/dev/null)" = RUNNING ]; then
    ended=1
fi
if [ -n "$ended" ] && [ "$code" -eq 14 ]; then
    rm -f -- "$run/control/stop"
    if [ "$(newest)" != "$before" ]; then
        scontrol requeue "$job" && exit 0
    else
        echo "slipway: no new checkpoint since this attempt began, so the job is not queued again" >&2
    fi
fi
exit "$code"
