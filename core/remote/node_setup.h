// NodeSetup: installs this computer's trainer and libtorch on a node without them. Repeating it skips completed steps.
//   NodeSetup setup(node, options, {...});   while (!setup.done()) setup.poll(now);   setup.error()
#pragma once

#include "core/remote/errands.h"
#include "core/remote/node_check.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slipway {

/// The installed files of a trainer: its start script, the program, and the scripts that fetch libtorch.
struct TrainerFiles {
    struct File {
        std::filesystem::path path;
        std::string relative;  ///< in an installation: "bin/slipway-trainer"
        bool execute = false;
    };
    std::vector<File> files;
    std::vector<File>
        libtorch;  ///< libraries of this computer's libtorch, for nodes without a way to PyPI; may be empty
};
/// Of an installed trainer or of one in a build folder; "program_missing" names the missing file. @param trainer bin/slipway-trainer
Result<TrainerFiles> trainerFiles(const std::filesystem::path& trainer);

class NodeSetup {
public:
    struct Request {
        std::string version;  ///< required version of the trainer there
        TrainerFiles files;
        std::string torch;          ///< folder of a torch package on the node; empty: python3's there, else fetched
        bool uploadsTorch = false;  ///< copy this computer's libtorch instead of fetching it
    };
    NodeSetup(NodeRecord node, SshOptions options, Request request);
    NodeSetup(const NodeSetup&) = delete;
    NodeSetup& operator=(const NodeSetup&) = delete;

    void poll(double nowSeconds);
    [[nodiscard]] bool done() const { return m_phase == Phase::Done || m_error; }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    /// Current activity, for people.
    [[nodiscard]] Message progress() const;
    /// Copied fraction of all files, in [0, 1]; empty while none is being copied.
    [[nodiscard]] std::optional<double> share() const;
    /// The trainer there, once it is done.
    [[nodiscard]] const std::string& trainer() const { return m_trainer; }
    /// Nothing was missing.
    [[nodiscard]] bool wasReady() const { return m_wasReady; }
    [[nodiscard]] NodeLink& link() { return m_link; }

private:
    enum class Phase { Look, Trainer, Try, Fetch, Upload, LastTry, Done };
    void enter(Phase phase);
    void askTrainer(const std::string& path);
    void push(const std::vector<TrainerFiles::File>& files);
    void fetch();

    NodeLink m_link;
    Request m_request;
    Errands m_errands;
    Phase m_phase = Phase::Look;
    NodeFacts m_facts;
    std::string m_trainer, m_version, m_problem, m_words;
    bool m_isFetched = false, m_wasReady = false;
    double m_now = 0, m_askAgain = 0;
    std::string m_file;
    std::uint64_t m_here = 0, m_all = 0;  ///< bytes of all files to copy
    std::optional<Error> m_error;
};

}  // namespace slipway
