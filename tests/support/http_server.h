// A web server of a test on 127.0.0.1: answers by path, keeps what it was asked. Plain HTTP, one request a connection.
//   HttpServer server;  server.answer("/config.json", {200, "{}"});   server.url("/config.json")
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace slipway::test {

struct HttpAnswer {
    int status = 200;
    std::string body = {};
    std::string location = {};     ///< of a redirection
    double waitSeconds = 0;        ///< before it answers
    std::size_t claimedBytes = 0;  ///< Content-Length when it is not the body's
    bool chunked = false;          ///< no Content-Length: the reader learns the size only by reading
};

class HttpServer {
public:
    HttpServer() {
        m_socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof at;
        if (::bind(m_socket, reinterpret_cast<sockaddr*>(&at), length) != 0 || ::listen(m_socket, 16) != 0) return;
        ::getsockname(m_socket, reinterpret_cast<sockaddr*>(&at), &length);
        m_port = ntohs(at.sin_port);
        m_thread = std::thread([this] { serve(); });
    }
    ~HttpServer() {
        m_end = true;
        if (m_thread.joinable()) m_thread.join();
        ::close(m_socket);
    }
    HttpServer(const HttpServer&) = delete;

    void answer(const std::string& path, HttpAnswer answer) {
        const std::lock_guard lock(m_mutex);
        m_answers[path] = std::move(answer);
    }
    [[nodiscard]] std::string url(const std::string& path = {}, const std::string& host = "127.0.0.1") const {
        return "http://" + host + ":" + std::to_string(m_port) + path;
    }
    /// Whole requests with their headers, in order.
    [[nodiscard]] std::vector<std::string> requests() {
        const std::lock_guard lock(m_mutex);
        return m_requests;
    }

private:
    void serve() {
        while (!m_end) {
            pollfd ready{m_socket, POLLIN, 0};
            if (::poll(&ready, 1, 20) <= 0) continue;
            const int peer = ::accept4(m_socket, nullptr, nullptr, SOCK_CLOEXEC);
            if (peer < 0) continue;
            reply(peer);
            ::close(peer);
        }
    }

    void reply(int peer) {
        std::string request;
        char buffer[4096];
        while (request.find("\r\n\r\n") == std::string::npos) {
            const ssize_t got = ::recv(peer, buffer, sizeof buffer, 0);
            if (got <= 0) return;
            request.append(buffer, static_cast<std::size_t>(got));
        }
        const std::size_t begin = request.find(' ') + 1;
        const std::string path = request.substr(begin, request.find(' ', begin) - begin);
        HttpAnswer answer{404, "no such page"};
        {
            const std::lock_guard lock(m_mutex);
            m_requests.push_back(request);
            if (const auto found = m_answers.find(path); found != m_answers.end()) answer = found->second;
        }
        for (double waited = 0; waited < answer.waitSeconds && !m_end; waited += 0.01)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        std::string text = "HTTP/1.1 " + std::to_string(answer.status) + " Answer\r\nConnection: close\r\n";
        if (!answer.location.empty()) text += "Location: " + answer.location + "\r\n";
        if (!answer.chunked)
            text += "Content-Length: " +
                    std::to_string(answer.claimedBytes > 0 ? answer.claimedBytes : answer.body.size()) + "\r\n";
        text += "\r\n" + answer.body;
        for (std::size_t sent = 0; sent < text.size() && !m_end;) {
            const ssize_t done = ::send(peer, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
            if (done <= 0) return;
            sent += static_cast<std::size_t>(done);
        }
    }

    int m_socket = -1;
    int m_port = 0;
    std::atomic<bool> m_end{false};
    std::mutex m_mutex;
    std::map<std::string, HttpAnswer> m_answers;
    std::vector<std::string> m_requests;
    std::thread m_thread;
};

}  // namespace slipway::test
