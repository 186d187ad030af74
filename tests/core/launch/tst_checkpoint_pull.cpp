// What a node may bring here as a checkpoint, with a real agent behind a fake ssh.
#include "core/base/clock.h"
#include "core/launch/checkpoint_files.h"
#include "core/launch/checkpoint_pull.h"
#include "tests/support/fake_nodes.h"
#include "tests/support/slipway_test.h"

#include <fstream>

using namespace slipway;
using namespace slipway::test;
namespace fs = std::filesystem;

class TstCheckpointPull : public QObject {
    Q_OBJECT

private slots:
    // The manifest comes first, before it is known how much will: one of 100 GiB would fill the disk here.
    void leavesAnEndlessManifestThere() {
        const FakeNodes fake;
        TempDir temp;
        const RunDir here{temp.path() / "runs" / "r"};
        const fs::path there = fake.home("a") / ".local/share/slipway-node/runs/r/checkpoints/step_00000005";
        for (const fs::path& folder : {here.path, there}) fs::create_directories(folder);
        std::ofstream(there / kCheckpointManifest) << "{";
        fs::resize_file(there / kCheckpointManifest, std::uintmax_t{100} << 30);  // a hole: it takes no room
        NodeRecord node;
        node.name = node.host = "a";
        SshOptions options;
        options.agent = fs::path(SLIPWAY_BIN_DIR) / "slipway-agent";
        NodeLink link(node, options);
        CheckpointPull pull(here, "r", "a", "", std::set<std::int64_t>{0});
        QVERIFY(waitUntil(10, [&] {
            for (const LinkAnswer& answer : link.poll(monotonicSecondsNow())) pull.take(answer);
            pull.poll(link, monotonicSecondsNow());
            return pull.isUpToDate();
        }));
        QVERIFY(!fs::exists(here.checkpoints()));
    }
};

SLIPWAY_TEST(TstCheckpointPull)
#include "tst_checkpoint_pull.moc"
