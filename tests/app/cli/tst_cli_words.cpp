// What commands say to people: lines that fit, refusals with a remedy, figures that are known to be none.
#include "core/base/json.h"
#include "core/spec/run_config.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/seed_store.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

using namespace slipway;
using namespace slipway::test;

namespace {

QString text(const std::string& s) {
    return QString::fromStdString(s);
}

/// Longer lines than a terminal of 100 columns has.
QStringList longLines(const QString& printed) {
    QStringList found;
    for (const QString& line : printed.split('\n'))
        if (line.size() > 100) found.append(line);
    return found;
}

}  // namespace

class TstCliWords : public QObject {
    Q_OBJECT

private slots:
    void refusesWithARemedy_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("err");  // regular expression
        QTest::newRow("help of the command")
            << QStringList{"laws", "--flops", "-1"} << "`slipway laws --help` explains";
        QTest::newRow("logs are text") << QStringList{"logs", "x", "--json"} << "logs prints text and has no --json";
        QTest::newRow("a script is text") << QStringList{"completion", "bash", "--json"} << "completion prints text";
        QTest::newRow("reports are files") << QStringList{"report", "--json"} << "--output: .*name the file";
        QTest::newRow("no such report") << QStringList{"report", "-o", "x.docx"}
                                        << "x\\.docx: .*\\.html, \\.pdf, \\.md, \\.csv or \\.tex";
        QTest::newRow("curves of nothing") << QStringList{"curves", "--devices", "4"} << "belong to a table or a file";
        QTest::newRow("run missing") << QStringList{"show", "x"} << "`slipway runs --all` lists";
        QTest::newRow("printed, not started")
            << QStringList{"clone", "x", "--print", "--detach"} << "--print cannot be used with --detach";
        QTest::newRow("printed, not tagged")
            << QStringList{"clone", "x", "--print", "--tag", "y"} << "--print cannot be used with --tag";
        QTest::newRow("no name for a token file") << QStringList{"corpus", "텍스트.txt"} << "--name NAME";
        QTest::newRow("more than a number holds")
            << QStringList{"cost",      "--params", "1e300", "--tokens", "1e300", "--device", "NVIDIA A100 SXM 80 GB",
                           "--devices", "1",        "--mfu", "0.4"}
            << "--params: .*1\\.8e308";
    }
    void refusesWithARemedy() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, err);
        std::vector<std::string> words;
        for (const QString& argument : arguments) words.push_back(argument.toStdString());
        CliBench bench;
        const auto got = bench.run(words);
        QCOMPARE(got.code, 2);
        QCOMPARE(text(got.out), QString());
        QVERIFY2(text(got.err).contains(QRegularExpression(err)), got.err.c_str());
    }

    void helpFitsALine() {
        CliBench bench;
        for (const auto& command : allCommands()) {
            const QString options = text(bench.run({command->name(), "--help"}).out).section("\nExamples:", 0, 0);
            QVERIFY2(longLines(options).isEmpty(), qPrintable(longLines(options).join('\n')));
        }
        const QString plan = text(bench.run({"plan", "--help"}).out);
        QVERIFY(plan.contains(QRegularExpression("Figures of --explain: step_seconds")));
        QVERIFY2(longLines(plan).isEmpty(), qPrintable(longLines(plan).join('\n')));
    }

    void whatIsUnknownNamesItsOption() {
        CliBench bench;
        const std::string config = bench.file("config.json", R"({"train": {"num_steps": 1}})");
        const std::string cluster = bench.file(
            "here.json",
            R"({"device": {"name": "Test", "kind": "cpu", "memory_bytes": 1e10, "peak_fp32_flops": 1e12}, "devices_per_node": 1})");
        const auto energy = [&](std::vector<std::string> more) {
            more.insert(more.begin(), {"cost", config, "--cluster", cluster});
            const auto got = bench.run(more);
            if (got.code != 0) qWarning("%s", got.err.c_str());
            return text(got.out);
        };
        QVERIFY(energy({}).contains(
            QRegularExpression("Energy +unknown: needs --power\nCarbon +unknown: needs --carbon and --power\n")));
        QVERIFY(energy({"--carbon", "380"}).contains(QRegularExpression("Carbon +unknown: needs --power\n")));
        QVERIFY(energy({"--power", "200"}).contains(QRegularExpression("Carbon +unknown: needs --carbon\n")));
        // A short run takes few device-hours, not none.
        QVERIFY2(energy({}).contains(QRegularExpression("Device-hours +[0-9.]*[1-9][0-9.]*(e-[0-9]+)? h")),
                 qPrintable(energy({})));
    }

    void aTokenFileIsNamedAfterItsText() {
        CliBench bench;
        const auto got = bench.run({"corpus", bench.file("- my notes (2).txt", "too short"), "--vocab-size", "600"});
        QVERIFY2(text(got.err).contains("The text is too short for a vocabulary of 600 entries"), got.err.c_str());
        QVERIFY2(text(got.err).contains("and 512 is the minimum; add text."), got.err.c_str());
        std::string words;
        std::uint32_t state = 1;
        for (int i = 0; i < 8000; ++i) {
            for (int k = 0; k < 6; ++k)
                words += static_cast<char>('a' + ((state = state * 1664525U + 1013904223U) >> 16) % 26);
            words += i % 12 == 11 ? ".\n" : " ";
        }
        const auto made =
            bench.run({"corpus", bench.file("- my notes (2).txt", words), "--vocab-size", "600", "--json"});
        QVERIFY2(made.code == 0, made.err.c_str());
        QCOMPARE(text((*parseJson(made.out, "corpus"))["tokens"]), QString("my-notes-2.tok"));
    }

    void runsAreReadable() {
        CliBench bench;
        std::vector<RunId> ids;
        {
            auto store = RunStore::open(bench.at.home, OpenMode::ReadWrite);
            ids = seedRuns(*store, {.numRuns = 4});
        }
        // A list that was cut says so, whoever reads it.
        QVERIFY(
            text(bench.run({"runs", "--limit", "3", "--json"}).err).contains("only the first 3; --limit 0 lists all"));
        QCOMPARE(text(bench.run({"runs", "--limit", "4"}).err), QString());
        // Side by side a figure has a line; the fields that differ follow.
        const QString compared = text(bench.run({"compare", ids[0].value, ids[1].value}).out);
        QVERIFY2(compared.contains(QRegularExpression("\nStep time, measured( \\(ms\\))? +[0-9]")),
                 qPrintable(compared));
        QVERIFY2(longLines(compared).isEmpty(), qPrintable(compared));
        QVERIFY(text(bench.run({"compare", ids[0].value, ids[0].value}).out).endsWith("\nNo field differs.\n"));
        QCOMPARE(bench.run({"tag", ids[0].value, "--notes", "a quiet machine"}).code, 0);
        for (const RunId& id : ids) {
            const QString shown = text(bench.run({"show", id.value}).out);
            const Json config = (*parseJson(bench.run({"show", id.value, "--json"}).out, "show"))["config"];
            const RunConfig parsed = *parseRunConfig(config, "config");
            QCOMPARE(shown.contains("Pipeline bubble"), parsed.parallel.pp > 1);
            // Of the config only what is not as it would be anyway.
            QCOMPARE(shown.contains("  parallel.tp "), parsed.parallel.tp > 1);
            QVERIFY2(!shown.contains("optimizer.eps"), qPrintable(shown));
            QCOMPARE(shown.contains(QRegularExpression("Notes +a quiet machine")), id == ids[0]);
        }
    }
};

SLIPWAY_TEST(TstCliWords)
#include "tst_cli_words.moc"
