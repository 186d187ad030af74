#include "trainer/bench/bench_command.h"

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/units.h"
#include "core/base/untrusted_text.h"
#include "core/spec/run_dir.h"
#include "trainer/bench/bench_change.h"
#include "trainer/bench/comm_bench.h"
#include "trainer/bench/device_bench.h"
#include "trainer/bench/gemm_bench.h"
#include "trainer/bench/step_bench.h"
#include "trainer/kernels/first_gpu.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iomanip>
#include <ostream>

namespace slipway::trainer {
namespace {

constexpr int kMostSteps = 1000000;

void addGemm(const GemmReport& report, Json& json) {
    json["threads"] = report.threads;
    json["peak_flops"] = report.peakFlops(report.threads);
    json["peak_flops_one_thread"] = report.peakFlops(1);
    Json samples = Json::array();
    for (const GemmSample& s : report.samples)
        samples.push_back(Json{{"precision", s.precision},
                               {"threads", s.threads},
                               {"size", s.size},
                               {"seconds", s.seconds},
                               {"flops", s.flops()}});
    json["gemm"] = std::move(samples);
}

void addDevice(const DeviceReport& report, Json& json) {
    Json samples = Json::array();
    for (const DeviceSample& s : report.samples) {
        samples.push_back(Json{{"operation", s.operation},
                               {"precision", s.precision},
                               {"shape", s.shape},
                               {"seconds", s.seconds},
                               {"flops", s.flops()}});
        if (!s.by.empty()) samples.back()["by"] = s.by;
    }
    json["gpu"] = Json{{"peak_flops", report.peakFlops()}, {"samples", std::move(samples)}};
}

void addMemory(double bytesPerSecond, Json& json) {
    json["memory"] = Json{{"bytes_per_second", bytesPerSecond}};
}

Json fitJson(const LinkSpec& fit) {
    return Json{{"latency_seconds", jsonNumber(fit.latencySeconds)},
                {"bytes_per_second", jsonNumber(fit.bytesPerSecond)}};
}

void addComm(const CommReport& report, Json& json) {
    json["link"] = fitJson(linkOf(report));
    Json collectives = Json::object();
    for (const char* operation : {"all_reduce", "all_gather", "reduce_scatter", "send"})
        collectives[operation] = fitJson(fitLink(report.samples, operation));
    json["collectives"] = std::move(collectives);
    Json samples = Json::array();
    for (const CommSample& s : report.samples)
        samples.push_back(Json{{"operation", s.operation}, {"bytes", s.bytes}, {"seconds", s.seconds}});
    json["comm"] = std::move(samples);
    json["comm_ranks"] = report.ranks;
    json["comm_ranks_per_node"] = report.ranksPerNode;
    json["comm_unix_ms"] = unixMillisecondsNow();
}

void print(const GemmReport& report, std::ostream& out) {
    out << "precision  threads  size  time         rate\n";
    for (const GemmSample& s : report.samples) {
        out << std::left << std::setw(11) << s.precision << std::setw(9) << s.threads << std::setw(6) << s.size
            << std::setw(13) << asciiText(formatSeconds(s.seconds)) << asciiText(formatFlops(s.flops())) << "\n";
    }
}

void print(const DeviceReport& report, std::ostream& out) {
    for (const DeviceSample& s : report.samples)
        out << std::left << std::setw(16) << s.operation << std::setw(6) << s.precision << std::setw(30) << s.shape
            << std::setw(13) << asciiText(formatSeconds(s.seconds)) << asciiText(formatFlops(s.flops()))
            << (s.by.empty() ? "" : ", ") << s.by << "\n";
}

void print(const CommReport& report, std::ostream& out) {
    out << "operation       size         time\n";
    for (const CommSample& s : report.samples) {
        out << std::left << std::setw(16) << s.operation << std::setw(13)
            << asciiText(formatBytes(static_cast<double>(s.bytes))) << asciiText(formatSeconds(s.seconds)) << "\n";
    }
    const LinkSpec link = linkOf(report);
    out << "link: " << asciiText(formatSeconds(link.latencySeconds)) << " + bytes / "
        << asciiText(formatBandwidth(link.bytesPerSecond)) << "\n";
}

Result<StepReport> stepOf(const std::string& path, int steps) {
    const Result<Json> json = readJsonFile(path);
    if (!json) return fail(json.error());
    const Result<RunConfig> config = parseRunConfig(*json, path);
    if (!config) return fail(config.error());
    constexpr int kWarmup = 2;
    return measureStep(*config, kWarmup, steps);
}

constexpr std::pair<const char*, double StepSample::*> kStepFields[] = {
    {"seconds", &StepSample::seconds},
    {"forward_seconds", &StepSample::forwardSeconds},
    {"backward_seconds", &StepSample::backwardSeconds},
    {"optimizer_seconds", &StepSample::optimizerSeconds},
    {"cpu_seconds", &StepSample::cpuSeconds}};

void addStep(const StepReport& report, Json& json) {
    Json step{{"steps", report.samples.size()},  {"threads", report.threads},
              {"parameters", report.parameters}, {"tokens_per_step", report.tokensPerStep},
              {"peak_bytes", report.peakBytes},  {"loss", jsonNumber(report.samples.back().loss)}};
    for (const auto& [name, member] : kStepFields) step[name] = report.median(member);
    json["step"] = std::move(step);
}

void print(const StepReport& report, std::ostream& out) {
    out << "step: medians of " << report.samples.size() << ", " << report.threads << " threads, "
        << report.tokensPerStep << " tokens\n";
    for (const auto& [name, member] : kStepFields)
        out << "  " << std::left << std::setw(19) << name << asciiText(formatSeconds(report.median(member))) << "\n";
}

void print(const std::vector<BenchChange>& changes, std::ostream& out) {
    for (const BenchChange& c : changes)
        out << std::left << std::setw(32) << c.figure << std::showpos << std::fixed << std::setprecision(1)
            << 100 * c.change << " %" << std::noshowpos << std::defaultfloat
            << (c.isRegression() ? "  slower than recorded" : "") << "\n";
}

void addChanges(const std::vector<BenchChange>& changes, Json& json) {
    Json list = Json::array();
    for (const BenchChange& c : changes)
        list.push_back(Json{{"figure", c.figure},
                            {"before", c.before},
                            {"now", c.now},
                            {"change", c.change},
                            {"regression", c.isRegression()}});
    json["changes"] = std::move(list);
}

/// From the environment variable of torchrun and the agent; 1 without it.
std::int64_t ranksPerNode() {
    const char* text = std::getenv("LOCAL_WORLD_SIZE");
    return text == nullptr ? 1 : std::max(1, std::atoi(text));
}

int failed(std::ostream& err, const Error& error, TrainerExit code) {
    err << "slipway-trainer bench: " << UntrustedText(error.text()).terminalLines() << "\n";
    return static_cast<int>(code);
}

}  // namespace

int runBenchCommand(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
    bool gemm = false, memory = false, comm = false, nccl = false, gpu = false, asJson = false;
    std::string stepConfig, record, against;
    int steps = 5;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        const bool takesValue =
            argument == "--step" || argument == "--steps" || argument == "--record" || argument == "--against";
        if (takesValue && i + 1 == arguments.size()) {
            err << "slipway-trainer bench: the option " << argument << " needs a value.\n";
            return 2;
        }
        if (takesValue) {
            const std::string& value = arguments[++i];
            if (argument == "--step")
                stepConfig = value;
            else if (argument == "--record")
                record = value;
            else if (argument == "--against")
                against = value;
            else if (const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), steps);
                     error != std::errc() || end != value.data() + value.size() || steps < 1 || steps > kMostSteps) {
                err << "slipway-trainer bench: --steps is \"" << value << "\"; it must be a whole number from 1 to "
                    << kMostSteps << ".\n";
                return 2;
            }
        } else if (argument == "--gemm")
            gemm = true;
        else if (argument == "--memory")
            memory = true;
        else if (argument == "--comm")
            comm = true;
        else if (argument == "--nccl")
            comm = nccl = true;
        else if (argument == "--gpu")
            gpu = true;
        else if (argument == "--json")
            asJson = true;
        else {
            err << "slipway-trainer bench: unknown option " << argument
                << "; it knows --gemm, --memory, --comm, --nccl, --gpu, --step CONFIG, --steps N, --record FILE, --against FILE and --json.\n";
            return 2;
        }
    }
    if (!gemm && !memory && !comm && !gpu && stepConfig.empty()) {
        err << "slipway-trainer bench: say what to measure, --gemm, --memory, --comm, --nccl, --gpu or --step CONFIG.\n";
        return 2;
    }
    Json json = Json::object(), recorded;
    if (!against.empty()) {
        Result<Json> read = readJsonFile(against);
        if (!read) return failed(err, read.error(), TrainerExit::BadConfig);
        recorded = std::move(*read);
    }
    if (gemm) {
        constexpr double kSecondsPerShape = 0.25;
        const GemmReport report = measureGemm(kSecondsPerShape);
        addGemm(report, json);
        if (!asJson) print(report, out);
    }
    if (memory) {
        constexpr double kSeconds = 0.5;
        const double rate = copyBytesPerSecond(at::kCPU, kSeconds);
        addMemory(rate, json);
        if (!asJson) out << "memory: " << asciiText(formatBandwidth(rate)) << "\n";
    }
    if (comm) {
        constexpr int kRepeats = 30;
        const Result<RankEnvironment> environment = RankEnvironment::read();
        if (!environment) return failed(err, environment.error(), TrainerExit::BadConfig);
        const bool asRank = nccl || environment->worldSize > 1;
        const Result<CommReport> report =
            asRank ? measureCommAsRank(*environment, ranksPerNode(), nccl, kRepeats) : measureComm(kRepeats);
        if (!report) return failed(err, report.error(), TrainerExit::CommunicationFailure);
        if (environment->rank > 0) return 0;  // rank 0 has the times
        addComm(*report, json);
        if (!asJson) print(*report, out);
    }
    if (gpu) {
        constexpr double kSecondsPerShape = 0.5;
        const Result<at::Device> device = firstGpu();
        if (!device) return failed(err, device.error(), TrainerExit::BadConfig);
        const DeviceReport report = measureDevice(*device, kSecondsPerShape);
        addDevice(report, json);
        json["gpu"]["memory_bytes_per_second"] = copyBytesPerSecond(*device, kSecondsPerShape);
        if (!asJson) print(report, out);
    }
    if (!stepConfig.empty()) {
        const Result<StepReport> report = stepOf(stepConfig, steps);
        if (!report) return failed(err, report.error(), TrainerExit::BadConfig);
        addStep(*report, json);
        if (!asJson) print(*report, out);
    }
    if (!record.empty())
        if (const auto written = writeJsonFile(record, json); !written)
            return failed(err, written.error(),
                          written.error().code == "disk_full" ? TrainerExit::DiskFull : TrainerExit::BadConfig);
    if (!against.empty()) {
        const auto changes = benchChanges(recorded, json);
        if (!changes) return failed(err, changes.error(), TrainerExit::BadConfig);
        addChanges(*changes, json);
        if (!asJson) print(*changes, out);
    }
    if (asJson) out << dumpJson(json, true);
    return 0;
}

}  // namespace slipway::trainer
