#include "core/launch/slurm_login.h"

#include "core/base/file.h"
#include "core/base/own_file.h"
#include "core/launch/remote_start.h"
#include "core/launch/slurm_script.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr double kTrainerSeconds = 120;
constexpr double kPlanSeconds = 2;

std::string textIn(const Json& json, const char* key) {
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
}

}  // namespace

std::uint64_t SlurmLogin::run(const std::vector<std::string>& arguments) {
    const std::uint64_t command =
        m_link->ask(Json{{"do", "slurm"}, {"arguments", arguments}}, {}, kPatienceSeconds + NodeLink::kAnswerSeconds);
    m_commands.insert(command);
    return command;
}

std::uint64_t SlurmLogin::write(const fs::path& folder, const std::string& run, const std::string& name,
                                const std::string& text) {
    const fs::path path = folder.filename() / name;  // the agent knows the folder of the run
    const std::uint64_t command =
        m_link->ask(Json{{"do", "write"}, {"home", m_link->node().home}, {"run", run}, {"path", path.string()}}, text);
    m_commands.insert(command);
    m_writes.insert(command);
    return command;
}

void SlurmLogin::bring(const LaunchPlan& plan, const RunDir& folder, const fs::path& data,
                       std::function<std::string(const LaunchPlan&, const Place&)> script) {
    const std::string home = m_link->node().home, run = plan.runId;
    m_errands = std::make_unique<Errands>();
    m_facts = {};
    m_errands->add(simpleErrand(Json{{"do", "hello"}}, {}, [this](const Frame& frame) {
        readHello(*frame.header, m_facts);
        m_place.agent = textIn(*frame.header, "agent");
    }));
    m_errands->add(simpleErrand(Json{{"do", "facts"}, {"home", home}}, {}, [this, run](const Frame& frame) {
        readFacts(*frame.header, m_facts);
        m_place.folder = RunDir{fs::path(m_facts.home) / "runs" / run};
    }));
    m_errands->add(simpleErrand(
        Json{{"do", "trainer"}, {"home", home}, {"path", m_link->node().trainer}}, {},
        [this](const Frame& frame) { m_facts.trainer = textIn(*frame.header, "path"); }, kTrainerSeconds));
    m_errands->add(simpleErrand(Json{{"do", "clear"}, {"home", home}, {"run", run}}));
    const auto place = [&](const std::string& path, std::function<Result<std::string>()> text) {
        Errand errand;
        errand.make = [home, run, path, text = std::move(text)]() -> Result<std::optional<Errand::Ask>> {
            auto content = text();
            if (!content) return fail(content.error());
            return Errand::Ask{
                std::make_shared<const Json>(Json{{"do", "write"}, {"home", home}, {"run", run}, {"path", path}}),
                std::move(*content)};
        };
        errand.take = [](const Frame&, const Error* error) -> Result<bool> {
            if (error != nullptr) return fail(*error);
            return true;
        };
        m_errands->add(std::move(errand));
    };
    const auto config = readOwnJson(folder.config()).value_or(Json::object());
    const auto hash = data.empty() ? nullptr : std::make_shared<FileHash>(data);
    if (hash) addFilePush(*m_errands, {hash, home, "corpora/{}.tok"});
    place("config.json", [config, hash]() -> Result<std::string> {
        // There the data is named by its content, for any local name.
        Json own = config;
        if (hash) own["data"]["tokens"] = hash->sha256() + ".tok";
        return dumpJson(own, true);
    });
    const auto planThere = [this, plan] {
        LaunchPlan own = plan;
        for (const NodePlan& node : plan.nodes) own = planOnNode(own, node.node, m_facts, "");
        return own;
    };
    place("launch.json", [planThere]() -> Result<std::string> { return dumpJson(toJson(planThere()), true); });
    place("logs/slurm.log", []() -> Result<std::string> { return std::string(); });
    if (!script) return;
    place(slurmScriptFile(RunDir{}).string(), [this, planThere, script = std::move(script)]() -> Result<std::string> {
        return script(planThere(), m_place);
    });
}

Result<bool> SlurmLogin::isBrought() const {
    if (!m_errands) return false;
    if (m_errands->error()) return fail(*m_errands->error());
    return m_errands->done();
}

void SlurmLogin::follow(const LaunchPlan& plan, const RunDir& folder) {
    m_plan = plan;
    m_folder = folder;
    lookAgain();
}

void SlurmLogin::lookAgain() {
    m_mirrors.clear();
    for (const NodePlan& node : m_plan.nodes) {
        std::set<std::int64_t> ranks;
        for (const RankCommand& rank : node.ranks) ranks.insert(rank.rank);
        m_mirrors.push_back(
            std::make_unique<RunMirror>(m_folder, m_plan.runId, node.node, m_plan.attempt, ranks, m_link->node().home));
    }
}

bool SlurmLogin::hasAll() const {
    return std::all_of(m_mirrors.begin(), m_mirrors.end(),
                       [](const auto& mirror) { return mirror->presence().has_value(); });
}

void SlurmLogin::deliver(const std::string& path, const std::string& text) {
    m_deliveries[path] = text;
}

// The job begins later attempts itself; only their number is read from the plan there.
void SlurmLogin::askPlan(double now) {
    if (m_planAsked || now < m_nextPlan || m_plan.runId.empty() || m_link->state() != NodeLink::State::Up) return;
    m_nextPlan = now + kPlanSeconds;
    m_planAsked = m_link->ask(Json{
        {"do", "read"}, {"home", m_link->node().home}, {"run", m_plan.runId}, {"path", "launch.json"}, {"offset", 0}});
}

void SlurmLogin::takePlan(const Frame& frame) {
    const auto there = parseLaunchPlan(frame.data, "launch.json");
    if (!there || there->runId != m_plan.runId || there->job != m_plan.job || there->attempt <= m_plan.attempt) return;
    LaunchPlan later = m_plan;
    later.attempt = there->attempt;
    later.createdUnixMilliseconds = there->createdUnixMilliseconds;
    if (writeJsonFile(m_folder.launch(), toJson(later)))
        m_plan = std::move(later);  // otherwise retried at the next query
}

std::vector<SlurmAnswer> SlurmLogin::poll(double now) {
    std::vector<SlurmAnswer> answers;
    for (const LinkAnswer& answer : m_link->poll(now)) {
        if (m_errands && m_errands->take(answer)) continue;
        if (m_planAsked == answer.request) {
            m_planAsked.reset();
            if (answer.frame) takePlan(*answer.frame);
        } else if (m_delivering == answer.request) {
            m_delivering.reset();
            if (answer.frame) m_deliveries.erase(m_deliveringPath);
        } else if (m_commands.erase(answer.request) > 0) {
            SlurmAnswer done;
            done.command = answer.request;
            const bool isWritten = m_writes.erase(answer.request) > 0 && answer.frame;
            // The agent's own refusals; after any other error the outcome is unknown.
            constexpr std::array<std::string_view, 4> kRefusals = {"slurm_missing", "bad_value", "busy",
                                                                   "unknown_request"};
            done.isLost = !answer.frame &&
                          std::find(kRefusals.begin(), kRefusals.end(), answer.frame.error().code) == kRefusals.end();
            if (answer.frame) {
                const Json& header = *answer.frame->header;
                const bool hasCode = header.contains("code") && header["code"].is_number_integer();
                const bool hasSignal = header.contains("signal") && header["signal"].is_number_integer();
                done.exitCode = hasCode ? header["code"].get<int>() : isWritten ? 0 : 1;
                done.isLost = hasSignal && header["signal"] != 0;
                done.output = answer.frame->data;
                done.errors = textIn(header, "errors");
            } else {
                done.exitCode = 1;
                done.error = answer.frame.error();
                done.errors = done.error.message;
            }
            answers.push_back(std::move(done));
        } else {
            for (const auto& mirror : m_mirrors)
                if (mirror->take(answer)) break;
        }
    }
    if (m_errands) m_errands->poll(*m_link, now);
    for (const auto& mirror : m_mirrors) mirror->poll(*m_link, now);
    askPlan(now);
    if (!m_delivering && !m_deliveries.empty() && m_link->state() == NodeLink::State::Up) {
        const auto& [path, text] = *m_deliveries.begin();
        m_deliveringPath = path;
        m_delivering = m_link->ask(
            Json{{"do", "write"}, {"home", m_link->node().home}, {"run", m_plan.runId}, {"path", path}}, text);
    }
    return answers;
}

}  // namespace slipway
