#include "trainer/bench/bench_command.h"

#include "core/base/json.h"
#include "core/base/units.h"
#include "core/spec/run_dir.h"
#include "trainer/bench/comm_bench.h"
#include "trainer/bench/gemm_bench.h"

#include <nlohmann/json.hpp>

#include <iomanip>
#include <ostream>

namespace slipway::trainer {
namespace {

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

Json fitJson(const LinkFit& fit) {
    return Json{{"latency_seconds", jsonNumber(fit.latencySeconds)},
                {"bytes_per_second", jsonNumber(fit.bytesPerSecond)}};
}

void addComm(const CommReport& report, Json& json) {
    json["link"] = fitJson(linkOf(report));
    Json collectives = Json::object();
    for (const char* operation : {"all_reduce", "all_gather", "reduce_scatter"})
        collectives[operation] = fitJson(fitLink(report.samples, operation));
    json["collectives"] = std::move(collectives);
    Json samples = Json::array();
    for (const CommSample& s : report.samples)
        samples.push_back(Json{{"operation", s.operation}, {"bytes", s.bytes}, {"seconds", s.seconds}});
    json["comm"] = std::move(samples);
}

void print(const GemmReport& report, std::ostream& out) {
    out << "precision  threads  size  time         rate\n";
    for (const GemmSample& s : report.samples) {
        out << std::left << std::setw(11) << s.precision << std::setw(9) << s.threads << std::setw(6) << s.size
            << std::setw(13) << asciiText(formatSeconds(s.seconds)) << asciiText(formatFlops(s.flops())) << "\n";
    }
}

void print(const CommReport& report, std::ostream& out) {
    out << "operation       size         time\n";
    for (const CommSample& s : report.samples) {
        out << std::left << std::setw(16) << s.operation << std::setw(13)
            << asciiText(formatBytes(static_cast<double>(s.bytes))) << asciiText(formatSeconds(s.seconds)) << "\n";
    }
    const LinkFit link = linkOf(report);
    out << "link: " << asciiText(formatSeconds(link.latencySeconds)) << " + bytes / "
        << asciiText(formatBandwidth(link.bytesPerSecond)) << "\n";
}

}  // namespace

int runBenchCommand(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
    bool gemm = false, comm = false, asJson = false;
    for (const std::string& argument : arguments) {
        if (argument == "--gemm")
            gemm = true;
        else if (argument == "--comm")
            comm = true;
        else if (argument == "--json")
            asJson = true;
        else {
            err << "slipway-trainer bench: unknown option " << argument << "; it knows --gemm, --comm and --json.\n";
            return 2;
        }
    }
    if (!gemm && !comm) {
        err << "slipway-trainer bench: say what to measure, --gemm or --comm.\n";
        return 2;
    }
    Json json = Json::object();
    if (gemm) {
        constexpr double kSecondsPerShape = 0.25;
        const GemmReport report = measureGemm(kSecondsPerShape);
        addGemm(report, json);
        if (!asJson) print(report, out);
    }
    if (comm) {
        constexpr int kRepeats = 30;
        const Result<CommReport> report = measureComm(kRepeats);
        if (!report) {
            err << "slipway-trainer bench: " << report.error().text() << "\n";
            return static_cast<int>(TrainerExit::CommunicationFailure);
        }
        addComm(*report, json);
        if (!asJson) print(*report, out);
    }
    if (asJson) out << dumpJson(json, true);
    return 0;
}

}  // namespace slipway::trainer
