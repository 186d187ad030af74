// What squeue, sacct and sbatch print: any bytes. An answer is whole only when every line of it was understood.
#include "core/launch/slurm_text.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <string>

using namespace slipway;
using namespace slipway::test;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const auto& read : {readSqueue, readSacct}) {
        const SlurmTable table = read(text);
        const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
        require(table.jobs.size() <= lines, "a job has a line");
        if (table.isWhole) require(text.empty() || text.back() == '\n', "a whole answer ends with its last line");
        for (const SlurmJob& job : table.jobs) {
            require(job.number >= 0 && !job.state.empty(), "a job has a number and a state");
            require(newestOf(table, job.name) != nullptr, "a job is found by its name");
            (void)textOf(pendingText(job.reason));
            (void)faultOf(job.state);
        }
    }
    if (const auto number = jobNumberIn(text)) require(*number > 0, "numbers of jobs begin with 1");
    return 0;
}
