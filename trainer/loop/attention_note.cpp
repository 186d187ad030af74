#include "trainer/loop/attention_note.h"

#include "core/base/json.h"
#include "trainer/kernels/attention.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace slipway::trainer {

Result<void> noteAttention(const RunDir& dir) {
    const std::string served = servedAttention();
    std::printf("attention is computed by: %s\n", served.c_str());
    std::fflush(stdout);
    Result<Json> environment = readJsonFile(dir.environment());
    if (!environment) return fail(environment.error());
    (*environment)["attention"] = served;
    return writeJsonFile(dir.environment(), *environment);
}

}  // namespace slipway::trainer
