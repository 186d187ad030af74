// slipway playbook, in-process: nothing is shown before a guess, checks are recomputed, what cannot run says why.
#include "core/base/json.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <filesystem>

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

struct PlaybookBench : CliBench {
    Outcome playbook(const std::vector<std::string>& arguments) {
        std::vector<std::string> words{"playbook", "--content", SLIPWAY_SOURCE_DIR "/experiments/playbook"};
        for (const std::string& argument : arguments) words.push_back(argument);
        return run(words);
    }
};

}  // namespace

class TstPlaybookCommand : public QObject {
    Q_OBJECT

private slots:
    void listsChaptersAndExperiments() {
        PlaybookBench bench;
        const auto said = bench.playbook({"list"});
        QVERIFY2(said.code == 0, said.err.c_str());
        QVERIFY(text(said.out).contains("Pipelines") && text(said.out).contains("L16"));
        const Json list = json(bench.playbook({"list", "--json"}).out);
        QCOMPARE(list["chapters"].size(), std::size_t(18));
        QCOMPARE(list["experiments"].size(), std::size_t(33));
        const Json& l3 = list["experiments"][2];
        QVERIFY(l3["id"] == "L3" && l3["full"]["runs"] == 9 && l3["short"]["disk_bytes"] > 0);
        for (const Json& e : list["experiments"])
            if (e["id"] == "K3")
                QVERIFY(e["full"]["seconds"].is_number() && e["full"]["device"] == "NVIDIA H100 SXM 80 GB");
        QVERIFY(text(said.out).contains("are those of the full form") &&
                text(said.out).contains("until this computer is measured"));
        for (const Json& chapter : list["chapters"]) QVERIFY(chapter["checks_reached"] == chapter["checks"]);
        QVERIFY(text(bench.playbook({"list", "--lang", "ko"}).out).contains(QStringLiteral("파이프라인")));
    }
    void hidesTheAnswerUntilAGuess() {
        PlaybookBench bench;
        const auto before = bench.playbook({"show", "pipelines"});
        QVERIFY2(before.code == 0, before.err.c_str());
        QVERIFY2(text(before.out).contains("Guess first") && !text(before.out).contains("11.1"), before.out.c_str());
        QVERIFY(!json(bench.playbook({"show", "10", "--json"}).out).contains("checks"));
        const auto guessed = bench.playbook({"guess", "10", "15", "--note", "half of the slots"});
        QVERIFY2(guessed.code == 0, guessed.err.c_str());
        const auto again = bench.playbook({"guess", "pipelines", "11"});
        QVERIFY2(text(again.out).contains("The first one, 15, is the one that counts"), again.out.c_str());
        const auto after = bench.playbook({"show", "pipelines"});
        QVERIFY2(text(after.out).contains("Your guess: 15") && text(after.out).contains("The answer: 11.11"),
                 after.out.c_str());
        const Json chapter = json(bench.playbook({"show", "10", "--json"}).out);
        QCOMPARE(chapter["guess"]["value"].get<double>(), 15.0);
        QCOMPARE(chapter["guess"]["is_right"].get<bool>(), false);
        QVERIFY(chapter["checks"].size() >= 9);
        QVERIFY(
            text(bench.playbook({"show", "pipelines", "--lang", "ko"}).out).contains(QStringLiteral("나의 추측: 15")));
    }
    void tellsHowFarOffTheGuessesWere() {
        PlaybookBench bench;
        QVERIFY(text(bench.playbook({"calibration"}).out).contains("No guess yet"));
        QCOMPARE(bench.playbook({"guess", "pipelines", "20"}).code, 0);
        const auto said = bench.playbook({"calibration"});
        QVERIFY2(text(said.out).contains("0 of 1 guesses are right") && text(said.out).contains("80"),
                 said.out.c_str());
        const Json document = json(bench.playbook({"calibration", "--json"}).out);
        QCOMPARE(document["guesses"].size(), std::size_t(1));
        QVERIFY(std::abs(document["median_error"].get<double>() - 0.8) < 1e-9);
    }
    void mapsTheClaims() {
        PlaybookBench bench;
        const auto said = bench.playbook({"claims"});
        QVERIFY2(said.code == 0 && text(said.out).contains("untested"), said.err.c_str());
        const Json document = json(bench.playbook({"claims", "--json"}).out);
        QVERIFY(document["claims"].size() > 33);
        for (const Json& claim : document["claims"]) QVERIFY(claim["host"].is_null());
        QVERIFY(text(bench.playbook({"claims", "--lang", "ko"}).out).contains(QStringLiteral("검증 전")));
    }
    void recomputesTheSources() {
        PlaybookBench bench;
        const auto all = bench.playbook({"check", "--json"});
        QVERIFY2(all.code == 0, all.err.c_str());
        const Json checks = json(all.out);
        QCOMPARE(checks["failed"].get<int>(), 0);
        QVERIFY(checks["checks"].size() > 250);
        const auto one = bench.playbook({"check", "finding_layout"});
        QVERIFY2(text(one.out).contains("source mistaken"), one.out.c_str());
        QCOMPARE(bench.playbook({"check", "nowhere"}).code, 2);
    }
    void judgesWhatItSimulates() {
        PlaybookBench bench;
        QVERIFY(bench.playbook({"guess", "L15", "0.5"}).code == 0);
        const Json before = json(bench.playbook({"verdict", "L15", "--json"}).out);
        QCOMPARE(text(before["verdict"].get<std::string>()), "not_run");
        const auto ran = bench.playbook({"run", "L15", "--short"});
        QVERIFY2(ran.code == 0, ran.err.c_str());
        const Json verdict = json(bench.playbook({"verdict", "L15", "--json"}).out);
        QCOMPARE(text(verdict["verdict"].get<std::string>()), "agrees");
        QCOMPARE(verdict["claims"][0]["repeats"].get<int>(), 5);
        QVERIFY(verdict["short"].get<bool>() && verdict["cpus"].get<int>() > 0);
        QVERIFY(std::abs(verdict["guess"]["relative_error"].get<double>() - 0.25) < 0.2);
    }
    void computesWhatIsPlanOnly() {
        PlaybookBench bench;
        const Json verdict = json(bench.playbook({"run", "P2", "--json"}).out);
        QCOMPARE(text(verdict["verdict"].get<std::string>()), "agrees");
        QCOMPARE(verdict["computes"][0]["actual"].get<int>(), 7);
    }
    void saysWhatCannotRunHere() {
        PlaybookBench bench;
        const auto far = bench.playbook({"run", "K3"});
        QVERIFY(far.code != 0);
        QVERIFY2(text(far.err).contains("64 GPUs") && text(far.err).contains("export"), far.err.c_str());
        const std::filesystem::path own = bench.at.temp.path() / "content";
        std::filesystem::copy(SLIPWAY_SOURCE_DIR "/experiments/playbook", own,
                              std::filesystem::copy_options::recursive);
        const std::filesystem::path file = own / "experiments" / "L11.json";
        Json waiting = json(*readFile(file));
        waiting["waits_for"] = {{"en", "a second network"}, {"ko", "둘째 네트워크"}};
        QVERIFY(writeJsonFile(file, waiting));
        const auto waits = bench.run({"playbook", "--content", own.string(), "run", "L11"});
        QVERIFY2(waits.code != 0 && text(waits.err).contains("waits for: a second network"), waits.err.c_str());
        QCOMPARE(bench.playbook({"run", "pipelines"}).code, 2);
        const auto typo = bench.playbook({"show", "pipeline"});
        QVERIFY2(typo.code == 2 && text(typo.err).contains("did you mean pipelines"), typo.err.c_str());
        QCOMPARE(bench.playbook({"guess", "L6"}).code, 2);
        QCOMPARE(bench.playbook({"show"}).code, 2);
        QCOMPARE(bench.playbook({"show", "L6", "3"}).code, 2);
    }
    /// Nothing leaves this computer before it was shown; a page that is here already is taken instead.
    void fetchesWhatWasShown() {
        PlaybookBench bench;
        const auto shown = bench.playbook({"fetch", "ultrascale"});
        QVERIFY2(shown.code == 0 && text(shown.out).contains("Apache-2.0"), shown.err.c_str());
        QVERIFY(text(shown.out).contains("https://") && text(shown.out).contains("Nothing was fetched"));
        QCOMPARE(bench.playbook({"fetch", "nothing"}).code, 2);
        const std::string page = (bench.at.temp.path() / "page.html").string();
        const std::string hover =
            "Model: 1B<br>Nodes: 8<br>DP: 64<br>TP: 1<br>PP: 1<br>Micro batch: 1<br>Grad acc: 4<br>ZeRO: 1";
        QVERIFY(writeFileAtomically(page, "Plotly.newPlot(\"p\", [{\"text\": [\"" + hover +
                                              "<br>Tokens/s/GPU: 31297<br>MFU: 30.5%\", \"" + hover + "\"]}], {})"));
        const auto kept = bench.playbook({"fetch", "ultrascale", "--from", page});
        QVERIFY2(kept.code == 0, kept.err.c_str());
        const Json explored = json(bench.playbook({"explore", "--model", "1B", "--nodes", "8", "--json"}).out);
        QVERIFY(explored["is_fetched"].get<bool>());
        QCOMPARE(explored["cells"][0]["ran"].get<int>(), 1);
        QCOMPARE(explored["cells"][0]["tried"].get<int>(), 2);
        QCOMPARE(explored["mistakes"].size(), std::size_t(8));
        QVERIFY(writeFileAtomically(page, "another page"));
        const auto changed = bench.playbook({"fetch", "ultrascale", "--from", page});
        QVERIFY2(changed.code != 0 && text(changed.err).contains("was changed"), changed.err.c_str());
    }
    void listsTheCatalogue() {
        PlaybookBench bench;
        QVERIFY(json(bench.playbook({"explore", "--json"}).out)["best"].size() == 28);
        QVERIFY(text(bench.playbook({"models"}).out).contains("unpublished"));
        QVERIFY(text(bench.playbook({"catalogue", "--lang", "ko"}).out).contains(QStringLiteral("파이프라인")));
        QVERIFY(json(bench.playbook({"glossary", "--json"}).out)["terms"].size() > 50);
    }
    void keepsNotesAndTicks() {
        PlaybookBench bench;
        QCOMPARE(bench.playbook({"note", "L6", "--note", "loud fan"}).code, 0);
        QCOMPARE(bench.playbook({"tick", "storage"}).code, 0);
        const Json kept = json(bench.playbook({"tick", "--json"}).out);
        QCOMPARE(text(kept["notes"]["L6"].get<std::string>()), "loud fan");
        QVERIFY(kept["preflight"][1]["is_ticked"].get<bool>());
        QVERIFY(text(bench.playbook({"tick", "storage", "--off"}).out).contains("[ ] storage"));
        QCOMPARE(bench.playbook({"tick", "nothing"}).code, 2);
        QCOMPARE(bench.playbook({"note", "nothing"}).code, 2);
    }
    /// A record is a plain file; one of another computer is theirs, with its hardware, and leaves the own verdict alone.
    void handsOnRecords() {
        PlaybookBench bench;
        QCOMPARE(bench.playbook({"record", "L15"}).code, 1);
        QCOMPARE(bench.playbook({"run", "L15", "--short", "--repeats", "4"}).code, 0);
        const std::string path = (bench.at.temp.path() / "l15.json").string();
        QCOMPARE(bench.playbook({"record", "L15", "-o", path}).code, 0);
        Json record = json(*readFile(path));
        QCOMPARE(record["measured"]["caught_share"].begin().value().size(), std::size_t(4));
        QVERIFY(record["processor"].is_string() && record["cpus"].get<int>() > 0);
        record["host"] = "gpu-lab";
        record["processor"] = "EPYC";
        record["cpus"] = 64;
        for (auto& point : record["measured"]["caught_share"].items()) point.value() = {0, 0, 0, 0};
        QVERIFY(writeJsonFile(path, record).has_value());
        const auto taken = bench.playbook({"record", "--from", path});
        QVERIFY2(taken.code == 0 && text(taken.out).contains("gpu-lab, EPYC, 64 CPUs"), taken.err.c_str());
        const Json verdict = json(bench.playbook({"verdict", "L15", "--json"}).out);
        QCOMPARE(text(verdict["verdict"].get<std::string>()), "agrees");
        QCOMPARE(text(verdict["theirs"][0]["verdict"].get<std::string>()), "differs");
        QVERIFY(text(bench.playbook({"verdict", "L15"}).out)
                    .contains("Measured by others on gpu-lab, EPYC, 64 CPUs: differs"));
        for (const Json& claim : json(bench.playbook({"claims", "--json"}).out)["claims"])
            if (claim["experiment"] == "L15") QCOMPARE(text(claim["state"].get<std::string>()), "confirmed");
        QVERIFY(writeFileAtomically(path, "{\"schema\": 1}").has_value());
        QVERIFY(text(bench.playbook({"record", "--from", path}).err).contains("not a record"));
    }
    void exportsTheWholePlaybook() {
        PlaybookBench bench;
        QCOMPARE(bench.playbook({"guess", "pipelines", "12"}).code, 0);
        const std::string config = (bench.at.temp.path() / "run.json").string();
        QVERIFY(
            writeFileAtomically(config, R"({"schema": 1, "name": "of a file", "parallel": {"pp": 2}})").has_value());
        const std::string page = (bench.at.temp.path() / "playbook.html").string();
        const auto written = bench.playbook({"export", "all", "--config", config, "-o", page});
        QVERIFY2(written.code == 0, written.err.c_str());
        const auto html = readFile(page);
        QVERIFY(html && text(*html).contains("Drawn from the plan of a file.") &&
                text(*html).contains("No guess yet."));
        QVERIFY(text(*html).contains("Map of claims"));
        QCOMPARE(bench.playbook({"export", "all", "-o", (bench.at.temp.path() / "playbook.pdf").string()}).code, 0);
    }
    /// The worked solution of an exercise after its guess, by the edition asked for.
    void exercisesHaveEditions() {
        PlaybookBench bench;
        QCOMPARE(bench.playbook({"guess", "exercises", "11"}).code, 0);
        const auto before = bench.playbook({"show", "exercises"});
        QVERIFY2(text(before.out).contains("Guess first: slipway playbook guess exercises/llama70b VALUE") &&
                     !text(before.out).contains("1.969"),
                 before.out.c_str());
        QCOMPARE(bench.playbook({"guess", "exercises/llama70b", "2"}).code, 0);
        const auto later = bench.playbook({"show", "exercises"}),
                   first = bench.playbook({"show", "18", "--edition", "first"});
        QVERIFY2(text(later.out).contains("Later editions. The answer: 0.9844") && !text(later.out).contains("1.969"),
                 later.out.c_str());
        QVERIFY2(text(first.out).contains("First edition. The answer: 1.969"), first.out.c_str());
        const Json document = json(bench.playbook({"show", "exercises", "--json"}).out);
        QCOMPARE(document["exercises"][0]["editions"].size(), std::size_t(2));
        QVERIFY(!document["exercises"][1].contains("editions"));
        QVERIFY(bench.playbook({"guess", "exercises/llama7b", "2"}).code != 0);
    }
    /// Published data answer an experiment that cannot run here.
    void replays() {
        PlaybookBench bench;
        const auto before = bench.playbook({"replay", "K2"});
        QVERIFY2(before.code == 0 && text(before.out).contains("slipway playbook fetch llm_foundry"),
                 before.out.c_str());
        const std::string rows =
            "| Model | SeqLen (T) | # GPUs | GPU | MFU | Throughput (T/s/GPU) | Precision |\n"
            "| 7b | 2048 | 512 | h100_80gb | 42.2 | 9670 | amp_bf16 |\n"
            "| 7b | 2048 | 128 | h100_80gb | 45.71 | 10475 | amp_bf16 |\n";
        const std::filesystem::path kept = bench.at.home.path / "playbook/references";
        QVERIFY(makeFolders(kept).has_value() && writeFileAtomically(kept / "llm_foundry", rows).has_value());
        const Json after = json(bench.playbook({"replay", "K2", "--json"}).out);
        QCOMPARE(after["verdict"].get<std::string>(), std::string("agrees"));
        QVERIFY(std::abs(after["claims"][0]["published"].get<double>() - 0.9232) < 1e-4);
        QVERIFY(json(bench.playbook({"verdict", "K2", "--json"}).out)["replay"]["is_fetched"].get<bool>());
        QVERIFY(text(bench.playbook({"replay", "L3"}).err).contains("it runs on this computer"));
        QVERIFY(text(bench.playbook({"replay", "K3"}).err).contains("There is no published data to replay for K3"));
        QVERIFY(text(bench.playbook({"verdict", "K3", "--lang", "ko"}).out).contains(QStringLiteral("torchrun")));
    }
    /// Slurm arrays of equal ranks, or a torchrun script per trial.
    void exportsJobs() {
        PlaybookBench bench;
        const std::filesystem::path folder = bench.at.temp.path() / "k1";
        const auto slurm =
            bench.playbook({"export", "K1", "--write", "slurm", "-o", folder.string(), "--queue", "gpu"});
        QVERIFY2(slurm.code == 0, slurm.err.c_str());
        QVERIFY(std::filesystem::exists(folder / "K1-8-ranks.sbatch"));
        QVERIFY(text(*readFile(folder / "K1-512-ranks.sbatch")).contains("#SBATCH --array=0-2"));
        QCOMPARE(bench.playbook({"export", "G1", "--write", "torchrun", "-o", folder.string()}).code, 0);
        QVERIFY(text(*readFile(folder / "G1-repeat_1__micro-batch_1.sh")).startsWith("#!/bin/bash"));
        QVERIFY(bench.playbook({"export", "K1", "--write", "slurm"}).code != 0);  // no folder
    }
    void exportsAJob() {
        PlaybookBench bench;
        QVERIFY(text(bench.playbook({"export", "K5"}).out).startsWith("#!/bin/bash"));
        const std::string path = (bench.at.temp.path() / "g2.sh").string();
        QCOMPARE(bench.playbook({"export", "G2", "-o", path}).code, 0);
        QVERIFY(text(*readFile(path)).contains("speed_ladder.py"));
        QVERIFY(json(bench.playbook({"export", "G2"}).out).contains("axes"));
    }
    void exports() {
        PlaybookBench bench;
        const auto sweep = bench.playbook({"export", "G1"});
        QVERIFY2(sweep.code == 0, sweep.err.c_str());
        QCOMPARE(json(sweep.out)["axes"].size(), std::size_t(2));
        const std::string path = (bench.at.temp.path() / "chapter.md").string();
        QVERIFY(bench.playbook({"export", "pipelines", "-o", path, "--lang", "ko"}).code == 0);
        const auto chapter = readFile(path);
        QVERIFY(chapter && text(*chapter).remove('\\').startsWith(QStringLiteral("# 10. 파이프라인")));
        QVERIFY(text(*chapter).remove('\\').contains(QStringLiteral("few_micro_batches")));
        const std::string page = (bench.at.temp.path() / "chapter.html").string();
        QCOMPARE(bench.playbook({"guess", "L6", "0.5"}).code, 0);
        QCOMPARE(bench.playbook({"export", "pipelines", "-o", page}).code, 0);
        const auto html = readFile(page);
        QVERIFY(html && text(*html).startsWith(QStringLiteral("<!DOCTYPE html>")));
        QVERIFY(text(*html).contains(QStringLiteral("Worked numbers of the sources")));
        QVERIFY(text(*html).contains(QStringLiteral("0.5 times")) && text(*html).contains(QStringLiteral("not run")));
        QVERIFY(!text(*html).contains(QStringLiteral("<script")) && !text(*html).contains(QStringLiteral("src=")));
    }
};

SLIPWAY_TEST(TstPlaybookCommand)

#include "tst_playbook_command.moc"
