// Every collective on every backend that runs here, against its definition; failures; counters; the mesh.
#include "tests/trainer/comm/backends.h"
#include "trainer/comm/gather_text.h"
#include "trainer/comm/self_group.h"
#include "trainer/comm/start_together.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <sstream>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::trainer;
using namespace slipway::test;

namespace {

// Different on every rank, exact in every number format here.
at::Tensor values(std::int64_t rank, std::int64_t count, at::ScalarType type = at::kFloat) {
    return (at::arange(count, at::kDouble).remainder(7) + static_cast<double>(rank)).to(type);
}

std::vector<std::int64_t> allRanks(std::int64_t size) {
    std::vector<std::int64_t> ranks;
    for (std::int64_t rank = 0; rank < size; ++rank) ranks.push_back(rank);
    return ranks;
}

}  // namespace

namespace {

// libtorch's Gloo is not built with the thread sanitizer, which then reports every lock it did not see.
bool testsGloo() {
#ifdef __SANITIZE_THREAD__
    return false;
#else
    return haveGloo();
#endif
}

}  // namespace

class TstComm : public QObject {
    Q_OBJECT
private slots:
    void collectives_data() {
        QTest::addColumn<QString>("backend");
        QTest::addColumn<int>("size");
        QTest::addColumn<int>("type");
        for (const char* backend : {"in_process", "gloo"}) {
            if (std::string(backend) == "gloo" && !testsGloo()) continue;
            for (const int size : {2, 3}) {
                for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kBFloat16})
                    QTest::addRow("%s %d %s", backend, size, c10::toString(type))
                        << backend << size << static_cast<int>(type);
            }
        }
    }
    void collectives() {
        QFETCH(QString, backend);
        QFETCH(int, size);
        QFETCH(int, type);
        const auto dtype = static_cast<at::ScalarType>(type);
        std::atomic<int> checks{0};
        const auto failures = runRanks(backend.toStdString(), size, [&](std::int64_t rank, const GroupMaker& make) {
            const auto group = make("world", allRanks(size));
            const auto verify = [&](bool right, const char* what) {
                if (!right) throw std::runtime_error(what);
                ++checks;
            };
            at::Tensor sum = values(rank, 12, dtype), expected = values(0, 12, dtype);
            for (int r = 1; r < size; ++r) expected = expected + values(r, 12, dtype);
            group->allReduce(sum, ReduceOp::Sum)->wait();
            verify(at::equal(sum, expected), "all_reduce sum");
            at::Tensor most = values(rank, 12, dtype);
            group->allReduce(most, ReduceOp::Max)->wait();
            verify(at::equal(most, values(size - 1, 12, dtype)), "all_reduce max");

            at::Tensor all = at::empty({size * 4, 3}, dtype);
            std::vector<at::Tensor> parts;
            for (int r = 0; r < size; ++r) parts.push_back(values(r, 12, dtype).view({4, 3}));
            group->allGather(all, parts[static_cast<std::size_t>(rank)])->wait();
            verify(at::equal(all, at::cat(parts, 0)), "all_gather");

            at::Tensor whole = values(rank, size * 4, dtype), block = at::empty({4}, dtype),
                       total = values(0, size * 4, dtype);
            for (int r = 1; r < size; ++r) total = total + values(r, size * 4, dtype);
            group->reduceScatter(block, whole)->wait();
            verify(at::equal(block, total.narrow(0, rank * 4, 4)), "reduce_scatter");
            at::Tensor own = whole.narrow(0, rank * 4, 4);  // ZeRO writes into the block it owns
            group->reduceScatter(own, whole)->wait();
            verify(at::equal(own, total.narrow(0, rank * 4, 4)), "reduce_scatter in place");

            // Rank r gives r + 1 rows to each.
            std::vector<std::int64_t> give(static_cast<std::size_t>(size), rank + 1), take;
            std::vector<at::Tensor> arriving;
            std::int64_t rows = 0;
            for (int r = 0; r < size; ++r) {
                take.push_back(r + 1);
                rows += r + 1;
                arriving.push_back(at::full({r + 1, 2}, r, dtype));
            }
            at::Tensor received = at::empty({rows, 2}, dtype);
            group->allToAllV(received, at::full({size * (rank + 1), 2}, rank, dtype), take, give)->wait();
            verify(at::equal(received, at::cat(arriving, 0)), "all_to_all");

            at::Tensor told = values(rank, 5, dtype);
            group->broadcast(told, size - 1)->wait();
            verify(at::equal(told, values(size - 1, 5, dtype)), "broadcast");

            // Everybody sends before anybody receives, and the sender reuses its buffer at once.
            const int next = static_cast<int>((rank + 1) % size), before = static_cast<int>((rank + size - 1) % size);
            for (int i = 0; i < 3; ++i) {
                at::Tensor message = at::full({100000}, rank * 10 + i, dtype);
                group->send(message, next, 7);
                message.zero_();
            }
            for (int i = 0; i < 3; ++i) {
                at::Tensor message = at::empty({100000}, dtype);
                group->recv(message, before, 7)->wait();
                verify(at::equal(message, at::full({100000}, before * 10 + i, dtype)), "messages arrive in order");
            }
            const std::vector<std::string> texts =
                gatherTexts(*group, std::string(static_cast<std::size_t>(rank), 'x'), at::kCPU);
            for (int r = 0; r < size; ++r)
                verify(texts[static_cast<std::size_t>(r)] == std::string(static_cast<std::size_t>(r), 'x'),
                       "gather_texts");
            group->barrier();
        });
        for (const std::string& failure : failures) QVERIFY2(failure.empty(), failure.c_str());
        QCOMPARE(checks.load(), size * (10 + size));
    }

    void counters() {
        const auto failures = runRanks("in_process", 4, [&](std::int64_t rank, const GroupMaker& make) {
            const auto group = make("dp", allRanks(4));
            at::Tensor tensor = values(rank, 1000);
            group->allReduce(tensor, ReduceOp::Sum)->wait();  // 2 * 3/4 * 4000
            at::Tensor all = at::empty({4000}, at::kFloat);
            group->allGather(all, tensor)->wait();     // 3/4 * 16000
            if (rank == 0) group->send(tensor, 1, 0);  // 4000
            if (rank == 1) group->recv(tensor, 0, 0)->wait();
            group->barrier();
            const CommCounters c = group->counters();
            const double expected = 6000 + 12000 + (rank == 0 ? 4000 : 0);
            if (c.bytes != expected) throw std::runtime_error("bytes " + std::to_string(c.bytes));
            if (!(c.seconds > 0) || c.exposedSeconds > c.seconds) throw std::runtime_error("seconds");
        });
        for (const std::string& failure : failures) QVERIFY2(failure.empty(), failure.c_str());
    }

    // The rank stands for a collective while it starts it and while it waits, but not while it computes in between, and
    // not once it is complete.
    void exposedSeconds() {
        class Slow final : public GroupBase {
        public:
            Slow() : GroupBase("dp", {0, 1}, 0, nullptr) {}
            CommWork begin(double startSeconds, double waitSeconds, double lateSeconds) {
                auto timing = std::make_shared<Timing>();
                pass(startSeconds);
                return makeHandle("all_reduce", timing, [=] {
                    pass(waitSeconds);
                    timing->markDone();
                    pass(lateSeconds);
                });
            }
            static void pass(double seconds) {
                const auto begin = Clock::now();
                while (std::chrono::duration<double>(Clock::now() - begin).count() < seconds) {
                }
            }
            CommWork allReduce(at::Tensor&, ReduceOp) override { return doneHandle(); }
            CommWork allGather(at::Tensor&, const at::Tensor&) override { return doneHandle(); }
            CommWork reduceScatter(at::Tensor&, const at::Tensor&) override { return doneHandle(); }
            CommWork allToAllV(at::Tensor&, const at::Tensor&, const std::vector<std::int64_t>&,
                               const std::vector<std::int64_t>&) override {
                return doneHandle();
            }
            CommWork broadcast(at::Tensor&, int) override { return doneHandle(); }
            CommWork send(const at::Tensor&, int, int) override { return doneHandle(); }
            CommWork recv(at::Tensor&, int, int) override { return doneHandle(); }
            void barrier() override {}
        };
        constexpr double kPart = 0.01;
        Slow late;  // complete at once, the thread wakes long after
        late.begin(0, 0, kPart)->wait();
        QVERIFY(late.counters().exposedSeconds <= late.counters().seconds);
        Slow starting, waiting;
        starting.begin(kPart, 0, 0)->wait();
        QVERIFY(starting.counters().exposedSeconds >= kPart);
        waiting.begin(0, kPart, 0)->wait();
        QVERIFY(waiting.counters().exposedSeconds >= kPart);
        Slow overlapped;
        const CommWork work = overlapped.begin(kPart, kPart, kPart);
        Slow::pass(kPart);
        work->wait();
        const CommCounters counted = overlapped.counters();
        QVERIFY(counted.exposedSeconds >= 2 * kPart);
        QVERIFY(counted.exposedSeconds <= counted.seconds - kPart);
    }

    // A rank that ends wakes the others, whatever they wait for, and the error names group and operation.
    void death_data() {
        QTest::addColumn<QString>("backend");
        QTest::addColumn<QString>("operation");
        for (const char* backend : {"in_process", "gloo"})
            for (const char* operation : {"all_reduce", "recv"})
                if (std::string(backend) != "gloo" || testsGloo())
                    QTest::addRow("%s %s", backend, operation) << backend << operation;
    }
    void death() {
        QFETCH(QString, backend);
        QFETCH(QString, operation);
        const auto failures = runRanks(backend.toStdString(), 2, [&](std::int64_t rank, const GroupMaker& make) {
            const auto group = make("tp", allRanks(2));
            group->barrier();
            if (rank == 1) throw std::runtime_error("broken");
            at::Tensor tensor = values(rank, 8);
            try {
                (operation == "recv" ? group->recv(tensor, 1, 0) : group->allReduce(tensor, ReduceOp::Sum))->wait();
            } catch (const CommError& error) {
                if (error.group() != "tp" || error.operation() != operation.toStdString())
                    throw std::runtime_error("named " + error.group() + " " + error.operation());
                throw;
            }
        });
        QCOMPARE(failures[1], std::string("broken"));
        QVERIFY2(failures[0].find("in group tp (ranks 0, 1) failed") != std::string::npos, failures[0].c_str());
    }

    void meshGroups_data() {
        QTest::addColumn<int>("dp");
        QTest::addColumn<int>("tp");
        QTest::addColumn<int>("pp");
        QTest::addColumn<int>("cp");
        QTest::newRow("one") << 1 << 1 << 1 << 1;
        QTest::newRow("dp2 tp2 pp2") << 2 << 2 << 2 << 1;
        QTest::newRow("pp3 middle stage") << 1 << 1 << 3 << 1;
        QTest::newRow("cp2 dp2") << 2 << 1 << 1 << 2;
    }
    void meshGroups() {
        QFETCH(int, dp);
        QFETCH(int, tp);
        QFETCH(int, pp);
        QFETCH(int, cp);
        ParallelLayout layout;
        layout.dp = dp;
        layout.tp = tp;
        layout.pp = pp;
        layout.cp = cp;
        const auto failures =
            runRanks("in_process", layout.worldSize(), [&](std::int64_t rank, const GroupMaker& make) {
                const ProcessMesh mesh = makeMesh(layout, rank, make);
                const bool end = mesh.at.pp == 0 || mesh.at.pp == pp - 1;
                const bool sizes = mesh.tp->size() == tp && mesh.dp->size() == dp * cp && mesh.pp->size() == pp &&
                                   mesh.cp->size() == cp && mesh.world->size() == layout.worldSize() &&
                                   mesh.tied->size() == (pp > 1 && end ? 2 : 1);
                if (!sizes) throw std::runtime_error("sizes");
                if (mesh.pp->rank() != mesh.at.pp || mesh.tp->rank() != mesh.at.tp) throw std::runtime_error("places");
                // A sum of world ranks tells whether the group has the right members.
                at::Tensor sum = at::full({1}, rank, at::kLong);
                mesh.tied->allReduce(sum, ReduceOp::Sum)->wait();
                const auto stages = layout.groupOf(Axis::Pp, rank);
                const std::int64_t expected = pp > 1 && end ? stages.front() + stages.back() : rank;
                if (sum.item<std::int64_t>() != expected) throw std::runtime_error("tied members");
            });
        for (const std::string& failure : failures) QVERIFY2(failure.empty(), failure.c_str());
    }

    void rankEnvironment() {
        qputenv("RANK", "3");
        qputenv("WORLD_SIZE", "2");
        QVERIFY(!RankEnvironment::read());
        qputenv("RANK", "x1");
        QCOMPARE(RankEnvironment::read().error().code, std::string("bad_environment"));
        qputenv("RANK", "1");
        QCOMPARE(RankEnvironment::read()->rank, 1);
        qunsetenv("RANK");
        qunsetenv("WORLD_SIZE");
        QCOMPARE(RankEnvironment::read()->worldSize, 1);
    }

    // Ranks of one computer meet where no other computer can reach them.
    void oneNodeListensOnLoopback() {
        RankEnvironment environment;
        environment.masterPort = freePort();
        const auto listeners = [&](const char* table) {
            // "  0: 0100007F:8AE2 00000000:0000 0A ...": local address, remote address, 0A for a listening socket
            std::vector<std::string> found;
            std::ifstream lines(table);
            char port[8];
            std::snprintf(port, sizeof port, ":%04X", static_cast<unsigned>(environment.masterPort));
            for (std::string line, number, local, remote, state; std::getline(lines, line);)
                if (std::istringstream(line) >> number >> local >> remote >> state && state == "0A" &&
                    local.ends_with(port))
                    found.push_back(local.substr(0, local.find(':')));
            return found;
        };
        {
            const Rendezvous rendezvous(environment, std::chrono::seconds(10));
            QCOMPARE(listeners("/proc/net/tcp"), std::vector<std::string>{"0100007F"});
            QCOMPARE(listeners("/proc/net/tcp6"), std::vector<std::string>{});
        }
        // Another program's port is an error that names it.
        const int taken = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        QVERIFY(::bind(taken, reinterpret_cast<sockaddr*>(&address), length) == 0 && ::listen(taken, 1) == 0);
        ::getsockname(taken, reinterpret_cast<sockaddr*>(&address), &length);
        environment.masterPort = ntohs(address.sin_port);
        std::string failure;
        try {
            const Rendezvous rendezvous(environment, std::chrono::seconds(2));
        } catch (const CommError& error) {
            failure = error.what();
        }
        ::close(taken);
        QVERIFY2(failure.find("cannot listen at 127.0.0.1:") != std::string::npos, failure.c_str());
    }

    // Two of three come: the error says who is missing.
    void missingRank() {
        const std::uint16_t port = freePort();
        std::string failure;
        std::vector<std::jthread> threads;
        for (const std::int64_t rank : {0, 1}) {
            threads.emplace_back([&, rank] {
                RankEnvironment environment;
                environment.rank = rank;
                environment.worldSize = 3;
                environment.masterPort = port;
                try {
                    const Rendezvous rendezvous(environment, std::chrono::seconds(2));
                } catch (const CommError& error) {
                    if (rank == 0) failure = error.what();
                }
            });
        }
        threads.clear();
        QVERIFY2(failure.find("have not come: 2") != std::string::npos, failure.c_str());
    }

    // Who reaches the port of the store without the run's secret finds none of its keys, and is none of its ranks.
    void keepsStrangersOutOfTheStore() {
        const std::uint16_t port = freePort();
        std::vector<std::string> failures(2);
        const auto meet = [&](const std::string& first, const std::string& second) {
            std::vector<std::jthread> threads;
            for (const std::int64_t rank : {0, 1}) {
                threads.emplace_back([&, rank] {
                    RankEnvironment environment;
                    environment.rank = rank;
                    environment.worldSize = 2;
                    environment.masterPort = port;
                    environment.storeSecret = rank == 0 ? first : second;
                    std::string& failure = failures[static_cast<std::size_t>(rank)];
                    failure.clear();
                    try {
                        const Rendezvous rendezvous(environment, std::chrono::seconds(2));
                    } catch (const CommError& error) {
                        failure = error.what();
                    }
                });
            }
        };
        meet("a secret", "a secret");
        for (const std::string& failure : failures) QVERIFY2(failure.empty(), failure.c_str());
        for (const char* stranger : {"", "another"}) {
            meet("a secret", stranger);
            QVERIFY2(failures[0].find("have not come: 1") != std::string::npos, failures[0].c_str());
            QVERIFY(!failures[1].empty());
        }
    }

    // Ranks that came late are waited for as long as others keep coming; a word that one will not come ends the wait.
    void patienceBeginsAgainWithEachRank() {
        const std::uint16_t port = freePort();
        std::vector<std::string> failures(3);
        const auto rank = [&](std::int64_t number, int delay, const Rendezvous::Ended& ended) {
            return std::jthread([&failures, port, number, delay, ended] {
                std::this_thread::sleep_for(std::chrono::milliseconds(delay));
                RankEnvironment environment;
                environment.rank = number;
                environment.worldSize = 3;
                environment.masterPort = port;
                try {
                    const Rendezvous rendezvous(environment, std::chrono::seconds(3), {}, ended);
                } catch (const CommError& error) {
                    failures[static_cast<std::size_t>(number)] = error.what();
                }
            });
        };
        { const std::jthread all[] = {rank(0, 0, {}), rank(1, 2000, {}), rank(2, 4000, {})}; }
        for (const std::string& failure : failures) QVERIFY2(failure.empty(), failure.c_str());
        const auto began = std::chrono::steady_clock::now();
        {
            const auto ended = [] { return std::string("rank 2 ended before the first step: no tokens"); };
            const std::jthread two[] = {rank(0, 0, ended), rank(1, 0, ended)};
        }
        QVERIFY(std::chrono::steady_clock::now() - began < std::chrono::milliseconds(2900));
        for (const int number : {0, 1})
            QVERIFY2(failures[static_cast<std::size_t>(number)].find("rank 2 ended") != std::string::npos,
                     failures[static_cast<std::size_t>(number)].c_str());
    }

    // Between rendezvous and the first group: all continue together, or learn within seconds which rank ended.
    void startTogether_data() {
        QTest::addColumn<int>("who");
        QTest::addColumn<QString>("end");
        QTest::addColumn<QString>("heard");
        QTest::newRow("all are ready") << -1 << ""
                                       << "";
        QTest::newRow("one ends with a word") << 2 << "no tokens"
                                              << "rank 2 ended before the first step: no tokens";
        QTest::newRow("one is killed") << 2 << "killed"
                                       << "rank 2 ended before the first step without a word";
        QTest::newRow("rank 0 ends with a word") << 0 << "no tokens"
                                                 << "rank 0 ended before the first step: no tokens";
        QTest::newRow("one is asked to stop") << 2 << "stopped"
                                              << "rank 2 ended before the first step: it was asked to stop";
        QTest::newRow("rank 0 is asked to stop") << 0 << "stopped"
                                                 << "rank 0 ended before the first step: it was asked to stop";
        QTest::newRow("rank 0 is killed") << 0 << "killed"
                                          << "rank 0 ended before the first step, and the store with it";
    }
    void startTogether() {
        QFETCH(int, who);
        QFETCH(QString, end);
        QFETCH(QString, heard);
        const std::uint16_t port = freePort();
        std::vector<std::string> failures(3);
        const auto began = std::chrono::steady_clock::now();
        {
            std::vector<std::jthread> threads;
            for (std::int64_t rank = 0; rank < 3; ++rank)
                threads.emplace_back([&, rank] {
                    RankEnvironment environment;
                    environment.rank = rank;
                    environment.worldSize = 3;
                    environment.masterPort = port;
                    bool hasMet = false;
                    const bool stops = rank == who && end == "stopped";
                    Rendezvous rendezvous(environment, std::chrono::seconds(30), {}, {},
                                          [&] { return stops && hasMet; });
                    hasMet = true;
                    StartTogether together(rendezvous);
                    if (rank == who && end == "killed") return;  // as the kernel closes what it held
                    if (rank == who && !stops) {
                        together.failed(end.toStdString());
                        if (who != 0) std::this_thread::sleep_for(std::chrono::seconds(5));  // a process ends slowly
                        return;
                    }
                    try {
                        std::this_thread::sleep_for(std::chrono::milliseconds(600 * rank));
                        together.wait(std::chrono::seconds(20));
                    } catch (const CommError& error) {
                        failures[static_cast<std::size_t>(rank)] = error.what();
                        together.failed(stops ? "it was asked to stop" : error.what());
                    }
                });
        }
        QVERIFY(std::chrono::steady_clock::now() - began < std::chrono::seconds(15));
        for (int rank = 0; rank < 3; ++rank) {
            const std::string& failure = failures[static_cast<std::size_t>(rank)];
            if (rank == who && end == "stopped")
                QVERIFY2(failure.find("this rank was asked to stop") != std::string::npos, failure.c_str());
            else if (rank == who || heard.isEmpty())
                QVERIFY2(failure.empty(), failure.c_str());
            else
                QVERIFY2(failure.find(heard.toStdString()) != std::string::npos, failure.c_str());
        }
    }
};

SLIPWAY_TEST(TstComm)
#include "tst_comm.moc"
