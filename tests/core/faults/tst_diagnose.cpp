#include "core/base/json_fields.h"
#include "core/faults/diagnose.h"
#include "tests/support/slipway_test.h"

using namespace slipway;

namespace {

AgentExit exitOf(const char* node, const char* reason, std::int64_t code, std::int64_t ended = 1000) {
    AgentExit exit;
    exit.node = node;
    exit.reason = reason;
    exit.code = code;
    exit.endedUnixMilliseconds = ended;
    return exit;
}

RankState rankOf(std::int64_t rank, std::optional<std::int64_t> code, std::optional<std::int64_t> signal = {},
                 std::int64_t ended = 1000) {
    RankState state;
    state.rank = rank;
    state.exitCode = code;
    state.signal = signal;
    state.endedUnixMilliseconds = ended;
    return state;
}

EndEvidence evidenceOf(std::vector<AgentExit> exits, std::int64_t step = 9) {
    EndEvidence evidence;
    evidence.exits = std::move(exits);
    evidence.lastStep = evidence.attemptSteps = step;
    return evidence;
}

QString words(const Diagnosis& d) {
    return QString::fromStdString(d.status + "|" + textOf(sentence(d)));
}

/// A log with everything that frightens.
RankLog frightening() {
    return {0, "local",
            "CUDA out of memory. Tried to allocate 2.00 GiB. \nAddress already in use\nInput/output error\n"
            "terminate called after throwing an instance of 'x'\n"};
}

}  // namespace

class TstDiagnose : public QObject {
    Q_OBJECT

private slots:
    void aCleanEndHasNoFault_data() {
        QTest::addColumn<QString>("reason");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("detail");
        QTest::addColumn<QString>("said");
        QTest::newRow("completed") << "completed" << 0 << "All ranks completed."
                                   << "completed|";
        QTest::newRow("stopped") << "stopped" << 14 << "Stopped on request."
                                 << "cancelled|Stopped on request after step 9.";
        QTest::newRow("stopped, one killed")
            << "stopped" << 14 << "Stopped on request; a rank that did not end in time was killed."
            << "cancelled|Stopped on request after step 9; a rank that did not end in time was killed.";
        QTest::newRow("killed") << "killed" << 137 << "x"
                                << "cancelled|Ended on request after step 9, without a checkpoint.";
    }
    void aCleanEndHasNoFault() {
        QFETCH(QString, reason);
        QFETCH(int, code);
        QFETCH(QString, detail);
        AgentExit exit = exitOf("local", reason.toUtf8().constData(), code);
        exit.detail = detail.toStdString();
        exit.ranks = {rankOf(0, code)};
        EndEvidence evidence = evidenceOf({exit});
        evidence.logs = {frightening()};
        SystemNotes notes;
        notes.node = "local";
        notes.kernel = {"NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus."};
        notes.oomKills = 3;
        evidence.systems = {notes};
        evidence.events = {{9, "loss_spike", "", 0}};
        const Diagnosis d = diagnose(evidence);
        QTEST(words(d), "said");
        QCOMPARE(d.kind, std::string("requested"));
        QCOMPARE(d.code, code);
    }

    void withoutARecordItIsLost() {
        const Diagnosis d = diagnose(evidenceOf({}, 0));
        QCOMPARE(words(d), QString("lost|The agent left no record of the end before the first step."));
    }

    void anUnknownEndSaysSo() {
        AgentExit exit = exitOf("local", "rank_failed", 77);
        exit.firstFailedRank = 1;
        exit.ranks = {rankOf(0, {}, 15), rankOf(1, 77)};
        exit.ranks[0].endedByAgent = true;
        EndEvidence evidence = evidenceOf({exit});
        evidence.logs = {{1, "local", "step 9\nbye\n"}};
        QCOMPARE(
            words(diagnose(evidence)),
            QString(
                "failed|Rank 1 after step 9: ended with exit code 77, which no known fault explains. From the log: bye"));
        evidence.logs.clear();
        QCOMPARE(words(diagnose(evidence)),
                 QString("failed|Rank 1 after step 9: ended with exit code 77, which no known fault explains."));
    }

    void aCascadeWithoutInitiatorSaysSo() {
        AgentExit a = exitOf("a", "rank_failed", 12, 500), b = exitOf("b", "rank_failed", 12, 400);
        a.ranks = {rankOf(0, 12, {}, 500)};
        b.ranks = {rankOf(1, 12, {}, 400)};
        a.firstFailedRank = 0;
        b.firstFailedRank = 1;
        EndEvidence evidence = evidenceOf({a, b});
        evidence.errors = {{1, "comm_failure", "the peer closed the connection", "dp", "all_reduce", 12, 400}};
        const Diagnosis d = diagnose(evidence);
        QCOMPARE(words(d),
                 QString("failed|Rank 1 of node b after step 9: communication failure, and no record names a rank that "
                         "failed first; look at the nodes and the network between them, then resume. From the log: "
                         "the peer closed the connection (all_reduce in group dp)"));
        QCOMPARE(d.numCascade, 0);
    }

    // The log of a rank that the agent ended, and of a rank of another run, is no evidence.
    void peersThatWereEndedTellNothing() {
        AgentExit exit = exitOf("local", "rank_killed", 137);
        exit.firstFailedRank = 1;
        exit.ranks = {rankOf(0, {}, 6), rankOf(1, {}, 9)};
        exit.ranks[0].endedByAgent = true;
        EndEvidence evidence = evidenceOf({exit});
        evidence.logs = {frightening(), {7, "local", "CUDA out of memory"}};
        evidence.errors = {{7, "out_of_memory", "CUDA out of memory", "", "", 11, 1}};
        QCOMPARE(diagnose(evidence).fault, std::string("killed"));
    }

    void anEarlierAttemptTellsNothing() {
        AgentExit exit = exitOf("local", "rank_killed", 137);
        exit.ranks = {rankOf(0, {}, 9)};
        EndEvidence evidence = evidenceOf({exit});
        RankLog log = frightening();
        log.tail += "--- attempt 2 ---\nstep 9\n";
        evidence.logs = {log};
        QCOMPARE(diagnose(evidence).fault, std::string("killed"));
    }

    void otherNodesThatFailedDifferentlyAreSeen() {
        AgentExit a = exitOf("a", "rank_failed", 10), b = exitOf("b", "rank_failed", 11);
        a.ranks = {rankOf(0, 10)};
        b.ranks = {rankOf(1, 11)};
        QVERIFY(diagnose(evidenceOf({a, b})).differsByNode);
        b.ranks = {rankOf(1, 10, {}, 2000)};
        QVERIFY(!diagnose(evidenceOf({a, b})).differsByNode);
    }

    void theCauseGivesTheCode() {
        AgentExit a = exitOf("a", "rank_failed", 12, 500), b = exitOf("b", "rank_killed", 137, 900);
        a.ranks = {rankOf(0, 12, {}, 500)};
        b.ranks = {rankOf(1, {}, 9, 900)};
        const Diagnosis d = diagnose(evidenceOf({a, b}));
        QCOMPARE(d.code, 137);
        QCOMPARE(d.node, std::string("b"));
        QCOMPARE(d.timeUnixMilliseconds, 900);
        QCOMPARE(d.numCascade, 1);
    }

    // The kernel's kill is out of memory like the allocator's refusal, so that a sweep marks the point infeasible.
    void aWantOfMemoryHasOneCode() {
        AgentExit exit = exitOf("local", "rank_killed", 137);
        exit.ranks = {rankOf(0, {}, 9)};
        EndEvidence evidence = evidenceOf({exit});
        SystemNotes notes;
        notes.node = "local";
        notes.oomKills = 1;
        evidence.systems = {notes};
        QCOMPARE(diagnose(evidence).code, 11);
        evidence.systems.clear();
        QCOMPARE(diagnose(evidence).code, 137);
        evidence.logs = {{0, "local", "write: No space left on device"}};
        QCOMPARE(diagnose(evidence).code, 15);
    }

    void isReadBack() {
        AgentExit exit = exitOf("b", "rank_failed", 11);
        exit.ranks = {rankOf(3, 11)};
        const Diagnosis d = diagnose(evidenceOf({exit}));
        Issues issues;
        const auto back = fields::fromJson<Diagnosis>(fields::toJson(d), issues);
        QVERIFY(issues.empty());
        QCOMPARE(words(back), words(d));
        // A fault that this version does not know still has its facts.
        Diagnosis other = d;
        other.fault = "of_a_later_version";
        QCOMPARE(
            words(other),
            QString("failed|Rank 3 of node b after step 9: ended with exit code 11, which no known fault explains."));
    }

    void hugeEvidenceIsCutShort() {
        AgentExit exit = exitOf("local", "rank_killed", 137);
        exit.ranks = {rankOf(0, {}, 9)};
        EndEvidence evidence = evidenceOf({exit});
        std::string garbage(64U << 20, '\0');
        for (std::size_t i = 0; i < garbage.size(); ++i) garbage[i] = static_cast<char>(i * 2654435761U >> 13U);
        evidence.logs = {{0, "local", "CUDA out of memory\n" + garbage}};
        QCOMPARE(diagnose(evidence).fault, std::string("killed"));  // what is far from the end is not read
        evidence.logs[0].tail += "\nCUDA out of memory\n";
        QCOMPARE(diagnose(evidence).fault, std::string("oom_gpu"));
        evidence.logs[0].tail = std::string(8U << 20, 'x');  // one line
        QCOMPARE(diagnose(evidence).fault, std::string("killed"));
        SystemNotes notes;
        notes.node = "local";
        notes.kernel.assign(100000, std::string(1000, '('));
        evidence.systems = {notes};
        evidence.events.assign(100000, {9, "loss_spike", "", 0});
        evidence.problems.assign(100000, {"malformed_lines", "x", ""});
        QVERIFY(!diagnose(evidence).fault.empty());
    }

    void aHundredThousandRanks() {
        EndEvidence evidence = evidenceOf({});
        for (std::int64_t node = 0; node < 12500; ++node) {
            AgentExit exit = exitOf(("n" + std::to_string(node)).c_str(), "rank_failed", 12, 5000 + node);
            for (std::int64_t local = 0; local < 8; ++local) {
                const std::int64_t rank = node * 8 + local;
                exit.ranks.push_back(rank == 77777 ? rankOf(rank, {}, 11, 9000) : rankOf(rank, 12, {}, 5000 + node));
                if (rank != 77777)
                    evidence.errors.push_back(
                        {rank, "comm_failure", "the peer closed the connection", "dp", "all_reduce", 12, 5000 + node});
            }
            exit.firstFailedRank = node * 8;
            evidence.exits.push_back(std::move(exit));
        }
        const Diagnosis d = diagnose(evidence);
        QCOMPARE(d.rank, 77777);
        QCOMPARE(d.node, std::string("n9722"));
        QCOMPARE(d.numCascade, 99999);
        QCOMPARE(ranksWorthReading(evidence.exits, 8).size(), std::size_t(8));
    }

    void readsTheLikeliestLogsFirst() {
        AgentExit a = exitOf("a", "rank_failed", 12, 500), b = exitOf("b", "completed", 0, 100),
                  c = exitOf("c", "rank_killed", 137, 400);
        a.ranks = {rankOf(0, 12, {}, 450), rankOf(1, 12, {}, 440)};
        a.firstFailedRank = 0;
        b.ranks = {rankOf(2, 0)};
        c.ranks = {rankOf(4, {}, 9, 400)};
        c.firstFailedRank = 4;
        QStringList read;
        for (const RankPlace& place : ranksWorthReading({a, b, c}, 3)) read << QString::number(place.rank);
        QCOMPARE(read.join(' '), QString("4 0 1"));
    }
};

SLIPWAY_TEST(TstDiagnose)
#include "tst_diagnose.moc"
