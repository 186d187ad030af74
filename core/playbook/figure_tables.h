// The tables of figure models by topic; figureModels() joins them.
#pragma once

#include "core/playbook/figure_model.h"

namespace slipway {

std::vector<FigureModel> sizeFigures();      // parameters, FLOPs, money, scaling laws, data
std::vector<FigureModel> corpusFigures();    // filters, near-duplicates, targets, checkpoint files
std::vector<FigureModel> memoryFigures();    // state, activations, recomputation, checkpoints
std::vector<FigureModel> parallelFigures();  // links, shards, matrices, pipelines, layouts
std::vector<FigureModel> trainingFigures();  // precision, schedules, batches, stability
std::vector<FigureModel> podFigures();       // exercises of the scaling book

}  // namespace slipway

/// Declarations of inputs, and words of enumerations as choices.
namespace slipway::figures {

inline FigureInput number(std::string_view key, std::string_view value, double low, double high) {
    return {key, FigureInputKind::Number, value, low, high};
}
inline FigureInput whole(std::string_view key, std::string_view value, double low, double high) {
    return {key, FigureInputKind::Whole, value, low, high};
}
/// 0 or 1.
inline FigureInput yesNo(std::string_view key, std::string_view value) {
    return whole(key, value, 0, 1);
}
inline FigureInput choice(std::string_view key, std::string_view value, std::vector<std::string> (*choices)()) {
    return {key, FigureInputKind::Choice, value, 0, 0, choices};
}

template <class E>
std::vector<std::string> wordsOfEnum() {
    std::vector<std::string> words;
    for (const auto& name : enumNames(E{})) words.emplace_back(name.word);
    return words;
}
template <class E>
E enumOfWord(const std::string& word) {
    for (const auto& name : enumNames(E{}))
        if (name.word == word) return name.value;
    return E{};
}

}  // namespace slipway::figures
