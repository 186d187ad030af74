#include "core/interop/remote_config.h"

#include "tests/support/http_server.h"
#include "tests/support/slipway_test.h"

#include <QTest>

using namespace slipway;
using namespace slipway::interop;

class TstRemoteConfig : public QObject {
    Q_OBJECT

    static RemoteOptions at(const test::HttpServer& server) {
        RemoteOptions options;
        options.hub = server.url();
        options.http.allowPlainHttp = true;
        return options;
    }

private slots:
    void initTestCase() {
        for (const char* name : {"http_proxy", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "ALL_PROXY", "all_proxy"}) qunsetenv(name);
    }

    void placesBecomeAddresses_data() {
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("address");  // empty: an error
        QTest::addColumn<QString>("name");
        const QString hub = "https://huggingface.co/";
        QTest::newRow("id") << "hf:meta-llama/Llama-3.1-8B" << hub + "meta-llama/Llama-3.1-8B/resolve/main/config.json" << "Llama-3.1-8B";
        QTest::newRow("old id") << "hf:gpt2" << hub + "gpt2/resolve/main/config.json" << "gpt2";
        QTest::newRow("revision") << "hf:org/name@v1.0" << hub + "org/name/resolve/v1.0/config.json" << "name";
        QTest::newRow("page") << hub + "Qwen/Qwen3-8B" << hub + "Qwen/Qwen3-8B/resolve/main/config.json" << "Qwen3-8B";
        QTest::newRow("page with slash") << hub + "Qwen/Qwen3-8B/" << hub + "Qwen/Qwen3-8B/resolve/main/config.json" << "Qwen3-8B";
        QTest::newRow("page with query") << hub + "Qwen/Qwen3-8B?library=x" << hub + "Qwen/Qwen3-8B/resolve/main/config.json" << "Qwen3-8B";
        QTest::newRow("tree") << hub + "a/b/tree/dev" << hub + "a/b/resolve/dev/config.json" << "b";
        QTest::newRow("subfolder") << hub + "a/b/tree/dev/text" << hub + "a/b/resolve/dev/text/config.json" << "b";
        QTest::newRow("file page") << hub + "a/b/blob/main/config.json" << hub + "a/b/resolve/main/config.json" << "b";
        QTest::newRow("raw") << hub + "a/b/raw/main/config.json" << hub + "a/b/resolve/main/config.json" << "b";
        QTest::newRow("elsewhere") << "https://example.org/models/x/config.json" << "https://example.org/models/x/config.json" << "x";
        QTest::newRow("home page") << hub << "" << "";
        QTest::newRow("too deep") << "hf:a/b/c" << "" << "";
        QTest::newRow("way up") << "hf:../x" << "" << "";
        QTest::newRow("odd letters") << "hf:a/b?x" << hub + "a/b/resolve/main/config.json" << "b";
        QTest::newRow("nothing") << "hf:" << "" << "";
        QTest::newRow("settings page") << hub + "a/b/settings/x" << "" << "";
    }
    void placesBecomeAddresses() {
        QFETCH(QString, place);
        QFETCH(QString, address);
        QFETCH(QString, name);
        QVERIFY(isRemote(place.toStdString()));
        const auto got = configUrl(place.toStdString());
        QCOMPARE(got ? QString::fromStdString(*got) : QString(), address);
        if (!got) QCOMPARE(got.error().code, std::string("bad_url"));
        QCOMPARE(QString::fromStdString(modelNameOf(place.toStdString())), name);
    }

    void filesAreNotRemote() {
        for (const char* place : {"config.json", "/tmp/x.json", "llama3-8b", "hf/config.json", "C:config.json"}) QVERIFY(!isRemote(place));
    }

    void readsFromTheHub() {
        test::HttpServer hub;
        hub.answer("/org/name/resolve/main/config.json", {307, {}, "/api/cache/config.json"});
        hub.answer("/api/cache/config.json", {200, R"({"model_type": "llama"})"});
        const auto text = fetchConfig("hf:org/name", at(hub));
        QVERIFY2(text, text ? "" : text.error().text().c_str());
        QCOMPARE(*text, std::string(R"({"model_type": "llama"})"));
        QCOMPARE(*fetchConfig(hub.url("/org/name"), at(hub)), *text);
    }

    void aGatedModelSaysWhatToDo() {
        test::HttpServer hub;
        hub.answer("/org/gated/resolve/main/config.json", {401, "denied"});
        RemoteOptions options = at(hub);
        const auto without = fetchConfig("hf:org/gated", options);
        QVERIFY(!without);
        QCOMPARE(without.error().code, std::string("net_forbidden"));
        QVERIFY2(without.error().message.find("HF_TOKEN") != std::string::npos, without.error().message.c_str());
        options.http.token = "hf_secret";
        const auto with = fetchConfig("hf:org/gated", options);
        QVERIFY(!with);
        QVERIFY(with.error().message.find("HF_TOKEN") == std::string::npos);
        QVERIFY(with.error().text().find("hf_secret") == std::string::npos);
        QVERIFY(hub.requests().back().find("Bearer hf_secret") != std::string::npos);
    }

    void theTokenIsTheHubsAlone() {
        test::HttpServer hub, other;
        other.answer("/x/config.json", {200, "{}"});
        RemoteOptions options = at(hub);
        options.http.token = "hf_secret";
        QVERIFY(fetchConfig(other.url("/x/config.json"), options));
        QVERIFY(other.requests().at(0).find("hf_secret") == std::string::npos);
    }

    void theTokenComesFromTheEnvironment() {
        QVERIFY(hubToken().empty());
        qputenv("HUGGING_FACE_HUB_TOKEN", "older");
        QCOMPARE(hubToken(), std::string("older"));
        qputenv("HF_TOKEN", "newer");
        QCOMPARE(hubToken(), std::string("newer"));
        qunsetenv("HF_TOKEN");
        qunsetenv("HUGGING_FACE_HUB_TOKEN");
    }
};

SLIPWAY_TEST(TstRemoteConfig)
#include "tst_remote_config.moc"
