// Reference data of the playbook: systems of the sources, large models with their published shapes, and the glossary in two languages.
//   auto systems = readSystems(playbook.folder);   auto words = readGlossary(playbook.folder);
#pragma once

#include "core/playbook/playbook.h"

#include <optional>

namespace slipway {

struct TrainingSystem {
    std::string id, title;
    LocalText offers;
    std::vector<std::string> axes;  ///< supported layout axes: dp, tp, pp, cp, ep
    std::string configFormat;       ///< of `slipway convert`; empty: none
    std::string launchFormat;       ///< of a launch file; empty: none
    std::string url, source;
};

/// A model as published; empty values were not published.
struct PublishedModel {
    std::string name;
    std::int64_t year = 0;
    /// parameters, active_parameters, num_layers, hidden_size, ffn_hidden_size, num_heads, num_kv_heads, vocab_size, max_seq_len, tokens
    std::vector<std::pair<std::string, std::optional<double>>> values;
    std::string note, source;
};

/// A point of the pre-flight list that no program can check. It is ticked by a remark (journal.h) on its subject().
struct PreflightPoint {
    std::string id;
    LocalText text;
    [[nodiscard]] std::string subject() const { return "preflight/" + id; }
};

struct GlossaryTerm {
    std::string english, korean;
};

/// catalogue/systems.json, preflight.json and models.json of the playbook's folder. "bad_playbook" with every problem.
Result<std::vector<TrainingSystem>> readSystems(const std::filesystem::path& folder);
Result<std::vector<PreflightPoint>> readPreflight(const std::filesystem::path& folder);
Result<std::vector<PublishedModel>> readModels(const std::filesystem::path& folder);
/// The table of docs/glossary.md: next to the sources, or installed in the playbook's folder. "file_missing".
Result<std::vector<GlossaryTerm>> readGlossary(const std::filesystem::path& folder);

}  // namespace slipway
