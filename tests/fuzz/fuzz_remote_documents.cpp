// A document that a stranger's server sends, and the places people name it by: the bytes are read as URL and place, and
// then sent as the raw answer of a web server, headers, redirections and all. The server is this process; it is also
// the proxy of every request, so that no redirection leaves the machine.
#include "core/interop/formats.h"
#include "core/interop/remote_config.h"
#include "tests/fuzz/fuzz.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mutex>
#include <string>
#include <thread>
#include <vector>

using namespace slipway;
using namespace slipway::interop;
using namespace slipway::test;

namespace {

const std::string kToken = "hf_secret_of_the_fuzzer";

/// Answers every connection with the same bytes and keeps what it was asked. Lives as long as the process.
class RawServer {
public:
    RawServer() {
        m_socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof at;
        const bool listens = ::bind(m_socket, reinterpret_cast<sockaddr*>(&at), length) == 0 &&
                             ::listen(m_socket, 64) == 0 &&
                             ::getsockname(m_socket, reinterpret_cast<sockaddr*>(&at), &length) == 0;
        require(listens, "a server on the loopback");
        m_place = "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
        const std::string proxy = "http://" + m_place;
        for (const char* name : {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
            ::setenv(name, proxy.c_str(), 1);
        for (const char* name : {"no_proxy", "NO_PROXY"}) ::unsetenv(name);
        std::thread([this] { serve(); }).detach();
    }
    [[nodiscard]] const std::string& place() const { return m_place; }
    void begin(const std::string& answer) {
        const std::lock_guard lock(m_mutex);
        m_answer = answer;
        m_requests.clear();
    }
    [[nodiscard]] std::vector<std::string> requests() {
        const std::lock_guard lock(m_mutex);
        return m_requests;
    }

private:
    void serve() {
        while (true) {
            const int peer = ::accept4(m_socket, nullptr, nullptr, SOCK_CLOEXEC);
            if (peer < 0) continue;
            std::string request;
            char buffer[4096];
            ssize_t got = 1;
            while (request.find("\r\n\r\n") == std::string::npos && (got = ::recv(peer, buffer, sizeof buffer, 0)) > 0)
                request.append(buffer, static_cast<std::size_t>(got));
            std::string answer;
            {
                const std::lock_guard lock(m_mutex);
                m_requests.push_back(request);
                answer = m_answer;
            }
            for (std::size_t sent = 0; sent < answer.size();) {
                const ssize_t done = ::send(peer, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
                if (done <= 0) break;
                sent += static_cast<std::size_t>(done);
            }
            // What is unread when a socket closes would reset the connection and lose the answer.
            ::shutdown(peer, SHUT_WR);
            while (::recv(peer, buffer, sizeof buffer, 0) > 0) {
            }
            ::close(peer);
        }
    }

    int m_socket = -1;
    std::string m_place, m_answer;
    std::mutex m_mutex;
    std::vector<std::string> m_requests;
};

void readPlaces(const std::string& text) {
    if (const auto url = parseUrl(text); valueOrError(url)) {
        require(!url->scheme.empty() && !url->host.empty() && url->path.front() == '/', "a URL without its parts");
        require(url->host.find('@') == std::string::npos, "a URL with a name and password");
        const auto again = parseUrl(url->scheme + "://" + url->host + url->path);
        require(again && again->host == url->host && again->path == url->path, "a URL that changes when it is written");
    }
    for (const std::string& place : {text, "hf:" + text, "https://huggingface.co/" + text}) {
        (void)modelNameOf(place);
        const auto address = configUrl(place);
        if (!valueOrError(address)) continue;
        require(parseUrl(*address).has_value(), "an address that is no URL");
        const auto again = configUrl(*address);
        require(again && *again == *address, "an address that leads elsewhere when it is named again");
        require(address->find("/../") == std::string::npos || place.find("/../") != std::string::npos, "a way up");
    }
    if (const std::string place = hubPlaceOf(text); !place.empty())
        require(!isRemote(text) && configUrl(place).has_value(), "a proposal that is no place");
}

void readAnswer(const std::string& bytes) {
    static RawServer server;
    server.begin(bytes);
    RemoteOptions options;
    options.hub = "http://model.hub";
    options.http.allowPlainHttp = true;
    options.http.connectSeconds = options.http.totalSeconds = 2;
    options.http.maxBytes = 1U << 15U;
    options.http.maxRedirects = 3;
    options.http.token = kToken;
    const auto text = fetchConfig("hf:org/name", options);
    if (valueOrError(text)) {
        require(text->size() <= options.http.maxBytes, "a document above the bound");
        (void)guessFormat(*text);
    } else {
        require(text.error().text().find(kToken) == std::string::npos, "a token in a message");
    }
    const std::vector<std::string> requests = server.requests();
    require(requests.size() <= 1 + static_cast<std::size_t>(options.http.maxRedirects),
            "more redirections than allowed");
    for (const std::string& request : requests)
        require(request.find(kToken) == std::string::npos || request.rfind("GET http://model.hub/", 0) == 0,
                "a token that went to another host");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes = textOf(data, size);
    // libFuzzer learns the token from a comparison; a server that knows it may say it.
    if (bytes.find(kToken) != std::string::npos) return 0;
    readPlaces(bytes);
    readAnswer(bytes);
    return 0;
}
