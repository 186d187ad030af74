#include "core/sweep/sweep_control.h"

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/json_fields.h"
#include "core/base/own_file.h"
#include "core/process/file_lock.h"
#include "core/sweep/trial.h"
#include "core/sweep/trial_state.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace slipway {
namespace {

Result<std::filesystem::path> controlFolder(const Home& home, const SweepId& id) {
    const auto folder = home.sweep(id);
    if (!folder) return fail(folder.error());
    return *folder / "control";
}

Result<void> writeControl(const Home& home, const SweepId& id, const char* name, const std::string& text) {
    const auto folder = controlFolder(home, id);
    if (!folder) return fail(folder.error());
    if (auto made = makeFolders(*folder); !made) return made;
    return writeFileAtomically(*folder / name, text);
}

}  // namespace

Result<void> requestSweep(const Home& home, const SweepId& id, SweepRequest request) {
    return writeControl(home, id, request == SweepRequest::Pause ? "pause" : "stop", "");
}

Result<void> requestRetry(const Home& home, const SweepId& id, const std::vector<std::string>& reasons) {
    return writeControl(home, id, "retry", dumpJson(Json(reasons), false));
}

Result<void> withdrawRequests(const Home& home, const SweepId& id) {
    const auto folder = controlFolder(home, id);
    if (!folder) return fail(folder.error());
    for (const char* name : {"pause", "stop"}) {
        std::error_code code;
        std::filesystem::remove(*folder / name, code);
        if (code)
            return fail("file_unwritable", "The request cannot be taken back: %1."_text(code.message()),
                        (*folder / name).string());
    }
    return {};
}

std::optional<SweepRequest> sweepRequest(const Home& home, const SweepId& id) {
    const auto folder = controlFolder(home, id);
    std::error_code code;
    if (!folder) return {};
    if (std::filesystem::exists(*folder / "stop", code)) return SweepRequest::Stop;
    if (std::filesystem::exists(*folder / "pause", code)) return SweepRequest::Pause;
    return {};
}

std::vector<std::string> takeRetryRequest(const Home& home, const SweepId& id) {
    std::vector<std::string> reasons;
    const auto folder = controlFolder(home, id);
    std::error_code code;
    if (!folder || !std::filesystem::exists(*folder / "retry", code)) return reasons;
    const auto json = readJsonFile(*folder / "retry");
    std::filesystem::remove(*folder / "retry", code);
    if (!json || !json->is_array()) return reasons;
    for (const Json& word : *json)
        if (word.is_string() && std::ranges::find(kRetryReasons, word.get<std::string>()) != std::end(kRetryReasons))
            reasons.push_back(word.get<std::string>());
    return reasons;
}

Result<void> keepSweepPlace(const Home& home, const SweepId& id, const SweepPlace& place) {
    const auto folder = home.sweep(id);
    if (!folder) return fail(folder.error());
    if (auto made = makeFolders(*folder); !made) return made;
    return writeJsonFile(*folder / "place.json", fields::toJson(place));
}

std::optional<SweepPlace> sweepPlace(const Home& home, const SweepId& id) {
    const auto folder = home.sweep(id);
    const auto json = folder ? readOwnJson(*folder / "place.json") : Result<Json>(fail(folder.error()));
    if (!json) return {};
    Issues issues;
    SweepPlace place = fields::fromJson<SweepPlace>(*json, issues);
    return hasErrors(issues) || place.jobs < 1 ? std::nullopt : std::optional(std::move(place));
}

std::filesystem::path sweepLock(const Home& home, const std::string& identity) {
    return home.sweeps() / ("lock-" + identity);
}

bool isSweepDriven(const Home& home, const std::string& identity) {
    std::error_code code;
    if (!std::filesystem::exists(sweepLock(home, identity), code)) return false;
    const auto lock = FileLock::tryLock(sweepLock(home, identity));
    return !lock && lock.error().code == "locked";
}

Result<SweepFile> storedSweepFile(RunStore& store, const SweepId& id, const std::string& trainerVersion) {
    const auto record = store.sweep(id);
    if (!record) return fail(record.error());
    const auto json = parseJson(record->document, "sweep " + id.value);
    if (!json) return fail(json.error());
    Issues issues;
    SweepFile file = sweepFileFromJson(*json, issues);
    if (hasErrors(issues))
        return fail("bad_sweep",
                    "The sweep's document cannot be read by this version: %1: %2"_text(issues.front().field,
                                                                                       issues.front().message),
                    id.value);
    // The document has the hardware of the first start; the file may have left the choice to this computer.
    const std::vector<Trial> trials = expandSweep(file);
    if (sweepIdentity(file, trials, trainerVersion) == record->identity) return file;
    file.cluster.reset();
    if (sweepIdentity(file, trials, trainerVersion) == record->identity) return file;
    return fail(
        "trainer_changed",
        "Another version of the trainer ran this sweep; start a new one from its file, so that its trials compare."_text,
        id.value);
}

}  // namespace slipway
