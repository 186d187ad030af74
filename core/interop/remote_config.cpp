#include "core/interop/remote_config.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace slipway::interop {

namespace {

constexpr std::string_view kShort = "hf:";
/// Host names of the hub (https://huggingface.co), in any form that people copy.
constexpr std::string_view kHubNames[] = {"huggingface.co", "www.huggingface.co", "hf.co"};
/// First parts of the hub's addresses that are not an organization (its own pages, data sets, demonstrations).
constexpr std::string_view kHubPages[] = {
    "api",    "blog", "chat",          "collections", "datasets", "docs",    "enterprise", "join",   "learn", "login",
    "models", "new",  "organizations", "papers",      "posts",    "pricing", "settings",   "spaces", "tasks"};

/// The place with the scheme that people omit: "huggingface.co/ORG/NAME".
std::string withScheme(const std::string& place) {
    for (const std::string_view name : kHubNames)
        if (place.rfind(std::string(name) + "/", 0) == 0) return "https://" + place;
    return place;
}

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

/// ORG/NAME, or NAME alone for the hub's oldest models; empty otherwise.
std::string modelOf(const std::vector<std::string>& parts) {
    if (parts.empty() || parts.size() > 2) return {};
    if (std::find(std::begin(kHubPages), std::end(kHubPages), parts[0]) != std::end(kHubPages)) return {};
    for (const std::string& part : parts)
        if (!isName(part)) return {};
    return parts.size() == 1 ? parts[0] : parts[0] + "/" + parts[1];
}

}  // namespace

bool isRemote(const std::string& place) {
    return place.rfind(kShort, 0) == 0 || withScheme(place).find("://") != std::string::npos;
}

std::string hubPlaceOf(const std::string& text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos || isRemote(text) || text.find('/', slash + 1) != std::string::npos) return {};
    const std::string model = modelOf({text.substr(0, slash), text.substr(slash + 1)});
    return model.empty() ? std::string() : std::string(kShort) + model;
}

Result<std::string> configUrl(const std::string& given, const std::string& hub) {
    const std::string bare = hubPlaceOf(given);
    const std::string place = bare.empty() ? withScheme(given) : bare;
    if (place.rfind(kShort, 0) == 0) {
        std::string name = place.substr(kShort.size()), revision = "main";
        if (const std::size_t at = name.find('@'); at != std::string::npos) {
            revision = name.substr(at + 1);
            name.erase(at);
        }
        const std::string model = modelOf(partsOf(name));
        if (model.empty() || !isName(revision))
            return fail("bad_url", "Write a model of the hub as hf:ORG/NAME or hf:ORG/NAME@REVISION."_text, place);
        return resolved(hub, model, revision, "config.json");
    }
    const auto url = parseUrl(place);
    if (!url) return fail(url.error());
    const auto home = parseUrl(hub);
    const bool named = std::find(std::begin(kHubNames), std::end(kHubNames), url->host) != std::end(kHubNames);
    if (!home || (url->host != home->host && !named)) return place;
    // Pages of the hub: ORG/NAME, ORG/NAME/tree/REVISION, ORG/NAME/blob/REVISION/FILE, and the same without ORG.
    const std::vector<std::string> parts = partsOf(url->path);
    if (const std::string model = modelOf(parts); !model.empty()) return resolved(hub, model, "main", "config.json");
    for (const std::size_t kind : {std::size_t{2}, std::size_t{1}}) {  // the oldest models have no ORG
        if (parts.size() < kind + 2) continue;
        if (parts[kind] != "tree" && parts[kind] != "blob" && parts[kind] != "resolve" && parts[kind] != "raw")
            continue;
        std::string file;
        for (std::size_t i = kind + 2; i < parts.size(); ++i) file += (file.empty() ? "" : "/") + parts[i];
        if (parts[kind] == "tree") file += (file.empty() ? "" : "/") + std::string("config.json");
        const std::string model = modelOf({parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(kind)});
        if (!model.empty() && !file.empty()) return resolved(hub, model, parts[kind + 1], file);
    }
    return fail("bad_url", "Not a model page of the hub; use https://huggingface.co/ORG/NAME."_text, place);
}

Result<std::string> fetchConfig(const std::string& place, const RemoteOptions& options) {
    const auto address = configUrl(place, options.hub);
    if (!address) return fail(address.error());
    HttpOptions http = options.http;
    const auto at = parseUrl(*address), hub = parseUrl(options.hub);
    const bool onHub = at && hub && at->host == hub->host;
    if (!onHub) http.token.clear();
    auto text = httpGet(*address, http);
    if (text) {
        const std::size_t first = text->find_first_not_of(" \t\r\n");
        if (first != std::string::npos && (*text)[first] == '<')
            return fail(
                "net_not_config",
                "The address returns a web page, not a config; give the address of the file itself, or a model of the hub as hf:ORG/NAME."_text,
                place);
        if (text->find('\0') != std::string::npos)
            return fail("net_not_config", "The address returns binary data, not a config."_text, place);
    }
    if (text || !onHub) return text;
    Error error = text.error();
    if (error.code == "net_forbidden")
        error.append(
            http.token.empty()
                ? "Accept its licence on the hub and set HF_TOKEN, or check the name; the hub refuses unknown models, too."_text
                : "Accept its licence on the hub, or check the name."_text);
    if (error.code == "net_missing")
        error.append(
            "Check the name and the revision; a repository without config.json (GGUF, adapters, diffusion) cannot be planned."_text);
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
