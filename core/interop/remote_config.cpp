#include "core/interop/remote_config.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace slipway::interop {

namespace {

constexpr std::string_view kShort = "hf:";

std::vector<std::string> partsOf(std::string path) {
    if (const std::size_t end = path.find_first_of("?#"); end != std::string::npos) path.erase(end);
    std::vector<std::string> parts;
    for (std::size_t from = 0; from < path.size();) {
        const std::size_t slash = std::min(path.find('/', from), path.size());
        if (slash > from) parts.push_back(path.substr(from, slash - from));
        from = slash + 1;
    }
    return parts;
}

bool isName(const std::string& text) {
    if (text.empty() || text.front() == '.') return false;
    for (const char c : text) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && c != '-' && c != '_' && c != '.') return false;
    }
    return true;
}

std::string resolved(const std::string& hub, const std::string& model, const std::string& revision,
                     const std::string& file) {
    return hub + "/" + model + "/resolve/" + revision + "/" + file;
}

/// ORG/NAME, or NAME alone as the hub's oldest models have it; empty when it is neither.
std::string modelOf(const std::vector<std::string>& parts) {
    if (parts.empty() || parts.size() > 2) return {};
    for (const std::string& part : parts)
        if (!isName(part)) return {};
    return parts.size() == 1 ? parts[0] : parts[0] + "/" + parts[1];
}

}  // namespace

bool isRemote(const std::string& place) {
    return place.rfind(kShort, 0) == 0 || place.find("://") != std::string::npos;
}

Result<std::string> configUrl(const std::string& place, const std::string& hub) {
    if (place.rfind(kShort, 0) == 0) {
        std::string name = place.substr(kShort.size()), revision = "main";
        if (const std::size_t at = name.find('@'); at != std::string::npos) {
            revision = name.substr(at + 1);
            name.erase(at);
        }
        const std::string model = modelOf(partsOf(name));
        if (model.empty() || !isName(revision))
            return fail("bad_url", "A model of the hub is written hf:ORG/NAME or hf:ORG/NAME@REVISION.", place);
        return resolved(hub, model, revision, "config.json");
    }
    const auto url = parseUrl(place);
    if (!url) return fail(url.error());
    const auto home = parseUrl(hub);
    if (!home || url->host != home->host) return place;
    // Pages of the hub: ORG/NAME, ORG/NAME/tree/REVISION, ORG/NAME/blob/REVISION/FILE.
    const std::vector<std::string> parts = partsOf(url->path);
    if (const std::string model = modelOf(parts); !model.empty()) return resolved(hub, model, "main", "config.json");
    if (parts.size() >= 4 && (parts[2] == "tree" || parts[2] == "blob" || parts[2] == "resolve" || parts[2] == "raw")) {
        std::string file;
        for (std::size_t i = 4; i < parts.size(); ++i) file += (file.empty() ? "" : "/") + parts[i];
        if (parts[2] == "tree") file += (file.empty() ? "" : "/") + std::string("config.json");
        const std::string model = modelOf({parts[0], parts[1]});
        if (!model.empty() && !file.empty()) return resolved(hub, model, parts[3], file);
    }
    return fail("bad_url", "This page of the hub is no model; use its address https://huggingface.co/ORG/NAME.", place);
}

Result<std::string> fetchConfig(const std::string& place, const RemoteOptions& options) {
    const auto address = configUrl(place, options.hub);
    if (!address) return fail(address.error());
    HttpOptions http = options.http;
    const auto at = parseUrl(*address), hub = parseUrl(options.hub);
    const bool onHub = at && hub && at->host == hub->host;
    if (!onHub) http.token.clear();
    auto text = httpGet(*address, http);
    if (text || !onHub) return text;
    Error error = text.error();
    if (error.code == "net_forbidden")
        error.message += http.token.empty()
                             ? " Accept its licence on the hub and set HF_TOKEN, or check the name (the hub answers so "
                               "for unknown models too)."
                             : " Accept its licence on the hub, or check the name.";
    return fail(error);
}

std::string hubToken() {
    for (const char* name : {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"})
        if (const char* token = std::getenv(name); token != nullptr && *token != '\0') return token;
    return {};
}

std::string modelNameOf(const std::string& place) {
    const auto address = configUrl(place);
    const auto url = address ? parseUrl(*address) : Result<HttpUrl>(fail(address.error()));
    if (!url) return {};
    const std::vector<std::string> parts = partsOf(url->path);
    for (std::size_t i = 1; i < parts.size(); ++i)
        if (parts[i] == "resolve") return parts[i - 1];
    return parts.size() < 2 ? std::string() : parts[parts.size() - 2];
}

}  // namespace slipway::interop
