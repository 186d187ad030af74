#include "core/process/process.h"
#include "core/remote/ask_door.h"
#include "tests/support/run_home.h"
#include "tests/support/slipway_test.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <future>

using namespace slipway;

namespace {

/// The question as soon as it has come.
std::optional<AskQuestion> heard(AskDoor& door) {
    std::optional<AskQuestion> question;
    test::waitUntil(30, [&] {
        question = door.poll();
        return question.has_value();
    });
    return question;
}

std::future<std::optional<std::string>> ask(const AskDoor& door, const AskQuestion& question) {
    return std::async(std::launch::async, [socket = door.socket(), question] { return askThrough(socket, question); });
}

}  // namespace

class TstAskDoor : public QObject {
    Q_OBJECT

private slots:
    void handsAQuestionOverAndTheAnswerBack() {
        auto door = AskDoor::open();
        QVERIFY(door);
        struct stat state {};
        QCOMPARE(::stat(door->socket().parent_path().c_str(), &state), 0);
        QCOMPARE(static_cast<int>(state.st_mode & 0777U), 0700);
        QVERIFY(!door->poll());
        const AskQuestion question{AskQuestion::Kind::Secret, "(anna@gpu1) Password: "};
        auto answer = ask(*door, question);
        QVERIFY(heard(*door) == question);
        QVERIFY(door->poll() == question);  // until it is answered
        door->answer("correct horse");
        QVERIFY(answer.get() == std::string("correct horse"));
        QVERIFY(!door->poll());
    }
    // Asked a second time, the stored answer was wrong.
    void permitsAStoredAnswerOnce() {
        auto door = AskDoor::open();
        QVERIFY(door);
        const AskQuestion question{AskQuestion::Kind::Secret, "(anna@gpu1) Password: "};
        const auto stored = [&] {
            return std::async(std::launch::async, [socket = door->socket(), question] {
                return askThrough(socket, question, std::string("stored"));
            });
        };
        auto answer = stored();
        QVERIFY(test::waitUntil(30, [&] {
            if (door->poll()) return false;
            return answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
        }));
        QVERIFY(answer.get() == std::string("stored"));
        answer = stored();
        QVERIFY(heard(*door) == question);
        door->answer("typed");
        QVERIFY(answer.get() == std::string("typed"));
    }
    // The folder keeps others out; were it open, the door itself would refuse them.
    void refusesAnotherUser() {
        if (::geteuid() != 0) QSKIP("only root can become another user");
        auto door = AskDoor::open();
        QVERIFY(door);
        for (std::filesystem::path open = door->socket().parent_path(); open.has_relative_path();
             open = open.parent_path())
            if (::chmod(open.c_str(), 0755) != 0) break;
        QCOMPARE(::chmod(door->socket().c_str(), 0777), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            constexpr uid_t kNobody = 65534;
            if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) ::_exit(3);
            sockaddr_un address{};
            address.sun_family = AF_UNIX;
            std::strncpy(address.sun_path, door->socket().c_str(), sizeof address.sun_path - 1);
            const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
            if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) ::_exit(2);
            const char text[] = "{\"kind\":\"secret\",\"prompt\":\"x\"}\n";
            (void)!::write(fd, text, sizeof text - 1);
            char byte = 0;
            ::_exit(::read(fd, &byte, 1) <= 0 ? 0 : 1);  // closed without a word
        }
        int status = 0;
        bool wasAsked = false;
        QVERIFY(test::waitUntil(30, [&] {
            wasAsked = wasAsked || door->poll().has_value();
            return ::waitpid(child, &status, WNOHANG) == child;
        }));
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
        QVERIFY(!wasAsked);
    }

    void asksOneAfterTheOther() {
        auto door = AskDoor::open();
        QVERIFY(door);
        for (const auto kind : {AskQuestion::Kind::Secret, AskQuestion::Kind::Confirm, AskQuestion::Kind::Notice}) {
            auto answer = ask(*door, {kind, "?"});
            QVERIFY(heard(*door) == (AskQuestion{kind, "?"}));
            door->answer("");
            QVERIFY(answer.get() == std::string());  // an empty answer is one
        }
        auto refused = ask(*door, {});
        QVERIFY(heard(*door));
        door->refuse();
        QVERIFY(!refused.get());
    }
    // ssh has given up, or the key has been touched: nobody waits for the answer any more.
    void withdrawsAQuestionWhoseAskerIsGone() {
        auto door = AskDoor::open();
        QVERIFY(door);
        ProcessSpec spec;
        spec.arguments = {"/usr/bin/env", "SLIPWAY_ASKPASS=-", "SLIPWAY_ASKPASS_SOCKET=" + door->socket().string(),
                          SLIPWAY_BIN_DIR "/slipway-agent", "Password: "};
        auto asker = Process::start(spec);
        QVERIFY(asker);
        QVERIFY(heard(*door));
        asker->signal(SIGKILL);
        QVERIFY(test::waitUntil(30, [&] { return !door->poll(); }));
    }
    void boundsWhatItReads() {
        auto door = AskDoor::open();
        QVERIFY(door);
        auto answer = ask(*door, {AskQuestion::Kind::Secret, std::string(1U << 20, 'x')});
        const auto question = heard(*door);
        QVERIFY(question);
        QCOMPARE(question->text.size(), AskDoor::kLongestText);
        door->refuse();
        QVERIFY(!answer.get());
    }
    void leavesNothingBehind() {
        std::filesystem::path socket;
        {
            auto door = AskDoor::open();
            QVERIFY(door);
            socket = door->socket();
            QVERIFY(std::filesystem::exists(socket));
        }
        QVERIFY(!std::filesystem::exists(socket.parent_path()));
        QVERIFY(!askThrough(socket, {}));
    }
};

SLIPWAY_TEST(TstAskDoor)
#include "tst_ask_door.moc"
