#include "core/planner/advice/run_script.h"

#include "core/base/json_fields.h"
#include "core/planner/count/parameters.h"
#include "core/planner/memory/host_memory.h"
#include "core/planner/memory/policy.h"
#include "core/planner/time/compute.h"

namespace slipway {

RunScript runScriptFromJson(const Json& json, Issues& issues) {
    return fields::fromJson<RunScript>(json, issues);
}

FieldInfos runScriptFields() {
    return fields::collect(RunScript{});
}

RunScript runScriptOf(const RunConfig& config, const ClusterSpec& cluster) {
    RunScript s;
    s.globalBatchSize = config.train.globalBatchSize;
    s.microBatchSize = config.train.microBatchSize;
    if (config.train.globalBatchSize % (config.train.microBatchSize * config.parallel.dp) == 0)
        s.accumulation = config.numMicroBatches();
    s.seqLen = config.train.seqLen;
    s.numSteps = s.scheduleSteps = config.train.numSteps;
    s.dp = config.parallel.dp;
    s.tp = config.parallel.tp;
    s.pp = config.parallel.pp;
    s.cp = config.parallel.cp;
    s.virtualStages = config.parallel.virtualStages;
    s.schedule = config.parallel.schedule;
    if (cluster.device.kind != DeviceKind::Cpu) {
        s.devicesPerNode = cluster.devicesPerNode;
        if (cluster.device.memoryBytes > 0) s.deviceBytes = cluster.device.memoryBytes;
    }
    if (const double host = nodeHostCapacity(cluster); cluster.device.kind != DeviceKind::Cpu && host > 0)
        s.hostBytes = host;
    s.offloadsOptimizer = offloadsOptimizer(config.parallel.offload);
    s.numLayers = config.model.numLayers;
    s.numHeads = config.model.numHeads;
    s.numKvHeads = config.model.kvHeads();
    s.zeroStage = s.zeroInitStage = config.parallel.zeroStage;
    s.parameters = countParameters(config.model).total;
    const StatePolicy policy = trainerStatePolicy(config.train, config.optimizer);
    s.bytesPerParameter = stateBytes(policy, 1, 0, 1).total();
    s.pricePerHour = cluster.device.pricePerHour;
    s.peakFlops = productPeakFlops(cluster.device, config.train.precision);
    if (config.checkpoint.everySteps > 0) s.saveEvery = config.checkpoint.everySteps;
    s.savesPerMicroStep = false;
    s.writer = WriterRank::EveryRank;
    s.restoresDataOrder = s.clampsSchedule = s.spikeRuleSeesNan = s.workersSplitData = true;
    s.vocabSize = config.model.vocabSize;
    s.readerShiftsLabels = true;
    s.modelShiftsLabels = s.syncsEveryMicroStep = s.scalesBf16Loss = s.savesClearedLoss = false;
    return s;
}

}  // namespace slipway
