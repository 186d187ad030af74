#include "app/cli/plan_subject.h"

#include "app/cli/all_cores.h"
#include "app/cli/print.h"
#include "app/cli/remote_text.h"
#include "app/cli/run_tools.h"
#include "core/base/json_fields.h"
#include "core/base/units.h"
#include "core/interop/huggingface.h"
#include "core/planner/default_run.h"
#include "core/planner/presets.h"
#include "core/planner/search/layout_message.h"
#include "core/planner/search/search_request.h"
#include "core/planner/stack/shipped_stacks.h"
#include "core/run/machine.h"

#include <algorithm>
#include <cmath>

namespace slipway {
namespace {

constexpr std::int64_t kMostDevices = 16384;

/// config.json of a model: a file, or a document of the hub or of a URL.
Result<Json> modelDocument(CliContext& context, const std::string& model) {
    if (interop::isRemote(model)) {
        const auto text = fetchText(context, model);
        if (!text) return fail(text.error());
        return parseJson(*text, model);
    }
    auto document = readJsonFile(model);
    if (!document && document.error().code == "file_missing" && !interop::hubPlaceOf(model).empty())
        return fail(
            "file_missing",
            "There is no such file, and nothing is fetched unless you ask for it; for the hub's model write %1."_text(
                interop::hubPlaceOf(model)),
            model);
    if (!document && document.error().code == "file_missing")
        return fail("file_missing",
                    "This is neither a file, a URL, a model of the hub (hf:ORG/NAME) nor the id of a model preset "
                    "(llama3-8b, gpt2-124m, ...)."_text,
                    model);
    return document;
}

/// The model of --model; notes list properties of a file that Slipway cannot express.
Result<ModelSpec> namedModel(CliContext& context, const std::string& model) {
    if (const ModelPreset* preset = findModelPreset(model)) return preset->model;
    const auto document = modelDocument(context, model);
    if (!document) return fail(document.error());
    const auto imported = interop::importHuggingFace(*document, RunConfig{}, model);
    if (!imported) return fail(imported.error());
    for (const interop::Remark& remark : imported->remarks)
        if (remark.kind != interop::RemarkKind::NoCounterpart) context.note("%1: %2"_text(remark.key, remark.message));
    if (imported->unmodelledParameters != 0)
        context.note(
            "the published model has %1 parameters beyond those counted here."_text(imported->unmodelledParameters));
    return imported->config.model;
}

std::string listed(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return list;
}

bool isSet(const PlanQuestion& question, const std::string& field) {
    return std::ranges::any_of(question.settings,
                               [&](const std::string& setting) { return setting.starts_with(field + "="); });
}

/// Lists the defaults that determine the figures, so that none is taken for a statement about the hardware.
void tellDefaults(CliContext& context, const PlanQuestion& question, const RunConfig& config) {
    const Json train = toJson(config)["train"];
    std::string told;
    for (const char* field : {"precision", "device", "seq_len", "global_batch_size", "num_steps"}) {
        const std::string path = std::string("train.") + field;
        if (isSet(question, path) || !train.contains(field)) continue;
        const Json& value = train.at(field);
        told += (told.empty() ? "" : ", ") + path + " " +
                (value.is_string() ? value.get<std::string>() : dumpJson(value, false));
    }
    if (!told.empty()) context.note("defaults, changed by --set: %1."_text(told));
}

/// The config from one of our documents, or its model, with --set applied.
Result<RunConfig> configOf(const PlanQuestion& question, Json document) {
    if (auto set = applySettings(document, question.settings); !set) return fail(set.error());
    return parseRunConfig(document, question.isModelAlone() ? question.model : question.config);
}

Result<PlanSubject> subjectOfFile(CliContext& context, const PlanQuestion& question) {
    auto document = readJsonFile(question.config);
    if (!document) return fail(document.error());
    if (!question.model.empty()) {
        if (!document->is_object()) return fail("bad_config", "A config is an object { ... }."_text, question.config);
        const auto model = namedModel(context, question.model);
        if (!model) return fail(model.error());
        (*document)["model"] = toJson(*model);
    }
    auto config = configOf(question, std::move(*document));
    if (!config) return fail(config.error());
    const std::int64_t most =
        question.devices.empty() ? config->parallel.worldSize() : std::ranges::max(question.devices);
    const bool isHere =
        question.cluster == "here" || (question.cluster.empty() && config->train.device == DeviceKind::Cpu);
    // A refused config has no forecast: this computer need not be measured for it.
    const bool isRefused = !question.isSearch && question.devices.empty() && hasErrors(validate(*config));
    auto cluster = isHere && isRefused ? Result<ClusterSpec>(thisMachine(context.home))
                                       : clusterOf(context, question.cluster, *config, most);
    if (!cluster) return fail(cluster.error());
    return PlanSubject{std::move(*config), std::move(*cluster), {}};
}

bool isOnAccelerators(const PlanSubject& subject) {
    return subject.cluster.device.kind != DeviceKind::Cpu;
}

LayoutRequest requestFor(const PlanQuestion& question, const PlanSubject& subject, std::int64_t devices) {
    LayoutRequest request{subject.config, subject.cluster};
    request.devices = {devices};
    request.limit = 1;
    request.run = onAllCores;
    // Fields fixed by --set are not searched.
    if (isSet(question, "train.micro_batch_size"))
        (void)request.limits.set("micro_batch_size=" + std::to_string(subject.config.train.microBatchSize));
    if (isSet(question, "train.recompute.policy"))
        (void)request.limits.set("recompute=" + std::string(wordOf(subject.config.train.recompute.policy)));
    growCluster(request);
    return request;
}

/// Whether some layout fits with all states on the devices: with offloading almost anything fits, slowly.
bool holds(LayoutRequest request) {
    (void)request.limits.set("offload=none");
    const LayoutSearch evaluated = evaluateLayouts(request);
    return std::ranges::any_of(evaluated.counts,
                               [](const SearchCount& count) { return count.reason == "fits" && count.layouts > 0; });
}

std::string devicesText(const ClusterSpec& cluster, std::int64_t devices) {
    return std::to_string(devices) + " x " + printable(cluster.device.name);
}

}  // namespace

void PlanQuestion::declare(Arguments& arguments) {
    arguments.option("config", config, "Config file (JSON); not needed with --model"_text).shownAs("CONFIG");
    arguments
        .option("--model", model,
                "Model: a preset (slipway models), a config.json of Hugging Face, its URL, or hf:ORG/NAME"_text)
        .shownAs("MODEL");
    arguments.option("--set", settings, "Set a field: parallel.tp=2; may be repeated"_text)
        .shownAs("FIELD=VALUE")
        .oneEach();
    Argument hardware = arguments.option("--cluster", cluster, kClusterHelp(kDefaultOfConfig)).shownAs("FILE|DEVICE");
    arguments.option("--nodes", nodes, "Forecast for these nodes, as `slipway nodes bench` measured them"_text)
        .shownAs("NODE,NODE")
        .oneEach()
        .separatedBy(',')
        .excludes(hardware);
    declareStack(arguments, stack);
}

void declareStack(Arguments& arguments, std::string& stack) {
    arguments
        .option(
            "--stack", stack,
            "Software that the forecast is of, fitted to published runs: %1; default: the config's software, else typical; textbook is the limit that the hardware sets"_text(
                listed(shippedStackNames())))
        .shownAs("NAME");
}

bool PlanQuestion::setsLayout() const {
    return std::ranges::any_of(settings, [](const std::string& setting) { return setting.starts_with("parallel."); });
}

namespace {

Result<PlanSubject> subjectAsFound(CliContext& context, const PlanQuestion& question) {
    if (question.config.empty() && question.model.empty())
        return fail("usage", "A config is required: name its file, or a model with --model."_text);
    if (!question.isModelAlone()) return subjectOfFile(context, question);
    const auto model = namedModel(context, question.model);
    if (!model) return fail(model.error());
    PlanSubject subject;
    auto cluster = clusterFor(context, question.cluster.empty() ? kUsualDevice : question.cluster,
                              question.devices.empty() ? 1 : std::ranges::max(question.devices));
    if (!cluster) return fail(cluster.error());
    subject.cluster = std::move(*cluster);
    auto config = configOf(question, toJson(defaultRun(*model, subject.cluster.device)));
    if (!config) return fail(config.error());
    subject.config = std::move(*config);
    tellDefaults(context, question, subject.config);
    giveNodes(question, subject.cluster, subject.config.parallel.worldSize());
    return subject;
}

}  // namespace

Result<PlanSubject> subjectOf(CliContext& context, PlanQuestion& question) {
    if (!question.nodes.empty()) {
        auto cluster = clusterOfNodes(context, question.nodes);
        if (!cluster) return fail(cluster.error());
        question.cluster = std::move(*cluster);
    }
    auto subject = subjectAsFound(context, question);
    if (!subject) return subject;
    auto chosen = chooseStack(question.stack, subject->config, std::move(subject->cluster));
    if (!chosen) return fail(chosen.error());
    subject->cluster = std::move(chosen->cluster);
    subject->stackReason = chosen->reason;
    return subject;
}

void giveNodes(const PlanQuestion& question, ClusterSpec& cluster, std::int64_t devices) {
    if (question.cluster.empty() ? cluster.device.kind == DeviceKind::Cpu : !namesLibraryDevice(question.cluster))
        return;
    const std::int64_t perNode = std::max<std::int64_t>(1, cluster.devicesPerNode);
    cluster.numNodes = std::max(cluster.numNodes, (devices + perNode - 1) / perNode);
}

std::vector<std::int64_t> devicesToSearch(CliContext& context, const PlanQuestion& question, PlanSubject& subject) {
    if (!question.devices.empty() || !question.isModelAlone() || !isOnAccelerators(subject)) return question.devices;
    if (!question.cluster.empty() && !namesLibraryDevice(question.cluster)) return {subject.cluster.numDevices()};
    std::int64_t devices = std::max<std::int64_t>(1, subject.cluster.devicesPerNode);
    while (devices < kMostDevices && !holds(requestFor(question, subject, devices))) devices *= 2;
    giveNodes(question, subject.cluster, devices);
    context.note("hardware: %1, the fewest nodes that hold the model; changed by --cluster and --devices."_text(
        devicesText(subject.cluster, devices)));
    return {devices};
}

Result<void> layOut(CliContext& context, const PlanQuestion& question, PlanSubject& subject) {
    ParallelLayout& parallel = subject.config.parallel;
    const bool isSearched = question.isModelAlone() && !question.setsLayout() && isOnAccelerators(subject);
    if (!isSearched) {
        if (question.devices.empty()) return {};
        const std::int64_t devices = question.devices.front(), others = parallel.worldSize() / parallel.dp;
        if (isSet(question, "parallel.dp") && parallel.worldSize() != devices)
            return fail("usage",
                        "The layout has %1 ranks, not %2; leave out parallel.dp or --devices."_text(
                            parallel.worldSize(), devices),
                        "--devices");
        if (devices % others != 0)
            return fail("usage",
                        "%1 devices must be a multiple of the %2 ranks that tp, pp and cp make."_text(devices, others),
                        "--devices");
        parallel.dp = devices / others;
        return {};
    }
    const std::int64_t devices = devicesToSearch(context, question, subject).front();
    const LayoutRequest request = requestFor(question, subject, devices);
    subject.cluster.numNodes = request.cluster.numNodes;
    const LayoutSearch found = searchLayouts(request);
    if (found.best.empty()) {
        // The plan then names the excess.
        parallel.dp = devices;
        parallel.zeroStage = 3;
        context.note(
            "no layout of %1 holds this run; planned with ZeRO 3 alone."_text(devicesText(subject.cluster, devices)));
        return {};
    }
    const FoundLayout& best = found.best.front();
    subject.config = best.applied(subject.config);
    context.note("layout: %1, the fastest of %2; `slipway search` lists more, --set parallel.tp=2 plans another."_text(
        layoutMessage(best.parallel, best.microBatchSize, best.recompute), formatCount(found.numLayouts)));
    return {};
}

}  // namespace slipway
