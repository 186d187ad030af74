// Setting up a node behind the tests' ssh: a trainer that starts once its libtorch is there, copied from this computer.
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/remote/node_setup.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/slipway_test.h"

#include <unistd.h>

#include <QProcess>
#include <QScopeGuard>

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* kLibrary = "lib/slipway/torch/lib/libtorch_cpu.so";

struct Bench {
    FakeNodes fake;
    TempDir temp;
    NodeRecord node;
    NodeSetup::Request request{"1.2.3", {}, "", true};

    Bench() {
        node.name = node.host = "a";
        request.files.files = {{file("trainer", std::string("#!/bin/sh\n[ -f \"${0%/*}/../") + kLibrary +
                                                    "\" ] || { echo 'no libtorch' >&2; exit 1; }\necho 1.2.3\n"),
                                "bin/slipway-trainer", true}};
    }
    fs::path file(const std::string& name, const std::string& text) const {
        (void)writeFileAtomically(temp.path() / name, text);
        return temp.path() / name;
    }
    std::unique_ptr<NodeSetup> run() const {
        SshOptions options;
        options.agent = fs::path(SLIPWAY_BIN_DIR) / "slipway-agent";
        auto setup = std::make_unique<NodeSetup>(node, options, request);
        (void)waitUntil(60, [&] {
            setup->poll(monotonicSecondsNow());
            return setup->done();
        });
        return setup;
    }
};

}  // namespace

class TstNodeSetup : public QObject {
    Q_OBJECT

private slots:
    void copiesTrainerAndLibtorchOnce() {
        Bench bench;
        bench.request.files.libtorch = {{bench.file("library", "code"), kLibrary, false}};
        const auto first = bench.run();
        QVERIFY2(!first->error(), first->error() ? first->error()->text().c_str() : "");
        QVERIFY(first->done() && !first->wasReady());
        QVERIFY(fs::exists(first->trainer()));
        const auto second = bench.run();
        QVERIFY(second->done() && !second->error() && second->wasReady());
    }

    // What starts after the setup has to be this version.
    void refusesATrainerOfAnotherVersion() {
        Bench bench;
        bench.request.version = "1.2.4";
        bench.request.files.libtorch = {{bench.file("library", "code"), kLibrary, false}};
        const auto setup = bench.run();
        QVERIFY(setup->done() && setup->error());
        QCOMPARE(setup->error()->code, std::string("trainer_unusable"));
    }

    // Neither the node nor this computer has a libtorch: the person reads what failed, without a reference to a message above.
    void namesWhatFailedOnTheNode() {
        Bench bench;
        bench.request.uploadsTorch = false;
        bench.request.files.files.push_back(
            {bench.file(
                 "libtorch.sh",
                 "#!/bin/sh\necho pip is busy\nprintf '\\nslipway: downloading torch failed\\nWhat to do: read pip above\\n' >&2\nexit 1\n"),
             "lib/slipway/libtorch.sh", true});
        const auto setup = bench.run();
        QVERIFY(setup->done() && setup->error());
        QCOMPARE(setup->error()->code, std::string("libtorch_missing"));
        const std::string& text = setup->error()->message;
        QVERIFY2(text.find("downloading torch failed. ") != std::string::npos, text.c_str());
        QVERIFY2(text.find("above") == std::string::npos, text.c_str());
        QVERIFY2(text.find("`slipway trainer setup` on this computer") != std::string::npos, text.c_str());
        QVERIFY2(text.find("/trainer/setup.log") != std::string::npos, text.c_str());
    }

    void namesTheNodeWhoseDiskIsFull() {
        if (::geteuid() != 0) QSKIP("needs root, to mount a small disk");
        Bench bench;
        bench.request.uploadsTorch = false;
        const fs::path home = bench.fake.home("a") / ".local/share/slipway-node";
        fs::create_directories(home);
        const QString disk = QString::fromStdString(home.string());
        if (QProcess::execute(QStringLiteral("mount"),
                              {QStringLiteral("-t"), QStringLiteral("tmpfs"), QStringLiteral("-o"),
                               QStringLiteral("size=256k,mode=700"), QStringLiteral("none"), disk}) != 0)
            QSKIP("nobody may mount here");
        const auto unmount = qScopeGuard([&] {
            QProcess::execute(QStringLiteral("umount"), {QStringLiteral("-l"), disk});
        });
        bench.request.files.files.push_back(
            {bench.file("large", std::string(1 << 20, 'x')), "lib/slipway/large", false});
        const auto setup = bench.run();
        QVERIFY(setup->done() && setup->error());
        QCOMPARE(setup->error()->code, std::string("disk_full"));
        QVERIFY2(setup->error()->text().find("The disk of a is full; free some space in " + home.string()) !=
                     std::string::npos,
                 setup->error()->text().c_str());
    }

    // One bar for all files: it never goes back.
    void progressCoversAllFiles() {
        Bench bench;
        const std::string large(3'000'000, 'x');
        for (const char* name : {"one", "two", "three"})
            bench.request.files.libtorch.push_back(
                {bench.file(name, large + name), std::string("lib/slipway/torch/lib/") + name, false});
        bench.request.files.libtorch.push_back({bench.file("library", "code"), kLibrary, false});
        SshOptions options;
        options.agent = fs::path(SLIPWAY_BIN_DIR) / "slipway-agent";
        NodeSetup setup(bench.node, options, bench.request);
        double last = 0;
        bool isSteady = true, isWhole = false;
        QVERIFY(waitUntil(60, [&] {
            setup.poll(monotonicSecondsNow());
            if (textOf(setup.progress()).find(" of 9 MB") == std::string::npos) return setup.done();
            isWhole = true;
            isSteady = isSteady && setup.share().value_or(1) >= last;
            last = setup.share().value_or(1);
            return setup.done();
        }));
        QVERIFY2(!setup.error(), setup.error() ? setup.error()->message.c_str() : "");
        QVERIFY(isWhole && isSteady);
    }

    // This computer uses a libtorch from elsewhere: nothing is copied, and the person learns what to do.
    void tellsThatThereIsNoLibtorchToCopy() {
        Bench bench;
        const auto setup = bench.run();
        QVERIFY(setup->done());
        QVERIFY(setup->error());
        QCOMPARE(setup->error()->code, std::string("libtorch_missing"));
        QVERIFY(!fs::exists(bench.fake.home("a") / ".local/share/slipway-node/trainer/bin"));
    }
};

SLIPWAY_TEST(TstNodeSetup)
#include "tst_node_setup.moc"
