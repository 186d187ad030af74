#include "core/remote/node_setup.h"

#include "core/base/error_of.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace slipway {
namespace fs = std::filesystem;
namespace {

constexpr double kTrainerSeconds = 120;
constexpr double kFetchPauseSeconds = 1;

std::string textIn(const Json& json, const char* key) {
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
}

std::string lastLineOf(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    const std::size_t at = text.find_last_of("\n\r");
    return at == std::string::npos ? text : text.substr(at + 1);
}

/// The line in which libtorch.sh states what failed, without the remedy that follows; its last line where there is none.
std::string failureIn(const std::string& words) {
    constexpr std::string_view kMark = "slipway: ";
    const std::size_t at = words.rfind(kMark);
    if (at == std::string::npos) return lastLineOf(words);
    return words.substr(at + kMark.size(), words.find('\n', at) - at - kMark.size());
}

/// The newest libtorch in the cache folder, as placed by libtorch.sh.
std::vector<TrainerFiles::File> ownLibtorch() {
    std::vector<TrainerFiles::File> files;
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    const fs::path root =
        cache != nullptr && *cache == '/' ? fs::path(cache) : fs::path(home == nullptr ? "/" : home) / ".cache";
    std::error_code code;
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(root / "slipway", code))
        if (entry.path().filename().string().starts_with("torch-") &&
            fs::exists(entry.path() / "torch/lib/libtorch_cpu.so", code))
            found.push_back(entry.path());
    if (found.empty()) return files;
    const fs::path newest = *std::max_element(found.begin(), found.end());
    const auto add = [&](const fs::path& folder, const std::string& relative) {
        for (const auto& entry : fs::directory_iterator(folder, code)) {
            const std::string name = entry.path().filename().string();
            if (entry.is_regular_file(code) && name.find(".so") != std::string::npos)
                files.push_back({entry.path(), relative + "/" + name, false});
        }
    };
    add(newest / "torch" / "lib", "lib/slipway/torch/lib");
    for (const auto& entry : fs::directory_iterator(newest / "nvidia", code))
        add(entry.path() / "lib", "lib/slipway/nvidia/" + entry.path().filename().string() + "/lib");
    std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.relative < b.relative; });
    return files;
}

}  // namespace

Result<TrainerFiles> trainerFiles(const fs::path& trainer) {
    if (trainer.empty())
        return fail(
            "program_missing",
            "slipway-trainer was not found in the folder of this program; a node is set up with a copy of it."_text,
            "");
    const fs::path root = fs::absolute(trainer).parent_path().parent_path();
    std::error_code code;
    const fs::path installed = root / "lib" / "slipway", built = root / "packaging" / "starter";
    const bool isInstalled = fs::exists(installed / "slipway-trainer", code);
    const fs::path scripts = isInstalled ? installed : built;
    TrainerFiles made;
    made.files = {{isInstalled ? trainer : built / "slipway-trainer", "bin/slipway-trainer", true},
                  {isInstalled ? installed / "slipway-trainer" : trainer, "lib/slipway/slipway-trainer", true},
                  {scripts / "libtorch.sh", "lib/slipway/libtorch.sh", true},
                  {scripts / "wheels.sh", "lib/slipway/wheels.sh", true},
                  {scripts / "wheels.txt", "lib/slipway/wheels.txt", false}};
    for (const TrainerFiles::File& file : made.files)
        if (!fs::is_regular_file(file.path, code))
            return fail("program_missing", "A file of the trainer's installation is missing."_text, file.path.string());
    made.libtorch = ownLibtorch();
    return made;
}

NodeSetup::NodeSetup(NodeRecord node, SshOptions options, Request request)
    : m_link(std::move(node), std::move(options)), m_request(std::move(request)) {
    m_errands.add(simpleErrand(Json{{"do", "facts"}, {"home", m_link.node().home}}, {},
                               [this](const Frame& frame) { readFacts(*frame.header, m_facts); }));
    askTrainer(m_link.node().trainer);
}

void NodeSetup::askTrainer(const std::string& path) {
    m_trainer.clear();
    m_version.clear();
    m_problem.clear();
    Errand errand =
        simpleErrand(Json{{"do", "trainer"}, {"home", m_link.node().home}, {"path", path}}, {}, {}, kTrainerSeconds);
    errand.take = [this](const Frame& frame, const Error* error) -> Result<bool> {
        if (error != nullptr) {
            m_problem = error->message;
            return true;
        }
        m_trainer = textIn(*frame.header, "path");
        m_version = versionIn(textIn(*frame.header, "printed"));
        return true;
    };
    m_errands.add(std::move(errand));
}

void NodeSetup::push(const std::vector<TrainerFiles::File>& files) {
    m_file = files.front().path.filename().string();
    m_here = m_all = 0;
    for (const TrainerFiles::File& file : files) {
        addFilePush(
            m_errands,
            {std::make_shared<FileHash>(file.path), m_link.node().home, "trainer/" + file.relative, file.execute,
             [this, name = file.path.filename().string(), before = m_all](std::uint64_t here, std::uint64_t) {
                 m_file = name;
                 m_here = before + here;
             }});
        std::error_code code;
        if (const std::uint64_t bytes = fs::file_size(file.path, code); !code) m_all += bytes;
    }
}

void NodeSetup::fetch() {
    m_isFetched = false;
    Errand errand;
    errand.make = [this]() -> Result<std::optional<Errand::Ask>> {
        if (m_now < m_askAgain) return std::optional<Errand::Ask>();
        m_askAgain = m_now + kFetchPauseSeconds;
        return Errand::Ask{std::make_shared<const Json>(
                               Json{{"do", "setup"}, {"home", m_link.node().home}, {"torch", m_request.torch}}),
                           ""};
    };
    errand.take = [this](const Frame& frame, const Error* error) -> Result<bool> {
        if (error != nullptr) {
            m_words = error->message;
            return true;
        }
        const std::string words = textIn(*frame.header, "words");
        m_words = lastLineOf(words);
        if (frame.header->contains("running") && (*frame.header)["running"] == true) return false;
        m_words = failureIn(words);
        m_isFetched = frame.header->contains("ok") && (*frame.header)["ok"] == true;
        return true;
    };
    m_errands.add(std::move(errand));
}

void NodeSetup::enter(Phase phase) {
    m_phase = phase;
    const std::string own = m_facts.home + "/trainer/bin/slipway-trainer";
    if (phase == Phase::Trainer) push(m_request.files.files);
    if (phase == Phase::Try || phase == Phase::LastTry) askTrainer(own);
    if (phase == Phase::Fetch) fetch();
    if (phase == Phase::Upload) push(m_request.files.libtorch);
}

void NodeSetup::poll(double now) {
    if (done()) return;
    m_now = now;
    for (const LinkAnswer& answer : m_link.poll(now)) m_errands.take(answer);
    m_errands.poll(m_link, now);
    if (m_errands.error()) {
        m_error = *m_errands.error();
        if (m_error->code == "disk_full")
            m_error = errorOf("disk_full",
                              "The disk of %1 is full; free some space in %2."_text(m_link.node().name, m_facts.home));
        return;
    }
    if (!m_errands.done()) return;
    const bool isRight = !m_version.empty() && m_version == m_request.version;
    switch (m_phase) {
        case Phase::Look:
            m_wasReady = isRight && m_request.torch.empty();
            if (!m_wasReady && m_request.uploadsTorch && m_request.files.libtorch.empty()) {
                m_error = errorOf(
                    "libtorch_missing",
                    "This computer has no libtorch in its cache folder to copy; `slipway trainer setup` fetches it, and without --upload-torch the node fetches its own."_text);
                return;
            }
            return enter(m_wasReady ? Phase::Done : Phase::Trainer);
        case Phase::Trainer: return enter(Phase::Try);
        case Phase::Try:
            if (isRight && m_request.torch.empty()) return enter(Phase::Done);
            return enter(m_request.uploadsTorch ? Phase::Upload : Phase::Fetch);
        case Phase::Fetch:
            if (m_isFetched) return enter(Phase::LastTry);
            if (m_request.torch.empty() && !m_request.files.libtorch.empty()) return enter(Phase::Upload);
            m_error = errorOf(
                "libtorch_missing",
                m_request.torch.empty()
                    ? "libtorch was not set up on %1: %2. Its log is %3 there. `slipway trainer setup` on this computer fetches a libtorch that the next set-up copies."_text(
                          m_link.node().name, m_words, m_facts.home + "/trainer/setup.log")
                    : "libtorch was not set up on %1: %2."_text(m_link.node().name, m_words));
            return;
        case Phase::Upload: return enter(Phase::LastTry);
        case Phase::LastTry:
            if (isRight) return enter(Phase::Done);
            m_error = errorOf("trainer_unusable", "The trainer does not start on %1 after setup: %2"_text(
                                                      m_link.node().name, m_problem.empty() ? m_version : m_problem));
            return;
        case Phase::Done: return;
    }
}

std::optional<double> NodeSetup::share() const {
    if ((m_phase != Phase::Trainer && m_phase != Phase::Upload) || m_all == 0) return {};
    return std::min(1.0, static_cast<double>(m_here) / static_cast<double>(m_all));
}

Message NodeSetup::progress() const {
    const std::string& name = m_link.node().name;
    if (m_link.state() != NodeLink::State::Up) return "Connecting to %1"_text(name);
    if (m_phase == Phase::Fetch)
        return m_words.empty() || m_words.starts_with("==>")  // the script's own heading has the same words
                   ? "Fetching libtorch on %1"_text(name)
                   : "Fetching libtorch on %1: %2"_text(name, m_words);
    if (m_phase == Phase::Trainer || m_phase == Phase::Upload)
        return "Copying %1 to %2: %3 of %4 MB"_text(m_file, name, m_here / 1000000, m_all / 1000000);
    return "Looking for the trainer of %1"_text(name);
}

}  // namespace slipway
