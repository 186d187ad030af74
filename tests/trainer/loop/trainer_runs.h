// Runs the real slipway-trainer in a folder of its own: configs, ranks, metric lines.
#pragma once

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/spec/agent_files.h"
#include "core/spec/run_config.h"
#include "core/spec/run_dir.h"
#include "core/spec/token_file.h"
#include "tests/support/temp_dir.h"
#include "tests/trainer/comm/backends.h"

#include <nlohmann/json.hpp>

#include <QProcess>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace slipway::test {

/// A tiny model that learns something in a few steps.
inline RunConfig tinyRun(std::int64_t numSteps) {
    RunConfig config;
    config.name = "tiny";
    config.model.numLayers = 2;
    config.model.hiddenSize = 32;
    config.model.ffnHiddenSize = 48;
    config.model.numHeads = 4;
    config.model.numKvHeads = 2;
    config.model.vocabSize = 64;
    config.model.maxSeqLen = 16;
    config.model.tieEmbeddings = true;
    config.train.seqLen = 16;
    config.train.globalBatchSize = 8;
    config.train.microBatchSize = 2;
    config.train.numSteps = numSteps;
    config.optimizer.lr = 5e-3;
    config.optimizer.schedule.warmupSteps = 2;
    return config;
}

struct TrainerRun {
    TempDir temp;
    RunDir dir{temp.path() / "runs" / "r"};
    RunConfig config;
    std::vector<std::unique_ptr<QProcess>> ranks;
    std::int64_t absent = -1;  ///< a rank that never starts
    QString master = "127.0.0.1";
    std::pair<std::int64_t, std::vector<std::string>> moreOfRank{-1, {}};  ///< arguments of one rank alone

    explicit TrainerRun(RunConfig given) : config(std::move(given)) {
        std::filesystem::create_directories(dir.path);
        std::filesystem::create_directories(temp.path() / "corpora");
        std::vector<std::uint32_t> tokens(3000);
        for (std::size_t i = 0; i < tokens.size(); ++i)
            tokens[i] = static_cast<std::uint32_t>((i * i / 3 + i * 7) % 61);
        if (config.data.tokens.empty()) config.data.tokens = "tiny.tok";
        (void)writeTokenFile(temp.path() / "corpora" / "tiny.tok", tokens, 64, "");
        (void)writeJsonFile(dir.config(), toJson(config));
    }
    ~TrainerRun() {
        for (auto& rank : ranks) {
            if (rank->state() != QProcess::NotRunning) {
                rank->kill();
                rank->waitForFinished();
            }
        }
    }

    /// Starts all ranks as processes, or one process with --backend in_process.
    void start(const std::vector<std::string>& more = {}, bool threads = false) {
        ranks.clear();
        const std::uint16_t port = freePort();
        const std::int64_t count = threads ? 1 : config.parallel.worldSize();
        for (std::int64_t rank = 0; rank < count; ++rank) {
            if (rank == absent) continue;
            auto process = std::make_unique<QProcess>();
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.remove("SLIPWAY_HOME");
            environment.insert("OMP_NUM_THREADS", "1");
            if (!threads) {
                environment.insert("RANK", QString::number(rank));
                environment.insert("LOCAL_RANK", QString::number(rank));
                environment.insert("WORLD_SIZE", QString::number(count));
                environment.insert("MASTER_ADDR", master);
                environment.insert("MASTER_PORT", QString::number(port));
            }
            process->setProcessEnvironment(environment);
            QStringList arguments{"--config", QString::fromStdString(dir.config().string()), "--run-dir",
                                  QString::fromStdString(dir.path.string())};
            if (threads)
                arguments << "--backend"
                          << "in_process";
            for (const std::string& argument : more) arguments << QString::fromStdString(argument);
            if (rank == moreOfRank.first)
                for (const std::string& argument : moreOfRank.second) arguments << QString::fromStdString(argument);
            process->start(QString::fromUtf8(SLIPWAY_BIN_DIR "/slipway-trainer"), arguments);
            ranks.push_back(std::move(process));
        }
        for (auto& process : ranks) process->waitForStarted(30000);
    }

    /// Exit codes of all ranks; -1 for one that did not end in time, 1000 + signal for a killed one.
    std::vector<int> wait(int seconds = 120) {
        std::vector<int> codes;
        for (auto& process : ranks) {
            if (process->state() != QProcess::NotRunning && !process->waitForFinished(seconds * 1000)) {
                codes.push_back(-1);
                continue;
            }
            codes.push_back(process->exitStatus() == QProcess::NormalExit ? process->exitCode()
                                                                          : 1000 + process->exitCode());
        }
        return codes;
    }

    std::vector<int> run(const std::vector<std::string>& more = {}, bool threads = false) {
        start(more, threads);
        return wait();
    }

    [[nodiscard]] std::string errors() {
        std::string text;
        for (auto& process : ranks) text += process->readAllStandardError().toStdString();
        return text;
    }

    [[nodiscard]] std::vector<Json> lines() const {
        std::vector<Json> found;
        const auto text = readFile(dir.metrics());
        std::istringstream stream(text ? *text : std::string());
        for (std::string line; std::getline(stream, line);)
            if (auto json = parseJson(line, "metrics"); json) found.push_back(std::move(*json));
        return found;
    }
    /// Step -> value, the last attempt wins.
    [[nodiscard]] std::map<std::int64_t, double> metric(const std::string& name) const {
        std::map<std::int64_t, double> values;
        for (const Json& line : lines())
            if (line.at("kind") == "step")
                values[line.at("step").get<std::int64_t>()] =
                    numberFromJson(line.at("values").at(name), name).value_or(-1);
        return values;
    }
    [[nodiscard]] std::int64_t lastStep() const {
        const auto losses = metric("loss");
        return losses.empty() ? 0 : losses.rbegin()->first;
    }
    [[nodiscard]] Json end() const {
        const auto all = lines();
        return !all.empty() && all.back().at("kind") == "end" ? all.back() : Json(nullptr);
    }
};

}  // namespace slipway::test
