// Large and hostile files: time and memory stay bounded, and what is wrong is named.
#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/process/process.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/resource.h>

#include <QRegularExpression>
#include <ctime>
#include <fstream>

using namespace slipway;
using namespace slipway::test;

namespace {

constexpr int kKeys = 100000;

std::string manyKeys(const char* head, const char* line, const char* end) {
    std::string text = head;
    char buffer[64];
    for (int i = 0; i < kKeys; ++i) {
        std::snprintf(buffer, sizeof buffer, line, i, i);
        text += buffer;
    }
    return text + end;
}

/// Of this process's own work, whatever else the machine does.
double secondsSince(std::clock_t begin) {
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// A torchtitan log.
std::filesystem::path writeLog(const std::filesystem::path& path, int lines) {
    std::ofstream out(path);
    for (int i = 1; i <= lines; ++i)
        out << "step: " << i
            << "  loss:  7.2500  grad_norm:  1.5000  memory: 40.50GiB(50.63%)  tps: 7,120  tflops: 412.25  "
            << "mfu: 41.50%\n";
    return path;
}

}  // namespace

class TstBoundsFlow : public QObject {
    Q_OBJECT

private slots:
    void unknownKeys_data() {
        QTest::addColumn<QStringList>("command");
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("config") << QStringList{"plan"}
                                << QByteArray::fromStdString(
                                       manyKeys(R"({"model": {"num_layers": 2)", ", \"num_layer%d\": %d", "}}"));
        QTest::newRow("cluster") << QStringList{"plan", "CONFIG", "--cluster"}
                                 << QByteArray::fromStdString(manyKeys("{\"num_nodes\": 1", ", \"nodes%d\": %d", "}"));
        QTest::newRow("sweep") << QStringList{"--batch"}
                               << QByteArray::fromStdString(
                                      manyKeys("{\"schema\": 1, \"name\": \"x\"", ", \"axis%d\": %d", "}"));
        QTest::newRow("points of a sweep")
            << QStringList{"--batch"}
            << QByteArray::fromStdString(
                   manyKeys(R"({"schema": 1, "name": "x", "base": {}, "points": [{}, {"train.seed": 1)",
                            ", \"train.sed%d\": %d", "}]}"));
    }
    void unknownKeys() {
        QFETCH(QStringList, command);
        QFETCH(QByteArray, text);
        CliBench bench;
        std::vector<std::string> arguments;
        for (const QString& word : command)
            arguments.push_back(word == "CONFIG" ? bench.file("config.json", toJson(tinyConfig("")).dump())
                                                 : word.toStdString());
        arguments.push_back(bench.file("hostile.json", text.toStdString()));
        const std::clock_t begin = std::clock();
        const auto got = bench.run(arguments);
        const double seconds = secondsSince(begin);
        QCOMPARE(got.code, 2);
        const QString said = QString::fromStdString(got.err);
        QVERIFY(said.count("nknown") > 15 && said.count("nknown") <= 20);  // a sweep has other problems as well
        QVERIFY2(said.contains(QRegularExpression("And 99,?9[0-9]{2} more problems\\.")), qPrintable(said.right(300)));
        QVERIFY2(seconds < 1, std::to_string(seconds).c_str());
    }

    void foreignKeys_data() {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QByteArray>("text");
        const QByteArray yaml = QByteArray::fromStdString(manyKeys("", "key%d: %d\n", "")).left(1 << 20);
        for (const char* reader : {"nanotron", "neox", "olmo"}) QTest::addRow("%s", reader) << reader << yaml;
        QTest::newRow("TOML") << "torchtitan" << QByteArray::fromStdString(manyKeys("", "key%d = %d\n", ""));
        QTest::newRow("options") << "megatron"
                                 << QByteArray::fromStdString(manyKeys("python x.py", " --key%d %d", "\n"));
    }
    void foreignKeys() {
        QFETCH(QString, format);
        QFETCH(QByteArray, text);
        CliBench bench;
        const std::string file = bench.file("hostile", text.toStdString());
        const std::clock_t begin = std::clock();
        const auto got = bench.run({"convert", file, "--from", format.toStdString()});
        QVERIFY2(secondsSince(begin) < 3, std::to_string(secondsSince(begin)).c_str());
        QVERIFY2(got.code == 0, got.err.c_str());
        const QString said = QString::fromStdString(got.err);
        QCOMPARE(said.count("unknown key: key"), 20);
        QVERIFY2(said.contains(QRegularExpression("unknown key: [0-9]{2,3},?[0-9]{3} more; list all with --json")),
                 qPrintable(said.right(300)));
    }

    // With its steps kept, a log of 300,000 lines takes 450 MB.
    void aLogIsStreamed() {
        CliBench bench;
        const auto log = writeLog(bench.at.temp.path() / "titan.log", 300000);
        ProcessSpec spec;
        spec.arguments = {std::string(SLIPWAY_BIN_DIR) + "/slipway",
                          "--home",
                          bench.at.home.path.string(),
                          "--json",
                          "import",
                          log.string()};
        spec.captureOutput = true;
        auto process = Process::start(spec);
        QVERIFY(process.has_value());
        const auto exit = process->wait(120);
        QVERIFY2(exit && exit->ok(), process->errorOutput().c_str());
        rusage used{};
        QCOMPARE(::getrusage(RUSAGE_CHILDREN, &used), 0);
        QVERIFY2(used.ru_maxrss < 160 << 10, std::to_string(used.ru_maxrss).c_str());  // KiB
        const Json run = (*parseJson(process->output(), "import"))[0]["runs"][0];
        QCOMPARE(run["steps"].get<int>(), 300000);
        const auto shown = *parseJson(bench.run({"show", run["run_id"].get<std::string>(), "--json"}).out, "show");
        QVERIFY(shown["status"] == "completed");
        QCOMPARE(shown["last_step"].get<int>(), 300000);
        QCOMPARE(shown["measured"]["num_steps"].get<double>(), 300000.0);
        QCOMPARE(shown["measured"]["final_loss"].get<double>(), 7.25);
    }

    // Nothing stays of it. On a busy machine a signal is served late: one of three tries is in time.
    void anImportIsInterrupted() {
        double seconds = -1;
        for (int tries = 0; tries < 3 && !(seconds >= 0 && seconds < 1); ++tries) {
            CliBench bench;
            const auto log = writeLog(bench.at.temp.path() / "titan.log", 1000000);
            ProcessSpec spec;
            spec.arguments = {std::string(SLIPWAY_BIN_DIR) + "/slipway", "--home", bench.at.home.path.string(),
                              "import", log.string()};
            spec.captureOutput = true;
            auto process = Process::start(spec);
            QVERIFY(process.has_value());
            const auto folders = [&] {
                std::size_t count = 0;
                std::error_code none;
                for ([[maybe_unused]] const auto& entry :
                     std::filesystem::directory_iterator(bench.at.home.runs(), none))
                    ++count;
                return count;
            };
            QVERIFY(waitUntil(60, [&] { return folders() > 0 || process->poll(); }));
            const double begin = monotonicSecondsNow();
            process->signal(SIGINT);
            const auto exit = process->wait(20);
            seconds = monotonicSecondsNow() - begin;
            QVERIFY2(exit && exit->code == 130, process->errorOutput().c_str());
            QCOMPARE(folders(), std::size_t{0});
            QCOMPARE(parseJson(bench.run({"runs", "--json"}).out, "runs")->size(), std::size_t{0});
        }
        QVERIFY2(seconds < 1, std::to_string(seconds).c_str());
    }
};
SLIPWAY_TEST(TstBoundsFlow)
#include "tst_bounds_flow.moc"
