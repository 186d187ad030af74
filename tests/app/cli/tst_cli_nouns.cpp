// Commands that go by a noun of their own: models, devices, init, rm, restore, ls, sweep, verify; and how all of them are listed.
#include "core/base/json.h"
#include "core/planner/presets.h"
#include "core/spec/run_config.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/seed_store.h"
#include "tests/support/slipway_test.h"

#include <grp.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace slipway;
using namespace slipway::test;

namespace {

QString text(const std::string& s) {
    return QString::fromStdString(s);
}

Json json(const std::string& s) {
    const auto value = parseJson(s, "output");
    if (!value) qFatal("%s in: %s", value.error().text().c_str(), s.c_str());
    return *value;
}

}  // namespace

class TstCliNouns : public QObject {
    Q_OBJECT

private slots:
    void commandsStandInGroups() {
        CliBench bench;
        const QString help = text(bench.run({"--help"}).out);
        qsizetype at = -1;
        for (const CommandGroup& group : commandGroups()) {
            const std::string title = textOf(group.title);
            const qsizetype heading = help.indexOf('\n' + text(title) + ":\n");
            QVERIFY2(heading > at, title.c_str());
            at = heading;
            for (const auto& command : group.commands) {
                at = help.indexOf("\n  " + text(command->name()), at);
                QVERIFY2(at > heading, command->name().c_str());
            }
        }
    }

    void unknownCommandsGetNoHelp_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("help of none") << QStringList{"lunch", "--help"};
        QTest::newRow("help before none") << QStringList{"--help", "lunch"};
        QTest::newRow("version of none") << QStringList{"lunch", "--version"};
        QTest::newRow("the word help") << QStringList{"help"};
    }
    void unknownCommandsGetNoHelp() {
        QFETCH(QStringList, arguments);
        std::vector<std::string> words;
        for (const QString& argument : arguments) words.push_back(argument.toStdString());
        CliBench bench;
        const auto got = bench.run(words);
        QCOMPARE(got.code, 2);
        QCOMPARE(text(got.out), QString());
        QVERIFY2(text(got.err).contains("unknown command"), got.err.c_str());
    }

    void modelsAreListed() {
        CliBench bench;
        const Json all = json(bench.run({"models", "--json"}).out);
        QCOMPARE(all.size(), modelPresets().size());
        const Json some = json(bench.run({"models", "LLAMA", "3.1", "--json"}).out);
        QCOMPARE(some.size(), std::size_t{3});
        QCOMPARE(some[0]["seq_len"].get<int>(), 8192);  // before its positions were stretched to 131,072
        const auto table = bench.run({"models", "llama3-8b"});
        QVERIFY2(text(table.out).contains(QRegularExpression("llama3-8b +8\\.0?3")), table.out.c_str());
        QCOMPARE(bench.run({"models", "no such"}).code, 2);
    }

    void devicesAreListed() {
        CliBench bench;
        const Json all = json(bench.run({"devices", "--json"}).out);
        QCOMPARE(all.size(), devicePresets().size());
        const Json some = json(bench.run({"devices", "h100", "--json"}).out);
        QCOMPARE(some.size(), std::size_t{2});
        QVERIFY(text(bench.run({"devices", "tpu"}).out).contains("Google TPU v5p"));
        QVERIFY(text(bench.run({"devices", "h100"}).out).contains("450 GB/s"));
    }

    void initWritesAConfig() {
        CliBench bench;
        const std::string file = (bench.at.temp.path() / "new.json").string();
        const auto got = bench.run({"init", file, "--set", "parallel.dp=2", "--set", "train.loss_scale=1024"});
        QCOMPARE(got.code, 2);  // loss_scale belongs to fp16
        const auto made = bench.run({"init", file, "--set", "parallel.dp=2", "--set", "optimizer.beta2=0.9"});
        QVERIFY2(made.code == 0, made.err.c_str());
        QVERIFY(text(made.err).contains("slipway launch"));
        const Json document = *readJsonFile(file);
        const auto config = parseRunConfig(document, file);
        QVERIFY2(config, config ? "" : config.error().message.c_str());
        RunConfig wanted;
        wanted.parallel.dp = 2;
        wanted.optimizer.beta2 = 0.9;
        wanted.data.tokens = config->data.tokens;
        QVERIFY(diffConfigs(*config, wanted).empty());
        // Fields that hardly anybody changes are there only where they are changed.
        QVERIFY(document["optimizer"].contains("beta2") && !document["optimizer"].contains("beta1"));
        QVERIFY(document["train"].contains("seq_len") && document["data"].contains("tokens"));
        QVERIFY(!document["model"].contains("moe") && !document["model"].contains("rope_scaling"));

        const auto again = bench.run({"init", file});
        QVERIFY(again.code == 2 && text(again.err).contains("--force"));
        QVERIFY(*readJsonFile(file) == document);
        QCOMPARE(bench.run({"init", file, "--force", "--json"}).code, 0);
        QCOMPARE((*readJsonFile(file))["parallel"]["dp"].get<int>(), 1);
        QVERIFY(text(bench.run({"init", file, "--force", "--devices", "8"}).err).contains("--model"));
    }

    void initSharesTheHome() {
        CliBench bench;
        const struct group* own = ::getgrgid(::getegid());
        if (own == nullptr) QSKIP("the group of this user has no name");
        const std::string group = own->gr_name;
        std::filesystem::create_directories(bench.at.home.corpora());
        (void)writeFileAtomically(bench.at.home.corpora() / "only.tok", "");
        std::filesystem::permissions(bench.at.home.path, std::filesystem::perms(0700));
        QCOMPARE(bench.run({"init", "--share", group, "--model", "llama3-8b"}).code, 2);
        const auto unknown = bench.run({"init", "--share", "no-such-group"});
        QVERIFY(unknown.code == 2 && text(unknown.err).contains("no-such-group"));
        const auto modeOf = [&] { return std::filesystem::status(bench.at.home.path).permissions(); };
        QCOMPARE(static_cast<unsigned>(modeOf()), 0700U);

        const auto shared = bench.run({"init", "--share", group});
        QVERIFY2(shared.code == 0, shared.err.c_str());
        QVERIFY(text(shared.out).contains(text(group)));
        QCOMPARE(static_cast<unsigned>(modeOf()), 02770U);
        const Json told = json(bench.run({"init", "--share", group, "--json"}).out);
        QCOMPARE(text(told["home"].get<std::string>()), text(bench.at.home.path.string()));
        QVERIFY(told["folders"].get<int>() >= 2 && told["files"].get<int>() >= 1);
    }

    void initTakesTheOnlyTokenFile() {
        CliBench bench;
        const std::string file = (bench.at.temp.path() / "new.json").string();
        QCOMPARE(bench.run({"init", file}).code, 0);
        QCOMPARE(text((*readJsonFile(file))["data"]["tokens"].get<std::string>()), QString("tiny.tok"));
        (void)writeFileAtomically(bench.at.home.corpora() / "other.tok", "");
        const auto two = bench.run({"init", file, "--force"});
        QVERIFY(text(two.err).contains("data.tokens is empty"));
    }

    void initLaysAModelOut() {
        CliBench bench;
        const std::string file = (bench.at.temp.path() / "big.json").string();
        const auto made = bench.run({"init", file, "--model", "qwen3-0.6b", "--cluster", "H100", "--devices", "8"});
        QVERIFY2(made.code == 0, made.err.c_str());
        const auto config = parseRunConfig(*readJsonFile(file), file);
        QVERIFY2(config, config ? "" : config.error().message.c_str());
        QCOMPARE(config->parallel.worldSize(), 8);
        QVERIFY(config->train.precision == Precision::Bf16 && config->train.device == DeviceKind::Gpu);
    }

    void runsGoToTheTrashAndBack() {
        CliBench bench;
        std::vector<RunId> ids;
        {
            auto store = RunStore::open(bench.at.home, OpenMode::ReadWrite);
            ids = seedRuns(*store, {.numRuns = 4});
        }
        QVERIFY(json(bench.run({"ls", "--json"}).out) == json(bench.run({"runs", "--json"}).out));
        const std::string id = ids.front().value;
        const Json gone = json(bench.run({"rm", id, "--json"}).out);
        QVERIFY(gone[0]["run_id"] == id && gone[0]["deleted"] == true);
        QCOMPARE(json(bench.run({"ls", "--json"}).out).size(), std::size_t{3});
        QCOMPARE(json(bench.run({"ls", "deleted:true", "--json"}).out)[0]["run_id"].get<std::string>(), id);
        const auto back = bench.run({"restore", id});
        QVERIFY2(back.code == 0 && text(back.out).contains("restored"), back.err.c_str());
        QCOMPARE(json(bench.run({"ls", "--json"}).out).size(), std::size_t{4});
        QCOMPARE(bench.run({"rm", "nothing"}).code, 2);
    }

    void runsAreFiltered() {
        CliBench bench;
        {
            auto store = RunStore::open(bench.at.home, OpenMode::ReadWrite);
            (void)seedRuns(*store, {.numRuns = 6});
        }
        const auto ids = [&](std::vector<std::string> arguments) {
            arguments.insert(arguments.begin(), "runs");
            arguments.push_back("--json");
            QStringList list;
            for (const Json& run : json(bench.run(arguments).out)) list << text(run["run_id"].get<std::string>());
            return list;
        };
        const QStringList failed = ids({"status:failed"}), others = ids({"not", "status:failed"});
        QVERIFY(!failed.isEmpty() && !others.isEmpty());
        QCOMPARE(ids({"--filter", "status:failed"}), failed);
        QCOMPARE(ids({"--filter", "status:failed", "--filter", "not status:failed"}), QStringList());
        // Each holds as a whole: the `or` of one does not reach into the other.
        QCOMPARE(ids({"status:failed or status:completed", "--filter", "status:failed or status:planned"}), failed);
        QCOMPARE(bench.run({"runs", "--filter", "statsu:failed"}).code, 2);
    }

    void sweepIsTheNoun() {
        CliBench bench;
        const std::string file = bench.file("bad.json", R"({"schema": 1, "name": "x", "base": {"modle": {}}})");
        const auto noun = bench.run({"sweep", file}), option = bench.run({"--batch", file});
        QCOMPARE(noun.code, 2);
        QCOMPARE(text(noun.err), text(option.err));
        QVERIFY(text(noun.err).contains("nothing was started"));
        QVERIFY(text(bench.run({"sweep"}).err).contains("file is required"));
    }

    // A trainer that is a script: what verify passes on, and what it makes of the answer.
    void verifyFindsTheTrainer_data() {
        QTest::addColumn<int>("trainer");
        QTest::addColumn<int>("code");
        QTest::newRow("equal") << 0 << 0;
        QTest::newRow("different") << 1 << 1;
        QTest::newRow("bad config") << 10 << 2;
    }
    void verifyFindsTheTrainer() {
        QFETCH(int, trainer);
        CliBench bench;
        const std::string script =
            bench.file("trainer", "#!/bin/sh\necho \"$@\"\necho told >&2\nexit " + std::to_string(trainer));
        std::filesystem::permissions(script, std::filesystem::perms::owner_all);
        bench.at.programs.trainer = script;
        const auto got = bench.run({"verify", "c.json", "--steps", "2", "--gpu", "--json"});
        QTEST(got.code, "code");
        QCOMPARE(text(got.out), QString("verify c.json --steps 2 --gpu --json\n"));
        QCOMPARE(text(got.err), QString("told\n"));
        QVERIFY(text(bench.run({"verify", "c.json", "--", "--as-run"}).out).startsWith("verify c.json --as-run"));
        bench.at.programs.trainer.clear();
        const auto none = bench.run({"verify", "c.json"});
        QVERIFY(none.code == 1 && text(none.err).contains("slipway-trainer was not found"));
    }
};

SLIPWAY_TEST(TstCliNouns)
#include "tst_cli_nouns.moc"
