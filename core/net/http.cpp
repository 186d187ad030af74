#include "core/net/http.h"

#include "core/base/version.h"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <mutex>
#include <string>

namespace slipway {

namespace {

constexpr long kForbidden[] = {401, 403};
constexpr long kMissing[] = {404, 410};

struct Transfer {
    const HttpOptions* options = nullptr;
    std::string body;
    bool tooLarge = false;
};

std::size_t receive(char* data, std::size_t size, std::size_t count, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    const std::size_t bytes = size * count;
    if (transfer.body.size() + bytes > transfer.options->maxBytes) {
        transfer.tooLarge = true;
        return 0;  // ends the transfer
    }
    transfer.body.append(data, bytes);
    return bytes;
}

int goOn(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<Transfer*>(user)->options->stop.stop_requested() ? 1 : 0;
}

struct CurlEnd {
    void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

bool isOneOf(long value, const long (&list)[2]) {
    return value == list[0] || value == list[1];
}

std::string sizeText(std::size_t bytes) {
    return bytes >= (1U << 20U) ? std::to_string(bytes >> 20U) + " MiB" : std::to_string(bytes) + " bytes";
}

/// A transport error below HTTP, as a sentence with a remedy.
tl::unexpected<Error> transportError(CURLcode code, const Transfer& transfer, const HttpUrl& at, const std::string& url,
                                     const char* detail) {
    const std::string why = *detail != '\0' ? std::string(" (") + detail + ")" : std::string();
    if (transfer.tooLarge || code == CURLE_FILESIZE_EXCEEDED)
        return fail("net_too_large",
                    "The answer is larger than %1; this is not a config."_text(sizeText(transfer.options->maxBytes)),
                    url);
    switch (code) {
        case CURLE_ABORTED_BY_CALLBACK: return fail("net_stopped", "The transfer was cancelled."_text, url);
        case CURLE_OPERATION_TIMEDOUT:
            return fail("net_timeout",
                        "%1 did not answer in time%2. Try again, or save the file by hand."_text(at.host, why), url);
        case CURLE_COULDNT_RESOLVE_HOST:
        case CURLE_COULDNT_RESOLVE_PROXY:
        case CURLE_COULDNT_CONNECT:
            return fail("net_unreachable", "%1 cannot be reached%2. Check the name and the network."_text(at.host, why),
                        url);
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_ISSUER_ERROR:
            return fail("net_certificate",
                        "The secure connection to %1 cannot be trusted%2, so nothing was read."_text(at.host, why),
                        url);
        default: return fail("net_unreachable", "The transfer from %1 failed%2."_text(at.host, why), url);
    }
}

/// One request, without following redirections. @param next target of a redirect, empty for the final answer
Result<std::string> ask(const std::string& url, const HttpUrl& at, const HttpOptions& options, bool withToken,
                        std::string& next) {
    const std::unique_ptr<CURL, CurlEnd> curl(curl_easy_init());
    if (!curl) return fail("net_unreachable", "libcurl cannot be started."_text, url);
    Transfer transfer{&options, {}, false};
    std::unique_ptr<curl_slist, CurlEnd> headers;
    if (withToken && !options.token.empty())
        headers.reset(curl_slist_append(nullptr, ("Authorization: Bearer " + options.token).c_str()));
    char detail[CURL_ERROR_SIZE] = "";
    const std::string agent = "slipway/" + std::string(version());
    CURL* c = curl.get();
    curl_easy_setopt(c, CURLOPT_URL, url.c_str());
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, options.allowPlainHttp ? "https,http" : "https");
    curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(c, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connectSeconds * 1000));
    curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, static_cast<long>(options.totalSeconds * 1000));
    curl_easy_setopt(c, CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(options.maxBytes));
    curl_easy_setopt(c, CURLOPT_USERAGENT, agent.c_str());
    curl_easy_setopt(c, CURLOPT_ACCEPT_ENCODING, "");  // any supported encoding; the size limit counts decoded bytes
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, detail);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, &transfer);
    curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, goOn);
    curl_easy_setopt(c, CURLOPT_XFERINFODATA, &transfer);
    if (headers) curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers.get());
    const CURLcode code = curl_easy_perform(c);
    if (code != CURLE_OK) return transportError(code, transfer, at, url, detail);
    long status = 0;
    curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
    if (status >= 300 && status < 400) {
        const char* location = nullptr;
        curl_easy_getinfo(c, CURLINFO_REDIRECT_URL, &location);
        if (location == nullptr)
            return fail("net_status", "%1 answered %2 without a target address."_text(at.host, status), url);
        next = location;
        return {};
    }
    if (isOneOf(status, kForbidden))
        return fail(
            "net_forbidden",
            (withToken && !options.token.empty()
                 ? "%1 refuses this document (%2): it is private or gated, and the token does not grant access."_text
                 : "%1 refuses this document (%2): it is private or gated."_text)(at.host, status),
            url);
    if (isOneOf(status, kMissing))
        return fail("net_missing", "%1 has no such document (%2)."_text(at.host, status), url);
    if (status != 200) return fail("net_status", "%1 answered %2."_text(at.host, status), url);
    return std::move(transfer.body);
}

}  // namespace

Result<HttpUrl> parseUrl(const std::string& url) {
    for (const char c : url)
        if (static_cast<unsigned char>(c) <= ' ' || c == '\x7f')
            return fail("bad_url", "A URL has no spaces or control characters."_text);
    const std::size_t colon = url.find("://");
    if (colon == std::string::npos || colon == 0) return fail("bad_url", "A URL begins with https://."_text, url);
    const std::size_t begin = colon + 3;
    const std::size_t end = std::min(url.find_first_of("/?#", begin), url.size());
    HttpUrl parts{url.substr(0, colon), url.substr(begin, end - begin), url.substr(end)};
    if (parts.host.find('@') != std::string::npos)
        return fail("bad_url", "A URL must not contain a name or password; tokens come from the environment."_text);
    if (parts.host.empty()) return fail("bad_url", "The URL has no host."_text, url);
    const auto lower = [](std::string& text) {
        std::transform(text.begin(), text.end(), text.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    };
    lower(parts.scheme);
    lower(parts.host);
    if (parts.path.empty() || parts.path.front() != '/') parts.path.insert(0, "/");
    return parts;
}

Result<std::string> httpGet(const std::string& url, const HttpOptions& options) {
    static std::once_flag once;  // libcurl's initialization is not thread-safe
    std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
    std::string at = url, firstHost;
    for (int redirects = 0; redirects <= options.maxRedirects; ++redirects) {
        const auto parts = parseUrl(at);
        if (!parts) return fail(parts.error());
        const bool known = parts->scheme == "https" || (parts->scheme == "http" && options.allowPlainHttp);
        if (!known)
            return fail(
                "net_not_https",
                redirects == 0
                    ? Message("Only https addresses are read, so that the document cannot be changed in transit."_text)
                    : "A redirection to %1 leaves https, so nothing was read."_text(parts->host),
                at);
        if (redirects == 0) firstHost = parts->host;
        std::string next;
        auto body = ask(at, *parts, options, parts->host == firstHost, next);
        if (!body || next.empty()) return body;
        at = next;
    }
    return fail("net_redirects", "More than %1 redirections."_text(options.maxRedirects), url);
}

}  // namespace slipway
