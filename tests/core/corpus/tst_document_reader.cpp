#include "core/corpus/document_reader.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <zlib.h>

#include <fstream>
#include <random>

using namespace slipway;
using slipway::test::TempDir;

namespace {

void writePlain(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

void writeGzip(const std::filesystem::path& path, const std::string& text) {
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
}

struct Read {
    std::vector<std::string> documents;
    std::string code;
    std::string where;
};

Read readAll(const std::filesystem::path& path) {
    Read out;
    const auto done = readDocuments(path, [&](std::string_view text) {
        out.documents.emplace_back(text);
        return true;
    });
    if (!done) {
        out.code = done.error().code;
        out.where = done.error().where;
    }
    return out;
}

using Texts = std::vector<std::string>;

}  // namespace

class TstDocumentReader : public QObject {
    Q_OBJECT

private slots:
    void formats_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QStringList>("documents");
        QTest::newRow("text is one document")
            << "a.txt" << QByteArray("one\n\ntwo\nthree") << QStringList{"one\n\ntwo\nthree"};
        QTest::newRow("unknown endings are text") << "README" << QByteArray("hello\n") << QStringList{"hello\n"};
        QTest::newRow("line ends") << "a.txt" << QByteArray("one\r\ntwo\r\n") << QStringList{"one\ntwo\n"};
        QTest::newRow("empty") << "a.txt" << QByteArray() << QStringList{};
        QTest::newRow("blank") << "a.txt" << QByteArray(" \n\n\t") << QStringList{};
        QTest::newRow("json lines") << "a.jsonl"
                                    << QByteArray("{\"text\":\"a\\nb\",\"id\":1}\n\n{\"text\":\"\"}\n{\"text\":\"c\"}")
                                    << QStringList{"a\nb", "c"};
        QTest::newRow("dictionary") << "a.dict" << QByteArray("\nabet\n    v 1: assist\n\nabbot\n    n 1: superior\n")
                                    << QStringList{"abet\n    v 1: assist\n\n", "abbot\n    n 1: superior\n"};
        QTest::newRow("not UTF-8") << "a.txt" << QByteArray("caf\xe9 \xff ok")
                                   << QStringList{QString::fromUtf8("caf\uFFFD \uFFFD ok")};
        QTest::newRow("korean") << "a.txt" << QString::fromUtf8("한국어").toUtf8()
                                << QStringList{QString::fromUtf8("한국어")};
        QTest::newRow("nul bytes") << "a.txt" << QByteArray("a\0b", 3) << QStringList{"a b"};
    }

    void formats() {
        QFETCH(QString, name);
        QFETCH(QByteArray, content);
        QFETCH(QStringList, documents);
        TempDir dir;
        const std::filesystem::path plain = dir.path() / name.toStdString();
        writePlain(plain, content.toStdString());
        for (const char* ending : {"", ".gz", ".dz"}) {
            const std::filesystem::path path = plain.string() + ending;
            if (*ending != '\0') writeGzip(path, content.toStdString());
            const Read read = readAll(path);
            QCOMPARE(read.code, std::string());
            QCOMPARE(read.documents.size(), static_cast<std::size_t>(documents.size()));
            for (std::size_t i = 0; i < read.documents.size(); ++i)
                QCOMPARE(QString::fromStdString(read.documents[i]), documents[static_cast<int>(i)]);
        }
    }

    void problems() {
        TempDir dir;
        QCOMPARE(readAll(dir.path() / "no.txt").code, std::string("file_missing"));
        QCOMPARE(readAll(dir.path()).code, std::string("file_unreadable"));
        writePlain(dir.path() / "a.jsonl", "{\"text\":\"good\"}\n{\"txet\":\"bad\"}\n");
        Read read = readAll(dir.path() / "a.jsonl");
        QCOMPARE(read.code, std::string("corpus_bad_text"));
        QCOMPARE(read.where, (dir.path() / "a.jsonl").string() + ":2");
        QCOMPARE(read.documents, Texts{"good"});
        writePlain(dir.path() / "b.jsonl", "{\"text\":\n");
        QCOMPARE(readAll(dir.path() / "b.jsonl").code, std::string("corpus_bad_text"));
        writePlain(dir.path() / "c.jsonl", "[]\n");
        QCOMPARE(readAll(dir.path() / "c.jsonl").code, std::string("corpus_bad_text"));
    }

    void cutOffCompression() {
        TempDir dir;
        std::string text;
        std::mt19937 random(5);
        for (int i = 0; i < 200000; ++i) text.push_back(static_cast<char>('a' + random() % 26));
        writeGzip(dir.path() / "a.txt.gz", text);
        std::filesystem::resize_file(dir.path() / "a.txt.gz", std::filesystem::file_size(dir.path() / "a.txt.gz") / 2);
        QCOMPARE(readAll(dir.path() / "a.txt.gz").code, std::string("corpus_bad_text"));
    }

    void refusesWhatUnpacksWithoutEnd() {
        TempDir dir;
        const std::filesystem::path path = dir.path() / "a.txt.gz";
        const std::string zeros(1U << 20, '0');
        gzFile file = gzopen(path.c_str(), "wb1");
        for (int i = 0; i < 80; ++i) gzwrite(file, zeros.data(), static_cast<unsigned>(zeros.size()));
        gzclose(file);
        QCOMPARE(readAll(path).code, std::string("corpus_bad_text"));
        // As it is, without compression, the same text is read.
        writePlain(dir.path() / "a.txt", std::string(80U << 20, '0'));
        QCOMPARE(readAll(dir.path() / "a.txt").code, std::string());
    }

    void longTextComesInParts() {
        TempDir dir;
        const std::string line = std::string(999, 'x') + "\n";
        std::string text;
        while (text.size() <= kMaxDocumentBytes + 5000) text += line;
        writePlain(dir.path() / "a.txt", text);
        const Read read = readAll(dir.path() / "a.txt");
        QCOMPARE(read.documents.size(), std::size_t{2});
        QVERIFY(read.documents[0].size() <= kMaxDocumentBytes && read.documents[0].ends_with("\n"));
        QVERIFY(read.documents[0] + read.documents[1] == text);
    }

    void stops() {
        TempDir dir;
        writePlain(dir.path() / "a.jsonl", "{\"text\":\"1\"}\n{\"text\":\"2\"}\n{\"text\":\"3\"}\n");
        int seen = 0;
        const auto done = readDocuments(dir.path() / "a.jsonl", [&](std::string_view) { return ++seen < 2; });
        QVERIFY(done && !*done);
        QCOMPARE(seen, 2);
    }

    void cleansWhateverComes() {
        std::mt19937 random(6);
        for (int round = 0; round < 2000; ++round) {
            QByteArray bytes(static_cast<int>(random() % 40), ' ');
            for (char& c : bytes) c = static_cast<char>(random() % 4 == 0 ? random() % 128 : 128 + random() % 128);
            const std::string clean = cleanUtf8(bytes.toStdString());
            // Qt's decoder as the judge: what is clean survives the way to UTF-16 and back.
            QCOMPARE(QString::fromStdString(clean).toStdString(), clean);
        }
        QCOMPARE(cleanUtf8("\xed\xa0\x80"), std::string("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"));  // a surrogate
        QCOMPARE(cleanUtf8("\xf0\x9f\x98\x80"), std::string("\xf0\x9f\x98\x80"));
        QCOMPARE(cleanUtf8("\xf0\x9f\x98"), std::string("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"));
    }
};

SLIPWAY_TEST(TstDocumentReader)
#include "tst_document_reader.moc"
