// Batch size and learning rate recommended by published fits for a model size and training length.
#pragma once

#include <cmath>

namespace slipway {

struct TrainingRecipe {
    double learningRate = 0;
    double batchTokens = 0;
};

/// Step Law (arXiv 2503.04715): lr 1.79 N^-0.713 D^0.307, batch 0.58 D^0.571 tokens; N without embeddings.
inline TrainingRecipe stepLaw(double parameters, double tokens) {
    return {1.79 * std::pow(parameters, -0.713) * std::pow(tokens, 0.307), 0.58 * std::pow(tokens, 0.571)};
}

/// DeepSeek LLM (arXiv 2401.02954, eq. 1): lr 0.3118 C^-0.1250, batch 0.2920 C^0.3271 tokens.
inline TrainingRecipe deepSeekRecipe(double flops) {
    return {0.3118 * std::pow(flops, -0.1250), 0.2920 * std::pow(flops, 0.3271)};
}

/// Batch above which more tokens per step no longer pay off: 2.1e8 L^(-1 / 0.21) tokens at loss L (Kaplan 2020, eq. 5.3).
inline double criticalBatchTokens(double loss) {
    return 2.1e8 * std::pow(loss, -1 / 0.21);
}

}  // namespace slipway
