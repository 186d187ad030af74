// Models by URL and by hf:ORG/NAME at the command line, from a hub of the test.
#include "app/cli/remote_text.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/http_server.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

using namespace slipway;
using namespace slipway::test;

class TstRemoteModel : public QObject {
    Q_OBJECT

    HttpServer m_hub;

private slots:
    void initTestCase() {
        for (const char* name : {"http_proxy", "ALL_PROXY", "all_proxy"}) qunsetenv(name);
        remoteOptions().hub = m_hub.url();
        remoteOptions().http.allowPlainHttp = true;
        remoteOptions().http.token = "hf_secret";
        const auto text = readFile(std::string(SLIPWAY_TEST_DATA) + "/interop/huggingface/llama3-8b.json");
        QVERIFY(text);
        m_hub.answer("/meta/llama/resolve/main/config.json", {200, *text});
        m_hub.answer("/meta/gated/resolve/main/config.json", {403, "no"});
        m_hub.answer("/meta/words/resolve/main/config.json", {200, "words"});
        m_hub.answer("/meta/page/resolve/main/config.json", {200, "<html>Sign in</html>"});
    }
    void cleanupTestCase() { remoteOptions() = {}; }

    // The same model as from the file, by all three ways.
    void aModelIsTheSameFromFileAndHub_data() {
        QTest::addColumn<QString>("place");
        QTest::newRow("id") << "hf:meta/llama";
        QTest::newRow("page") << QString::fromStdString(m_hub.url("/meta/llama"));
        QTest::newRow("file") << QString::fromStdString(m_hub.url("/meta/llama/blob/main/config.json"));
    }
    void aModelIsTheSameFromFileAndHub() {
        QFETCH(QString, place);
        CliBench b;
        const std::string cluster = "NVIDIA H100 SXM 80 GB";
        const std::string file = std::string(SLIPWAY_TEST_DATA) + "/interop/huggingface/llama3-8b.json";
        const auto plan = [&](const std::string& model) {
            return b.run({"plan", "--model", model, "--cluster", cluster, "--set", "train.seq_len=4096", "--set",
                          "train.device=gpu", "--json"});
        };
        const auto remote = plan(place.toStdString()), local = plan(file);
        QVERIFY2(!remote.out.empty(), remote.err.c_str());
        const Json ofHub = *parseJson(remote.out, "out"), ofFile = *parseJson(local.out, "out");
        QVERIFY(ofHub["config"].is_object());
        QVERIFY(ofHub["config"]["model"] == ofFile["config"]["model"]);
        QCOMPARE(remote.code, local.code);

        const auto converted = b.run({"convert", place.toStdString(), "--json"});
        QVERIFY2(converted.code == 0, converted.err.c_str());
        const Json out = *parseJson(converted.out, "out");
        QVERIFY(out["from"] == "huggingface");
        QCOMPARE(out["parameters"].get<std::int64_t>(), std::int64_t{8030261248});
    }

    void aSearchTakesItToo() {
        CliBench b;
        const auto got = b.run({"search", "--model", "hf:meta/llama", "--cluster", "NVIDIA H100 SXM 80 GB", "--devices",
                                "8", "--set", "train.seq_len=4096", "--set", "train.device=gpu", "--set",
                                "train.precision=bf16", "--limit", "1", "--json"});
        QVERIFY2(got.code == 0, got.err.c_str());
    }

    void whatGoesWrongIsSaid_data() {
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("said");
        QTest::newRow("gated") << "hf:meta/gated"
                               << "Accept its licence";
        QTest::newRow("missing") << "hf:meta/none"
                                 << "no such document";
        QTest::newRow("web page") << "hf:meta/page"
                                  << "a web page, not a config";
        QTest::newRow("not JSON") << "hf:meta/words"
                                  << "words:1:1: Not valid JSON";
        QTest::newRow("bare name") << "meta/llama"
                                   << "write hf:meta/llama";
        QTest::newRow("no model") << "hf:a/b/c"
                                  << "hf:ORG/NAME";
        QTest::newRow("no file either") << "nowhere.json"
                                        << "neither a file, a URL";
    }
    void whatGoesWrongIsSaid() {
        QFETCH(QString, place);
        QFETCH(QString, said);
        CliBench b;
        const auto got = b.run({"plan", "--model", place.toStdString()});
        QVERIFY(got.code != 0);
        QVERIFY2(QString::fromStdString(got.err).contains(said), got.err.c_str());
        QVERIFY((got.err + got.out).find("hf_secret") == std::string::npos);
    }

    void nothingIsAskedWithoutAName() {
        const std::size_t before = m_hub.requests().size();
        CliBench b;
        const auto bare = b.run({"convert", "meta/llama"});
        QVERIFY(bare.code != 0);
        QVERIFY2(bare.err.find("write hf:meta/llama") != std::string::npos, bare.err.c_str());
        QVERIFY(b.run({"convert", std::string(SLIPWAY_TEST_DATA) + "/interop/huggingface/llama3-8b.json"}).code == 0);
        QCOMPARE(m_hub.requests().size(), before);
    }
};

SLIPWAY_TEST(TstRemoteModel)
#include "tst_remote_model.moc"
