// Disks, checkpoints, the run index and input files. A row without a cause is an error of our own programs, which
// already has its field and remedy.
#include "core/faults/fault_signs.h"

namespace slipway {

using namespace signs;

std::vector<Fault> faultsOfFiles() {
    using enum FaultKind;
    using enum FaultDepth;
    const auto own = [](std::string_view word, FaultKind kind) {
        return Fault{word, kind, Cause, {}, {}, {code(word)}};
    };
    return {
        {"quota_exceeded",
         Disk,
         Cause,
         "the disk quota or the number of files of this user is used up"_text,
         "delete files or ask for a larger quota, then resume"_text,
         {text("Disk quota exceeded")}},
        {"disk_full",
         Disk,
         Cause,
         "disk full while a checkpoint was written; earlier checkpoints are whole"_text,
         "free space or lower checkpoint.keep, then resume"_text,
         {text("the checkpoint was not written"), event("disk_full")}},
        {"disk_full",
         Disk,
         Cause,
         "disk full"_text,
         "free space, then resume"_text,
         {code("disk_full"), reason("disk_full"), exitCode(15), text("No space left on device")}},

        // Checkpoints.
        {"checkpoint_empty",
         Disk,
         Cause,
         "the checkpoint's manifest is empty or cut off, as after a power failure"_text,
         "delete that checkpoint folder and resume from the one before it"_text,
         {text("manifest.json: Not valid JSON")}},
        {"checkpoint_interrupted",
         Disk,
         Cause,
         "the writing of the checkpoint was interrupted"_text,
         "delete that checkpoint folder and resume from the one before it"_text,
         {code("bad_manifest")}},
        {"checkpoint_incomplete",
         Disk,
         Cause,
         "the checkpoint lacks a part that one of its ranks should have written"_text,
         "resume from the checkpoint before it"_text,
         {code("tensor_missing")}},
        {"checkpoint_damaged",
         Disk,
         Cause,
         "no checkpoint can be read: their contents do not match their hashes"_text,
         "copy the checkpoints from a backup, or start the run from its first step"_text,
         {code("checkpoint_damaged")}},
        {"checkpoint_missing",
         Config,
         Cause,
         "there is no complete checkpoint to resume from"_text,
         "start the run from its first step"_text,
         {code("checkpoint_missing")}},
        {"checkpoint_refused",
         Config,
         Cause,
         "the file is not a checkpoint of safetensors; formats that can run code are not read"_text,
         "convert it with a trusted tool first"_text,
         {code("bad_safetensors")}},
        own("resume_mismatch", Config),
        own("weights_mismatch", Config),
        {"two_writers",
         Requested,
         Root,
         "a later attempt of the run was started elsewhere, so this one was ended"_text,
         "follow the later attempt"_text,
         {reason("superseded"), code("locked"), code("already_started"), code("run_locked")}},

        // The index of runs, and launchers.
        own("store_busy", Transient),
        own("store_corrupt", Disk),
        own("store_missing", Disk),
        own("store_failed", Disk),
        own("schema_older", Config),
        own("index_rebuilding", Transient),
        own("run_missing", Requested),
        {"launcher_gone",
         Transient,
         Cause,
         "the run was never started: what launched it ended too early"_text,
         "resume the run to start it"_text,
         {code("launcher_gone")}},
        {"agent_gone",
         Transient,
         Cause,
         "the agent ended without a record: it was killed, or the computer restarted"_text,
         "resume from the newest checkpoint"_text,
         {code("agent_gone")}},
        {"program_gone",
         Transient,
         Cause,
         "the program ended without a record: it was killed, or the computer restarted"_text,
         "start the program again"_text,
         {code("program_gone")}},

        // Inputs.
        own("bad_config", Config),
        own("json_syntax", Config),
        own("file_missing", Config),
        own("not_a_file", Config),
        {"bad_config",
         Config,
         Cause,
         "bad config"_text,
         "correct the field that the log names, then start again"_text,
         {exitCode(10)},
         false,
         false,
         true},
    };
}

}  // namespace slipway
