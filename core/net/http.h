// One document over HTTPS, with limits suitable for foreign servers: scheme, certificate, time, size and number of
// redirections. Blocks; call it from a worker thread.
//   auto text = httpGet("https://huggingface.co/ORG/NAME/resolve/main/config.json", {});
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <stop_token>
#include <string>

namespace slipway {

struct HttpOptions {
    double connectSeconds = 10;          ///< until the connection is made, TLS included
    double totalSeconds = 60;            ///< for each of the redirections
    std::size_t maxBytes = 8ULL << 20U;  ///< of the answer's body
    int maxRedirects = 5;
    std::string token = {};       ///< sent as bearer token to the first URL's host only; never in messages
    bool allowPlainHttp = false;  ///< for test servers; a person's URL is https
    std::stop_token stop = {};    ///< ends the transfer within a second
};

/// Scheme, host, port and path of a URL as httpGet() accepts it.
struct HttpUrl {
    std::string scheme;  ///< "https"
    std::string host;    ///< lower case, with ":port" when one is named
    std::string path;    ///< with the leading slash; "/" when the URL has none
};

/// "bad_url": no scheme or host, control characters or spaces, or a name and password in the URL.
Result<HttpUrl> parseUrl(const std::string& url);

/// The body of the final answer. Errors: "bad_url", "net_not_https", "net_unreachable" (name, refused connection),
/// "net_certificate" (TLS or its certificate), "net_timeout", "net_too_large", "net_redirects", "net_forbidden" (401,
/// 403), "net_missing" (404, 410), "net_status" (any other), "net_stopped". `where` is the URL of the request.
Result<std::string> httpGet(const std::string& url, const HttpOptions& options = {});

}  // namespace slipway
