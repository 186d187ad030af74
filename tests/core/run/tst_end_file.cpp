#include "core/base/file.h"
#include "core/base/json.h"
#include "core/launch/checkpoint_files.h"
#include "core/run/end_file.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <nlohmann/json.hpp>

using namespace slipway;
using namespace slipway::test;

namespace {

Diagnosis failureOf(const char* fault, const char* kind) {
    Diagnosis d;
    d.fault = fault;
    d.kind = kind;
    d.code = 12;
    d.step = 7;
    return d;
}

void makeCheckpoint(const RunDir& folder, std::int64_t step, bool whole) {
    const auto path = folder.checkpoint(step);
    QVERIFY(makeFolders(path));
    if (whole) QVERIFY(writeFileAtomically(path / "manifest.json", R"({"files": []})"));
}

}  // namespace

class TstEndFile : public QObject {
    Q_OBJECT

private slots:
    void remembersAttempts() {
        TempDir temp;
        const RunDir folder{temp.path()};
        QVERIFY(!readEnd(folder, 1));
        const auto first = writeEnd(folder, 1, failureOf("peer_lost", "transient"), 1000, 0.5);
        QVERIFY(first);
        QCOMPARE(first->decision.action, std::string("restart"));
        QCOMPARE(first->decision.fromStep, -1);
        QCOMPARE(first->decision.delaySeconds, 5.0);
        makeCheckpoint(folder, 100, true);
        makeCheckpoint(folder, 200, false);
        const auto second = writeEnd(folder, 2, failureOf("peer_lost", "transient"), 1000, 0.5);
        QCOMPARE(second->decision.fromStep, 100);
        QCOMPARE(second->decision.delaySeconds, 10.0);
        const auto read = readEnd(folder, 2);
        QVERIFY(read);
        QCOMPARE(textOf(sentence(read->diagnosis)), textOf(sentence(second->diagnosis)));
        QCOMPARE(textOf(sentence(read->decision)), textOf(sentence(second->decision)));
        QVERIFY(!readEnd(folder, 3));  // a later attempt has not failed
        const Json json = endJson(*read);
        QCOMPARE(json["fault"].get<std::string>(), std::string("peer_lost"));
        QCOMPARE(json["decision"]["action"].get<std::string>(), std::string("restart"));
        // The same end found once more, by another program, replaces it.
        QCOMPARE(writeEnd(folder, 2, failureOf("killed", "unknown"), 1000, 0.5)->decision.delaySeconds, 5.0);
    }

    void aDamagedFileIsNoHistory() {
        TempDir temp;
        const RunDir folder{temp.path()};
        for (const char* text : {"", "[", "{\"attempts\": 7}", "{\"attempts\": [{\"attempt\": \"x\"}]}"}) {
            QVERIFY(writeFileAtomically(temp.path() / "end.json", text));
            QVERIFY(!readEnd(folder, 1));
        }
        QVERIFY(writeEnd(folder, 1, failureOf("oom", "memory"), 1, 0));
        QVERIFY(readEnd(folder, 1));
    }

    void knowsWholeCheckpoints() {
        TempDir temp;
        const RunDir folder{temp.path()};
        QVERIFY(!newestCheckpoint(folder));
        makeCheckpoint(folder, 9, true);
        makeCheckpoint(folder, 1000, true);
        makeCheckpoint(folder, 2000, false);
        QVERIFY(makeFolders(folder.checkpoints() / "step_x"));
        QCOMPARE(newestCheckpoint(folder).value_or(-1), 1000);
    }
};

SLIPWAY_TEST(TstEndFile)
#include "tst_end_file.moc"
