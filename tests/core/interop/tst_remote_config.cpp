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
        for (const char* name : {"http_proxy", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "ALL_PROXY", "all_proxy"})
            qunsetenv(name);
    }

    void placesBecomeAddresses_data() {
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("address");  // empty: an error
        QTest::addColumn<QString>("name");
        const QString hub = "https://huggingface.co/";
        QTest::newRow("id") << "hf:meta-llama/Llama-3.1-8B" << hub + "meta-llama/Llama-3.1-8B/resolve/main/config.json"
                            << "Llama-3.1-8B";
        QTest::newRow("old id") << "hf:gpt2" << hub + "gpt2/resolve/main/config.json"
                                << "gpt2";
        QTest::newRow("revision") << "hf:org/name@v1.0" << hub + "org/name/resolve/v1.0/config.json"
                                  << "name";
        QTest::newRow("page") << hub + "Qwen/Qwen3-8B" << hub + "Qwen/Qwen3-8B/resolve/main/config.json"
                              << "Qwen3-8B";
        QTest::newRow("page with slash") << hub + "Qwen/Qwen3-8B/" << hub + "Qwen/Qwen3-8B/resolve/main/config.json"
                                         << "Qwen3-8B";
        QTest::newRow("page with query") << hub + "Qwen/Qwen3-8B?library=x"
                                         << hub + "Qwen/Qwen3-8B/resolve/main/config.json"
                                         << "Qwen3-8B";
        QTest::newRow("tree") << hub + "a/b/tree/dev" << hub + "a/b/resolve/dev/config.json"
                              << "b";
        QTest::newRow("subfolder") << hub + "a/b/tree/dev/text" << hub + "a/b/resolve/dev/text/config.json"
                                   << "b";
        QTest::newRow("file page") << hub + "a/b/blob/main/config.json" << hub + "a/b/resolve/main/config.json"
                                   << "b";
        QTest::newRow("raw") << hub + "a/b/raw/main/config.json" << hub + "a/b/resolve/main/config.json"
                             << "b";
        QTest::newRow("elsewhere") << "https://example.org/models/x/config.json"
                                   << "https://example.org/models/x/config.json"
                                   << "x";
        QTest::newRow("home page") << hub << ""
                                   << "";
        QTest::newRow("too deep") << "hf:a/b/c"
                                  << ""
                                  << "";
        QTest::newRow("way up") << "hf:../x"
                                << ""
                                << "";
        QTest::newRow("odd letters") << "hf:a/b?x" << hub + "a/b/resolve/main/config.json"
                                     << "b";
        QTest::newRow("nothing") << "hf:"
                                 << ""
                                 << "";
        QTest::newRow("file page with line")
            << hub + "a/b/blob/main/config.json#L3" << hub + "a/b/resolve/main/config.json"
            << "b";
        QTest::newRow("download link") << hub + "a/b/resolve/main/config.json?download=true"
                                       << hub + "a/b/resolve/main/config.json"
                                       << "b";
        QTest::newRow("old model's tree") << hub + "gpt2/tree/main" << hub + "gpt2/resolve/main/config.json"
                                          << "gpt2";
        QTest::newRow("old model's file")
            << hub + "gpt2/resolve/main/config.json" << hub + "gpt2/resolve/main/config.json"
            << "gpt2";
        QTest::newRow("short host") << "https://hf.co/Qwen/Qwen3-8B" << hub + "Qwen/Qwen3-8B/resolve/main/config.json"
                                    << "Qwen3-8B";
        QTest::newRow("www") << "https://www.huggingface.co/Qwen/Qwen3-8B/tree/main"
                             << hub + "Qwen/Qwen3-8B/resolve/main/config.json"
                             << "Qwen3-8B";
        QTest::newRow("capitals") << "HTTPS://HuggingFace.co/Qwen/Qwen3-8B"
                                  << hub + "Qwen/Qwen3-8B/resolve/main/config.json"
                                  << "Qwen3-8B";
        QTest::newRow("no scheme") << "huggingface.co/Qwen/Qwen3-8B" << hub + "Qwen/Qwen3-8B/resolve/main/config.json"
                                   << "Qwen3-8B";
        QTest::newRow("no scheme, old model") << "huggingface.co/gpt2" << hub + "gpt2/resolve/main/config.json"
                                              << "gpt2";
        QTest::newRow("short, no scheme") << "hf.co/Qwen/Qwen3-8B" << hub + "Qwen/Qwen3-8B/resolve/main/config.json"
                                          << "Qwen3-8B";
        QTest::newRow("data set") << hub + "datasets/squad"
                                  << ""
                                  << "";
        QTest::newRow("demonstration") << hub + "spaces/someone/demo"
                                       << ""
                                       << "";
        QTest::newRow("list of models") << hub + "models?search=llama"
                                        << ""
                                        << "";
        QTest::newRow("discussion") << hub + "a/b/discussions/7"
                                    << ""
                                    << "";
        QTest::newRow("settings page") << hub + "a/b/settings/x"
                                       << ""
                                       << "";
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

    // What the hub's pages give to copy may be a path as well: it is proposed, not fetched.
    void aBareNameIsProposed_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("place");
        QTest::newRow("model") << "Qwen/Qwen3-8B"
                               << "hf:Qwen/Qwen3-8B";
        QTest::newRow("one word") << "gpt2"
                                  << "";
        QTest::newRow("path") << "configs/a/b.json"
                              << "";
        QTest::newRow("way up") << "../config.json"
                                << "";
        QTest::newRow("absolute") << "/etc"
                                  << "";
        QTest::newRow("data set") << "datasets/squad"
                                  << "";
        QTest::newRow("the hub's host") << "huggingface.co/gpt2"
                                        << "";
        QTest::newRow("URL") << "https://huggingface.co/Qwen/Qwen3-8B"
                             << "";
    }
    void aBareNameIsProposed() {
        QFETCH(QString, text);
        QFETCH(QString, place);
        QCOMPARE(QString::fromStdString(hubPlaceOf(text.toStdString())), place);
        if (place.isEmpty()) return;
        QVERIFY(!isRemote(text.toStdString()));
        QCOMPARE(*configUrl(text.toStdString()), *configUrl(place.toStdString()));
    }

    void filesAreNotRemote() {
        for (const char* place : {"config.json", "/tmp/x.json", "llama3-8b", "hf/config.json", "C:config.json"})
            QVERIFY(!isRemote(place));
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

    // Whatever answers instead of a config, the refusal names its kind and what to do.
    void refusals_data() {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<double>("waitSeconds");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("says");
        QTest::newRow("no such model") << 404 << QByteArray("Entry not found") << 0.0 << "net_missing"
                                       << "Check the name";
        QTest::newRow("gone") << 410 << QByteArray() << 0.0 << "net_missing"
                              << "Check the name";
        QTest::newRow("unknown or private")
            << 401 << QByteArray("Invalid username or password.") << 0.0 << "net_forbidden"
            << "HF_TOKEN";
        QTest::newRow("gated") << 403 << QByteArray("Access to model is restricted") << 0.0 << "net_forbidden"
                               << "licence";
        QTest::newRow("busy") << 429 << QByteArray("Too many requests") << 0.0 << "net_status"
                              << "429";
        QTest::newRow("broken") << 500 << QByteArray() << 0.0 << "net_status"
                                << "500";
        QTest::newRow("too big") << 200 << QByteArray(5000, '{') << 0.0 << "net_too_large"
                                 << "not a config";
        QTest::newRow("slow") << 200 << QByteArray("{}") << 3600.0 << "net_timeout"
                              << "Try again";
        QTest::newRow("web page") << 200 << QByteArray("\n <!doctype html><title>x</title>") << 0.0 << "net_not_config"
                                  << "hf:ORG/NAME";
        QTest::newRow("weights") << 200 << QByteArray("\x08\0\0\0\0\0\0\0{}", 10) << 0.0 << "net_not_config"
                                 << "binary";
    }
    void refusals() {
        QFETCH(int, status);
        QFETCH(QByteArray, body);
        QFETCH(double, waitSeconds);
        QFETCH(QString, code);
        QFETCH(QString, says);
        test::HttpServer hub;
        test::HttpAnswer answer{status, body.toStdString()};
        answer.waitSeconds = waitSeconds;
        hub.answer("/org/name/resolve/main/config.json", answer);
        RemoteOptions options = at(hub);
        options.http.maxBytes = 4096;
        if (waitSeconds > 0) options.http.totalSeconds = 0.3;
        // As id and as the page of the file.
        for (const std::string& place : {std::string("hf:org/name"), hub.url("/org/name/blob/main/config.json")}) {
            const auto text = fetchConfig(place, options);
            QVERIFY(!text);
            QCOMPARE(QString::fromStdString(text.error().code), code);
            QVERIFY2(text.error().message.find(says.toStdString()) != std::string::npos, text.error().message.c_str());
        }
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
