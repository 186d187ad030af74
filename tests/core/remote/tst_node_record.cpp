#include "core/base/file.h"
#include "core/remote/node_record.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

using namespace slipway;
using namespace slipway::test;

class TstNodeRecord : public QObject {
    Q_OBJECT

    static NodeRecord node(const std::string& name) {
        NodeRecord record;
        record.name = name;
        record.host = "anna@" + name + ".example.org";
        record.port = 2222;
        record.numSlots = 8;
        return record;
    }

private slots:
    void keepsThem() {
        const TempDir temp;
        const Home home{temp.path()};
        Issues issues;
        QVERIFY(nodesOf(home, issues).empty());
        QVERIFY(writeNode(home, node("b"), false));
        QVERIFY(writeNode(home, node("a"), false));
        const auto twice = writeNode(home, node("a"), false);
        QVERIFY(!twice);
        QCOMPARE(twice.error().code, std::string("node_exists"));
        QVERIFY(writeNode(home, node("a"), true));
        const auto all = nodesOf(home, issues);
        QCOMPARE(all.size(), std::size_t(2));
        QCOMPARE(all[0].name, std::string("a"));
        const auto found = findNode(home, "b");
        QVERIFY(found);
        QCOMPARE(found->host, std::string("anna@b.example.org"));
        QCOMPARE(found->port, std::int64_t(2222));
        QCOMPARE(found->numSlots, std::int64_t(8));
        QVERIFY(removeNode(home, "b"));
        QCOMPARE(removeNode(home, "b").error().code, std::string("unknown_node"));
        QVERIFY(issues.empty());
    }
    void readsWhatIsThereThoughOneIsBroken() {
        const TempDir temp;
        const Home home{temp.path()};
        QVERIFY(writeNode(home, node("a"), false));
        QVERIFY(writeFileAtomically(temp.path() / "nodes" / "x.json", R"({"name": "x", "host": "-oProxyCommand=id"})"));
        QVERIFY(writeFileAtomically(temp.path() / "nodes" / "y.json", "not JSON"));
        QVERIFY(writeFileAtomically(temp.path() / "nodes" / "z.json", R"({"name": "a", "host": "h"})"));
        Issues issues;
        QCOMPARE(nodesOf(home, issues).size(), std::size_t(1));
        QCOMPARE(issues.size(), std::size_t(3));
        QVERIFY(removeNode(home, "y"));
    }
    void refuses_data() {
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("value");
        for (const char* name : {"", "../x", ".x", "a b", "a/b", "-"}) QTest::addRow("name %s", name) << "name" << name;
        for (const char* host : {"", "-x", "a b", "a@", "@a"}) QTest::addRow("host %s", host) << "host" << host;
        QTest::newRow("home") << "home"
                              << "relative";
        QTest::newRow("home up") << "home"
                                 << "/a/../etc";
        QTest::newRow("trainer") << "trainer"
                                 << "bin/x";
        QTest::newRow("address") << "address"
                                 << "$(x)";
    }
    void refuses() {
        QFETCH(QString, field);
        QFETCH(QString, value);
        NodeRecord record = node("a");
        (field == "name"      ? record.name
         : field == "host"    ? record.host
         : field == "home"    ? record.home
         : field == "trainer" ? record.trainer
                              : record.address) = value.toStdString();
        const auto good = checkNode(record);
        if (value == "-") {
            QVERIFY2(good, "a hyphen alone is a safe file name");
            return;
        }
        QVERIFY(!good);
        QCOMPARE(good.error().where, field.toStdString());
    }
    void namesHosts() {
        QCOMPARE(nodeNameOf("anna@gpu1.example.org"), std::string("gpu1.example.org"));
        QCOMPARE(nodeNameOf("[fe80::1%eth0]"), std::string("fe80--1-eth0-"));
    }
};

SLIPWAY_TEST(TstNodeRecord)
#include "tst_node_record.moc"
