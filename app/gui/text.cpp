#include "app/gui/text.h"

#include "app/gui/format.h"
#include "app/gui/text_fields.h"
#include "app/gui/theme.h"

#include <QCoreApplication>
#include <QLocale>
#include <array>

namespace slipway::gui {
namespace {

struct Entry {
    std::string_view key;
    const char* text;
};

template <std::size_t N>
const char* find(const std::array<Entry, N>& table, std::string_view key) {
    for (const Entry& entry : table)
        if (entry.key == key) return entry.text;
    return nullptr;
}

// One sentence per code, without figures: core's message has them and stands in the tool tip.
constexpr auto kIssues = std::to_array<Entry>({
    // checks of a config
    {"not_divisible", QT_TRANSLATE_NOOP("Issue", "These sizes do not divide evenly; change one of them.")},
    {"odd_head_dim", QT_TRANSLATE_NOOP("Issue", "Rotary positions need an even head size.")},
    {"sequence_too_long", QT_TRANSLATE_NOOP("Issue", "The sequence is longer than the model's longest sequence.")},
    {"token_out_of_range", QT_TRANSLATE_NOOP("Issue", "The token id is not in the vocabulary.")},
    {"bad_rank_order", QT_TRANSLATE_NOOP("Issue", "The rank order must name each of tp, cp, dp and pp once.")},
    {"relative_path", QT_TRANSLATE_NOOP("Issue", "A path must be whole, from /: ranks may run in other folders.")},
    {"bad_layers_per_stage",
     QT_TRANSLATE_NOOP("Issue", "The layers per stage do not match the stages and layers of the model.")},
    {"bad_schedule",
     QT_TRANSLATE_NOOP("Issue", "The pipeline schedule does not suit this number of stages, chunks or micro-batches.")},
    {"schedule_too_long", QT_TRANSLATE_NOOP("Issue", "The warm-up and decay are longer than the run.")},
    {"too_many_stages", QT_TRANSLATE_NOOP("Issue", "There are more pipeline stages than layers.")},
    {"bad_grad_dtype", QT_TRANSLATE_NOOP("Issue", "This gradient format does not suit the precision.")},
    {"trainer_unsupported",
     QT_TRANSLATE_NOOP("Issue", "The bundled trainer cannot run this yet; it can only be planned.")},
    {"plain_attention",
     QT_TRANSLATE_NOOP("Issue",
                       "No fused operator serves this attention; its scores take memory beside the forecast.")},
    {"not_exportable", QT_TRANSLATE_NOOP("Issue", "Hugging Face transformers cannot load the weights of this model.")},
    {"out_of_range", QT_TRANSLATE_NOOP("Issue", "The value is out of range.")},
    {"type_mismatch", QT_TRANSLATE_NOOP("Issue", "The value has the wrong type.")},
    {"unknown_choice", QT_TRANSLATE_NOOP("Issue", "The value is none of the choices.")},
    {"unknown_key", QT_TRANSLATE_NOOP("Issue", "There is no such key.")},
    {"unknown_field", QT_TRANSLATE_NOOP("Issue", "There is no such field.")},
    {"no_effect", QT_TRANSLATE_NOOP("Issue", "This field has no effect with the other settings; remove it.")},
    {"schema_version", QT_TRANSLATE_NOOP("Issue", "The file was written by another version of Slipway.")},
    {"bad_config", QT_TRANSLATE_NOOP("Issue", "The configuration has errors.")},
    // layout search
    {"unknown_axis", QT_TRANSLATE_NOOP("Issue", "There is no such axis of a layout.")},
    {"bad_limit",
     QT_TRANSLATE_NOOP("Issue", "This limit cannot be read; write one value, a list 2,4, a range 2..8, <=8 or >=2.")},
    {"bad_devices", QT_TRANSLATE_NOOP("Issue", "Numbers of devices are whole numbers, separated by commas.")},
    {"no_layout", QT_TRANSLATE_NOOP("Issue", "No layout fits, so there is nothing to benchmark.")},
    // documents from the network
    {"bad_url",
     QT_TRANSLATE_NOOP("Issue",
                       "This is no address of a model; write hf:ORG/NAME or an https URL without name and password.")},
    {"net_not_https", QT_TRANSLATE_NOOP("Issue", "Only https addresses are read.")},
    {"net_unreachable", QT_TRANSLATE_NOOP("Issue", "The server cannot be reached; check the name and the network.")},
    {"net_certificate", QT_TRANSLATE_NOOP("Issue", "The server's certificate cannot be trusted, so nothing was read.")},
    {"net_timeout", QT_TRANSLATE_NOOP("Issue", "The server did not answer in time.")},
    {"net_too_large", QT_TRANSLATE_NOOP("Issue", "The answer is too large to be a config.")},
    {"net_redirects", QT_TRANSLATE_NOOP("Issue", "The address redirects too often.")},
    {"net_forbidden",
     QT_TRANSLATE_NOOP("Issue",
                       "The server refuses this document; accept the model's licence there and set HF_TOKEN.")},
    {"net_missing", QT_TRANSLATE_NOOP("Issue", "The server has no such document.")},
    {"net_not_config",
     QT_TRANSLATE_NOOP(
         "Issue",
         "The address answers with something else than a config; write hf:ORG/NAME or the address of the file itself.")},
    {"net_status", QT_TRANSLATE_NOOP("Issue", "The server answered with an error.")},
    {"net_stopped", QT_TRANSLATE_NOOP("Issue", "The transfer was cancelled.")},
    // advice of the planner
    {"does_not_fit", QT_TRANSLATE_NOOP("Issue", "The worst rank needs more memory than its device has.")},
    {"tight_fit", QT_TRANSLATE_NOOP("Issue", "The worst rank nearly fills its device's memory.")},
    {"host_does_not_fit",
     QT_TRANSLATE_NOOP("Issue", "The checkpoint copy and what is offloaded need more memory than a node has.")},
    {"host_tight_fit",
     QT_TRANSLATE_NOOP("Issue", "The checkpoint copy and what is offloaded nearly fill a node's memory.")},
    {"too_few_devices", QT_TRANSLATE_NOOP("Issue", "The layout needs more devices than there are.")},
    {"idle_devices", QT_TRANSLATE_NOOP("Issue", "Some devices are not used by this layout.")},
    {"peak_unknown",
     QT_TRANSLATE_NOOP("Issue", "The peak of this device in this precision is unknown, so there is no MFU.")},
    {"device_differs", QT_TRANSLATE_NOOP("Issue", "The run asks for another kind of device than the hardware has.")},
    {"cores_shared", QT_TRANSLATE_NOOP("Issue", "The ranks share the cores of one computer.")},
    {"tp_crosses_nodes",
     QT_TRANSLATE_NOOP("Issue", "Tensor-parallel groups cross nodes; their traffic takes the slow link.")},
    {"tp_exposed", QT_TRANSLATE_NOOP("Issue", "Tensor-parallel traffic takes a large share of the step.")},
    {"dp_exposed", QT_TRANSLATE_NOOP("Issue", "Gradient reduction takes a large share of the step.")},
    {"bubble_high",
     QT_TRANSLATE_NOOP("Issue", "The pipeline waits for a large share of the step; more micro-batches help.")},
    {"stages_uneven", QT_TRANSLATE_NOOP("Issue", "The pipeline stages take unequal time; the slowest sets the pace.")},
    {"logits_big", QT_TRANSLATE_NOOP("Issue", "The logits take a large share of the last stage's memory.")},
    {"activations_big",
     QT_TRANSLATE_NOOP("Issue", "Activations take most of the memory; recomputation or sequence parallelism helps.")},
    {"recompute_not_needed",
     QT_TRANSLATE_NOOP("Issue", "Recomputation costs time although the memory would suffice without it.")},
    {"shard_optimizer", QT_TRANSLATE_NOOP("Issue", "ZeRO-1 would free memory on every rank at little cost.")},
    {"free_memory", QT_TRANSLATE_NOOP("Issue", "Much memory stays free; a larger micro-batch may be faster.")},
    {"graphs_help",
     QT_TRANSLATE_NOOP("Issue", "Kernels wait for their launches; CUDA graphs would spare most of them.")},
    {"graphs_idle", QT_TRANSLATE_NOOP("Issue", "CUDA graphs take memory and save next to nothing here.")},
    {"curves_unused", QT_TRANSLATE_NOOP("Issue", "The calibrated stack's own links go before the measured curves.")},
    {"curves_missing",
     QT_TRANSLATE_NOOP("Issue", "Some collectives have no measured curve; the cluster's links stand in.")},
    {"vocab_padding", QT_TRANSLATE_NOOP("Issue", "The vocabulary does not divide by tp and is padded.")},
    // mistakes of run plans
    {"interval_never_reached", QT_TRANSLATE_NOOP("Issue", "The run ends before the first checkpoint or evaluation.")},
    {"token_dtype_too_small", QT_TRANSLATE_NOOP("Issue", "The token format is too small for the vocabulary.")},
    {"batch_mismatch", QT_TRANSLATE_NOOP("Issue", "The global batch is not micro-batch x accumulation x dp.")},
    {"layout_mismatch", QT_TRANSLATE_NOOP("Issue", "The layout does not use exactly the devices there are.")},
    {"layout_not_divisible", QT_TRANSLATE_NOOP("Issue", "Layers or heads do not divide by the layout.")},
    {"few_micro_batches",
     QT_TRANSLATE_NOOP("Issue", "There are fewer micro-batches than pipeline stages, so the pipeline never fills.")},
    {"labels_shifted_twice",
     QT_TRANSLATE_NOOP("Issue", "Labels are shifted twice; the model learns the token after next.")},
    {"data_order_lost", QT_TRANSLATE_NOOP("Issue", "A resumed run begins the data anew.")},
    {"local_rank_writes", QT_TRANSLATE_NOOP("Issue", "Several ranks write the same file.")},
    {"schedule_past_end", QT_TRANSLATE_NOOP("Issue", "The run goes on after the learning-rate schedule has ended.")},
    {"first_update_wasted", QT_TRANSLATE_NOOP("Issue", "The first update has a learning rate of 0.")},
    {"mixture_sum", QT_TRANSLATE_NOOP("Issue", "The weights of the data sources do not sum to 1.")},
    {"workers_repeat_data", QT_TRANSLATE_NOOP("Issue", "Loader processes repeat the same data.")},
    {"zero_init_stage", QT_TRANSLATE_NOOP("Issue", "The model is created for another ZeRO stage than the run uses.")},
    {"unknown_as_zero", QT_TRANSLATE_NOOP("Issue", "An unknown price or peak stands as 0.")},
    {"state_does_not_fit",
     QT_TRANSLATE_NOOP("Issue", "Weights, gradients and optimizer states alone exceed the device's memory.")},
    {"host_state_does_not_fit", QT_TRANSLATE_NOOP("Issue", "Offloaded optimizer states exceed the node's memory.")},
    {"tp_across_nodes", QT_TRANSLATE_NOOP("Issue", "The tensor-parallel degree is larger than a node.")},
    {"sync_every_micro_step", QT_TRANSLATE_NOOP("Issue", "Gradients are reduced on every micro-batch.")},
    {"ramp_not_whole", QT_TRANSLATE_NOOP("Issue", "A batch of the ramp is no whole number of micro-batches.")},
    {"spike_rule_blind", QT_TRANSLATE_NOOP("Issue", "The spike rule does not see NaN.")},
    {"reader_chunk_short", QT_TRANSLATE_NOOP("Issue", "The reader takes fewer tokens than a sample needs.")},
    {"saves_repeated",
     QT_TRANSLATE_NOOP("Issue", "Saving is tested on every micro-batch, so checkpoints are written several times.")},
    {"length_mismatch", QT_TRANSLATE_NOOP("Issue", "Steps and tokens of the plan do not agree.")},
    {"sparse_peak",
     QT_TRANSLATE_NOOP("Issue", "The peak looks like a figure with sparsity; dense products reach half of it.")},
    // readiness, files, programs, store
    {"not_ready", QT_TRANSLATE_NOOP("Issue", "The run cannot start yet.")},
    {"program_missing", QT_TRANSLATE_NOOP("Issue", "A program of Slipway was not found beside this one.")},
    {"process_failed", QT_TRANSLATE_NOOP("Issue", "A program could not be started.")},
    {"no_version", QT_TRANSLATE_NOOP("Issue", "A program did not tell its version.")},
    {"version_differs", QT_TRANSLATE_NOOP("Issue", "The programs of Slipway are of different versions.")},
    {"data_missing", QT_TRANSLATE_NOOP("Issue", "The token file was not found.")},
    {"wrong_status", QT_TRANSLATE_NOOP("Issue", "The run's state does not allow this.")},
    {"still_running", QT_TRANSLATE_NOOP("Issue", "The run is still going on.")},
    {"file_missing", QT_TRANSLATE_NOOP("Issue", "A file was not found.")},
    {"file_unreadable", QT_TRANSLATE_NOOP("Issue", "A file cannot be read.")},
    {"file_too_large", QT_TRANSLATE_NOOP("Issue", "A file is larger than what Slipway reads as a whole.")},
    {"file_unwritable", QT_TRANSLATE_NOOP("Issue", "A file cannot be written.")},
    {"folder_unwritable", QT_TRANSLATE_NOOP("Issue", "A folder cannot be written.")},
    {"disk_full", QT_TRANSLATE_NOOP("Issue", "The disk is full.")},
    {"json_syntax", QT_TRANSLATE_NOOP("Issue", "The file is not valid JSON.")},
    {"csv_syntax", QT_TRANSLATE_NOOP("Issue", "The file is not a valid table (CSV).")},
    {"bad_token_file", QT_TRANSLATE_NOOP("Issue", "The token file is damaged or of another kind.")},
    {"bad_token_range", QT_TRANSLATE_NOOP("Issue", "The token file holds ids outside the vocabulary.")},
    {"no_port", QT_TRANSLATE_NOOP("Issue", "No free network port was found.")},
    {"bad_id", QT_TRANSLATE_NOOP("Issue", "The id is not valid.")},
    {"bad_name", QT_TRANSLATE_NOOP("Issue", "Names and tags have at most 200 characters, and no text has a NUL.")},
    {"run_missing", QT_TRANSLATE_NOOP("Issue", "There is no such run.")},
    {"run_exists", QT_TRANSLATE_NOOP("Issue", "A run with this id exists already.")},
    {"run_running", QT_TRANSLATE_NOOP("Issue", "A running run cannot be moved to the trash; stop it first.")},
    {"run_locked", QT_TRANSLATE_NOOP("Issue", "A locked run cannot be moved to the trash; unlock it first.")},
    {"store_busy", QT_TRANSLATE_NOOP("Issue", "The run index is in use by another program; try again.")},
    {"store_corrupt", QT_TRANSLATE_NOOP("Issue", "The run index is damaged; rebuild it from the run folders.")},
    {"missing_columns", QT_TRANSLATE_NOOP("Issue", "The table lacks columns.")},
    {"bad_log", QT_TRANSLATE_NOOP("Issue", "Nothing in this file can be read as a log or a table of results.")},
    {"store_failed", QT_TRANSLATE_NOOP("Issue", "The run index cannot be used.")},
    {"bad_name", QT_TRANSLATE_NOOP("Issue", "Names and tags have at most 200 characters, and no text has a NUL.")},
    {"not_a_file", QT_TRANSLATE_NOOP("Issue", "A link or a pipe is in the place of a file; it was not read.")},
    {"index_rebuilding", QT_TRANSLATE_NOOP("Issue", "Another program is rebuilding the run index.")},
    {"store_missing", QT_TRANSLATE_NOOP("Issue", "There is no run index yet.")},
    {"schema_newer", QT_TRANSLATE_NOOP("Issue", "The run index was written by a newer version of Slipway.")},
    {"schema_older", QT_TRANSLATE_NOOP("Issue", "The run index is of an older version; open it once for writing.")},
    {"filter_syntax", QT_TRANSLATE_NOOP("Issue", "The filter cannot be read.")},
    {"bad_value", QT_TRANSLATE_NOOP("Issue", "The filter's value does not suit its field.")},
    {"bad_agent_file", QT_TRANSLATE_NOOP("Issue", "A file of the agent cannot be read.")},
    {"bad_param_shard", QT_TRANSLATE_NOOP("Issue", "The checkpoint describes a parameter wrongly.")},
    {"bad_profile", QT_TRANSLATE_NOOP("Issue", "The measured profile of this computer cannot be read.")},
    {"data_too_short", QT_TRANSLATE_NOOP("Issue", "The token file is shorter than one batch.")},
    {"data_unreadable", QT_TRANSLATE_NOOP("Issue", "The token file cannot be read.")},
    {"device_unsupported", QT_TRANSLATE_NOOP("Issue", "This computer has no such device.")},
    {"fp8_emulated", QT_TRANSLATE_NOOP("Issue", "fp8 products are emulated on a CPU, which is slow.")},
    {"gpus_missing", QT_TRANSLATE_NOOP("Issue", "This computer has fewer GPUs than the run needs.")},
    {"memory_short", QT_TRANSLATE_NOOP("Issue", "This computer has too little free memory for all ranks.")},
    {"memory_tight", QT_TRANSLATE_NOOP("Issue", "The ranks will nearly fill this computer's memory.")},
    {"disk_short", QT_TRANSLATE_NOOP("Issue", "There is too little free space where the run folders lie.")},
    {"program_not_executable", QT_TRANSLATE_NOOP("Issue", "A program of Slipway cannot be executed.")},
    {"program_failed", QT_TRANSLATE_NOOP("Issue", "A program of Slipway ended with an error.")},
    {"program_slow", QT_TRANSLATE_NOOP("Issue", "A program of Slipway did not answer in time.")},
    {"version_mismatch",
     QT_TRANSLATE_NOOP("Issue", "The programs of Slipway are of different versions; build them together.")},
    {"vocab_too_small", QT_TRANSLATE_NOOP("Issue", "The model's vocabulary is smaller than the token file's.")},
    {"bad_node", QT_TRANSLATE_NOOP("Issue", "The name of a node is not valid.")},
    {"too_few_slots", QT_TRANSLATE_NOOP("Issue", "The nodes take fewer ranks than the run has.")},
    {"unknown_launcher", QT_TRANSLATE_NOOP("Issue", "There is no such launcher.")},
    {"bad_sweep_file", QT_TRANSLATE_NOOP("Issue", "The file of a sweep cannot be read.")},
    {"bad_trial_line", QT_TRANSLATE_NOOP("Issue", "A line of a sweep's trials cannot be read.")},
    {"folder_unreadable", QT_TRANSLATE_NOOP("Issue", "A folder cannot be read.")},
    {"malformed_lines",
     QT_TRANSLATE_NOOP("Issue", "Some lines of the metric stream are damaged and were passed over.")},
    {"no_run_folder", QT_TRANSLATE_NOOP("Issue", "The folder of the run is gone.")},
    {"run_ambiguous", QT_TRANSLATE_NOOP("Issue", "Several runs match this name.")},
    {"kernel_mismatch", QT_TRANSLATE_NOOP("Issue", "A fused kernel gives wrong numbers on this device.")},
    {"sweep_missing", QT_TRANSLATE_NOOP("Issue", "There is no such sweep.")},
    {"stream_replaced",
     QT_TRANSLATE_NOOP("Issue", "The metric stream is shorter than before; the run folder was replaced.")},
});

constexpr auto kStatuses = std::to_array<Entry>({
    {"planned", QT_TRANSLATE_NOOP("Status", "Planned")},
    {"queued", QT_TRANSLATE_NOOP("Status", "Queued")},
    {"running", QT_TRANSLATE_NOOP("Status", "Running")},
    {"completed", QT_TRANSLATE_NOOP("Status", "Completed")},
    {"failed", QT_TRANSLATE_NOOP("Status", "Failed")},
    {"cancelled", QT_TRANSLATE_NOOP("Status", "Cancelled")},
    {"lost", QT_TRANSLATE_NOOP("Status", "Lost")},
    {"skipped", QT_TRANSLATE_NOOP("Status", "Skipped")},
});

constexpr auto kUnits = std::to_array<Entry>({
    {"layers", QT_TRANSLATE_NOOP("Unit", "layers")},
    {"heads", QT_TRANSLATE_NOOP("Unit", "heads")},
    {"tokens", QT_TRANSLATE_NOOP("Unit", "tokens")},
    {"experts", QT_TRANSLATE_NOOP("Unit", "experts")},
    {"sequences", QT_TRANSLATE_NOOP("Unit", "sequences")},
    {"steps", QT_TRANSLATE_NOOP("Unit", "steps")},
    {"threads", QT_TRANSLATE_NOOP("Unit", "threads")},
    {"ranks", QT_TRANSLATE_NOOP("Unit", "ranks")},
    {"chunks", QT_TRANSLATE_NOOP("Unit", "chunks")},
    {"checkpoints", QT_TRANSLATE_NOOP("Unit", "checkpoints")},
    {"nodes", QT_TRANSLATE_NOOP("Unit", "nodes")},
    {"devices", QT_TRANSLATE_NOOP("Unit", "devices")},
    {"bytes", QT_TRANSLATE_NOOP("Unit", "bytes")},
    {"per device-hour", QT_TRANSLATE_NOOP("Unit", "per device-hour")},
    {"tokens/s", QT_TRANSLATE_NOOP("Unit", "tokens/s")},
});

constexpr auto kChoices = std::to_array<Entry>({
    {"parallel.zero_stage=0", QT_TRANSLATE_NOOP("Choice", "0: nothing sharded")},
    {"parallel.zero_stage=1", QT_TRANSLATE_NOOP("Choice", "1: optimizer states")},
    {"parallel.zero_stage=2", QT_TRANSLATE_NOOP("Choice", "2: and gradients")},
    {"parallel.zero_stage=3", QT_TRANSLATE_NOOP("Choice", "3: and weights")},
    {"parallel.schedule=afab", QT_TRANSLATE_NOOP("Choice", "AFAB: all forward, all backward")},
    {"parallel.schedule=1f1b", QT_TRANSLATE_NOOP("Choice", "1F1B")},
    {"parallel.schedule=interleaved_1f1b", QT_TRANSLATE_NOOP("Choice", "1F1B, interleaved")},
    {"parallel.schedule=zb_h1", QT_TRANSLATE_NOOP("Choice", "Zero bubble H1")},
    {"parallel.schedule=zb_v", QT_TRANSLATE_NOOP("Choice", "Zero bubble V")},
    {"parallel.schedule=dualpipe", QT_TRANSLATE_NOOP("Choice", "DualPipe")},
    {"parallel.schedule=dualpipe_v", QT_TRANSLATE_NOOP("Choice", "DualPipe V")},
    {"parallel.cp_kind=ring", QT_TRANSLATE_NOOP("Choice", "Ring")},
    {"parallel.cp_kind=all_gather", QT_TRANSLATE_NOOP("Choice", "All-gather")},
    {"parallel.cp_kind=ulysses", QT_TRANSLATE_NOOP("Choice", "Ulysses (all-to-all)")},
    {"parallel.layers_per_stage=even", QT_TRANSLATE_NOOP("Choice", "Even")},
    {"parallel.layers_per_stage=last_1", QT_TRANSLATE_NOOP("Choice", "Last stage 1 less")},
    {"parallel.layers_per_stage=last_2", QT_TRANSLATE_NOOP("Choice", "Last stage 2 less")},
    {"parallel.layers_per_stage=ends_1", QT_TRANSLATE_NOOP("Choice", "Both ends 1 less")},
    {"parallel.layers_per_stage=ends_2", QT_TRANSLATE_NOOP("Choice", "Both ends 2 less")},
    {"parallel.offload=none", QT_TRANSLATE_NOOP("Choice", "None")},
    {"parallel.offload=optimizer", QT_TRANSLATE_NOOP("Choice", "Optimizer states")},
    {"parallel.offload=activations", QT_TRANSLATE_NOOP("Choice", "Activations")},
    {"parallel.offload=all", QT_TRANSLATE_NOOP("Choice", "Optimizer states and activations")},
    {"model.rope_scaling.kind=linear", QT_TRANSLATE_NOOP("Choice", "All frequencies alike")},
    {"model.rope_scaling.kind=llama3", QT_TRANSLATE_NOOP("Choice", "By wavelength (Llama 3.1)")},
    {"model.rope_scaling.kind=yarn", QT_TRANSLATE_NOOP("Choice", "By turns (YaRN)")},
    {"model.moe.router_score=softmax", QT_TRANSLATE_NOOP("Choice", "Softmax over all experts")},
    {"model.moe.router_score=sigmoid", QT_TRANSLATE_NOOP("Choice", "Sigmoid of each expert")},
    {"train.fp8_recipe=tensorwise", QT_TRANSLATE_NOOP("Choice", "One per tensor")},
    {"train.fp8_recipe=rowwise", QT_TRANSLATE_NOOP("Choice", "One per row")},
    {"train.fp8_format=hybrid", QT_TRANSLATE_NOOP("Choice", "e4m3, gradients e5m2")},
    {"train.fp8_format=e4m3", QT_TRANSLATE_NOOP("Choice", "e4m3")},
    {"train.recompute.policy=none", QT_TRANSLATE_NOOP("Choice", "None")},
    {"train.recompute.policy=selective", QT_TRANSLATE_NOOP("Choice", "Selective")},
    {"train.recompute.policy=full", QT_TRANSLATE_NOOP("Choice", "Full")},
    {"bool=true", QT_TRANSLATE_NOOP("Choice", "yes")},
    {"bool=false", QT_TRANSLATE_NOOP("Choice", "no")},
});

constexpr auto kColumns = std::to_array<Entry>({
    {"name", QT_TRANSLATE_NOOP("Column", "Name")},
    {"id", QT_TRANSLATE_NOOP("Column", "Id")},
    {"status", QT_TRANSLATE_NOOP("Column", "Outcome")},
    {"tags", QT_TRANSLATE_NOOP("Column", "Tags")},
    {"notes", QT_TRANSLATE_NOOP("Column", "Notes")},
    {"reason", QT_TRANSLATE_NOOP("Column", "Reason")},
    {"num_micro_batches", QT_TRANSLATE_NOOP("Column", "Accum.")},
    {"created", QT_TRANSLATE_NOOP("Column", "Created")},
    {"started", QT_TRANSLATE_NOOP("Column", "Started")},
    {"ended", QT_TRANSLATE_NOOP("Column", "Ended")},
    {"world_size", QT_TRANSLATE_NOOP("Column", "Ranks")},
    {"dp", QT_TRANSLATE_NOOP("Column", "dp")},
    {"tp", QT_TRANSLATE_NOOP("Column", "tp")},
    {"pp", QT_TRANSLATE_NOOP("Column", "pp")},
    {"zero_stage", QT_TRANSLATE_NOOP("Column", "ZeRO")},
    {"micro_batch_size", QT_TRANSLATE_NOOP("Column", "Micro-batch")},
    {"step_seconds", QT_TRANSLATE_NOOP("Column", "Step time")},
    {"tokens_per_second", QT_TRANSLATE_NOOP("Column", "Throughput")},
    {"tokens_per_second_per_device", QT_TRANSLATE_NOOP("Column", "tokens/s/device")},
    {"mfu", QT_TRANSLATE_NOOP("Column", "MFU")},
    {"memory_peak_bytes", QT_TRANSLATE_NOOP("Column", "Memory")},
    {"bubble_fraction", QT_TRANSLATE_NOOP("Column", "Bubble")},
    {"bubble_theoretical", QT_TRANSLATE_NOOP("Column", "Bubble, ideal")},
    {"bubble_simulated", QT_TRANSLATE_NOOP("Column", "Bubble, simulated")},
    {"comm_bytes", QT_TRANSLATE_NOOP("Column", "Traffic per step")},
    {"comm_seconds", QT_TRANSLATE_NOOP("Column", "Communication time")},
    {"final_loss", QT_TRANSLATE_NOOP("Column", "Final loss")},
    {"min_loss", QT_TRANSLATE_NOOP("Column", "Lowest loss")},
    {"final_eval_loss", QT_TRANSLATE_NOOP("Column", "Held-out loss, last")},
    {"last_step", QT_TRANSLATE_NOOP("Column", "Last step")},
    {"loss", QT_TRANSLATE_NOOP("Column", "Loss")},
    {"grad_norm", QT_TRANSLATE_NOOP("Column", "Gradient norm")},
    {"lr", QT_TRANSLATE_NOOP("Column", "Learning rate")},
    {"eval_loss", QT_TRANSLATE_NOOP("Column", "Held-out loss")},
    {"noise_scale", QT_TRANSLATE_NOOP("Column", "Noise scale")},
    {"device_clock_hertz", QT_TRANSLATE_NOOP("Column", "GPU clock, slowest rank")},
    {"device_power_watts", QT_TRANSLATE_NOOP("Column", "GPU power, mean")},
    {"device_temperature_celsius", QT_TRANSLATE_NOOP("Column", "GPU temperature, hottest rank")},
    {"device_memory_used_bytes", QT_TRANSLATE_NOOP("Column", "GPU memory in use, fullest rank")},
    {"device_throttled_fraction", QT_TRANSLATE_NOOP("Column", "Share of GPUs held back")},
    {"memory_reserved_peak_bytes", QT_TRANSLATE_NOOP("Column", "GPU memory taken by the allocator")},
    {"allocator_retries", QT_TRANSLATE_NOOP("Column", "Allocator retries")},
    // figures of a forecast
    {"hfu", QT_TRANSLATE_NOOP("Column", "HFU")},
    {"mfu_a", QT_TRANSLATE_NOOP("Column", "MFU by rule A")},
    {"mfu_b", QT_TRANSLATE_NOOP("Column", "MFU by rule B")},
    {"mfu_d", QT_TRANSLATE_NOOP("Column", "MFU by rule D")},
    {"hfu_a", QT_TRANSLATE_NOOP("Column", "HFU by rule A")},
    {"hfu_b", QT_TRANSLATE_NOOP("Column", "HFU by rule B")},
    {"hfu_d", QT_TRANSLATE_NOOP("Column", "HFU by rule D")},
    {"flops_per_token", QT_TRANSLATE_NOOP("Column", "FLOPs per token")},
    {"flops_per_token_a", QT_TRANSLATE_NOOP("Column", "FLOPs per token by rule A")},
    {"flops_per_token_b", QT_TRANSLATE_NOOP("Column", "FLOPs per token by rule B")},
    {"flops_per_token_d", QT_TRANSLATE_NOOP("Column", "FLOPs per token by rule D")},
    {"hardware_flops_per_token", QT_TRANSLATE_NOOP("Column", "FLOPs per token, with recomputation")},
    {"hardware_flops_per_token_a", QT_TRANSLATE_NOOP("Column", "FLOPs per token by rule A, with recomputation")},
    {"hardware_flops_per_token_b", QT_TRANSLATE_NOOP("Column", "FLOPs per token by rule B, with recomputation")},
    {"hardware_flops_per_token_d", QT_TRANSLATE_NOOP("Column", "FLOPs per token by rule D, with recomputation")},
    {"memory_capacity_bytes", QT_TRANSLATE_NOOP("Column", "Memory of a rank")},
    {"memory.total_bytes", QT_TRANSLATE_NOOP("Column", "Memory")},
    {"checkpoint_bytes", QT_TRANSLATE_NOOP("Column", "Checkpoint")},
    {"training_seconds", QT_TRANSLATE_NOOP("Column", "Training time")},
    {"device_hours", QT_TRANSLATE_NOOP("Column", "Device-hours")},
    {"money", QT_TRANSLATE_NOOP("Column", "Cost")},
    {"parameters", QT_TRANSLATE_NOOP("Column", "Parameters")},
    {"parameters.total", QT_TRANSLATE_NOOP("Column", "Parameters")},
    {"parameters.embedding", QT_TRANSLATE_NOOP("Column", "Parameters: embedding")},
    {"parameters.attention", QT_TRANSLATE_NOOP("Column", "Parameters: attention")},
    {"parameters.ffn", QT_TRANSLATE_NOOP("Column", "Parameters: feed-forward")},
    {"parameters.norm", QT_TRANSLATE_NOOP("Column", "Parameters: norms")},
    {"parameters.head", QT_TRANSLATE_NOOP("Column", "Parameters: output head")},
    {"parameters.router", QT_TRANSLATE_NOOP("Column", "Parameters: router")},
    {"parameters.active", QT_TRANSLATE_NOOP("Column", "Parameters a token passes")},
    {"parameters.matmul", QT_TRANSLATE_NOOP("Column", "Parameters in matrix products")},
    {"step.compute_seconds", QT_TRANSLATE_NOOP("Column", "Step: computing")},
    {"step.tp_exposed_seconds", QT_TRANSLATE_NOOP("Column", "Step: tensor-parallel traffic")},
    {"step.cp_exposed_seconds", QT_TRANSLATE_NOOP("Column", "Step: context-parallel traffic")},
    {"step.ep_exposed_seconds", QT_TRANSLATE_NOOP("Column", "Step: expert-parallel traffic")},
    {"step.pp_exposed_seconds", QT_TRANSLATE_NOOP("Column", "Step: pipeline traffic")},
    {"step.bubble_seconds", QT_TRANSLATE_NOOP("Column", "Step: pipeline bubble")},
    {"step.dp_exposed_seconds", QT_TRANSLATE_NOOP("Column", "Step: data-parallel traffic")},
    {"step.optimizer_seconds", QT_TRANSLATE_NOOP("Column", "Step: optimizer")},
    {"step.fixed_seconds", QT_TRANSLATE_NOOP("Column", "Step: fixed costs")},
    {"memory.weight_bytes", QT_TRANSLATE_NOOP("Column", "Memory: weights")},
    {"memory.gradient_bytes", QT_TRANSLATE_NOOP("Column", "Memory: gradients")},
    {"memory.optimizer_bytes", QT_TRANSLATE_NOOP("Column", "Memory: optimizer states")},
    {"memory.activation_bytes", QT_TRANSLATE_NOOP("Column", "Memory: activations")},
    {"memory.logits_bytes", QT_TRANSLATE_NOOP("Column", "Memory: logits")},
    {"memory.buffer_bytes", QT_TRANSLATE_NOOP("Column", "Memory: buffers")},
    {"memory.reserve_bytes", QT_TRANSLATE_NOOP("Column", "Memory: reserve")},
    {"memory.graph_bytes", QT_TRANSLATE_NOOP("Column", "Memory: CUDA graphs")},
    {"step.graph_saved_seconds", QT_TRANSLATE_NOOP("Column", "Step: saved by CUDA graphs")},
    {"host_memory.total_bytes", QT_TRANSLATE_NOOP("Column", "Host memory, worst rank")},
    {"host_memory.staging_bytes", QT_TRANSLATE_NOOP("Column", "Host memory: checkpoint copy")},
    {"host_memory.optimizer_bytes", QT_TRANSLATE_NOOP("Column", "Host memory: optimizer states")},
    {"host_memory.activation_bytes", QT_TRANSLATE_NOOP("Column", "Host memory: activations")},
    {"host_memory.node_bytes", QT_TRANSLATE_NOOP("Column", "Host memory of a node")},
    {"host_memory.node_tensor_bytes", QT_TRANSLATE_NOOP("Column", "Host memory of a node: tensors")},
    {"host_memory.node_capacity_bytes", QT_TRANSLATE_NOOP("Column", "Host memory that a node has")},
});

QString translated(const char* context, const char* text) {
    return QCoreApplication::translate(context, text);
}

bool isEnglish() {
    return QLocale().language() != QLocale::Korean;
}

}  // namespace

QString fieldLabel(std::string_view path) {
    const FieldText* text = findFieldText(path);
    return text ? translated("Field", text->label) : qs(path);
}

bool hasFieldLabel(std::string_view path) {
    return findFieldText(path) != nullptr;
}

QString fieldHelp(const FieldInfo& info) {
    return translated("Field", info.help.c_str());
}

bool hasFieldHelp(const FieldInfo& info) {
    const FieldText* text = findFieldText(info.path);
    return text && info.help == text->help;
}

QString unitText(const std::string& unit) {
    const char* text = find(kUnits, unit);
    return text ? translated("Unit", text) : qs(unit);
}

QString choiceText(std::string_view path, const std::string& word) {
    const char* text = find(kChoices, std::string(path) + "=" + word);
    return text ? translated("Choice", text) : qs(word);
}

QString issueText(const Issue& issue) {
    const char* text = find(kIssues, issue.code);
    if (isEnglish() || !text) return shownLines(issue.message);
    const QString sentence = translated("Issue", text);
    return hasFieldLabel(issue.field) ? QStringLiteral("%1: %2").arg(fieldLabel(issue.field), sentence) : sentence;
}

QString errorText(const Error& error) {
    const char* text = find(kIssues, error.code);
    return isEnglish() || !text ? shownLines(error.message) : translated("Issue", text);
}

bool hasIssueText(std::string_view code) {
    return find(kIssues, code) != nullptr;
}

QString statusText(RunStatus status) {
    return statusText(wordOf(status));
}

QString statusText(std::string_view word) {
    const char* text = find(kStatuses, word);
    return text ? translated("Status", text) : qs(word);
}

Icon statusIcon(RunStatus status) {
    switch (status) {
        case RunStatus::Planned: return Icon::Planned;
        case RunStatus::Queued: return Icon::Queued;
        case RunStatus::Running: return Icon::Running;
        case RunStatus::Completed: return Icon::Completed;
        case RunStatus::Failed: return Icon::Failed;
        case RunStatus::Cancelled: return Icon::Cancelled;
        case RunStatus::Lost: return Icon::Lost;
    }
    return Icon::Lost;
}

QColor statusColour(RunStatus status) {
    const Theme& t = theme();
    switch (status) {
        case RunStatus::Running: return t.accent;
        case RunStatus::Completed: return t.ok;
        case RunStatus::Failed: return t.bad;
        case RunStatus::Lost: return t.warn;
        default: return t.idle;
    }
}

QString columnTitle(std::string_view name, std::string_view englishTitle) {
    if (const char* text = find(kColumns, name)) return translated("Column", text);
    return hasFieldLabel(name) ? fieldLabel(name) : qs(englishTitle);
}

}  // namespace slipway::gui
