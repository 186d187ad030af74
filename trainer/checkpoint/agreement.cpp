#include "trainer/checkpoint/agreement.h"

#include "trainer/comm/gather_text.h"

#include <nlohmann/json.hpp>

namespace slipway::trainer {

std::string errorText(const Error& error) {
    return dumpJson(Json{{"code", error.code}, {"message", error.message}, {"where", error.where}}, false);
}

Result<std::vector<Json>> readReports(const std::vector<std::string>& reports) {
    std::vector<Json> found;
    for (std::size_t rank = 0; rank < reports.size(); ++rank) {
        if (reports[rank].empty()) {
            found.emplace_back(nullptr);
            continue;
        }
        Result<Json> json = parseJson(reports[rank], "report of rank " + std::to_string(rank));
        if (!json) return fail(json.error());
        if (json->contains("code"))
            return fail(json->at("code").get<std::string>(), json->at("message").get<std::string>(),
                        json->at("where").get<std::string>());
        found.push_back(std::move(*json));
    }
    return found;
}

Result<void> agree(ProcessGroup& world, at::Device device, const Result<void>& mine) {
    const auto all = readReports(gatherTexts(world, mine ? std::string() : errorText(mine.error()), device));
    if (!all) return fail(all.error());
    return {};
}

}  // namespace slipway::trainer
