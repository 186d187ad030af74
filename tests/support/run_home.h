// A home folder with a token file and a tiny config, for tests that run fake_trainer through the real agent.
#pragma once

#include "core/base/clock.h"
#include "core/launch/programs.h"
#include "core/run/run_session.h"
#include "core/spec/run_config.h"
#include "core/spec/run_dir.h"
#include "core/spec/token_file.h"
#include "tests/support/temp_dir.h"

#include <cstdlib>
#include <vector>

namespace slipway::test {

/// A config that fits the token file of RunHome. @param name may carry a script of fake_trainer: "tiny [crash@5]"
inline RunConfig tinyConfig(const std::string& name, std::int64_t numSteps = 20, std::int64_t dp = 1) {
    RunConfig config;
    config.name = name;
    config.model.numLayers = 2;
    config.model.hiddenSize = 32;
    config.model.ffnHiddenSize = 64;
    config.model.numHeads = 2;
    config.model.numKvHeads = 2;
    config.model.vocabSize = 64;
    config.model.maxSeqLen = 16;
    config.train.seqLen = 16;
    config.train.globalBatchSize = 4;
    config.train.microBatchSize = 1;
    config.train.numSteps = numSteps;
    config.parallel.dp = dp;
    config.data.tokens = "tiny.tok";
    return config;
}

struct RunHome {
    TempDir temp;
    Home home{temp.path() / "home"};
    Programs programs;

    RunHome() {
        std::filesystem::create_directories(home.corpora());
        std::vector<std::uint32_t> tokens(1000);
        for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<std::uint32_t>(i * 7 % 64);
        (void)writeTokenFile(home.corpora() / "tiny.tok", tokens, 64, "");
        const std::filesystem::path bin = SLIPWAY_BIN_DIR;
        programs = {bin / "slipway-agent", bin / "fake" / "slipway-trainer"};
    }

    /// Polls until the run has ended; false when that takes longer than `seconds`. Events are collected.
    static bool finish(RunSession& session, double seconds, std::vector<RunEvent>* events = nullptr) {
        return waitUntil(seconds, [&] {
            for (RunEvent& event : session.poll(unixMillisecondsNow()))
                if (events != nullptr) events->push_back(std::move(event));
            return session.done();
        });
    }
};

}  // namespace slipway::test
