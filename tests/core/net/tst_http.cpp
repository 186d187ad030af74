#include "core/base/clock.h"
#include "core/net/http.h"
#include "tests/support/http_server.h"
#include "tests/support/slipway_test.h"

#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace slipway;
using namespace slipway::test;

class TstHttp : public QObject {
    Q_OBJECT

    static HttpOptions plain() {
        HttpOptions options;
        options.allowPlainHttp = true;
        options.connectSeconds = 5;
        options.totalSeconds = 20;
        return options;
    }

private slots:
    void initTestCase() {
        // A proxy of the machine must not stand between the test and its own server.
        for (const char* name : {"http_proxy", "https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"}) qunsetenv(name);
    }

    void readsTheBody() {
        HttpServer server;
        const std::string body = R"({"model_type": "llama"})" + std::string(100000, ' ');
        server.answer("/a/config.json", {200, body});
        const auto got = httpGet(server.url("/a/config.json"), plain());
        QVERIFY2(got, got ? "" : got.error().text().c_str());
        QCOMPARE(*got, body);
        QVERIFY(server.requests().at(0).find("User-Agent: slipway/") != std::string::npos);
    }

    void followsRedirections() {
        HttpServer server;
        server.answer("/1", {302, {}, "/2"});
        server.answer("/2", {307, {}, server.url("/3")});
        server.answer("/3", {200, "there"});
        const auto got = httpGet(server.url("/1"), plain());
        QVERIFY2(got, got ? "" : got.error().text().c_str());
        QCOMPARE(*got, std::string("there"));
        HttpOptions few = plain();
        few.maxRedirects = 1;
        const auto stopped = httpGet(server.url("/1"), few);
        QVERIFY(!stopped);
        QCOMPARE(stopped.error().code, std::string("net_redirects"));
        server.answer("/round", {302, {}, "/round"});
        QCOMPARE(httpGet(server.url("/round"), plain()).error().code, std::string("net_redirects"));
    }

    // The token opens the first host alone, and no message shows it.
    void theTokenStaysWithItsHost() {
        HttpServer server, other;
        server.answer("/config.json", {302, {}, other.url("/stolen")});
        server.answer("/here", {302, {}, "/config2.json"});
        server.answer("/config2.json", {200, "ok"});
        other.answer("/stolen", {403, "no"});
        HttpOptions options = plain();
        options.token = "hf_secret";
        QVERIFY(httpGet(server.url("/here"), options));
        QCOMPARE(server.requests().size(), std::size_t{2});
        for (const std::string& request : server.requests())
            QVERIFY(request.find("Authorization: Bearer hf_secret") != std::string::npos);
        const auto refused = httpGet(server.url("/config.json"), options);
        QVERIFY(!refused);
        QCOMPARE(other.requests().size(), std::size_t{1});
        QVERIFY(other.requests().at(0).find("hf_secret") == std::string::npos);
        QVERIFY(other.requests().at(0).find("Authorization") == std::string::npos);
        QCOMPARE(refused.error().code, std::string("net_forbidden"));
        QVERIFY(refused.error().text().find("hf_secret") == std::string::npos);
        // The same host under another name is another host.
        server.answer("/alias", {302, {}, server.url("/config2.json", "localhost")});
        QVERIFY(httpGet(server.url("/alias"), options));
        QVERIFY(server.requests().back().find("hf_secret") == std::string::npos);
    }

    void onlyHttpsIsRead() {
        HttpServer server;
        server.answer("/config.json", {200, "{}"});
        const auto got = httpGet(server.url("/config.json"));
        QVERIFY(!got);
        QCOMPARE(got.error().code, std::string("net_not_https"));
        QVERIFY(server.requests().empty());
        for (const char* url : {"ftp://example.org/x", "file:///etc/passwd"}) {
            HttpOptions options = plain();
            const auto other = httpGet(url, options);
            QVERIFY(!other);
            QVERIFY2(other.error().code == "net_not_https" || other.error().code == "bad_url",
                     other.error().code.c_str());
        }
        // Nor by a redirection.
        server.answer("/away", {302, {}, "file:///etc/passwd"});
        QCOMPARE(httpGet(server.url("/away"), plain()).error().code, std::string("bad_url"));
        server.answer("/ftp", {302, {}, "ftp://127.0.0.1/x"});
        QCOMPARE(httpGet(server.url("/ftp"), plain()).error().code, std::string("net_not_https"));
    }

    void sizeIsBounded_data() {
        QTest::addColumn<bool>("chunked");
        QTest::newRow("told before") << false;
        QTest::newRow("seen while reading") << true;
    }
    void sizeIsBounded() {
        QFETCH(bool, chunked);
        HttpServer server;
        HttpOptions options = plain();
        options.maxBytes = 1000;
        HttpAnswer answer{200, std::string(1001, 'x')};
        answer.chunked = chunked;
        server.answer("/big", answer);
        QCOMPARE(httpGet(server.url("/big"), options).error().code, std::string("net_too_large"));
        answer.body.resize(1000);
        server.answer("/fits", answer);
        const auto got = httpGet(server.url("/fits"), options);
        QVERIFY2(got, got ? "" : got.error().text().c_str());
        QCOMPARE(got->size(), std::size_t{1000});
    }

    void timeIsBounded() {
        HttpServer server;
        HttpAnswer late{200, "late"};
        late.waitSeconds = 3600;  // the test comes to its end by the client alone
        server.answer("/late", late);
        HttpOptions options = plain();
        options.totalSeconds = 0.3;
        QCOMPARE(httpGet(server.url("/late"), options).error().code, std::string("net_timeout"));
    }

    void stopEndsATransfer() {
        HttpServer server;
        HttpAnswer late{200, "late"};
        late.waitSeconds = 3600;
        server.answer("/late", late);
        std::stop_source source;
        HttpOptions options = plain();
        options.totalSeconds = 3600;
        options.stop = source.get_token();
        std::thread later([&] {
            while (server.requests().empty()) std::this_thread::yield();  // in the middle of the transfer
            source.request_stop();
        });
        const auto got = httpGet(server.url("/late"), options);
        later.join();
        QVERIFY(!got);
        QCOMPARE(got.error().code, std::string("net_stopped"));
    }

    void statusesHaveTheirCode_data() {
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("code");
        QTest::newRow("401") << 401 << "net_forbidden";
        QTest::newRow("403") << 403 << "net_forbidden";
        QTest::newRow("404") << 404 << "net_missing";
        QTest::newRow("410") << 410 << "net_missing";
        QTest::newRow("500") << 500 << "net_status";
        QTest::newRow("204") << 204 << "net_status";
        QTest::newRow("redirection to nowhere") << 302 << "net_status";
    }
    void statusesHaveTheirCode() {
        QFETCH(int, status);
        QFETCH(QString, code);
        HttpServer server;
        server.answer("/x", {status, ""});
        const auto got = httpGet(server.url("/x"), plain());
        QVERIFY(!got);
        QCOMPARE(QString::fromStdString(got.error().code), code);
        QVERIFY(got.error().message.find(std::to_string(status)) != std::string::npos);
    }

    void nobodyThere() {
        std::string gone;
        { gone = HttpServer().url("/x"); }
        const auto got = httpGet(gone, plain());
        QVERIFY(!got);
        QCOMPARE(got.error().code, std::string("net_unreachable"));
        const auto name = httpGet("https://no-such-host.invalid/config.json");
        QVERIFY(!name);
        QCOMPARE(name.error().code, std::string("net_unreachable"));
    }

    // TLS is asked for and its certificate is looked at: a server that signed its own is refused.
    void theCertificateIsChecked() {
        const QString openssl = QStandardPaths::findExecutable(QStringLiteral("openssl"));
        if (openssl.isEmpty()) QSKIP("openssl is not installed");
        const QTemporaryDir dir;
        const QString key = dir.filePath(QStringLiteral("key.pem")),
                      certificate = dir.filePath(QStringLiteral("cert.pem"));
        QCOMPARE(QProcess::execute(openssl, {"req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out",
                                             certificate, "-days", "2", "-subj", "/CN=localhost", "-addext",
                                             "subjectAltName=DNS:localhost,IP:127.0.0.1"}),
                 0);
        QProcess server;
        server.setProcessChannelMode(QProcess::MergedChannels);
        server.start(openssl, {"s_server", "-accept", "127.0.0.1:0", "-key", key, "-cert", certificate, "-www",
                               "-naccept", "8"});
        QVERIFY(server.waitForStarted());
        QByteArray said;
        while (!said.contains("ACCEPT") && server.waitForReadyRead(10000)) said += server.readAll();
        // "ACCEPT 127.0.0.1:41123"
        const qsizetype at = said.indexOf("ACCEPT");
        const int port = at < 0 ? 0 : said.mid(said.indexOf(':', at) + 1).split('\n').first().trimmed().toInt();
        if (port == 0) QSKIP("this openssl does not say its port");
        const auto got = httpGet("https://localhost:" + std::to_string(port) + "/");
        server.kill();
        server.waitForFinished();
        QVERIFY(!got);
        QCOMPARE(got.error().code, std::string("net_certificate"));
        QVERIFY(got.error().message.find("cannot be trusted") != std::string::npos);
    }

    void urls_data() {
        QTest::addColumn<QString>("url");
        QTest::addColumn<QString>("host");  // empty: an error
        QTest::addColumn<QString>("path");
        QTest::newRow("plain") << "https://huggingface.co/a/b"
                               << "huggingface.co"
                               << "/a/b";
        QTest::newRow("upper") << "HTTPS://HuggingFace.CO"
                               << "huggingface.co"
                               << "/";
        QTest::newRow("port and query") << "https://h:8443?x=1"
                                        << "h:8443"
                                        << "/?x=1";
        QTest::newRow("no scheme") << "huggingface.co/a/b"
                                   << ""
                                   << "";
        QTest::newRow("no host") << "https:///a"
                                 << ""
                                 << "";
        QTest::newRow("space") << "https://h/a b"
                               << ""
                               << "";
        QTest::newRow("line break") << "https://h/a\r\nX: y"
                                    << ""
                                    << "";
        QTest::newRow("password") << "https://me:secret@h/a"
                                  << ""
                                  << "";
    }
    void urls() {
        QFETCH(QString, url);
        QFETCH(QString, host);
        QFETCH(QString, path);
        const auto parts = parseUrl(url.toStdString());
        QCOMPARE(parts.has_value(), !host.isEmpty());
        if (!parts) {
            QCOMPARE(parts.error().code, std::string("bad_url"));
            QVERIFY(parts.error().text().find("secret") == std::string::npos);
            return;
        }
        QCOMPARE(QString::fromStdString(parts->host), host);
        QCOMPARE(QString::fromStdString(parts->path), path);
        QCOMPARE(parts->scheme, std::string("https"));
    }
};

SLIPWAY_TEST(TstHttp)
#include "tst_http.moc"
