// Tensor bytes, streams of a rank, environment, watchdog.
#include "core/base/file.h"
#include "core/base/json.h"
#include "tests/support/temp_dir.h"
#include "tests/trainer/comm/backends.h"
#include "trainer/kernels/host_memory.h"
#include "trainer/telemetry/environment.h"
#include "trainer/telemetry/hang_report.h"
#include "trainer/telemetry/metric_writer.h"
#include "trainer/telemetry/tensor_memory.h"
#include "trainer/telemetry/watchdog.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <nlohmann/json.hpp>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <condition_variable>
#include <fstream>
#include <limits>
#include <mutex>
#include <sstream>
#include <thread>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"

using namespace slipway;
using namespace slipway::trainer;

class TstTelemetry : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { installTensorMemory(); }

    void hostTensorsAreCountedApart() {
        const std::int64_t device = TensorMemory::current().bytes(), host = TensorMemory::host().bytes();
        {
            const at::Tensor away = hostTensor({1000}, at::kFloat, at::kCPU);
            QCOMPARE(TensorMemory::current().bytes(), device);
            QCOMPARE(TensorMemory::host().bytes() - host, std::int64_t{4000});
            const at::Tensor here = at::zeros({1000}, at::kFloat);
            QCOMPARE(TensorMemory::current().bytes() - device, std::int64_t{4000});
            SideCopies copies(at::kCPU);
            away.fill_(3);
            copies.start(here, away);
            QVERIFY(copies.mark() == nullptr);  // done at once
            QCOMPARE(here.sum().item<float>(), 3000.0F);
        }
        QCOMPARE(TensorMemory::host().bytes(), host);
        QCOMPARE(TensorMemory::current().bytes(), device);
    }

    // Pages of its own, no more than asked for; the driver has them from first to last view, and a refusal leaves
    // nothing.
    void pinnedPagesAreExact() {
        std::vector<std::pair<void*, std::size_t>> pinned, unpinned;
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        const PagePinning pinning{[&](void* pages, std::size_t bytes) {
                                      pinned.emplace_back(pages, bytes);
                                      return bytes > page;
                                  },
                                  [&](void* pages) {
                                      static_cast<std::byte*>(pages)[0] = std::byte{1};  // still mapped
                                      unpinned.emplace_back(pages, 0);
                                  }};
        at::Tensor view;
        {
            const auto elements = static_cast<std::int64_t>(5 * page / sizeof(float)) + 1;
            at::Tensor tensor = pinnedPages({elements}, at::kFloat, pinning);
            QCOMPARE(pinned.size(), std::size_t{1});
            QCOMPARE(pinned[0].second, 6 * page);
            QCOMPARE(pinned[0].first, tensor.data_ptr());
            QCOMPARE(reinterpret_cast<std::uintptr_t>(tensor.data_ptr()) % page, std::uintptr_t{0});
            view = tensor.fill_(2).narrow(0, elements - 3, 3);
        }
        QVERIFY(unpinned.empty());
        QCOMPARE(view.sum().item<float>(), 6.0F);
        view = at::Tensor();
        QCOMPARE(unpinned.size(), std::size_t{1});
        QCOMPARE(unpinned[0].first, pinned[0].first);
        QVERIFY(!pinnedPages({2, 3}, at::kFloat, pinning).defined());
        QCOMPARE(pinned[1].second, page);
        QCOMPARE(unpinned.size(), std::size_t{1});
    }

    // Beside a CPU it is libtorch's, in the host's account.
    void lastingTensorsOnACpu() {
        const std::int64_t host = TensorMemory::host().bytes();
        const at::Tensor tensor = lastingHostTensor({10, 100}, at::kDouble, at::kCPU);
        QCOMPARE(TensorMemory::host().bytes() - host, std::int64_t{8000});
        QVERIFY(!pagePinning().pin(tensor.data_ptr(), 8000));
    }

    void tensorBytes() {
        TensorMemory& memory = TensorMemory::current();
        const std::int64_t before = memory.bytes();
        memory.resetPeak();
        {
            const at::Tensor a = at::zeros({1000}, at::kFloat);
            QCOMPARE(memory.bytes() - before, 4000);
            at::Tensor b = at::empty({500}, at::kDouble);
            b.resize_({1500});  // a new block
            QCOMPARE(memory.bytes() - before, 16000);
            const at::Tensor view = a.narrow(0, 10, 10);
            QCOMPARE(memory.bytes() - before, 16000);
        }
        QCOMPARE(memory.bytes(), before);
        QVERIFY(memory.peakBytes() - before >= 16000);
        memory.resetPeak();
        QCOMPARE(memory.peakBytes(), memory.bytes());
        std::ifstream status("/proc/self/status");
        std::int64_t residentKilobytes = 0;
        for (std::string line; std::getline(status, line);)
            if (line.starts_with("VmRSS:")) residentKilobytes = std::stoll(line.substr(6));
        QVERIFY(residentKilobytes > 10 << 10);
        const double share = static_cast<double>(residentBytes()) / static_cast<double>(residentKilobytes << 10);
        QVERIFY2(share > 0.5 && share < 2, qPrintable(QString::number(share)));
    }

    // Ranks that are threads: each its own count, and a tensor freed elsewhere is taken from its owner's.
    void threadsHaveTheirOwn() {
        const std::int64_t here = TensorMemory::current().bytes();
        at::Tensor kept;
        TensorMemory* theirs = nullptr;
        std::thread([&] {
            theirs = &TensorMemory::useOwnInThisThread();
            kept = at::zeros({250}, at::kFloat);
            const at::Tensor gone = at::zeros({9999}, at::kFloat);
        }).join();
        QCOMPARE(TensorMemory::current().bytes(), here);
        QCOMPARE(theirs->bytes(), 1000);
        QVERIFY(theirs->peakBytes() >= 1000 + 4 * 9999);
        kept = at::Tensor();
        QCOMPARE(theirs->bytes(), 0);
    }

    void streams() {
        const test::TempDir temp;
        const RunDir dir{temp.path()};
        {
            auto writer = MetricWriter::open(dir);
            QVERIFY(writer.has_value());
            QVERIFY(writer->write(MetricHeader{1, "r", 1, 0, 2, 5}).has_value());
            QVERIFY(writer->write(MetricStep{1, 4096, 6, {{"loss", std::nan("")}, {"lr", 0.1}}}).has_value());
            QVERIFY(writer->event(1, "nonfinite_loss", "x").has_value());
            QVERIFY(writer->end("completed", 1, 0).has_value());
        }
        QCOMPARE(MetricWriter::open(dir)->numAttempts(), 1);
        const std::string text = *readFile(dir.metrics());
        QCOMPARE(std::count(text.begin(), text.end(), '\n'), 4);
        QVERIFY(text.find("\"loss\":\"nan\"") != std::string::npos);
        QVERIFY(text.find("\"kind\":\"end\",\"status\":\"completed\"") != std::string::npos);

        auto stream = RankStream::open(dir, 3);
        QVERIFY(stream.has_value());
        QVERIFY(stream->health({2, 10, 20, 30, 0.5}).has_value());
        QVERIFY(stream->spans(2, {{"forward", 1, 0, 0.25, 0.5}}, {{"all_reduce", "dp", 0.5, 0.75}}).has_value());
        HealthLine onDevice{3, 10, 20, 30, 0.5};
        onDevice.reservedPeakBytes = 40;
        onDevice.allocatorRetries = 2;
        QVERIFY(stream->health(onDevice).has_value());
        std::istringstream lines(*readFile(dir.rankStream(3)));
        const auto next = [&] {
            std::string line;
            std::getline(lines, line);
            return parseJson(line, "rank stream");
        };
        const auto health = next(), spans = next(), onGpu = next();
        QCOMPARE(health->at("tensor_peak_bytes").get<int>(), 20);
        QVERIFY(!health->contains("memory_reserved_peak_bytes") && !health->contains("allocator_retries"));
        QCOMPARE(onGpu->at("memory_reserved_peak_bytes").get<int>(), 40);
        QCOMPARE(onGpu->at("allocator_retries").get<int>(), 2);
        QVERIFY(spans->at("collectives").at(0) == Json::array({"all_reduce", "dp", 0.5, 0.75}));
        QVERIFY(spans->at("spans").at(0) == Json::array({"forward", 1, 0, 0.25, 0.5}));
        QCOMPARE(spans->at("rank").get<int>(), 3);
    }

    void environmentNamesWhatMatters() {
        const Json json = describeEnvironment(RunConfig{}, "gloo");
        for (const char* key : {"slipway_version", "libtorch_version", "compiler", "cpu", "cpu_count",
                                "threads_per_rank", "knobs", "host"})
            QVERIFY2(json.contains(key), key);
        QVERIFY(json["libtorch_version"].get<std::string>().rfind("2.11", 0) == 0);
    }

    // A thread that waits is named with what it waits in; the last collectives are there, the oldest first.
    void hangReportTellsWhereEachThreadStands() {
#ifdef __SANITIZE_THREAD__
        QSKIP("the sanitizer holds signals back, and has a thread of its own that takes none");
#endif
        std::mutex mutex;
        std::condition_variable wake;
        bool go = false, waits = false;
        std::thread waiter([&] {
            pthread_setname_np(pthread_self(), "stuck_one");
            std::unique_lock lock(mutex);
            waits = true;
            wake.notify_all();
            wake.wait(lock, [&] { return go; });
        });
        {
            std::unique_lock lock(mutex);
            wake.wait(lock, [&] { return waits; });
        }
        CommActivity activity;
        for (int i = 0; i < 20; ++i) {
            activity.enter("dp", "all_reduce_" + std::to_string(i), "0, 1");
            activity.leave();
        }
        activity.enter("tp", "all_gather", "0, 2");
        QCOMPARE(activity.recent().size(), std::size_t{16});
        QCOMPARE(activity.recent().front().operation, std::string("all_reduce_4"));
        QCOMPARE(activity.recent().back().operation, std::string("all_reduce_19"));
        const std::string text = hangReport(3, activity);
        {
            const std::lock_guard lock(mutex);
            go = true;
        }
        wake.notify_all();
        waiter.join();
        QVERIFY2(text.find("rank 3, 20 collectives completed") != std::string::npos, text.c_str());
        QVERIFY2(text.find("waits in all_gather of group tp (ranks 0, 2)") != std::string::npos, text.c_str());
        const std::size_t oldest = text.find("  all_reduce_4 of group dp (ranks 0, 1), "),
                          newest = text.find("  all_reduce_19 of group dp");
        QVERIFY2(oldest < newest && newest != std::string::npos, text.c_str());
        const std::string name = "(stuck_one)\n  ";
        const std::size_t stuck = text.find(name);
        QVERIFY2(stuck != std::string::npos, text.c_str());
        // Its first frame is the wait itself, not what asked for the stack.
        const std::size_t frame = stuck + name.size();
        QVERIFY2(text.substr(frame, text.find('\n', frame) - frame).find("libc.so") != std::string::npos, text.c_str());
        QVERIFY2(text.find("does not answer") == std::string::npos, text.c_str());
    }

    void hangLimit() {
        QCOMPARE(hangLimitSeconds({}, 60), 60.0);
        QCOMPARE(hangLimitSeconds({1, 2, 3}, 60), 60.0);
        QCOMPARE(hangLimitSeconds({30, 10, 20}, 60), 200.0);
    }

    void watchdogSeesMissingProgress() {
        double now = 0;
        const auto activity = std::make_shared<CommActivity>();
        WatchdogOptions options;
        options.rank = 1;
        options.worldSize = 2;
        options.pollSeconds = 0;  // no thread: the test looks
        options.firstStepLimitSeconds = 600;
        options.now = [&] { return now; };
        Watchdog watchdog(options, activity, nullptr);
        RankError error;
        now = 599;
        QVERIFY(!watchdog.check(now, error));
        watchdog.stepDone(1, 8);  // limit 80 s from here
        now = 670;
        QVERIFY(!watchdog.check(now, error));
        activity->enter("dp", "all_reduce", "0, 1");
        activity->leave();  // a completed collective is progress
        QVERIFY(!watchdog.check(now, error));
        activity->enter("tp", "all_gather", "0, 1");
        now = 749;
        QVERIFY(!watchdog.check(now, error));
        now = 751;
        QVERIFY(watchdog.check(now, error));
        QCOMPARE(error.code, std::string("hang"));
        QCOMPARE(error.group, std::string("tp"));
        QCOMPARE(error.operation, std::string("all_gather"));
        QCOMPARE(error.exitCode, 12);
        QVERIFY2(error.message.find("for 81 s after step 1: rank 1 waits in all_gather of group tp (ranks 0, 1)") !=
                     std::string::npos,
                 error.message.c_str());
        // A disk shows no progress while it works.
        watchdog.waitForDisk(true);
        QVERIFY(!watchdog.check(now + 3599, error));
        QVERIFY(watchdog.check(now + 3600, error));
        now += 3600;
        watchdog.waitForDisk(false);
        QVERIFY(!watchdog.check(now + 79, error));
        QVERIFY(watchdog.check(now + 80, error));
        // The last 64 steps count: slow ones before them do not stretch the limit.
        for (int step = 0; step < 200; ++step) watchdog.stepDone(2 + step, step < 136 ? 1000 : 8);
        QVERIFY(!watchdog.check(now + 79, error));
        QVERIFY(watchdog.check(now + 80, error));
    }

    // Who is asked for: ranks without a sign of life, and those that are alive and wait for nobody; never the one that
    // asks.
    void watchdogNamesTheOthers() {
        RankEnvironment environment;
        environment.masterPort = test::freePort();
        Rendezvous rendezvous(environment, std::chrono::seconds(60));
        std::atomic<double> now{0};
        WatchdogOptions options;
        options.rank = 1;
        options.worldSize = 3;
        options.pollSeconds = 0;
        options.firstStepLimitSeconds = 600;
        options.now = [&] { return now.load(); };
        const auto activity = std::make_shared<CommActivity>();
        RankError error;
        Watchdog first(options, activity, &rendezvous);
        QVERIFY(!first.check(0, error));
        QVERIFY(!first.check(599, error));
        QVERIFY(first.check(600, error));
        // Not even the own beat was read: rank 0, which keeps them, is the one that is silent.
        QVERIFY2(error.message.ends_with("; these ranks do not answer: 0."), error.message.c_str());
        options.firstStepLimitSeconds = 4;
        Watchdog hasty(options, activity, &rendezvous);
        QVERIFY(!hasty.check(0, error));
        QVERIFY(hasty.check(4, error));
        QVERIFY2(error.message.ends_with("; these ranks do not answer: 0."), error.message.c_str());
        options.firstStepLimitSeconds = 600;
        options.pollSeconds = 0.01;
        Watchdog watchdog(options, activity, &rendezvous);
        QVERIFY(!watchdog.check(0, error));
        now = 595;
        rendezvous.put("beat/0", "1 computes");
        const bool isSilent = test::waitUntil(60, [&] {
            return watchdog.check(600, error) &&
                   error.message.ends_with("; these ranks do not answer: 2, these are in no collective: 0.");
        });
        QVERIFY2(isSilent, error.message.c_str());
        rendezvous.put("beat/2", "1 waits");
        const bool named = test::waitUntil(
            60, [&] { return watchdog.check(600, error) && error.message.find("do not answer") == std::string::npos; });
        QVERIFY2(named && error.message.ends_with("; these are in no collective: 0."), error.message.c_str());
        // What a device has begun is asked for by a thread of the watchdog's own.
        activity->give({"tp", "all_gather", "0, 1", [] { return true; }, [] { return false; }});
        QVERIFY(test::waitUntil(60, [&] { return watchdog.check(600, error) && error.operation == "all_gather"; }));
    }
};

SLIPWAY_TEST(TstTelemetry)
#include "tst_telemetry.moc"
