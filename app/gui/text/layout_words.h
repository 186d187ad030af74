// A parallel layout in one line of the window's words.
//   layoutWords(p, 2, RecomputePolicy::Full) == "DP 4, TP 8, PP 4, ZeRO-1, SP, 1f1b, recompute full, micro-batch 2"
//   in Korean                                == "DP 4, TP 8, PP 4, ZeRO-1, SP, 1F1B, 전체 재계산, 마이크로배치 2"
#pragma once

#include "core/planner/search/explain_layout.h"
#include "core/planner/search/search_space.h"
#include "core/spec/run_config.h"

#include <QString>
#include <QStringList>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::gui {

/// layoutMessage() in the language of the window.
QString layoutWords(const ParallelLayout& parallel, std::int64_t microBatchSize, RecomputePolicy recompute);
/// The config field of an axis of the search: SearchAxis::Recompute -> "train.recompute.policy".
std::string axisField(SearchAxis axis);
/// Differences of `to` from `from`, by axis: "Shard group: 4, Offload: Optimizer states"; empty if none.
QString layoutChangeWords(const RunConfig& from, const RunConfig& to);
/// A choice without the explanation after its colon: ("parallel.schedule", "afab") -> "AFAB".
QString choiceWord(std::string_view path, std::string_view word);

/// A formatted value of a config field, from its JSON: options as in the forms, yes and no.
QString valueWords(std::string_view path, std::string_view json);

/// For each limit that no layout can meet, the reason: "Nothing can have Tensor parallel (tp) 3. model.num_heads is 64, ...".
QStringList impossibleSentences(const std::vector<ImpossibleLimit>& limits);

/// A sentence about a config with the form's names of degrees: "tp" for "parallel.tp".
QString withFormWords(QString sentence);

}  // namespace slipway::gui
