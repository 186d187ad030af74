// Stands between ssh and sshd as the ProxyCommand of the tests: link_relay FILE HOST PORT. The first word of FILE is what happens to
// the bytes meanwhile:
//   frozen   none of them passes, nor is a connection made      cut    the connection ends, and no new one is made
//   slow     each takes 300 ms, and 32,000 a second pass (256 kbit/s) in each direction
// Without the file, or with another word, they pass.
#include "core/base/clock.h"
#include "core/base/file.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <deque>
#include <string>

using namespace slipway;

namespace {

constexpr double kDelaySeconds = 0.3, kBytesPerSecond = 32000;
constexpr std::size_t kMostKept = 256U << 10, kPiece = 4096;
constexpr int kLookMilliseconds = 10;

struct Piece {
    double due = 0;
    std::string bytes;
};

struct Direction {
    int from = -1, to = -1;
    std::deque<Piece> pieces{};
    std::size_t kept = 0;
    double lastDue = 0;
    bool isEnded = false;

    void read(double now, bool isSlow) {
        std::array<char, kPiece> buffer{};
        const ssize_t n = ::read(from, buffer.data(), buffer.size());
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
        if (n <= 0) {
            isEnded = true;
            return;
        }
        const auto size = static_cast<std::size_t>(n);
        lastDue = isSlow ? std::max(now + kDelaySeconds, lastDue + static_cast<double>(size) / kBytesPerSecond) : now;
        pieces.push_back({lastDue, std::string(buffer.data(), size)});
        kept += size;
    }
    bool write(double now, bool isSlow) {
        while (!pieces.empty() && (!isSlow || pieces.front().due <= now)) {
            std::string& bytes = pieces.front().bytes;
            const ssize_t n = ::write(to, bytes.data(), bytes.size());
            if (n < 0 && (errno == EINTR || errno == EAGAIN)) return true;
            if (n <= 0) return false;
            kept -= static_cast<std::size_t>(n);
            bytes.erase(0, static_cast<std::size_t>(n));
            if (bytes.empty()) pieces.pop_front();
        }
        return true;
    }
};

std::string wordIn(const char* file) {
    const std::string text = readFile(file).value_or("");
    return text.substr(0, text.find_first_of(" \n"));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    ::signal(SIGPIPE, SIG_IGN);
    while (wordIn(argv[1]) == "frozen") ::usleep(kLookMilliseconds * 1000);
    if (wordIn(argv[1]) == "cut") return 1;
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<std::uint16_t>(std::atoi(argv[3])));
    ::inet_pton(AF_INET, argv[2], &at.sin_addr);
    if (::connect(server, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) return 1;
    for (const int fd : {0, 1, server}) ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    Direction out{0, server}, in{server, 1};
    for (;;) {
        const std::string word = wordIn(argv[1]);
        if (word == "cut") return 1;
        std::array<pollfd, 2> fds{pollfd{0, POLLIN, 0}, pollfd{server, POLLIN, 0}};
        if (word == "frozen") {
            ::usleep(kLookMilliseconds * 1000);
            continue;
        }
        const bool isSlow = word == "slow";
        for (std::size_t i = 0; i < 2; ++i)
            if ((i == 0 ? out : in).kept > kMostKept || (i == 0 ? out : in).isEnded) fds[i].fd = -1;
        ::poll(fds.data(), fds.size(), kLookMilliseconds);
        const double now = monotonicSecondsNow();
        if (fds[0].revents != 0) out.read(now, isSlow);
        if (fds[1].revents != 0) in.read(now, isSlow);
        if (!out.write(now, isSlow) || !in.write(now, isSlow)) return 0;
        if ((in.isEnded && in.pieces.empty()) || (out.isEnded && out.pieces.empty())) return 0;
    }
}
