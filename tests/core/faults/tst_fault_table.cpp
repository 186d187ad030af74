#include "core/faults/diagnose.h"
#include "core/faults/line_pattern.h"
#include "tests/support/slipway_test.h"

#include <QFile>
#include <QRegularExpression>
#include <QSet>
#include <algorithm>

using namespace slipway;

namespace {

struct Case {
    int number = 0;
    QString name, expected;
    EndEvidence evidence;
};

/// Reads tests/data/faults/faults.txt; the head of that file has the words.
class CaseReader {
public:
    static QList<Case> all() {
        QFile file(QStringLiteral(SLIPWAY_TEST_DATA "/faults/faults.txt"));
        QList<Case> cases;
        if (!file.open(QIODevice::ReadOnly)) return cases;
        CaseReader reader;
        for (const QString& line : QString::fromUtf8(file.readAll()).split('\n')) {
            if (line.startsWith("## ")) {
                reader = {};
                reader.m_case.number = line.section(' ', 1, 1).toInt();
                reader.m_case.name = line.section(' ', 2);
            } else if (line.startsWith('=')) {
                cases << reader.finished(line.mid(2));
            } else if (!line.isEmpty() && !line.startsWith('#')) {
                reader.take(line);
            }
        }
        return cases;
    }

private:
    AgentExit& node() {
        auto& exits = m_case.evidence.exits;
        if (exits.empty()) {
            exits.emplace_back();
            exits.back().node = "local";
        }
        return exits.back();
    }
    SystemNotes& system() {
        auto& systems = m_case.evidence.systems;
        if (systems.empty() || systems.back().node != node().node) {
            systems.emplace_back();
            systems.back().node = node().node;
        }
        return systems.back();
    }

    void take(const QString& line) {
        EndEvidence& e = m_case.evidence;
        const QString what = line.section(' ', 0, 0);
        const auto word = [&](int i) { return line.section(' ', i, i); };
        const auto rest = [&](int i) { return line.section(' ', i).toStdString(); };
        if (what == "node") {
            e.exits.emplace_back();
            e.exits.back().node = word(1).toStdString();
            e.exits.back().reason = word(2).toStdString();
            e.exits.back().code = word(3).toInt();
            e.exits.back().detail = rest(4);
        } else if (what == "rank") {
            RankState rank;
            rank.rank = word(1).toInt();
            rank.state = "exited";
            rank.endedByAgent = word(2) == "ended";
            if (word(2) == "exit")
                rank.exitCode = word(3).toInt();
            else
                rank.signal = word(3).toInt();
            rank.endedUnixMilliseconds = word(4).mid(1).toLongLong();
            rank.pid = word(5).toLongLong();
            node().ranks.push_back(rank);
        } else if (what == "error") {
            e.errors.push_back({word(1).toInt(), word(2).toStdString(), rest(5), "", "", word(3).toInt(),
                                word(4).mid(1).toLongLong()});
        } else if (what == "log") {
            if (e.logs.empty() || e.logs.back().rank != word(1).toInt())
                e.logs.push_back({word(1).toInt(), node().node, ""});
            e.logs.back().tail += line.section(' ', 2).replace("\\e", "\x1b").replace("\\a", "\a").toStdString() + "\n";
        } else if (what == "kernel") {
            system().kernel.push_back(rest(1));
        } else if (what == "oom") {
            system().oomKills = word(1).toInt();
        } else if (what == "event") {
            e.events.push_back({word(1).toInt(), word(2).toStdString(), "", 0});
        } else if (what == "problem") {
            e.problems.push_back({word(2).toStdString(), rest(3), word(1) == "-" ? "" : word(1).toStdString()});
        } else if (what == "start") {
            m_step = 0;
        } else {
            qFatal("faults.txt: %s", qPrintable(line));
        }
    }

    Case finished(const QString& expected) {
        m_case.expected = expected;
        m_case.evidence.lastStep = m_case.evidence.attemptSteps = m_step;
        for (AgentExit& exit : m_case.evidence.exits) {
            for (const RankState& rank : exit.ranks) {
                if (rank.endedByAgent || rank.exitCode == 0 || exit.firstFailedRank) continue;
                exit.firstFailedRank = rank.rank;
                if (!exit.reason.empty()) continue;
                exit.reason = rank.signal ? "rank_killed" : "rank_failed";
                exit.code = rank.signal ? 128 + *rank.signal : rank.exitCode.value_or(0);
            }
            exit.endedUnixMilliseconds = 10000;
        }
        return m_case;
    }

    Case m_case;
    std::int64_t m_step = 1200;
};

}  // namespace

class TstFaultTable : public QObject {
    Q_OBJECT

    QList<Case> m_cases = CaseReader::all();

private slots:
    void hasItsSentence_data() {
        QTest::addColumn<int>("index");
        for (int i = 0; i < m_cases.size(); ++i)
            QTest::addRow("%d %s", m_cases[i].number, qPrintable(m_cases[i].name)) << i;
    }
    void hasItsSentence() {
        QFETCH(int, index);
        const Case& one = m_cases[index];
        QCOMPARE(QString::fromStdString(textOf(sentence(diagnose(one.evidence)))), one.expected);
    }

    // 18, a restart loop without progress, is a decision: TstRetryPolicy.
    void allKindsHaveACase() {
        QSet<int> numbers{18};
        for (const Case& one : m_cases) numbers << one.number;
        for (int number = 1; number <= 66; ++number)
            QVERIFY2(numbers.contains(number), qPrintable(QString::number(number)));
    }

    void allRowsHaveACase() {
        QSet<QString> shown;
        for (const Case& one : m_cases) {
            const Diagnosis d = diagnose(one.evidence);
            shown << QString::fromStdString(d.fault + " " + std::to_string(d.row));
        }
        QStringList missing;
        QMap<QString, int> rows;
        for (const Fault& fault : faultTable()) {
            const QString code = QString::fromUtf8(fault.code.data(), static_cast<qsizetype>(fault.code.size()));
            const QString name = code + " " + QString::number(rows[code]++);
            if (!shown.contains(name)) missing << name;
        }
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(", ")));
    }

    // Every cause has a remedy, each in Korean, too; none ends the sentence that it is part of.
    void rowsAreWhole() {
        for (const Fault& fault : faultTable()) {
            const std::string code(fault.code);
            QVERIFY2(!fault.signs.empty(), code.c_str());
            QVERIFY2(fault.cause.empty() == fault.remedy.empty(), code.c_str());
            for (const SourceText text : {fault.cause, fault.remedy}) {
                if (text.empty()) continue;
                QVERIFY2(!text.english().ends_with('.'), code.c_str());
                QVERIFY2(textOf(text, Language::Korean) != textOf(text), code.c_str());
            }
        }
    }

    // The sentence in Korean is made of the same parts.
    void speaksKorean() {
        EndEvidence evidence;
        evidence.lastStep = evidence.attemptSteps = 1200;
        AgentExit exit;
        exit.node = "local";
        exit.reason = "rank_failed";
        exit.code = 13;
        evidence.exits = {exit};
        QCOMPARE(QString::fromStdString(textOf(sentence(diagnose(evidence)), Language::Korean)),
                 QString("스텝 1200 이후, 실행: 손실이 유한하지 않음. 학습률을 낮추고 이전 체크포인트로 돌아가세요."));
    }
};

SLIPWAY_TEST(TstFaultTable)
#include "tst_fault_table.moc"
