#include "core/base/file.h"
#include "core/spec/token_file.h"
#include "tests/support/slipway_test.h"

#include <QTemporaryDir>
#include <cmath>
#include <numeric>
#include <random>

using namespace slipway;

class TstTokenFile : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;
    std::filesystem::path at(const char* name) const {
        return std::filesystem::path(m_dir.path().toStdString()) / name;
    }

private slots:
    void writesAndReads_data() {
        QTest::addColumn<int>("vocabSize");
        QTest::addColumn<bool>("wide");
        QTest::newRow("2048") << 2048 << false;
        QTest::newRow("65536") << 65536 << false;
        QTest::newRow("65537") << 65537 << true;
        QTest::newRow("128256") << 128256 << true;  // overflows uint16 in the source guide (000-2.3b)
    }
    void writesAndReads() {
        QFETCH(int, vocabSize);
        QFETCH(bool, wide);
        std::vector<std::uint32_t> tokens(1000);
        for (std::size_t i = 0; i < tokens.size(); ++i)
            tokens[i] = static_cast<std::uint32_t>((i * 7919) % static_cast<std::size_t>(vocabSize));
        tokens.back() = static_cast<std::uint32_t>(vocabSize - 1);
        const auto header = writeTokenFile(at("t.tok"), tokens, vocabSize, "abc");
        QVERIFY(header);
        QCOMPARE(header->wide, wide);
        const auto file = TokenFile::open(at("t.tok"));
        QVERIFY2(file, file ? "" : file.error().message.c_str());
        QCOMPARE(file->size(), 1000);
        QCOMPARE(file->header().vocabSize, std::int64_t{vocabSize});
        QCOMPARE(file->header().tokenizerHash, std::string("abc"));
        std::vector<std::int64_t> back(1000);
        QVERIFY(file->read(0, 1000, back.data()));
        QVERIFY(std::equal(back.begin(), back.end(), tokens.begin()));
        QVERIFY(file->read(990, 10, back.data()));
        QCOMPARE(back[9], std::int64_t{vocabSize - 1});
        QCOMPARE(file->read(991, 10, back.data()).error().code, std::string("bad_token_range"));
        QCOMPARE(file->read(-1, 1, back.data()).error().code, std::string("bad_token_range"));
    }
    void entropyOfTheFrequencies() {
        const std::vector<std::uint32_t> tokens{0, 0, 1, 1};
        QCOMPARE(writeTokenFile(at("e.tok"), tokens, 4, "")->unigramEntropy, std::log(2.0));
        const std::vector<std::uint32_t> same{3, 3, 3};
        QCOMPARE(writeTokenFile(at("e.tok"), same, 4, "")->unigramEntropy, 0.0);
    }
    void idsOutsideTheVocabularyAreRefused() {
        const std::vector<std::uint32_t> tokens{1, 2, 2048};
        const auto written = writeTokenFile(at("bad.tok"), tokens, 2048, "");
        QCOMPARE(written.error().code, std::string("token_out_of_range"));
        QVERIFY(!std::filesystem::exists(at("bad.tok")));
        // A damaged byte in the data is found when it is read.
        const std::vector<std::uint32_t> fine{1, 2, 3};
        QVERIFY(writeTokenFile(at("d.tok"), fine, 4, ""));
        std::string bytes = *readFile(at("d.tok"));
        bytes[bytes.size() - 1] = 1;
        QVERIFY(writeFileAtomically(at("d.tok"), bytes));
        std::int64_t out[3];
        QCOMPARE(TokenFile::open(at("d.tok"))->read(0, 3, out).error().code, std::string("token_out_of_range"));
    }
    // While a run trains, somebody makes the file shorter: a sentence, not the end of the program.
    void cutWhileItIsOpen() {
        const std::vector<std::uint32_t> tokens(100000, 1);
        QVERIFY(writeTokenFile(at("long.tok"), tokens, 4, ""));
        const auto file = TokenFile::open(at("long.tok"));
        QVERIFY(file);
        std::filesystem::resize_file(at("long.tok"), 4096);
        std::vector<std::int64_t> out(50000);
        QVERIFY(file->read(0, 100, out.data()));
        const auto read = file->read(50000, 50000, out.data());
        QVERIFY(!read && read.error().code == "file_unreadable");
        QVERIFY2(read.error().message.find("ends before token 50000") != std::string::npos,
                 read.error().message.c_str());
    }
    void damagedFilesAreRefused() {
        std::vector<std::uint32_t> tokens(100, 1);
        QVERIFY(writeTokenFile(at("w.tok"), tokens, 2048, ""));
        const std::string whole = *readFile(at("w.tok"));
        for (std::size_t length = 0; length < whole.size(); ++length) {
            QVERIFY(writeFileAtomically(at("cut.tok"), whole.substr(0, length)));
            QVERIFY2(!TokenFile::open(at("cut.tok")), qPrintable(QString::number(length)));
        }
        std::mt19937 random(3);
        for (int i = 0; i < 300; ++i) {
            std::string broken = whole;
            for (int k = 0; k < 4; ++k) broken[random() % 160] = static_cast<char>(random());
            QVERIFY(writeFileAtomically(at("noise.tok"), broken));
            const auto file = TokenFile::open(at("noise.tok"));
            std::int64_t out[100];
            if (file && file->size() >= 100) (void)file->read(0, 100, out);
        }
        QCOMPARE(TokenFile::open(at("none.tok")).error().code, std::string("file_missing"));
    }
};
SLIPWAY_TEST(TstTokenFile)
#include "tst_token_file.moc"
