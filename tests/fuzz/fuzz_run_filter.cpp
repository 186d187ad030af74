// The filter line of the runs table.
#include "core/store/run_filter.h"
#include "tests/fuzz/fuzz.h"

using namespace slipway;
using namespace slipway::test;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text = textOf(data, size);
    if (const auto filter = parseRunFilter(text); !filter) {
        const FilterProblem& problem = filter.error();
        require(!problem.code.empty() && !problem.message.empty(), "a problem without code or message");
        require(problem.begin <= problem.end && problem.end <= text.size(), "a problem outside the text");
    }
    return 0;
}
