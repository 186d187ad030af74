// Setting up a node behind the tests' ssh: a trainer that starts once its libtorch is there, copied from this computer.
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/remote/node_setup.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/slipway_test.h"

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
