// Texts of core in the language of the window.
#pragma once

#include "core/base/field_table.h"
#include "core/base/result.h"
#include "core/spec/run_dir.h"

#include <QString>
#include <string>
#include <string_view>

namespace slipway::gui {

/// A message of core in the language of the window.
QString messageText(const Message& message);
/// A sentence recorded in English, such as the reason of a run, in the language of the window.
QString recordedWords(const std::string& english);

/// Label of a config field ("parallel.tp" -> "Tensor parallel (tp)"); the key itself when there is none.
QString fieldLabel(std::string_view path);
bool hasFieldLabel(std::string_view path);
/// A choice with its meaning: ("parallel.zero_stage", "1") -> "1: optimizer states"; the word itself when no meaning is needed.
QString choiceText(std::string_view path, const std::string& word);

/// The sentence of an issue or error; in Korean after the label of its field.
QString issueText(const Issue& issue);
QString errorText(const Error& error);

/// The FLOP convention of an MFU, from its letter in files (FlopsRule): "C" -> "causal".
QString mfuRuleText(std::string_view rule);

QString statusText(RunStatus status);
/// Words of the database: RunStatus and "skipped".
QString statusText(std::string_view word);

/// Title of a run field, figure, metric or config field (core/metrics/titles.h).
QString columnTitle(std::string_view name);

}  // namespace slipway::gui
