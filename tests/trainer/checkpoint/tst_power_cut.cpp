// A power cut without hardware: ext4 in a loop file, shut down without flushing its journal at a random moment while
// checkpoints are written, mounted again. What was acknowledged must be there, whole.
#include "tests/support/temp_dir.h"
#include "trainer/checkpoint/checkpoint_writer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <fcntl.h>
#include <linux/ioctl.h>
#include <sys/ioctl.h>

#include <atomic>
#include <fstream>
#include <thread>

// Last: Qt defines "slots", which libtorch uses as a name.
#include "tests/support/slipway_test.h"

#include <QProcess>

using namespace slipway;
using namespace slipway::trainer;

namespace {

/// Needs root, loop devices and mkfs.ext4; else mounted() is false.
class CuttableDisk {
public:
    CuttableDisk() {
        const std::string image = (m_folder.path() / "image").string();
        std::filesystem::create_directory(path());
        if (::geteuid() != 0) return;
        std::ofstream(image).close();
        std::filesystem::resize_file(image, 48 << 20);
        if (run("mkfs.ext4", {"-q", "-F", image})) mount();
    }
    ~CuttableDisk() { unmount(); }
    CuttableDisk(const CuttableDisk&) = delete;
    CuttableDisk& operator=(const CuttableDisk&) = delete;

    [[nodiscard]] bool mounted() const { return m_mounted; }
    [[nodiscard]] std::filesystem::path path() const { return m_folder.path() / "disk"; }
    void mount() { m_mounted = run("mount", {"-o", "loop", (m_folder.path() / "image").string(), path().string()}); }
    void unmount() {
        if (m_mounted) m_mounted = !run("umount", {path().string()});
    }
    /// From now on nothing reaches the disk, not even the journal (EXT4_IOC_SHUTDOWN, NOLOGFLUSH).
    [[nodiscard]] bool cut() const {
        const int fd = ::open(path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        std::uint32_t how = 2;
        const bool done = ::ioctl(fd, _IOR('X', 125, std::uint32_t), &how) == 0;
        ::close(fd);
        return done;
    }

private:
    static bool run(const char* program, const std::vector<std::string>& arguments) {
        QStringList words;
        for (const std::string& argument : arguments) words << QString::fromStdString(argument);
        QProcess process;
        process.setEnvironment({"PATH=/usr/sbin:/usr/bin:/sbin:/bin"});
        process.start(QString::fromUtf8(program), words);
        return process.waitForFinished(60000) && process.exitStatus() == QProcess::NormalExit &&
               process.exitCode() == 0;
    }
    test::TempDir m_folder;
    bool m_mounted = false;
};

std::vector<StateTensor> stateOf(std::int64_t step) {
    StateTensor entry;
    entry.name = entry.shard.name = "w";
    entry.shard.globalShape = {20000};
    entry.shard.dtype = "F64";
    entry.tensor = at::full({20000}, static_cast<double>(step), at::kDouble);
    return {entry};
}

}  // namespace

class TstPowerCut : public QObject {
    Q_OBJECT
private slots:
    void acknowledgedCheckpointsSurvive() {
        CuttableDisk disk;
        if (!disk.mounted()) QSKIP("a disk in a loop file needs root, loop devices and mkfs.ext4");
        RunConfig config;
        config.checkpoint.keep = 3;
        const ProcessMesh mesh = makeMesh(config.parallel, 0, nullptr);
        const RunDir dir{disk.path() / "run"};
        const CheckpointContext context{dir, config, mesh, at::kCPU};
        std::int64_t step = 0;
        for (const int more : {3, 7, 12, 1, 17}) {  // checkpoints until the power goes, somewhere within the next one
            const std::int64_t before = step;
            std::atomic<std::int64_t> acknowledged{before};
            std::thread writer([&] {
                while (saveCheckpoint(context, {step + 1, step + 1, 0, 0, {}}, stateOf(step + 1)))
                    acknowledged = ++step;
            });
            QVERIFY(test::waitUntil(600, [&] { return acknowledged >= before + more; }));
            const std::int64_t promised = acknowledged;
            const bool wasCut = disk.cut();
            if (!wasCut) std::filesystem::remove_all(dir.path);
            writer.join();
            if (!wasCut) QSKIP("this kernel cannot shut ext4 down");
            disk.unmount();
            disk.mount();
            QVERIFY(disk.mounted());
            std::vector<StateTensor> found = stateOf(-1);
            const auto loaded = loadCheckpoint(context, "latest", found);
            QVERIFY2(loaded.has_value(), loaded ? "" : loaded.error().text().c_str());
            QVERIFY(loaded->mark.has_value());
            QVERIFY2(loaded->mark->step >= promised,
                     (std::to_string(loaded->mark->step) + " of " + std::to_string(promised)).c_str());
            QVERIFY(at::equal(found[0].tensor, stateOf(loaded->mark->step)[0].tensor));
            step = loaded->mark->step;
        }
    }
};

SLIPWAY_TEST(TstPowerCut)
#include "tst_power_cut.moc"
