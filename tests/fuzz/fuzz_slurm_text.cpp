// What squeue, sacct and sbatch print: any bytes. An answer is whole only when every line of it was understood.
#include "core/launch/slurm_text.h"
#include "tests/fuzz/fuzz.h"

#include <string>

using namespace slipway;
using namespace slipway::test;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const auto& read : {readSqueue, readSacct}) {
        const SlurmTable table = read(text);
        const bool hasLine = text.find('\n') != std::string::npos;
        require(table.jobs.size() <= (hasLine ? 100'000 : 0), "jobs without end, or without a line");
        if (table.isWhole) require(text.empty() || text.back() == '\n', "a whole answer ends with its last line");
        constexpr std::size_t kMostLookedAt = 200;  // of an array with thousands of elements
        for (const SlurmJob& job : table.jobs) {
            if (&job >= table.jobs.data() + kMostLookedAt) break;
            require(!job.id.empty() && isElement(job.name) >= (job.id.find('_') != std::string::npos), "an element");
            require(job.number >= 0 && !job.state.empty(), "a job has a number and a state");
            require(newestOf(table, job.name) != nullptr, "a job is found by its name");
            (void)textOf(pendingText(job.reason));
            (void)faultOf(job.state);
        }
    }
    if (const auto number = jobNumberIn(text)) require(*number > 0, "numbers of jobs begin with 1");
    return 0;
}
