#include "core/base/file.h"
#include "core/base/quoted.h"
#include "core/interop/text_formats.h"
#include "core/launch/job_files.h"
#include "core/process/process.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <nlohmann/json.hpp>

#include <QRegularExpression>
#include <algorithm>
#include <filesystem>

using namespace slipway;
using namespace slipway::test;

namespace {

JobRun runOf(const std::string& name, const std::string& home, std::int64_t dp, std::int64_t perNode, DeviceKind device,
             const std::string& id = "20261123-124323042-7f3a9c21") {
    JobRun run;
    run.config.name = name;
    run.config.parallel.dp = dp;
    run.config.train.device = device;
    run.config.train.threadsPerRank = 2;
    LaunchRequest request;
    request.run = RunId(id);
    request.folder = run.folder = RunDir{std::filesystem::path(home) / "runs" / id};
    request.home = home;
    request.trainer = "/opt/slipway/bin/slipway-trainer";
    request.resume = true;
    request.masterPort = 29500;
    request.version = "0.7.0";
    request.nodes.clear();
    for (std::int64_t left = dp; left > 0; left -= perNode)
        request.nodes.push_back({"node" + std::to_string(request.nodes.size()), perNode});
    run.plan = *makeLaunchPlan(run.config, request);
    return run;
}

JobRun gpuRun() {
    return runOf("gpt 7b, \"long\"", "/data/slipway", 16, 8, DeviceKind::Gpu);
}

JobFileOptions someOptions() {
    JobFileOptions options;
    options.queue = "gpu";
    options.account = "team-a";
    options.timeLimit = "8:00:00";
    options.image = "registry.example/slipway:0.7";
    options.accelerator = "H100";
    return options;
}

void compareGolden(const std::string& text, const std::string& name) {
    const std::string path = std::string(SLIPWAY_TEST_DATA) + "/launch/" + name;
    if (qEnvironmentVariableIsSet("UPDATE_GOLDEN")) QVERIFY(writeFileAtomically(path, text));
    const auto golden = readFile(path);
    QVERIFY2(golden, ("no golden file " + path + "; UPDATE_GOLDEN=1 writes it").c_str());
    QCOMPARE(QString::fromStdString(text), QString::fromStdString(*golden));
}

/// "" or what bash says of the script.
std::string bashComplaint(const std::string& script) {
    TempDir temp;
    const auto file = temp.path() / "script";
    if (!writeFileAtomically(file, script)) return "not written";
    ProcessSpec spec;
    spec.arguments = {"/bin/bash", "-n", file.string()};
    spec.captureOutput = true;
    auto process = Process::start(spec);
    if (!process) return process.error().text();
    const auto& exit = process->wait(20);
    return exit && exit->ok() ? "" : "bash: " + process->errorOutput();
}

/// Programs of a cluster that write down how they were called, one argument a line, and `srun` and `torchrun` that run one
/// rank. @return what the script printed
struct Cluster {
    TempDir temp;

    Cluster() {
        const std::string here = temp.path().string();
        add("scontrol", "echo \"scontrol $*\" >> " + here + "/calls; [ \"$1\" = show ] && echo n1; exit 0");
        add("trainer", "for a in \"$@\"; do echo \"$a\"; done > " + here + "/arguments; env > " + here +
                           "/environment; [ -z \"${FAKE_CODE-}\" ] || exit \"$FAKE_CODE\"");
        const std::string rank = "while [ \"$1\" != /bin/bash ]; do shift; done; ";
        add("srun", rank + "SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NTASKS=1 SLURM_NODEID=0 \"$@\"");
        add("torchrun", rank + "RANK=0 LOCAL_RANK=0 WORLD_SIZE=1 \"$@\"");
    }
    void add(const std::string& name, const std::string& body) const {
        const auto path = temp.path() / name;
        QVERIFY(writeFileAtomically(path, "#!/bin/bash\n" + body + "\n"));
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }
    int run(const std::string& script, const std::vector<std::string>& environment,
            const std::vector<std::string>& arguments = {}) const {
        const auto file = temp.path() / "job";
        if (!writeFileAtomically(file, script)) return -1;
        ProcessSpec spec;
        spec.arguments = {"/bin/bash", file.string()};
        spec.arguments.insert(spec.arguments.end(), arguments.begin(), arguments.end());
        spec.environment = environment;
        spec.environment->push_back("PATH=" + temp.path().string() + ":/usr/bin:/bin");
        spec.output = temp.path() / "output";
        auto process = Process::start(spec);
        if (!process) return -1;
        const auto& exit = process->wait(60);
        return exit ? exit->code : -1;
    }
    QStringList lines(const char* name) const {
        return QString::fromStdString(readFile(temp.path() / name).value_or("")).split('\n', Qt::SkipEmptyParts);
    }
};

/// The trainer of the run is the cluster's.
JobRun onCluster(JobRun run, const Cluster& cluster) {
    for (NodePlan& node : run.plan.nodes)
        for (RankCommand& rank : node.ranks) rank.arguments.front() = (cluster.temp.path() / "trainer").string();
    return run;
}

}  // namespace

class TstJobFiles : public QObject {
    Q_OBJECT

private slots:
    void golden_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("file");
        QTest::newRow("torchrun") << static_cast<int>(JobFileKind::Torchrun) << "torchrun.sh";
        QTest::newRow("slurm") << static_cast<int>(JobFileKind::Slurm) << "slurm.sh";
        QTest::newRow("skypilot") << static_cast<int>(JobFileKind::SkyPilot) << "skypilot.yaml";
        QTest::newRow("jobset") << static_cast<int>(JobFileKind::JobSet) << "jobset.yaml";
        QTest::newRow("dstack") << static_cast<int>(JobFileKind::Dstack) << "dstack.yaml";
    }
    void golden() {
        QFETCH(int, kind);
        QFETCH(QString, file);
        const auto text = jobFile(static_cast<JobFileKind>(kind), {gpuRun()}, someOptions());
        QVERIFY2(text, text ? "" : text.error().text().c_str());
        compareGolden(*text, file.toStdString());
    }

    void anArrayOfSlurm() {
        const auto text = jobFile(JobFileKind::Slurm,
                                  {runOf("a", "/data/slipway", 2, 2, DeviceKind::Cpu, "20261123-124323042-00000001"),
                                   runOf("b", "/data/slipway", 2, 2, DeviceKind::Cpu, "20261123-124323042-00000002")},
                                  {});
        QVERIFY2(text, text ? "" : text.error().text().c_str());
        compareGolden(*text, "slurm_array.sh");
        QCOMPARE(bashComplaint(*text), std::string());
    }

    // What the peers' parsers see, as values.
    void yamlReadsBack() {
        const auto read = [](JobFileKind kind) {
            const auto text = jobFile(kind, {gpuRun()}, someOptions());
            return *interop::parseYaml(*text, "file");
        };
        const std::string name = "slipway-20261123-124323042-7f3a9c21";
        const Json sky = read(JobFileKind::SkyPilot);
        QCOMPARE(sky["name"].get<std::string>(), name);
        QCOMPARE(sky["num_nodes"].get<int>(), 2);
        QCOMPARE(sky["resources"]["accelerators"].get<std::string>(), std::string("H100:8"));
        QCOMPARE(sky["resources"]["image_id"].get<std::string>(), std::string("docker:registry.example/slipway:0.7"));
        QCOMPARE(bashComplaint(sky["run"].get<std::string>()), std::string());
        const Json dstack = read(JobFileKind::Dstack);
        QCOMPARE(dstack["type"].get<std::string>(), std::string("task"));
        QCOMPARE(dstack["nodes"].get<int>(), 2);
        QCOMPARE(dstack["resources"]["gpu"].get<std::string>(), std::string("H100:8"));
        QCOMPARE(dstack["commands"].size(), std::size_t(1));
        QCOMPARE(bashComplaint(dstack["commands"][0].get<std::string>()), std::string());
        const Json set = read(JobFileKind::JobSet);
        QCOMPARE(set["kind"].get<std::string>(), std::string("JobSet"));
        QCOMPARE(set["metadata"]["labels"]["kueue.x-k8s.io/queue-name"].get<std::string>(), std::string("gpu"));
        QCOMPARE(set["metadata"]["labels"]["slipway/run"].get<std::string>(),
                 std::string("20261123-124323042-7f3a9c21"));
        const Json& job = set["spec"]["replicatedJobs"][0]["template"]["spec"];
        QCOMPARE(job["parallelism"].get<int>(), 2);
        QCOMPARE(job["completions"].get<int>(), 2);
        const Json& pod = job["template"]["spec"];
        QCOMPARE(pod["containers"][0]["resources"]["limits"]["nvidia.com/gpu"].get<int>(), 8);
        QCOMPARE(pod["containers"][0]["volumeMounts"][0]["mountPath"].get<std::string>(), std::string("/data/slipway"));
        QCOMPARE(pod["volumes"][0]["persistentVolumeClaim"]["claimName"].get<std::string>(), std::string("slipway"));
        QString script = QString::fromStdString(pod["containers"][0]["args"][0].get<std::string>());
        QVERIFY(!script.contains(QRegularExpression("(?<!\\$)\\$\\(")));  // Kubernetes would expand it
        script.replace("$$", "$");
        QCOMPARE(bashComplaint(script.toStdString()), std::string());
        QVERIFY(script.contains("MASTER_ADDR=" + QString::fromStdString(name + "-ranks-0-0." + name)));
    }

    // SLIPWAY_SCHEDULERS of `./test --full` has the programs: each reads its file, and refuses one with a word that it does not know.
    void theirOwnParsersReadThem_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("known");
        QTest::addColumn<QString>("gpus");
        QTest::newRow("torchrun") << static_cast<int>(JobFileKind::Torchrun) << "--nnodes"
                                  << "8";
        QTest::newRow("skypilot") << static_cast<int>(JobFileKind::SkyPilot) << "num_nodes"
                                  << "\"H100:8\"";
        QTest::newRow("jobset") << static_cast<int>(JobFileKind::JobSet) << "backoffLimit"
                                << "8";
        QTest::newRow("dstack") << static_cast<int>(JobFileKind::Dstack) << "commands"
                                << "\"H100:8\"";
    }
    void theirOwnParsersReadThem() {
        QFETCH(int, kind);
        QFETCH(QString, known);
        QFETCH(QString, gpus);
        const Cluster cluster;
        const auto text = jobFile(static_cast<JobFileKind>(kind), {gpuRun()}, someOptions());
        QVERIFY2(text, text ? "" : text.error().text().c_str());
        const auto read = [&](std::string document, std::string& output) {
            const std::filesystem::path file = cluster.temp.path() / "document";
            if (static_cast<JobFileKind>(kind) == JobFileKind::Torchrun) {
                // What reaches the program of the script.
                cluster.add("torchrun", "printf '%s\\0' \"$@\" > " + file.string());
                const std::string home = (cluster.temp.path() / "home").string();
                for (std::size_t at = 0; (at = document.find("/data/slipway", at)) != std::string::npos; ++at)
                    document.replace(at, std::string("/data/slipway").size(), home);
                if (cluster.run(document, {}, {"0", "n1"}) != 0) return -1;
            } else if (!writeFileAtomically(file, document)) {
                return -1;
            }
            ProcessSpec spec;
            spec.arguments = {"/usr/bin/env",
                              "PYTHONPATH=" + qEnvironmentVariable("SLIPWAY_SCHEDULERS").toStdString(),
                              "PYTHONDONTWRITEBYTECODE=1",
                              "python3",
                              SLIPWAY_SOURCE_DIR "/tests/core/launch/read_job_file.py",
                              QTest::currentDataTag(),
                              file.string()};
            spec.captureOutput = true;
            auto process = Process::start(spec);
            if (!process) return -1;
            const auto& exit = process->wait(120);
            output = process->output() + process->errorOutput();
            return exit ? exit->code : -1;
        };
        std::string seen;
        const int code = read(*text, seen);
        if (code == 3) QSKIP(seen.c_str());
        QVERIFY2(code == 0, seen.c_str());
        const Json document = *parseJson(seen, "seen");
        QCOMPARE(document["nodes"].get<int>(), 2);
        QCOMPARE(QString::fromStdString(document["gpus"].dump()), gpus);
        std::string misspelt = *text;
        misspelt.replace(misspelt.find(known.toStdString()), static_cast<std::size_t>(known.size()),
                         known.toStdString() + "z");
        QCOMPARE(read(misspelt, seen), 1);
    }

    // Names and paths that a shell or a parser could take for something else reach the rank byte by byte.
    void hostileValuesArrive_data() {
        QTest::addColumn<QString>("hostile");
        for (const char* text :
             {"plain", "two words", "$(touch owned)", "`touch owned`", "a'b", "a\"b", "-rf", "a\\b", "*", "~",
              "a;b|c&d", "%j", "#x", "SLIPWAY_CONFIG", "!x", "한국어", "a$$b$HOME", "{a,b}"})
            QTest::newRow(text) << QString(text);
    }
    void hostileValuesArrive() {
        QFETCH(QString, hostile);
        const Cluster cluster;
        const std::string home = (cluster.temp.path() / hostile.toStdString()).string();
        const JobRun run = onCluster(runOf(hostile.toStdString(), home, 1, 1, DeviceKind::Cpu), cluster);
        const QStringList expected = {"--config",  QString::fromStdString(run.folder.config().string()),
                                      "--run-dir", QString::fromStdString(run.folder.path.string()),
                                      "--resume",  "latest"};
        QStringList scripts;
        JobFileOptions options;
        options.image = hostile.toStdString();
        for (const JobFileKind kind : {JobFileKind::Torchrun, JobFileKind::Slurm, JobFileKind::SkyPilot,
                                       JobFileKind::Dstack, JobFileKind::JobSet}) {
            const auto text = jobFile(kind, {run}, options);
            QVERIFY2(text, text ? "" : text.error().text().c_str());
            std::string script = *text;
            if (kind == JobFileKind::SkyPilot) script = interop::parseYaml(*text, "x")->at("run").get<std::string>();
            if (kind == JobFileKind::Dstack)
                script = interop::parseYaml(*text, "x")->at("commands")[0].get<std::string>();
            if (kind == JobFileKind::JobSet) {
                const Json set = *interop::parseYaml(*text, "x");
                const Json& container =
                    set["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["containers"][0];
                QCOMPARE(QString::fromStdString(container["image"].get<std::string>()), hostile);
                script =
                    QString::fromStdString(container["args"][0].get<std::string>()).replace("$$", "$").toStdString();
            }
            std::error_code code;
            std::filesystem::remove_all(home, code);
            const int exit = cluster.run(script, {"SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=n1", "SKYPILOT_NODE_RANK=0",
                                                  "SKYPILOT_NODE_IPS=127.0.0.1", "DSTACK_NODE_RANK=0",
                                                  "DSTACK_MASTER_NODE_IP=127.0.0.1", "JOB_COMPLETION_INDEX=0"});
            QVERIFY2(exit == 0, (std::to_string(exit) + readFile(cluster.temp.path() / "output").value_or("")).c_str());
            QCOMPARE(cluster.lines("arguments"), expected);
            const auto written = readFile(run.folder.config());
            QVERIFY(written);
            QCOMPARE(QString::fromStdString(parseRunConfig(*parseJson(*written, "x"), "x")->name), hostile);
            QVERIFY(cluster.lines("environment").contains("SLIPWAY_HOME=" + QString::fromStdString(home)));
            QVERIFY(std::filesystem::exists(run.folder.rankLog(0)));
            QVERIFY(!std::filesystem::exists(cluster.temp.path() / "owned") && !std::filesystem::exists("owned"));
        }
    }

    void refuses_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("queue");
        QTest::addColumn<QByteArray>("code");
        QTest::newRow("line break") << QByteArray("a\nb") << QByteArray() << QByteArray("bad_value");
        QTest::newRow("carriage return") << QByteArray("a\rb") << QByteArray() << QByteArray("bad_value");
        QTest::newRow("line separator") << QByteArray(
                                               "a\xE2\x80\xA8"
                                               "b")
                                        << QByteArray() << QByteArray("bad_value");
        QTest::newRow("escape") << QByteArray("a\x1b[2J") << QByteArray() << QByteArray("bad_value");
        QTest::newRow("not UTF-8") << QByteArray("a\xff") << QByteArray() << QByteArray("bad_value");
        QTest::newRow("queue with a space") << QByteArray("a") << QByteArray("gpu --wrap=x") << QByteArray("bad_value");
        QTest::newRow("queue with a hyphen") << QByteArray("a") << QByteArray("-x") << QByteArray("bad_value");
        QTest::newRow("queue with a line") << QByteArray("a") << QByteArray("x\n#SBATCH -x") << QByteArray("bad_value");
    }
    void refuses() {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, queue);
        JobFileOptions options = someOptions();
        options.queue = queue.toStdString();
        for (const JobFileKind kind : {JobFileKind::Torchrun, JobFileKind::Slurm, JobFileKind::SkyPilot,
                                       JobFileKind::Dstack, JobFileKind::JobSet}) {
            const auto text = jobFile(kind, {runOf(name.toStdString(), "/data", 1, 1, DeviceKind::Cpu)}, options);
            QVERIFY(!text);
            QTEST(QByteArray::fromStdString(text.error().code), "code");
        }
    }

    void refusesWhatDoesNotFit() {
        QCOMPARE(jobFile(JobFileKind::Torchrun, {runOf("a", "/d", 12, 8, DeviceKind::Gpu)}, {}).error().code,
                 std::string("usage"));  // 8 and 4
        QCOMPARE(jobFile(JobFileKind::JobSet, {gpuRun()}, {}).error().where, std::string("--image"));
        QCOMPARE(jobFile(JobFileKind::SkyPilot, {gpuRun()}, {}).error().where, std::string("--accelerator"));
        QCOMPARE(jobFile(JobFileKind::Dstack, {gpuRun(), gpuRun()}, someOptions()).error().where,
                 std::string("--write"));
        QCOMPARE(jobFile(JobFileKind::Slurm, {gpuRun(), runOf("b", "/d", 8, 8, DeviceKind::Gpu)}, {}).error().code,
                 std::string("usage"));
        QCOMPARE(jobFile(JobFileKind::Slurm, {}, {}).error().code, std::string("usage"));
        QCOMPARE(
            jobFile(JobFileKind::Dstack, {runOf("${{ secrets.x }}", "/d", 1, 1, DeviceKind::Cpu)}, {}).error().code,
            std::string("bad_value"));
        QVERIFY(!jobFileKindFrom("pigeon"));
    }

    // The same job of Slurm started twice runs once; queued again it is the next attempt.
    void slurmRunsAnAttemptOnce() {
        const Cluster cluster;
        const JobRun run =
            onCluster(runOf("a", (cluster.temp.path() / "home").string(), 1, 1, DeviceKind::Cpu), cluster);
        const auto script = jobFile(JobFileKind::Slurm, {run}, {});
        QVERIFY(script);
        const std::vector<std::string> job = {"SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=n1"};
        QCOMPARE(cluster.run(*script, job), 0);
        QVERIFY(cluster.lines("environment").contains("SLIPWAY_ATTEMPT=1"));
        QVERIFY(cluster.lines("environment").contains("MASTER_ADDR=n1"));
        std::filesystem::remove(cluster.temp.path() / "arguments");
        QCOMPARE(cluster.run(*script, job), 0);
        QVERIFY(cluster.lines("arguments").isEmpty());
        QVERIFY(cluster.lines("output").last().contains("started before"));
        QCOMPARE(cluster.run(*script, {"SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=n1", "SLURM_RESTART_COUNT=1"}), 0);
        QVERIFY(cluster.lines("environment").contains("SLIPWAY_ATTEMPT=2"));
        QCOMPARE(cluster.run(*script, {"SLURM_JOB_ID=8", "SLURM_JOB_NODELIST=n1", "FAKE_CODE=13"}), 13);
    }

    // Where nothing but the run folder tells, as after a restart by JobSet or SkyPilot.
    void aFurtherStartIsTheNextAttempt() {
        const Cluster cluster;
        const JobRun run =
            onCluster(runOf("a", (cluster.temp.path() / "home").string(), 1, 1, DeviceKind::Cpu), cluster);
        const auto script = jobFile(JobFileKind::Torchrun, {run}, {});
        QVERIFY(script);
        QCOMPARE(cluster.run(*script, {}, {"0", "n1"}), 0);
        QVERIFY(cluster.lines("environment").contains("SLIPWAY_ATTEMPT=1"));
        const std::string header = R"({"schema":1,"kind":"header","run_id":"r","attempt":1})";
        QVERIFY(writeFileAtomically(run.folder.metrics(), header + "\n{\"kind\":\"step\",\"step\":1}\n"));
        QCOMPARE(cluster.run(*script, {}, {"0", "n1"}), 0);
        QVERIFY(cluster.lines("environment").contains("SLIPWAY_ATTEMPT=2"));
        QCOMPARE(cluster.run(*script, {"SLIPWAY_ATTEMPT=7"}, {"0", "n1"}), 0);
        QVERIFY(cluster.lines("environment").contains("SLIPWAY_ATTEMPT=7"));
    }

    // A warning before the time limit ends with a checkpoint and the job in the queue again; without one it does not.
    void slurmGoesOnAfterTheTimeLimit_data() {
        QTest::addColumn<bool>("checkpoint");
        QTest::addColumn<int>("code");
        QTest::newRow("with a checkpoint") << true << 0;
        QTest::newRow("without progress") << false << 14;
    }
    void slurmGoesOnAfterTheTimeLimit() {
        QFETCH(bool, checkpoint);
        const Cluster cluster;
        const JobRun run =
            onCluster(runOf("a", (cluster.temp.path() / "home").string(), 1, 1, DeviceKind::Cpu), cluster);
        // The trainer warns the batch shell as Slurm does, waits for the request to stop and leaves a checkpoint.
        cluster.add("trainer",
                    "run=\"$4\"; kill -USR1 \"$BATCH\"; while [ ! -e \"$run/control/stop\" ]; do sleep 0.05; done; " +
                        std::string(checkpoint ? "mkdir -p \"$run/checkpoints/step_00000010\"; "
                                                 "echo {} > \"$run/checkpoints/step_00000010/manifest.json\"; "
                                               : "") +
                        "exit 14");
        std::string script = *jobFile(JobFileKind::Slurm, {run}, {});
        script.insert(script.find('\n') + 1, "export BATCH=$$\n");
        QTEST(cluster.run(script, {"SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=n1"}), "code");
        QCOMPARE(cluster.lines("calls").contains("scontrol requeue 7"), checkpoint);
        QVERIFY(!std::filesystem::exists(run.folder.stopFile()));
    }

    void quotes() {
        QCOMPARE(yamlQuoted("yes"), std::string("\"yes\""));
        QCOMPARE(yamlQuoted("a\"b\\"), std::string("\"a\\\"b\\\\\""));
        QCOMPARE(shellQuoted(""), std::string("''"));
        QCOMPARE(shellQuoted("a'b"), std::string("'a'\\''b'"));
        QVERIFY(checkOneLine("한국어 a\"b", "x"));
    }
};

SLIPWAY_TEST(TstJobFiles)
#include "tst_job_files.moc"
