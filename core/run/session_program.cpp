// Runs of the user's programs: how a session makes and starts them.
#include "core/base/clock.h"
#include "core/base/version.h"
#include "core/run/session_impl.h"

#include <unistd.h>

namespace slipway {

Result<RunSession> RunSession::createProgram(RunStore& store, const Home& home, const ProgramRequest& request,
                                             std::int64_t now, const Programs& programs) {
    auto impl = std::make_unique<Impl>();
    impl->store = &store;
    impl->home = home;
    impl->programs = programs;
    impl->id = RunId(makeId(now, randomEntropy()));
    impl->program = request.program;
    impl->isShapeKnown = impl->isLengthKnown = false;
    const auto folder = home.run(impl->id);
    if (!folder) return fail(folder.error());
    impl->folder = *folder;
    NewRun run;
    run.id = impl->id;
    run.config.name = run.name = request.name.empty() ? programName(request.program.command.arguments) : request.name;
    run.tags = request.tags;
    run.given.emplace();
    impl->config = run.config;
    run.documents = programDocuments(request.program);
    if (request.restart != "off") run.documents.push_back(restartDocument({request.restart, {}}));
    if (const auto created = store.createRun(run, now); !created) return fail(created.error());
    auto launcher = makeLauncher("local", programs, home);
    if (!launcher) return fail(launcher.error());
    impl->launcher = std::move(*launcher);
    return RunSession(std::move(impl));
}

/// The same argument vector in the same folder. Resuming is up to the program.
LaunchPlan RunSession::Impl::programPlan(std::int64_t attemptNumber, std::int64_t now) const {
    LaunchRequest request;
    request.run = id;
    request.attempt = attemptNumber;
    request.folder = folder;
    request.home = home.path;
    request.createdUnixMilliseconds = now;
    request.version = versionText();
    return makeProgramPlan(program->command, request);
}

Issues RunSession::Impl::programReadiness() const {
    Issues issues;
    const auto require = [&](const std::filesystem::path& path, const Message& whenMissing) {
        if (path.empty() || ::access(path.c_str(), F_OK) != 0)
            issues.push_back(issueOf(Severity::Error, "program_missing", "", whenMissing));
        else if (::access(path.c_str(), X_OK) != 0)
            issues.push_back(
                issueOf(Severity::Error, "program_not_executable", "", "%1 cannot be executed."_text(path.string())));
    };
    const std::filesystem::path path = program->command.arguments.front();
    require(programs.agent,
            "%1 was not found in the folder of this program; build it, or name its folder in SLIPWAY_BIN_DIR."_text(
                std::string("slipway-agent")));
    require(path, "There is no program %1."_text(path.string()));
    require(program->command.folder, "Folder not found: %1."_text(program->command.folder));
    return issues;
}

/// The program has recorded its config: the row takes over the contents of config.json.
void RunSession::Impl::takeConfig() {
    const auto files = readRunFiles(folder);
    if (!files) return problem(files.error());
    config = files->config;
    isShapeKnown = files->isShapeKnown;
    isLengthKnown = files->isLengthKnown;
    if (const auto read = store->rereadConfig(id); !read) problem(read.error());
}

}  // namespace slipway
