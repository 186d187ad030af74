#include "app/gui/pages/playbook_controller.h"

#include "app/gui/pages/plan_controller.h"
#include "app/gui/pages/sweeps_controller.h"
#include "app/gui/text/text.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/net/http.h"
#include "core/process/host_identity.h"

#include <nlohmann/json.hpp>

namespace slipway::gui {
namespace {

constexpr int kLiveMilliseconds = 1000;

/// The list, or an empty one after adding the problem.
template <class T>
std::vector<T> orProblem(Result<std::vector<T>> list, std::vector<Message>& problems) {
    if (list) return std::move(*list);
    problems.push_back(list.error().sentence());
    return {};
}

Result<PlaybookController::Benchmark> readBenchmark(const std::filesystem::path& folder, const Home& home) {
    PlaybookController::Benchmark out;
    auto data = readPublishedData(home, folder);
    if (!data) return slipway::fail(data.error());
    out.data = std::move(*data);
    if (const slipway::Reference* page = out.data.reference(kBenchmarkReference)) out.page = *page;
    out.cells = rankBenchmark(out.data.runs, out.data.facts);
    return out;
}

}  // namespace

PlaybookController::PlaybookController(Context& context, PlanController& plan, SweepsController& sweeps,
                                       QObject* parent)
    : QObject(parent),
      m_context(context),
      m_plan(plan),
      m_sweeps(sweeps),
      m_processes(context.engine.home(), context.engine.programs()) {
    connect(&m_plan, &PlanController::planChanged, this, &PlaybookController::takePlan);
    connect(&m_sweeps, &SweepsController::listChanged, this, &PlaybookController::runChanged);
    connect(&m_processes, &SweepProcesses::failed, this, [this](const QString& reason) {
        emit said(reason);
        if (!m_processes.isRunning()) endRun();  // the start failed
    });
    connect(&m_processes, &SweepProcesses::ended, this, &PlaybookController::endRun);
    m_live.setInterval(kLiveMilliseconds);
    connect(&m_live, &QTimer::timeout, &m_sweeps, &SweepsController::reload);
    takePlan();
}

PlaybookController::~PlaybookController() = default;

void PlaybookController::reload() {
    struct Read {
        std::shared_ptr<const Content> content;
        std::optional<Benchmark> benchmark;
    };
    m_contentJob.start(
        [home = m_context.engine.home()](std::stop_token) -> Result<Read> {
            Read read;
            const auto folder = findPlaybookFolder();
            if (folder.empty())
                return slipway::fail("folder_missing", "The playbook is not installed with the program."_text);
            auto content = std::make_shared<Content>();
            auto playbook = readSoundPlaybook(folder, content->problems);
            if (!playbook) return slipway::fail(playbook.error());
            content->playbook = std::move(*playbook);
            content->lookUps = {
                orProblem(readPreflight(folder), content->problems), orProblem(readSystems(folder), content->problems),
                orProblem(readModels(folder), content->problems), orProblem(readGlossary(folder), content->problems)};
            if (auto benchmark = readBenchmark(folder, home))
                read.benchmark = std::move(*benchmark);
            else
                content->problems.push_back(benchmark.error().sentence());
            for (const Chapter& chapter : content->playbook.chapters)
                content->checks[chapter.id] = runChecks(chapter.checks);
            read.content = std::move(content);
            return read;
        },
        [this](Result<Read> read) {
            m_error = read ? std::nullopt : std::optional(read.error());
            m_content = read ? std::move(read->content) : nullptr;
            m_benchmark = read ? std::move(read->benchmark) : std::nullopt;
            emit loaded();
            m_costMachine.clear();
            findCosts();
        });
    readJournal();
}

const std::vector<Message>& PlaybookController::problems() const {
    static const std::vector<Message> none;
    return m_content ? m_content->problems : none;
}

const std::vector<CheckResult>& PlaybookController::checks(const Chapter& chapter) const {
    return m_content->checks.at(chapter.id);
}

void PlaybookController::readJournal() {
    struct Journal {
        Result<std::vector<Guess>> guesses;
        Result<std::vector<Json>> records;
        Result<std::map<std::string, std::string>> remarks;
    };
    m_journalJob.start(
        [home = m_context.engine.home()](std::stop_token) {
            return Journal{guessesOf(home), recordsOf(home), remarksOf(home)};
        },
        [this](Journal journal) {
            if (!journal.guesses) return emit said(errorText(journal.guesses.error()));
            if (!journal.records) return emit said(errorText(journal.records.error()));
            if (!journal.remarks) return emit said(errorText(journal.remarks.error()));
            m_remarks = std::move(*journal.remarks);
            m_guesses = std::move(*journal.guesses);
            m_records = std::move(*journal.records);
            emit journalChanged();
        });
}

ExperimentStanding PlaybookController::standing(const Experiment& experiment) const {
    const Json* record = ownRecord(m_records, experiment.id, thisHost().host);
    return standingOf(experiment, record == nullptr ? Json(nullptr) : *record, guessFor(experiment.id));
}

void PlaybookController::guess(const std::string& subject, double value) {
    if (guessFor(subject) != nullptr) return;
    runOnce(
        this,
        [home = m_context.engine.home(),
         guess = Guess{subject, value, unixMillisecondsNow(), {}}](std::stop_token) -> Result<void> {
            const auto before = guessesOf(home);
            if (!before) return slipway::fail(before.error());
            if (firstGuess(*before, guess.subject) != nullptr) return {};  // made by another program in the meantime
            return addGuess(home, guess);
        },
        [this](const Result<void>& added) {
            if (!added) emit said(errorText(added.error()));
            readJournal();
        });
}

std::string PlaybookController::remarkOn(const std::string& subject) const {
    const auto found = m_remarks.find(subject);
    return found == m_remarks.end() ? "" : found->second;
}

void PlaybookController::remark(const std::string& subject, const std::string& text) {
    if (remarkOn(subject) == text) return;
    runOnce(
        this,
        [home = m_context.engine.home(), remark = Remark{subject, text, unixMillisecondsNow()}](std::stop_token) {
            return addRemark(home, remark);
        },
        [this](const Result<void>& added) {
            if (!added) emit said(errorText(added.error()));
            readJournal();
        });
}

ReplayResult PlaybookController::replay(const Experiment& experiment) const {
    return m_benchmark ? replayOf(experiment, m_benchmark->data) : ReplayResult{};
}

void PlaybookController::takeReference(const slipway::Reference& reference, const std::string& fromFile) {
    if (m_isFetching || !m_benchmark) return;
    m_isFetching = true;
    emit loaded();
    runOnce(
        this,
        [home = m_context.engine.home(), folder = m_content->playbook.folder, reference,
         fromFile](std::stop_token stop) -> Result<Benchmark> {
            const auto body = fromFile.empty()
                                  ? httpGet(reference.url, {.maxBytes = kMostReferenceBytes, .stop = std::move(stop)})
                                  : readFile(fromFile);
            if (!body) return slipway::fail(body.error());
            if (auto kept = keepReference(home, reference, *body); !kept) return slipway::fail(kept.error());
            return readBenchmark(folder, home);
        },
        [this](Result<Benchmark> benchmark) {
            m_isFetching = false;
            if (benchmark)
                m_benchmark = std::move(*benchmark);
            else
                emit said(errorText(benchmark.error()));
            emit loaded();
        });
}

std::vector<ExperimentStanding> PlaybookController::theirStandings(const Experiment& experiment) const {
    std::vector<ExperimentStanding> all;
    for (const Json* record : theirRecords(m_records, experiment.id, thisHost().host))
        all.push_back(standingOf(experiment, *record, nullptr));
    return all;
}

ReaderState PlaybookController::reader() const {
    ReaderState out{m_guesses, m_records, thisHost().host, {}};
    if (const auto plan = m_plan.plan()) out.plan = *plan;
    return out;
}

std::string PlaybookController::recordText(const Experiment& experiment) const {
    const Json* record = ownRecord(m_records, experiment.id, thisHost().host);
    return record == nullptr ? "" : dumpJson(*record, true);
}

void PlaybookController::takeRecord(const std::string& file) {
    runOnce(
        this,
        [home = m_context.engine.home(), file](std::stop_token) -> Result<void> {
            const auto record = readJsonFile(file);
            if (!record) return slipway::fail(record.error());
            if (auto right = checkRecord(*record); !right) return right;
            return addRecord(home, *record);
        },
        [this](const Result<void>& added) {
            if (!added) emit said(errorText(added.error()));
            readJournal();
        });
}

void PlaybookController::run(const Experiment& experiment, bool isShort, std::int64_t repeats) {
    if (!m_running.empty()) return;
    m_running = experiment.id;
    std::vector<std::string> command{"playbook", "run", experiment.id, "--content",
                                     m_content->playbook.folder.string()};
    if (isShort) command.emplace_back("--short");
    if (repeats > 0) command.insert(command.end(), {"--repeats", std::to_string(repeats)});
    m_processes.startCommand(command);
    m_live.start();
    emit runChanged();
}

void PlaybookController::endRun() {
    m_running.clear();
    m_live.stop();
    readJournal();
    emit runChanged();
}

QString PlaybookController::progress() const {
    for (const SweepRow& row : m_sweeps.rows()) {
        const bool isIts = row.name.startsWith(QString::fromLatin1(m_running.c_str()));
        if (isIts && row.stage == SweepStage::Running)
            return tr("Trial %1 of %2").arg(row.counts.settled() + 1).arg(row.counts.total - row.counts.skipped);
    }
    const Experiment* experiment = playbook() == nullptr ? nullptr : playbook()->experiment(m_running);
    return experiment != nullptr && !experiment->bench.empty() ? tr("Measuring…") : tr("Starting…");
}

void PlaybookController::findCost(QObject* whoAsks, const Experiment& experiment, bool isShort,
                                  std::function<void(const Result<ExperimentCost>&)> done) {
    runOnce(
        whoAsks,
        [experiment, isShort, machine = m_plan.thisMachine()](std::stop_token) -> Result<ExperimentCost> {
            return costOf(experiment, isShort, machine);
        },
        std::move(done));
}

void PlaybookController::takePlan() {
    m_broken = brokenRules(m_plan.document().config, m_plan.document().cluster);
    emit planChanged();
    findCosts();
}

const PlaybookController::Costs& PlaybookController::costs(const Experiment& experiment) const {
    static const Costs none;
    const auto found = m_costs.find(experiment.id);
    return found == m_costs.end() ? none : found->second;
}

// Plans every point of all experiments, so only where the machine is another one than before.
void PlaybookController::findCosts() {
    std::string machine = dumpJson(toJson(m_plan.thisMachine()), false);
    if (!m_content || m_costMachine == machine) return;
    m_costMachine = std::move(machine);
    m_costJob.start(
        [content = m_content, machine = m_plan.thisMachine()](const std::stop_token& stop) {
            std::map<std::string, Costs> all;
            for (const Experiment& experiment : content->playbook.experiments) {
                if (stop.stop_requested()) break;
                auto shortForm = costOf(experiment, true, machine), fullForm = costOf(experiment, false, machine);
                if (shortForm && fullForm) all[experiment.id] = {std::move(*shortForm), std::move(*fullForm)};
            }
            return all;
        },
        [this](std::map<std::string, Costs> all) {
            m_costs = std::move(all);
            emit costsChanged();
        });
}

}  // namespace slipway::gui
