#include "app/agent/agent_options.h"
#include "tests/support/slipway_test.h"

#include <QStringList>

using namespace slipway;

class TstAgentOptions : public QObject {
    Q_OBJECT

private slots:
    void reads_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<bool>("good");
        QTest::addColumn<QString>("says");
        QTest::newRow("usual") << "--run-dir /x --node local" << true << "";
        QTest::newRow("foreground") << "--foreground --run-dir /x --node a-1.b" << true << "";
        QTest::newRow("serve") << "--serve 01ab" << true << "";
        QTest::newRow("serve a path") << "--serve ../x" << false << "letters and digits";
        QTest::newRow("serve beside others") << "--serve 01ab --node a" << false << "Unknown argument --serve";
        QTest::newRow("job") << "--begin-job 1.0 --run-dir /x" << true << "";
        QTest::newRow("job without a folder") << "--begin-job 1.0" << false << "--run-dir is missing";
        QTest::newRow("master") << "--run-dir /x --node a --master n1:29500" << true << "";
        for (const char* value : {"n1", ":29500", "n1:", "n1:0", "n1:65536", "n1:80x"})
            QTest::newRow(value) << "--run-dir /x --node a --master " + QString(value) << false << "ADDRESS:PORT";
        QTest::newRow("no node") << "--run-dir /x" << false << "--node is missing";
        QTest::newRow("no folder") << "--node a" << false << "--run-dir is missing";
        QTest::newRow("no value") << "--node a --run-dir" << false << "needs a value";
        QTest::newRow("unknown") << "--run-dir /x --node a --fast" << false << "Unknown argument --fast";
        QTest::newRow("path as node") << "--run-dir /x --node ../../etc" << false << "cannot be the name of a node";
    }
    void reads() {
        QFETCH(QString, line);
        QFETCH(QString, says);
        std::vector<std::string> arguments;
        for (const QString& word : line.split(' ')) arguments.push_back(word.toStdString());
        const auto options = parseAgentOptions(arguments);
        QTEST(options.has_value(), "good");
        if (!options)
            QVERIFY2(options.error().message.find(says.toStdString()) != std::string::npos,
                     options.error().message.c_str());
    }
    void knowsOtherTasks() {
        QCOMPARE(parseAgentOptions({"--version"})->task, AgentOptions::Task::Version);
        QCOMPARE(parseAgentOptions({"--help"})->task, AgentOptions::Task::Help);
        QVERIFY(agentHelp().find("--run-dir") != std::string::npos);
    }
};

SLIPWAY_TEST(TstAgentOptions)
#include "tst_agent_options.moc"
