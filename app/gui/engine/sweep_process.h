// Sweeps run as separate programs, which outlive the window: `slipway sweep FILE` in its own session. The window
// follows them in the store.
//   sweeps.start({"sweep.json", "--jobs", "2"});   connect(&sweeps, &SweepProcesses::failed, ...);
#pragma once

#include "core/launch/programs.h"
#include "core/process/process.h"
#include "core/spec/run_dir.h"

#include <QObject>
#include <QString>
#include <QTimer>
#include <string>
#include <vector>

namespace slipway::gui {

class SweepProcesses : public QObject {
    Q_OBJECT

public:
    SweepProcesses(Home home, const Programs& programs, QObject* parent = nullptr);

    /// Starts `slipway --home HOME sweep ARGUMENTS...`; its output goes to sweeps/window.log.
    void start(const std::vector<std::string>& arguments);
    /// Any other training command, in the same way; here every exit code except 0 is a failure.
    void startCommand(const std::vector<std::string>& command);
    [[nodiscard]] bool isRunning() const { return !m_children.empty(); }
    /// The command line program; empty when it is not next to the agent.
    [[nodiscard]] const std::filesystem::path& program() const { return m_program; }

signals:
    /// The program is running.
    void started();
    /// It was missing, or failed immediately: its last output.
    void failed(const QString& reason);
    /// It ended, with any outcome.
    void ended();

private:
    struct Child {
        Process process;
        std::uintmax_t logFrom = 0;  ///< start of its output
        bool isSweep = true;
    };
    void startProgram(std::vector<std::string> command, bool isSweep);
    void look();
    void readLastWords(std::uintmax_t from);

    Home m_home;
    std::filesystem::path m_program;
    std::vector<Child> m_children;
    QTimer m_timer{this};
};

}  // namespace slipway::gui
