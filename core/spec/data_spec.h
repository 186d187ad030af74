// DataSpec: the tokens of a run, and the batches corrupted on purpose to provoke a loss spike.
#pragma once

#include "core/base/field_table.h"

#include <cstdint>
#include <optional>
#include <string>

namespace slipway {

struct DataSpec {
    std::string tokens;
    std::optional<std::int64_t> ignoreTokenId;
    std::optional<std::int64_t> documentEndId;
    std::int64_t poisonStep = 0;
    std::int64_t poisonSteps = 3;

    /// The batch of this step (from 1) consists of random tokens.
    [[nodiscard]] bool isPoisoned(std::int64_t step) const {
        return poisonStep > 0 && step >= poisonStep && step < poisonStep + poisonSteps;
    }

    template <class Self, class V>
    static void visit(Self& s, V& v) {
        v(field("tokens")
              .label("Token file"_text)
              .help("Token file from `slipway corpus`; a relative path refers to the corpora folder."_text),
          s.tokens);
        v(field("ignore_token_id")
              .label("Ignored token"_text)
              .help("Target id excluded from the loss."_text)
              .atLeast(0)
              .advanced(),
          s.ignoreTokenId);
        v(field("document_end_id")
              .label("End of a document"_text)
              .help("Token at the end of a document, where attention stops. Default: attention crosses documents."_text)
              .atLeast(0)
              .advanced(),
          s.documentEndId);
        v(field("poison_step")
              .label("First poisoned step"_text)
              .unit("steps"_text)
              .help("First step that trains on random tokens, to rehearse a loss spike; 0 disables poisoning."_text)
              .atLeast(0)
              .advanced(),
          s.poisonStep);
        v(field("poison_steps")
              .label("Poisoned steps"_text)
              .unit("steps"_text)
              .help("Number of consecutive steps that train on random tokens."_text)
              .range(1, 1000000)
              .when(s.poisonStep > 0, "poison_step is above 0"_text)
              .advanced(),
          s.poisonSteps);
    }
};

}  // namespace slipway
