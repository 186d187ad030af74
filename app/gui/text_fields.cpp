// Label and help of every config field, so that lupdate sees them. Data only; tst_text checks it against the field tables:
// each field of core has a row, and its help is core's own sentence.
#include "app/gui/text_fields.h"

#include <QtGlobal>

#include <array>

namespace slipway::gui {
namespace {

// clang-format off
constexpr auto kFields = std::to_array<FieldText>({
    {"schema", QT_TRANSLATE_NOOP("Field", "Format version"), QT_TRANSLATE_NOOP("Field", "Version of this format.")},
    {"name", QT_TRANSLATE_NOOP("Field", "Name"), QT_TRANSLATE_NOOP("Field", "Name for people.")},
    {"model.family", QT_TRANSLATE_NOOP("Field", "Family"), QT_TRANSLATE_NOOP("Field", "Block design; the fields norm, activation, position and bias override parts of it.")},
    {"model.num_layers", QT_TRANSLATE_NOOP("Field", "Layers"), QT_TRANSLATE_NOOP("Field", "Transformer blocks.")},
    {"model.hidden_size", QT_TRANSLATE_NOOP("Field", "Hidden size"), QT_TRANSLATE_NOOP("Field", "Width of the residual stream.")},
    {"model.ffn_hidden_size", QT_TRANSLATE_NOOP("Field", "Feed-forward size"), QT_TRANSLATE_NOOP("Field", "Width of the feed-forward layer.")},
    {"model.num_heads", QT_TRANSLATE_NOOP("Field", "Heads"), QT_TRANSLATE_NOOP("Field", "Query heads.")},
    {"model.num_kv_heads", QT_TRANSLATE_NOOP("Field", "Key-value heads"), QT_TRANSLATE_NOOP("Field", "Key-value heads (grouped-query attention); default: as many as query heads.")},
    {"model.head_dim", QT_TRANSLATE_NOOP("Field", "Head size"), QT_TRANSLATE_NOOP("Field", "Width of one head; default: hidden_size / num_heads.")},
    {"model.vocab_size", QT_TRANSLATE_NOOP("Field", "Vocabulary"), QT_TRANSLATE_NOOP("Field", "Entries of the vocabulary.")},
    {"model.max_seq_len", QT_TRANSLATE_NOOP("Field", "Longest sequence"), QT_TRANSLATE_NOOP("Field", "Longest sequence; the size of a learned position table.")},
    {"model.tie_embeddings", QT_TRANSLATE_NOOP("Field", "Tied embeddings"), QT_TRANSLATE_NOOP("Field", "The output head uses the input embedding's matrix.")},
    {"model.norm", QT_TRANSLATE_NOOP("Field", "Normalisation"), QT_TRANSLATE_NOOP("Field", "Normalisation layer; default: the family's.")},
    {"model.norm_eps", QT_TRANSLATE_NOOP("Field", "Normalisation epsilon"), QT_TRANSLATE_NOOP("Field", "Added to the variance before the root.")},
    {"model.activation", QT_TRANSLATE_NOOP("Field", "Activation"), QT_TRANSLATE_NOOP("Field", "Feed-forward activation; default: the family's.")},
    {"model.position", QT_TRANSLATE_NOOP("Field", "Positions"), QT_TRANSLATE_NOOP("Field", "Position information; default: the family's.")},
    {"model.rope_theta", QT_TRANSLATE_NOOP("Field", "RoPE base"), QT_TRANSLATE_NOOP("Field", "Base of the rotary frequencies.")},
    {"model.bias", QT_TRANSLATE_NOOP("Field", "Biases"), QT_TRANSLATE_NOOP("Field", "Linear layers have biases; default: the family's.")},
    {"model.qkv_bias", QT_TRANSLATE_NOOP("Field", "QKV biases"), QT_TRANSLATE_NOOP("Field", "Query, key and value projections have biases (Qwen2); default: as bias.")},
    {"model.qk_norm", QT_TRANSLATE_NOOP("Field", "QK normalisation"), QT_TRANSLATE_NOOP("Field", "Normalise queries and keys per head.")},
    {"model.sliding_window", QT_TRANSLATE_NOOP("Field", "Sliding window"), QT_TRANSLATE_NOOP("Field", "Attention sees only the last tokens.")},
    {"model.mla.q_lora_rank", QT_TRANSLATE_NOOP("Field", "MLA query rank"), QT_TRANSLATE_NOOP("Field", "Rank of the query compression; 0 means no compression.")},
    {"model.mla.kv_lora_rank", QT_TRANSLATE_NOOP("Field", "MLA key-value rank"), QT_TRANSLATE_NOOP("Field", "Rank of the key-value compression.")},
    {"model.mla.qk_nope_head_dim", QT_TRANSLATE_NOOP("Field", "MLA head, no positions"), QT_TRANSLATE_NOOP("Field", "Part of a query/key head without rotary position.")},
    {"model.mla.qk_rope_head_dim", QT_TRANSLATE_NOOP("Field", "MLA head, rotary"), QT_TRANSLATE_NOOP("Field", "Part of a query/key head with rotary position, shared by all key heads.")},
    {"model.mla.v_head_dim", QT_TRANSLATE_NOOP("Field", "MLA value head"), QT_TRANSLATE_NOOP("Field", "Width of a value head.")},
    {"model.moe.num_experts", QT_TRANSLATE_NOOP("Field", "Experts"), QT_TRANSLATE_NOOP("Field", "Routed experts per MoE layer.")},
    {"model.moe.num_shared_experts", QT_TRANSLATE_NOOP("Field", "Shared experts"), QT_TRANSLATE_NOOP("Field", "Experts that every token passes.")},
    {"model.moe.top_k", QT_TRANSLATE_NOOP("Field", "Experts per token"), QT_TRANSLATE_NOOP("Field", "Routed experts each token is sent to.")},
    {"model.moe.expert_ffn_hidden_size", QT_TRANSLATE_NOOP("Field", "Expert size"), QT_TRANSLATE_NOOP("Field", "Width of one expert's feed-forward layer.")},
    {"model.moe.num_dense_layers", QT_TRANSLATE_NOOP("Field", "Dense layers"), QT_TRANSLATE_NOOP("Field", "First layers that stay dense.")},
    {"model.moe.aux_loss_coefficient", QT_TRANSLATE_NOOP("Field", "Balance loss weight"), QT_TRANSLATE_NOOP("Field", "Weight of the load-balancing loss of each sequence and layer.")},
    {"model.moe.z_loss_coefficient", QT_TRANSLATE_NOOP("Field", "Router z-loss weight"), QT_TRANSLATE_NOOP("Field", "Weight of the squared log-sum-exp of the router's logits.")},
    {"model.moe.normalize_top_k", QT_TRANSLATE_NOOP("Field", "Normalise expert weights"), QT_TRANSLATE_NOOP("Field", "The weights of a token's chosen experts are scaled to sum to 1.")},
    {"train.seq_len", QT_TRANSLATE_NOOP("Field", "Sequence length"), QT_TRANSLATE_NOOP("Field", "Tokens per sequence.")},
    {"train.global_batch_size", QT_TRANSLATE_NOOP("Field", "Global batch"), QT_TRANSLATE_NOOP("Field", "Sequences per optimizer step over all ranks.")},
    {"train.micro_batch_size", QT_TRANSLATE_NOOP("Field", "Micro-batch"), QT_TRANSLATE_NOOP("Field", "Sequences one rank processes at once.")},
    {"train.num_steps", QT_TRANSLATE_NOOP("Field", "Steps"), QT_TRANSLATE_NOOP("Field", "Optimizer steps.")},
    {"train.precision", QT_TRANSLATE_NOOP("Field", "Precision"), QT_TRANSLATE_NOOP("Field", "Number format of weights and activations.")},
    {"train.grad_dtype", QT_TRANSLATE_NOOP("Field", "Gradient format"), QT_TRANSLATE_NOOP("Field", "Number format of the main gradients.")},
    {"train.recompute.policy", QT_TRANSLATE_NOOP("Field", "Recomputation"), QT_TRANSLATE_NOOP("Field", "Which activations are computed again in the backward pass.")},
    {"train.device", QT_TRANSLATE_NOOP("Field", "Device"), QT_TRANSLATE_NOOP("Field", "Where ranks compute.")},
    {"train.seed", QT_TRANSLATE_NOOP("Field", "Seed"), QT_TRANSLATE_NOOP("Field", "Seed of initialisation and data order.")},
    {"train.threads_per_rank", QT_TRANSLATE_NOOP("Field", "Threads per rank"), QT_TRANSLATE_NOOP("Field", "CPU threads of one rank.")},
    {"optimizer.kind", QT_TRANSLATE_NOOP("Field", "Optimizer"), QT_TRANSLATE_NOOP("Field", "Optimizer.")},
    {"optimizer.lr", QT_TRANSLATE_NOOP("Field", "Learning rate"), QT_TRANSLATE_NOOP("Field", "Highest learning rate.")},
    {"optimizer.beta1", QT_TRANSLATE_NOOP("Field", "Beta 1"), QT_TRANSLATE_NOOP("Field", "Decay of the first moment.")},
    {"optimizer.beta2", QT_TRANSLATE_NOOP("Field", "Beta 2"), QT_TRANSLATE_NOOP("Field", "Decay of the second moment.")},
    {"optimizer.eps", QT_TRANSLATE_NOOP("Field", "Epsilon"), QT_TRANSLATE_NOOP("Field", "Added to the root of the second moment.")},
    {"optimizer.weight_decay", QT_TRANSLATE_NOOP("Field", "Weight decay"), QT_TRANSLATE_NOOP("Field", "Decoupled weight decay of matrices (norms and biases have none).")},
    {"optimizer.clip_norm", QT_TRANSLATE_NOOP("Field", "Gradient clipping"), QT_TRANSLATE_NOOP("Field", "Largest global gradient norm; 0 switches clipping off.")},
    {"optimizer.schedule.kind", QT_TRANSLATE_NOOP("Field", "Schedule"), QT_TRANSLATE_NOOP("Field", "Shape of the learning rate over steps.")},
    {"optimizer.schedule.warmup_steps", QT_TRANSLATE_NOOP("Field", "Warm-up"), QT_TRANSLATE_NOOP("Field", "Steps of linear warm-up.")},
    {"optimizer.schedule.decay_steps", QT_TRANSLATE_NOOP("Field", "Decay"), QT_TRANSLATE_NOOP("Field", "Last steps, over which the rate falls.")},
    {"optimizer.schedule.decay_shape", QT_TRANSLATE_NOOP("Field", "Decay shape"), QT_TRANSLATE_NOOP("Field", "How the rate falls.")},
    {"optimizer.schedule.min_lr_ratio", QT_TRANSLATE_NOOP("Field", "Final rate ratio"), QT_TRANSLATE_NOOP("Field", "Final rate as a fraction of lr.")},
    {"parallel.dp", QT_TRANSLATE_NOOP("Field", "Data parallel (dp)"), QT_TRANSLATE_NOOP("Field", "Data parallel: replicas that share the batch.")},
    {"parallel.tp", QT_TRANSLATE_NOOP("Field", "Tensor parallel (tp)"), QT_TRANSLATE_NOOP("Field", "Tensor parallel: each matrix is split.")},
    {"parallel.pp", QT_TRANSLATE_NOOP("Field", "Pipeline parallel (pp)"), QT_TRANSLATE_NOOP("Field", "Pipeline parallel: layers are split into stages.")},
    {"parallel.cp", QT_TRANSLATE_NOOP("Field", "Context parallel (cp)"), QT_TRANSLATE_NOOP("Field", "Context parallel: each sequence is split.")},
    {"parallel.ep", QT_TRANSLATE_NOOP("Field", "Expert parallel (ep)"), QT_TRANSLATE_NOOP("Field", "Expert parallel, folded over the dense grid.")},
    {"parallel.etp", QT_TRANSLATE_NOOP("Field", "Expert tensor parallel (etp)"), QT_TRANSLATE_NOOP("Field", "Tensor parallel inside an expert.")},
    {"parallel.zero_stage", QT_TRANSLATE_NOOP("Field", "ZeRO stage"), QT_TRANSLATE_NOOP("Field", "What data-parallel ranks shard: 0 nothing, 1 optimizer states, 2 and gradients, 3 and weights.")},
    {"parallel.dp_shard", QT_TRANSLATE_NOOP("Field", "Shard group"), QT_TRANSLATE_NOOP("Field", "Ranks that shard together (HSDP); default: all of dp.")},
    {"parallel.schedule", QT_TRANSLATE_NOOP("Field", "Schedule"), QT_TRANSLATE_NOOP("Field", "Order of forward and backward passes in the pipeline.")},
    {"parallel.virtual_stages", QT_TRANSLATE_NOOP("Field", "Chunks per rank"), QT_TRANSLATE_NOOP("Field", "Model chunks per pipeline rank.")},
    {"parallel.layers_per_stage", QT_TRANSLATE_NOOP("Field", "Layers per stage"), QT_TRANSLATE_NOOP("Field", "Blocks of each stage in model order; default: even.")},
    {"parallel.sequence_parallel", QT_TRANSLATE_NOOP("Field", "Sequence parallel"), QT_TRANSLATE_NOOP("Field", "Shard activations between tensor-parallel regions along the sequence (Korthikanti 2022).")},
    {"parallel.cp_kind", QT_TRANSLATE_NOOP("Field", "Context exchange"), QT_TRANSLATE_NOOP("Field", "How context-parallel ranks exchange keys and values.")},
    {"parallel.reshard_after_forward", QT_TRANSLATE_NOOP("Field", "Reshard after forward"), QT_TRANSLATE_NOOP("Field", "Free gathered weights after the forward pass.")},
    {"parallel.reduce_dtype", QT_TRANSLATE_NOOP("Field", "Reduction format"), QT_TRANSLATE_NOOP("Field", "Number format of gradient reduction.")},
    {"parallel.overlap_grad_reduce", QT_TRANSLATE_NOOP("Field", "Overlap reduction"), QT_TRANSLATE_NOOP("Field", "Reduce gradient buckets while the backward pass goes on.")},
    {"parallel.bucket_bytes", QT_TRANSLATE_NOOP("Field", "Bucket size"), QT_TRANSLATE_NOOP("Field", "Size of one gradient bucket.")},
    {"parallel.offload", QT_TRANSLATE_NOOP("Field", "Offload"), QT_TRANSLATE_NOOP("Field", "What is kept in host memory.")},
    {"parallel.rank_order", QT_TRANSLATE_NOOP("Field", "Rank order"), QT_TRANSLATE_NOOP("Field", "Axes from the innermost (neighbouring ranks) outwards.")},
    {"data.tokens", QT_TRANSLATE_NOOP("Field", "Token file"), QT_TRANSLATE_NOOP("Field", "Token file made by `slipway corpus`; a relative path is looked up in the corpora folder.")},
    {"data.ignore_token_id", QT_TRANSLATE_NOOP("Field", "Ignored token"), QT_TRANSLATE_NOOP("Field", "Targets with this id carry no loss.")},
    {"data.document_end_id", QT_TRANSLATE_NOOP("Field", "End of a document"), QT_TRANSLATE_NOOP("Field", "Token that ends a document; attention does not look into the documents before it. Default: it does.")},
    {"checkpoint.every_steps", QT_TRANSLATE_NOOP("Field", "Checkpoint interval"), QT_TRANSLATE_NOOP("Field", "Steps between checkpoints; 0 writes none but the one asked for by stop.")},
    {"checkpoint.keep", QT_TRANSLATE_NOOP("Field", "Checkpoints kept"), QT_TRANSLATE_NOOP("Field", "Newest complete checkpoints to keep.")},
    {"telemetry.spans_every_steps", QT_TRANSLATE_NOOP("Field", "Span interval"), QT_TRANSLATE_NOOP("Field", "Steps between records of timed spans per rank; 0 records none.")},
    {"cluster.device.name", QT_TRANSLATE_NOOP("Field", "Device name"), QT_TRANSLATE_NOOP("Field", "Name as the vendor writes it.")},
    {"cluster.device.kind", QT_TRANSLATE_NOOP("Field", "Device kind"), QT_TRANSLATE_NOOP("Field", "Kind of device.")},
    {"cluster.device.peak_fp64_flops", QT_TRANSLATE_NOOP("Field", "fp64 peak"), QT_TRANSLATE_NOOP("Field", "Dense fp64 peak.")},
    {"cluster.device.peak_fp32_flops", QT_TRANSLATE_NOOP("Field", "fp32 peak"), QT_TRANSLATE_NOOP("Field", "Dense fp32 peak.")},
    {"cluster.device.peak_tf32_flops", QT_TRANSLATE_NOOP("Field", "tf32 peak"), QT_TRANSLATE_NOOP("Field", "Dense tf32 peak.")},
    {"cluster.device.peak_bf16_flops", QT_TRANSLATE_NOOP("Field", "bf16 peak"), QT_TRANSLATE_NOOP("Field", "Dense bf16 peak.")},
    {"cluster.device.peak_fp16_flops", QT_TRANSLATE_NOOP("Field", "fp16 peak"), QT_TRANSLATE_NOOP("Field", "Dense fp16 peak.")},
    {"cluster.device.peak_fp8_flops", QT_TRANSLATE_NOOP("Field", "fp8 peak"), QT_TRANSLATE_NOOP("Field", "Dense fp8 peak.")},
    {"cluster.device.memory_bytes", QT_TRANSLATE_NOOP("Field", "Memory"), QT_TRANSLATE_NOOP("Field", "Memory as the driver reports it.")},
    {"cluster.device.memory_bytes_per_second", QT_TRANSLATE_NOOP("Field", "Memory bandwidth"), QT_TRANSLATE_NOOP("Field", "Memory bandwidth.")},
    {"cluster.device.power_watts", QT_TRANSLATE_NOOP("Field", "Power"), QT_TRANSLATE_NOOP("Field", "Board power.")},
    {"cluster.device.price_per_hour", QT_TRANSLATE_NOOP("Field", "Price"), QT_TRANSLATE_NOOP("Field", "Price of one device for one hour; unknown stays unknown.")},
    {"cluster.device.currency", QT_TRANSLATE_NOOP("Field", "Currency"), QT_TRANSLATE_NOOP("Field", "Currency of the price.")},
    {"cluster.device.source", QT_TRANSLATE_NOOP("Field", "Source"), QT_TRANSLATE_NOOP("Field", "Where the figures come from.")},
    {"cluster.device.source_date", QT_TRANSLATE_NOOP("Field", "Source date"), QT_TRANSLATE_NOOP("Field", "Date of the source.")},
    {"cluster.num_nodes", QT_TRANSLATE_NOOP("Field", "Nodes"), QT_TRANSLATE_NOOP("Field", "Nodes.")},
    {"cluster.devices_per_node", QT_TRANSLATE_NOOP("Field", "Devices per node"), QT_TRANSLATE_NOOP("Field", "Devices in one node; on a CPU node: ranks it hosts.")},
    {"cluster.intra_node.bytes_per_second", QT_TRANSLATE_NOOP("Field", "Link inside a node"), QT_TRANSLATE_NOOP("Field", "Bandwidth per device and direction.")},
    {"cluster.intra_node.latency_seconds", QT_TRANSLATE_NOOP("Field", "Latency inside a node"), QT_TRANSLATE_NOOP("Field", "Time of an empty message.")},
    {"cluster.inter_node.bytes_per_second", QT_TRANSLATE_NOOP("Field", "Link between nodes"), QT_TRANSLATE_NOOP("Field", "Bandwidth per device and direction.")},
    {"cluster.inter_node.latency_seconds", QT_TRANSLATE_NOOP("Field", "Latency between nodes"), QT_TRANSLATE_NOOP("Field", "Time of an empty message.")},
    {"cluster.gemm_efficiency", QT_TRANSLATE_NOOP("Field", "Product efficiency"), QT_TRANSLATE_NOOP("Field", "Share of the peak that matrix products reach.")},
    {"cluster.calibration", QT_TRANSLATE_NOOP("Field", "Calibration"), QT_TRANSLATE_NOOP("Field", "Where efficiencies come from: textbook, calibrated or measured.")},
});
// clang-format on

}  // namespace

const FieldText* findFieldText(std::string_view path) {
    for (const FieldText& text : kFields)
        if (text.path == path) return &text;
    return nullptr;
}

}  // namespace slipway::gui
