// Hardware of a plan: devices, nodes, links. Not part of the trainer's config (plan.json).
#pragma once

#include "core/base/field_table.h"
#include "core/spec/comm_curve.h"
#include "core/spec/software_stack.h"
#include "core/spec/train_spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// One accelerator, or the complete CPU of a node (its ranks share the peak). Peaks are dense.
struct DeviceSpec {
    std::string name = "This computer's CPU";
    DeviceKind kind = DeviceKind::Cpu;
    std::optional<double> peakFp64Flops, peakFp32Flops, peakTf32Flops, peakBf16Flops, peakFp16Flops, peakFp8Flops;
    double memoryBytes = 0;
    double memoryBytesPerSecond = 0;
    std::optional<double> powerWatts;
    std::optional<double> pricePerHour;
    std::string currency = "USD";
    std::string source;
    std::string sourceDate;

    /// Dense peak in FLOP/s for products in this precision; empty when unsupported or unknown.
    [[nodiscard]] std::optional<double> peakFlops(Precision p) const {
        switch (p) {
            case Precision::Fp64: return peakFp64Flops;
            case Precision::Fp32: return peakFp32Flops;
            case Precision::Tf32: return peakTf32Flops;
            case Precision::Bf16: return peakBf16Flops;
            case Precision::Fp16: return peakFp16Flops;
            case Precision::Fp8: return peakFp8Flops;
        }
        return {};
    }

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("name").label("Device name"_text).help("Name as the vendor writes it."_text), s.name);
        v(field("kind").label("Device kind"_text).help("Kind of device."_text), s.kind);
        v(field("peak_fp64_flops")
              .label("fp64 peak"_text)
              .unit("FLOP/s"_text)
              .help("Dense fp64 peak."_text)
              .atLeast(0)
              .advanced(),
          s.peakFp64Flops);
        v(field("peak_fp32_flops")
              .label("fp32 peak"_text)
              .unit("FLOP/s"_text)
              .help("Dense fp32 peak."_text)
              .atLeast(0)
              .advanced(),
          s.peakFp32Flops);
        v(field("peak_tf32_flops")
              .label("tf32 peak"_text)
              .unit("FLOP/s"_text)
              .help("Dense tf32 peak."_text)
              .atLeast(0)
              .advanced(),
          s.peakTf32Flops);
        v(field("peak_bf16_flops").label("bf16 peak"_text).unit("FLOP/s"_text).help("Dense bf16 peak."_text).atLeast(0),
          s.peakBf16Flops);
        v(field("peak_fp16_flops")
              .label("fp16 peak"_text)
              .unit("FLOP/s"_text)
              .help("Dense fp16 peak."_text)
              .atLeast(0)
              .advanced(),
          s.peakFp16Flops);
        v(field("peak_fp8_flops")
              .label("fp8 peak"_text)
              .unit("FLOP/s"_text)
              .help("Dense fp8 peak."_text)
              .atLeast(0)
              .advanced(),
          s.peakFp8Flops);
        v(field("memory_bytes")
              .label("Memory"_text)
              .unit("bytes"_text)
              .help("Memory as the driver reports it."_text)
              .atLeast(0),
          s.memoryBytes);
        v(field("memory_bytes_per_second")
              .label("Memory bandwidth"_text)
              .unit("B/s"_text)
              .help("Memory bandwidth."_text)
              .atLeast(0),
          s.memoryBytesPerSecond);
        v(field("power_watts").label("Power"_text).unit("W"_text).help("Board power."_text).atLeast(0).advanced(),
          s.powerWatts);
        v(field("price_per_hour")
              .label("Price"_text)
              .unit("per device-hour"_text)
              .help("Price of one device-hour, if known."_text)
              .atLeast(0),
          s.pricePerHour);
        v(field("currency").label("Currency"_text).help("Currency of the price."_text).advanced(), s.currency);
        v(field("source").label("Source"_text).help("Source of the figures."_text).advanced(), s.source);
        v(field("source_date").label("Source date"_text).help("Date of the source."_text).advanced(), s.sourceDate);
    }
};

/// A link: t(bytes) = latencySeconds + bytes / bytesPerSecond, per direction and device.
struct LinkSpec {
    double bytesPerSecond = 0;
    double latencySeconds = 0;

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("bytes_per_second")
              .label("bandwidth"_text)
              .unit("B/s"_text)
              .help("Bandwidth per device and direction."_text)
              .atLeast(0),
          s.bytesPerSecond);
        v(field("latency_seconds")
              .label("latency"_text)
              .unit("s"_text)
              .help("Time of an empty message."_text)
              .range(0, 10),
          s.latencySeconds);
    }
};

struct ClusterSpec {
    DeviceSpec device;
    std::int64_t numNodes = 1;
    std::int64_t devicesPerNode = 1;
    LinkSpec intraNode{10e9, 20e-6};
    LinkSpec interNode{1.25e9, 50e-6};
    std::vector<CommCurve> commCurves;  ///< measured collectives, used instead of the links where they apply
    double gemmEfficiency = 0.65;
    std::string calibration = "textbook";
    std::optional<SoftwareStack> stack;  ///< without: the bundled trainer at textbook efficiencies

    [[nodiscard]] std::int64_t numDevices() const { return numNodes * devicesPerNode; }

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("device").help("The device."_text), s.device);
        v(field("num_nodes").label("Nodes"_text).unit("nodes"_text).help("Nodes."_text).range(1, 100000), s.numNodes);
        v(field("devices_per_node")
              .label("Devices per node"_text)
              .unit("devices"_text)
              .help("Devices in one node; on a CPU node: ranks it hosts."_text)
              .range(1, 1024),
          s.devicesPerNode);
        v(field("intra_node").label("Link inside a node"_text).help("Link between devices of one node."_text),
          s.intraNode);
        v(field("inter_node").label("Link between nodes"_text).help("Link between nodes."_text), s.interNode);
        v(field("comm_curves")
              .help("Measured collectives by operation and group size; the links where there is none."_text)
              .when(!s.commCurves.empty(), "there are curves"_text)
              .advanced(),
          s.commCurves);
        v(field("gemm_efficiency")
              .label("Product efficiency"_text)
              .help("Fraction of the peak reached by matrix products."_text)
              .range(0.001, 1)
              .advanced(),
          s.gemmEfficiency);
        v(field("calibration")
              .label("Calibration"_text)
              .help("Source of the efficiencies: textbook, calibrated or measured."_text)
              .advanced(),
          s.calibration);
        v(field("stack")
              .help("Software stack; without it the bundled trainer at textbook efficiencies."_text)
              .advanced(),
          s.stack);
    }
};

}  // namespace slipway
