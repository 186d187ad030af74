// Several ranks on one GPU (threads), and NCCL, which refuses two ranks on one GPU, with one.
#include "tests/trainer/comm/backends.h"
#include "tests/trainer/gpu/gpu_test.h"
#include "tests/trainer/small_run.h"
#include "trainer/comm/nccl_group.h"
#include "trainer/kernels/host_memory.h"
#include "trainer/verify/verify.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty_like.h>

using namespace slipway;
using namespace slipway::trainer;
using namespace slipway::test::gpu;

namespace {

RunConfig tiny() {
    RunConfig config = test::smallRun(4, 8);
    config.model.hiddenSize = 32;
    config.model.ffnHiddenSize = 48;
    config.model.numHeads = 4;
    config.model.numKvHeads = 4;
    config.model.vocabSize = 67;
    config.model.maxSeqLen = config.train.seqLen = 16;
    return config;
}

void verified(const std::string& name, const RunConfig& config) {
    VerifyOptions options;
    options.numSteps = 3;
    options.device = device();
    const auto report = verifyLayout(config, options);
    check(static_cast<bool>(report), name + ": " + (report ? "" : report.error().text()));
    check(report->passed(), name + ": " + (report->passed() ? "" : report->failures.front()));
}

}  // namespace

GPU_TEST(layouts) {
    const auto with = [](const char* name, const auto& change) {
        RunConfig config = tiny();
        change(config);
        verified(name, config);
    };
    with("one rank", [](RunConfig&) {});
    for (const std::int64_t stage : {0, 1, 2, 3})
        with("dp 2", [&](RunConfig& c) { c.parallel.dp = 2, c.parallel.zeroStage = stage; });
    with("tp 2", [](RunConfig& c) { c.parallel.tp = 2, c.parallel.sequenceParallel = true; });
    with("tp 2 in pieces",
         [](RunConfig& c) { c.parallel.tp = 2, c.parallel.sequenceParallel = true, c.parallel.asyncTp = true; });
    with("pp 2", [](RunConfig& c) { c.parallel.pp = 2; });
    for (const CpKind kind : {CpKind::Ring, CpKind::AllGather, CpKind::Ulysses})
        with("cp 2", [&](RunConfig& c) { c.parallel.cp = 2, c.parallel.cpKind = kind; });
    with("offloaded", [](RunConfig& c) { c.parallel.dp = 2, c.parallel.offload = Offload::All; });
    with("eight ranks",
         [](RunConfig& c) { c.parallel.dp = 2, c.parallel.tp = 2, c.parallel.pp = 2, c.parallel.zeroStage = 1; });
    with("experts", [](RunConfig& c) {
        c.model.moe = MoeSpec{};
        c.model.moe->numExperts = 4;
        c.model.moe->topK = 2;
        c.model.moe->expertFfnHiddenSize = 16;
        c.parallel.dp = 2, c.parallel.ep = 2;
    });
}

// Copies on a stream of their own, with pinned memory: what was sent comes back, whatever the computation does
// meanwhile.
GPU_TEST(sideCopies) {
    SideCopies down(device()), up(device());
    for (int round = 0; round < 20; ++round) {
        const at::Tensor x = normal({sized(1 << 20, 100)}, at::kFloat),
                         away = (round % 2 == 0 ? hostTensor : lastingHostTensor)(x.sizes(), at::kFloat, device());
        check(isRehearsal() || away.is_pinned(), "host memory is not pinned");
        const at::Tensor expected = x * 2, given = x * 2;
        down.start(away, given);
        const CopyMark left = down.mark();
        SideCopies::wait(left);
        at::Tensor back = at::empty_like(given);
        up.start(back, away);
        up.follow(up.mark());
        sameBits("a tensor that was away", back, expected);
    }
}

GPU_TEST(ncclOfOneRank) {
    if (!haveNccl()) throw Skipped("this build has no NCCL");
    RankEnvironment environment;
    environment.worldSize = 1;
    environment.masterPort = slipway::test::freePort();
    Rendezvous rendezvous(environment, std::chrono::seconds(20));
    const GroupMaker make = ncclMaker(rendezvous, 0, nullptr);
    const auto group = make("world", {0});
    for (const at::ScalarType type :
         {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf, at::kLong, at::kInt, at::kByte, at::kBool}) {
        const at::Tensor x = (normal({8, 3}, at::kFloat) * 9).to(type);
        const std::string name = c10::toString(type);
        at::Tensor reduced = x.clone(), gathered = at::empty_like(x), scattered = at::empty_like(x),
                   sent = at::empty_like(x), told = x.clone();
        if (type != at::kBool) {
            group->allReduce(reduced, ReduceOp::Sum)->wait();
            group->reduceScatter(scattered, x)->wait();
            sameBits("all_reduce " + name, reduced, x);
            sameBits("reduce_scatter " + name, scattered, x);
        }
        group->allGather(gathered, x)->wait();
        group->allToAllV(sent, x, {8}, {8})->wait();
        group->broadcast(told, 0)->wait();
        sameBits("all_gather " + name, gathered, x);
        sameBits("all_to_all " + name, sent, x);
        sameBits("broadcast " + name, told, x);
    }
    group->barrier();
    check(group->counters().calls > 0 && group->counters().seconds >= 0, "nothing was counted");
}
