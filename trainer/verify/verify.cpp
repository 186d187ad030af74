#include "trainer/verify/verify.h"

#include "trainer/comm/in_process_group.h"
#include "trainer/verify/coverage.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace slipway::trainer {
namespace {

// Tensors of the model assembled from pieces. Missing elements stay NaN, so a hole cannot pass.
class Assembly {
public:
    void add(const Piece& piece) {
        const ParamShard& shard = piece.shard;
        auto [it, isNew] = m_tensors.try_emplace(shard.name);
        if (isNew)
            it->second = at::full(shard.globalShape, std::numeric_limits<double>::quiet_NaN(),
                                  at::TensorOptions().dtype(at::kDouble));
        at::Tensor place = it->second;
        for (const ShardSlice& slice : shard.slices) place = place.narrow(slice.dim, slice.offset, slice.length);
        const at::Tensor local = place.clone(at::MemoryFormat::Contiguous).view({-1});
        at::Tensor range = local.narrow(0, shard.flatOffset.value_or(0), shard.flatLength.value_or(local.numel()));
        // Replicas must agree: the largest distance of two copies counts as a difference.
        const at::Tensor distance = at::where(range.isnan(), at::zeros_like(range), range - piece.values);
        m_replicaDifference[shard.name] = std::max(m_replicaDifference[shard.name], distance.norm().item<double>());
        range.copy_(piece.values);
        place.copy_(local.view(place.sizes()));
    }

    [[nodiscard]] const std::map<std::string, at::Tensor>& tensors() const { return m_tensors; }
    /// |ours - reference|, or the distance of two replicas if that is larger.
    /// @param counted the elements to compare; undefined: all. A hole counts in any position.
    [[nodiscard]] double difference(const std::string& name, const at::Tensor& reference,
                                    const at::Tensor& counted = {}) const {
        const auto it = m_tensors.find(name);
        if (it == m_tensors.end() || it->second.sizes() != reference.sizes())
            return std::numeric_limits<double>::infinity();
        const at::Tensor distance = it->second - reference;
        if (distance.isnan().any().item<bool>()) return std::numeric_limits<double>::infinity();
        const double direct = (counted.defined() ? distance * counted : distance).norm().item<double>();
        return std::max(direct, m_replicaDifference.at(name));
    }

private:
    std::map<std::string, at::Tensor> m_tensors;
    std::map<std::string, double> m_replicaDifference;
};

Assembly assemble(const std::vector<RankRun>& runs, std::vector<Piece> RankRun::*pieces) {
    Assembly assembly;
    for (const RankRun& run : runs)
        for (const Piece& piece : run.*pieces) assembly.add(piece);
    return assembly;
}

double relative(double a, double b) {
    return std::abs(a - b) / std::max(std::abs(b), 1e-300);
}

// Largest relative difference of two lists of numbers; infinite when lengths differ or a number is not finite.
double largestRelative(const std::vector<double>& ours, const std::vector<double>& reference) {
    if (ours.size() != reference.size()) return std::numeric_limits<double>::infinity();
    double largest = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        const double difference = relative(ours[i], reference[i]);
        largest = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(largest, difference);
    }
    return largest;
}

// A routing bias has token counts in place of its gradient, which would drown the gradients.
bool isTokenCount(const std::string& name) {
    return name.ends_with("e_score_correction_bias");
}

double normOf(const std::map<std::string, at::Tensor>& tensors) {
    double sum = 0;
    for (const auto& [name, tensor] : tensors)
        if (!isTokenCount(name)) sum += tensor.square().sum().item<double>();
    return std::sqrt(sum);
}

// The effect of rounding on one process: per tensor its distance from fp64, and over all tensors together.
struct Rounding {
    std::map<std::string, double> ofTensor;
    double ofAll = 0;

    Rounding(const Assembly& rounded, const Assembly& exact, const std::map<std::string, at::Tensor>& counted = {}) {
        const double small = kSmallShare * normOf(exact.tensors());
        double sum = 0;
        for (const auto& [name, tensor] : exact.tensors()) {
            const auto mask = counted.find(name);
            const double difference =
                rounded.difference(name, tensor, mask == counted.end() ? at::Tensor() : mask->second);
            if (!isTokenCount(name)) sum += difference * difference;
            ofTensor[name] = difference / std::max(tensor.norm().item<double>(), small);
        }
        ofAll = std::sqrt(sum) / normOf(exact.tensors());
    }
    [[nodiscard]] double bound(const std::string& name, double unit) const {
        return kRoundingFactor * std::max(ofTensor.at(name), ofAll) + 2 * unit;
    }
};

/// 1 if rounding cannot flip the sign of a gradient, else 0. AdamW and Lion first step by that sign, however small the
/// gradient is, so an equally exact layout may step the other way: such an element is not evidence.
at::Tensor decidedElements(const at::Tensor& gradient, double bound) {
    const double rounding = bound * gradient.norm().item<double>() / std::sqrt(static_cast<double>(gradient.numel()));
    return gradient.abs().gt(rounding).to(at::kDouble);
}

void setRoundingBounds(VerifyReport& report, const RunConfig& config, const Reference& reference,
                       const Assembly& exactGradients, const Assembly& exactWeights, const Assembly& layoutWeights) {
    const double unit = coarsestUnit(config);
    const Rounding gradients(assemble({*reference.rounded}, &RankRun::gradients), exactGradients);
    std::map<std::string, at::Tensor> decided;
    for (const auto& [name, gradient] : exactGradients.tensors())
        if (config.optimizer.kind != OptimizerKind::Muon && !isTokenCount(name))
            decided[name] = decidedElements(gradient, gradients.bound(name, unit));
    const Rounding weights(assemble({*reference.rounded}, &RankRun::weights), exactWeights, decided);
    const double smallWeight = kSmallShare * normOf(exactWeights.tensors());
    report.largestWeightDifference = 0;
    for (ParameterDifference& p : report.parameters) {
        p.gradientBound = gradients.bound(p.name, unit);
        // A bias moves by the sign of a count, which a single token routed elsewhere may flip.
        p.weightBound = isTokenCount(p.name) ? std::numeric_limits<double>::infinity() : weights.bound(p.name, unit);
        if (const auto mask = decided.find(p.name); mask != decided.end()) {
            const at::Tensor& exact = exactWeights.tensors().at(p.name);
            p.weightDifference = layoutWeights.difference(p.name, exact, mask->second) /
                                 std::max(exact.norm().item<double>(), smallWeight);
        }
        report.largestWeightDifference = std::max(report.largestWeightDifference, p.weightDifference);
    }
    report.lossBound = kRoundingFactor * largestRelative(reference.rounded->losses, reference.run.losses) + 2 * unit;
    report.normBound =
        kRoundingFactor *
            std::max(largestRelative(reference.rounded->gradNorms, reference.run.gradNorms), gradients.ofAll) +
        2 * unit;
}

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

void evaluate(VerifyReport& report) {
    const auto require = [&](bool ok, std::string sentence) {
        if (!ok) report.failures.push_back(std::move(sentence));
    };
    const auto differs = [](double difference, double bound) {
        return " differs by " + number(difference) + " (bound " + number(bound) + ").";
    };
    for (const ParameterDifference& p : report.parameters) {
        require(p.gradientDifference <= p.gradientBound,
                "The gradient of " + p.name + differs(p.gradientDifference, p.gradientBound));
        require(p.weightDifference <= p.weightBound,
                "After the optimizer steps " + p.name + differs(p.weightDifference, p.weightBound));
    }
    require(report.lossDifference <= report.lossBound, "The loss" + differs(report.lossDifference, report.lossBound));
    require(report.normDifference <= report.normBound,
            "The gradient norm" + differs(report.normDifference, report.normBound));
    require(report.normsIdentical, "Not all ranks see the same gradient norm.");
}

}  // namespace

Result<void> checkVerifiable(const RunConfig& config) {
    Issues issues = validate(config);
    // A verification on the CPU takes the code paths of a GPU, including host memory.
    RunConfig checked = config;
    if (checked.train.device == DeviceKind::Cpu) checked.train.device = DeviceKind::Gpu;
    for (Issue& issue : trainerSupports(checked)) issues.push_back(std::move(issue));
    std::string text;
    for (const Issue& issue : issues)
        if (issue.severity == Severity::Error) text += (text.empty() ? "" : "\n") + issue.message;
    if (!text.empty()) return fail("bad_config", text);
    return {};
}

Reference makeReference(const RunConfig& config, const VerifyOptions& options) {
    // One thread, as in the ranks: tiny products are not worth a team, and its barrier spins when cores are shared.
    const int threads = at::get_num_threads();
    at::set_num_threads(1);
    const RunConfig one = verifiedConfig(config, /*asOneProcess=*/true);
    const ProcessMesh mesh = makeMesh(one.parallel, 0, {});
    Reference reference;
    reference.clipNorm = kClipShare * runRank(one, mesh, {1, 0, Bug::None}).gradNorms.front();
    reference.run = runRank(one, mesh, {options.numSteps, reference.clipNorm, Bug::None});
    reference.device = options.device;
    if (options.formats == VerifiedFormats::AsRun)
        reference.rounded =
            runRank(verifiedConfig(config, /*asOneProcess=*/true, options.formats), mesh,
                    {options.numSteps, reference.clipNorm, Bug::None, kVerifiedLossScale, options.device});
    at::set_num_threads(threads);
    return reference;
}

VerifyReport compareWithReference(const RunConfig& config, const Reference& reference,
                                  const std::vector<RankRun>& ranks) {
    VerifyReport report;
    report.layout = config.parallel;
    report.formats = reference.rounded ? VerifiedFormats::AsRun : VerifiedFormats::Fp64;
    report.layoutText = layoutText(config);
    report.notCovered = notCovered(config, report.formats, reference.device.is_cuda());
    report.referenceLoss = reference.run.losses.front();
    report.referenceGradNorm = reference.run.gradNorms.front();
    report.loss = ranks.front().losses.front();
    report.gradNorm = ranks.front().gradNorms.front();
    for (const RankRun& rank : ranks) {
        report.lossDifference = std::max(report.lossDifference, largestRelative(rank.losses, reference.run.losses));
        report.normDifference =
            std::max(report.normDifference, largestRelative(rank.gradNorms, reference.run.gradNorms));
        report.normsIdentical = report.normsIdentical && rank.gradNorms == ranks.front().gradNorms;
    }
    const Assembly expectedGradients = assemble({reference.run}, &RankRun::gradients);
    const Assembly expectedWeights = assemble({reference.run}, &RankRun::weights);
    const Assembly gradients = assemble(ranks, &RankRun::gradients);
    const Assembly weights = assemble(ranks, &RankRun::weights);
    const double smallGradient = kSmallShare * normOf(expectedGradients.tensors());
    const double smallWeight = kSmallShare * normOf(expectedWeights.tensors());
    for (const auto& [name, gradient] : expectedGradients.tensors()) {
        const at::Tensor& weight = expectedWeights.tensors().at(name);
        ParameterDifference p;
        p.name = name;
        p.shape = gradient.sizes().vec();
        p.gradientNorm = gradient.norm().item<double>();
        p.gradientDifference = gradients.difference(name, gradient) / std::max(p.gradientNorm, smallGradient);
        p.weightDifference = weights.difference(name, weight) / std::max(weight.norm().item<double>(), smallWeight);
        report.largestGradientDifference = std::max(report.largestGradientDifference, p.gradientDifference);
        report.largestWeightDifference = std::max(report.largestWeightDifference, p.weightDifference);
        report.parameters.push_back(std::move(p));
    }
    for (const auto& [name, tensor] : gradients.tensors())
        if (!expectedGradients.tensors().contains(name))
            report.failures.push_back("One process has no parameter " + name + ".");
    if (reference.rounded) setRoundingBounds(report, config, reference, expectedGradients, expectedWeights, weights);
    evaluate(report);
    return report;
}

VerifyReport verifyInProcess(const RunConfig& config, const Reference& reference, const VerifyOptions& options) {
    const RunConfig verified = verifiedConfig(config, /*asOneProcess=*/false, options.formats);
    std::vector<RankRun> ranks(static_cast<std::size_t>(verified.parallel.worldSize()));
    runInProcess(verified.parallel.worldSize(), [&](std::int64_t rank, InProcessWorld& world) {
        const ProcessMesh mesh = makeMesh(verified.parallel, rank, world.maker(rank));
        ranks[static_cast<std::size_t>(rank)] = runRank(
            verified, mesh, {options.numSteps, reference.clipNorm, options.bug, kVerifiedLossScale, options.device});
    });
    return compareWithReference(config, reference, ranks);
}

Result<VerifyReport> verifyLayout(const RunConfig& config, const VerifyOptions& options) {
    if (const auto checked = checkVerifiable(config); !checked) return fail(checked.error());
    return verifyInProcess(config, makeReference(config, options), options);
}

}  // namespace slipway::trainer
