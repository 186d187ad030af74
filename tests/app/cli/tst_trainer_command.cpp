// `slipway trainer setup` with scripts in place of the installed trainer and of what fetches libtorch.
#include "core/base/json.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <QRegularExpression>

using namespace slipway;
using namespace slipway::test;

class TstTrainerCommand : public QObject {
    Q_OBJECT

    /// An installation in a folder: the trainer starts once FOLDER/torch exists.
    struct Installation {
        CliBench bench;
        std::filesystem::path root = bench.at.temp.path() / "usr";

        explicit Installation(const std::string& libtorchScript) {
            std::filesystem::create_directories(root / "bin");
            std::filesystem::create_directories(root / "lib" / "slipway");
            bench.at.programs.trainer = root / "bin" / "slipway-trainer";
            script(bench.at.programs.trainer, "test -e \"" + (root / "torch").string() +
                                                  "\" && echo 'slipway-trainer 0.5.0 (abc)' && exit\n"
                                                  "echo 'libtorch 2.11 was not found' >&2\nexit 10\n");
            if (!libtorchScript.empty()) script(root / "lib" / "slipway" / "libtorch.sh", libtorchScript);
        }
        static void script(const std::filesystem::path& path, const std::string& text) {
            QVERIFY(writeFileAtomically(path, "#!/bin/sh\n" + text));
            std::filesystem::permissions(path, std::filesystem::perms::owner_all);
        }
    };

private slots:
    void setsUp_data() {
        QTest::addColumn<QString>("script");
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("out");  // regular expressions
        QTest::addColumn<QString>("err");
        const QString touch = "echo \"doing $*\"; touch \"$(dirname \"$0\")/../../torch\"";
        QTest::newRow("fetched") << touch << QStringList{} << 0 << "^The trainer starts: 0\\.5\\.0 \\(abc\\), "
                                 << "^doing setup\n$";
        QTest::newRow("existing torch") << touch << QStringList{"--torch", "/opt/torch"} << 0 << "^The trainer starts"
                                        << "^doing use /opt/torch\n$";
        QTest::newRow("fails") << "echo no network >&2; exit 1" << QStringList{} << 1 << "^$"
                               << "^no network\n[\\s\\S]*libtorch was not set up: exit code 1";
        QTest::newRow("does not help") << "exit 0" << QStringList{} << 1 << "^$"
                                       << "libtorch 2\\.11 was not found";
        QTest::newRow("build folder") << "" << QStringList{} << 1 << "^$"
                                      << "\\./run fetches libtorch\\..*libtorch 2\\.11 was not found";
        QTest::newRow("unknown action") << touch << QStringList{"remove"} << 2 << "^$"
                                        << "setup";
    }
    void setsUp() {
        QFETCH(QString, script);
        QFETCH(QStringList, options);
        QFETCH(int, code);
        QFETCH(QString, out);
        QFETCH(QString, err);
        Installation at(script.toStdString());
        std::vector<std::string> arguments{"trainer"};
        if (options != QStringList{"remove"}) arguments.emplace_back("setup");
        for (const QString& option : options) arguments.push_back(option.toStdString());
        const auto outcome = at.bench.run(arguments);
        QCOMPARE(outcome.code, code);
        const auto matches = [](const QString& pattern, const std::string& text) {
            return QRegularExpression(pattern).match(QString::fromStdString(text)).hasMatch();
        };
        QVERIFY2(matches(out, outcome.out), outcome.out.c_str());
        QVERIFY2(matches(err, outcome.err), outcome.err.c_str());
    }
    void leavesAReadyTrainerAlone() {
        Installation at("exit 1");
        Installation::script(at.bench.at.programs.trainer, "echo 'slipway-trainer 0.5.0 (abc)'\n");
        const auto outcome = at.bench.run({"trainer", "setup", "--json"});
        QCOMPARE(outcome.code, 0);
        const auto json = parseJson(outcome.out, "output");
        QVERIFY(json);
        QCOMPARE(QString::fromStdString((*json)["version"]), QString("0.5.0 (abc)"));
    }
    void withoutATrainer() {
        CliBench bench;
        bench.at.programs.trainer.clear();
        const auto outcome = bench.run({"trainer", "setup"});
        QCOMPARE(outcome.code, 1);
        QVERIFY2(outcome.err.find("install the package slipway-trainer") != std::string::npos, outcome.err.c_str());
    }
    void stopsAtCtrlC() {
        Installation at("sleep 60");
        int asked = 0;
        at.bench.interrupts = [&] { return ++asked > 3 ? 1 : 0; };
        QCOMPARE(at.bench.run({"trainer", "setup"}).code, 130);
    }
};

SLIPWAY_TEST(TstTrainerCommand)
#include "tst_trainer_command.moc"
