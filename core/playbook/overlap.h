// When communication hides behind computing: the conditions of the Ultra-Scale Playbook's appendix A3, with bytes
// instead of its elements and without its erroneous factor n.
//   dataParallelOverlapTokens(2, 1e9, 989e12, 50e9) == 19780   // tokens per GPU, H100 behind 50 GB/s
#pragma once

namespace slipway {

/// Least tokens per rank at which the gradients' all-reduce is hidden: e / 2 (n - 1) / n F / B. The same applies to
/// ZeRO-3's gathering of weights in the forward pass. @param valueBytes e, of one element @param peakFlops F of one
/// device @param linkBytesPerSecond B of one device
constexpr double dataParallelOverlapTokens(double valueBytes, double ranks, double peakFlops,
                                           double linkBytesPerSecond) {
    return valueBytes / 2 * (ranks - 1) / ranks * peakFlops / linkBytesPerSecond;
}
/// Communication over computing of a full block with a feed-forward layer of 4 h under tensor parallelism: e / 2 (t -
/// 1) F / B / (12 h). Above 1 it cannot hide.
constexpr double tensorParallelOverlapRatio(double valueBytes, double tp, double peakFlops, double linkBytesPerSecond,
                                            double hidden) {
    return valueBytes / 2 * (tp - 1) * peakFlops / linkBytesPerSecond / (12 * hidden);
}
/// The same for a pipeline's messages: e / 2 F / B / (16 h layers per stage).
constexpr double pipelineOverlapRatio(double valueBytes, double peakFlops, double linkBytesPerSecond, double hidden,
                                      double layersPerStage) {
    return valueBytes / 2 * peakFlops / linkBytesPerSecond / (16 * hidden * layersPerStage);
}

}  // namespace slipway
