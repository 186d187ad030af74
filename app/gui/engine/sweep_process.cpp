#include "app/gui/engine/sweep_process.h"

#include "app/gui/engine/jobs.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/base/file.h"

#include <algorithm>

namespace slipway::gui {
namespace {

constexpr int kLookMilliseconds = 500;
constexpr int kUsage =
    2;  // exit codes of slipway (ARCHITECTURE.md): 1 is a sweep with failed trials, which the page shows

std::filesystem::path logFile(const Home& home) {
    return home.sweeps() / "window.log";
}

/// The last sentence printed by the program; several lines for a list of problems.
QString lastWords(const std::string& text) {
    const auto begin = text.rfind("error:");
    return shownLines(begin == std::string::npos ? text.substr(text.size() - std::min<std::size_t>(text.size(), 400))
                                                 : text.substr(begin + 6))
        .trimmed();
}

}  // namespace

SweepProcesses::SweepProcesses(Home home, const Programs& programs, QObject* parent)
    : QObject(parent), m_home(std::move(home)) {
    if (!programs.agent.empty()) m_program = programs.agent.parent_path() / "slipway";
    connect(&m_timer, &QTimer::timeout, this, &SweepProcesses::look);
}

void SweepProcesses::start(const std::vector<std::string>& arguments) {
    std::vector<std::string> command{"sweep"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    startProgram(std::move(command), true);
}

void SweepProcesses::startCommand(const std::vector<std::string>& command) {
    startProgram(command, false);
}

void SweepProcesses::startProgram(std::vector<std::string> command, bool isSweep) {
    struct Started {
        Result<Process> process = slipway::fail(Error{});
        std::uintmax_t logFrom = 0;
    };
    std::vector<std::string> all{m_program.string(), "--home", m_home.path.string()};
    all.insert(all.end(), std::make_move_iterator(command.begin()), std::make_move_iterator(command.end()));
    runOnce(
        this,
        [home = m_home, all = std::move(all)](std::stop_token) {
            Started out;
            if (auto made = makeFolders(home.sweeps()); !made) {
                out.process = slipway::fail(made.error());
                return out;
            }
            std::error_code code;
            const auto size = std::filesystem::file_size(logFile(home), code);
            out.logFrom = code ? 0 : size;
            ProcessSpec spec;
            spec.arguments = all;
            spec.output = logFile(home);
            spec.newSession = true;
            out.process = Process::start(spec);
            return out;
        },
        [this, isSweep](Started begun) {
            if (!begun.process) return emit failed(errorText(begun.process.error()));
            m_children.push_back({std::move(*begun.process), begun.logFrom, isSweep});
            m_timer.start(kLookMilliseconds);
            emit started();
        });
}

void SweepProcesses::look() {
    bool hasEnded = false;
    for (auto child = m_children.begin(); child != m_children.end();) {
        const auto over = child->process.poll();
        if (!over) {
            ++child;
            continue;
        }
        if (over->code == kUsage || over->signal != 0 || (!child->isSweep && over->code != 0))
            readLastWords(child->logFrom);
        child = m_children.erase(child);
        hasEnded = true;
    }
    if (m_children.empty()) m_timer.stop();
    if (hasEnded) emit ended();
}

void SweepProcesses::readLastWords(std::uintmax_t from) {
    runOnce(
        this, [file = logFile(m_home)](std::stop_token) { return readFile(file); },
        [this, from](const Result<std::string>& text) {
            emit failed(text ? lastWords(text->substr(std::min<std::size_t>(text->size(), from)))
                             : errorText(text.error()));
        });
}

}  // namespace slipway::gui
