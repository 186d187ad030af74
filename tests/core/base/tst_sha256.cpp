#include "core/base/sha256.h"
#include "tests/support/slipway_test.h"

#include <QCryptographicHash>
#include <random>

using namespace slipway;

class TstSha256 : public QObject {
    Q_OBJECT

private slots:
    void standardVectors() {
        // FIPS 180-2, appendix B.
        QCOMPARE(sha256Of(""), std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
        QCOMPARE(sha256Of("abc"), std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
        QCOMPARE(sha256Of(std::string(1000000, 'a')),
                 std::string("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
    }

    void anyLengthInAnyPieces() {
        std::mt19937 random(4);
        for (std::size_t length = 0; length < 300; ++length) {
            std::string bytes(length, ' ');
            for (char& c : bytes) c = static_cast<char>(random());
            Sha256 hash;
            for (std::size_t at = 0; at < length;) {
                const std::size_t piece = std::min<std::size_t>(1 + random() % 90, length - at);
                hash.add(std::string_view(bytes).substr(at, piece));
                at += piece;
            }
            const QByteArray expected =
                QCryptographicHash::hash(QByteArray(bytes.data(), static_cast<int>(length)), QCryptographicHash::Sha256)
                    .toHex();
            QCOMPARE(hash.hex(), expected.toStdString());
        }
    }
};

SLIPWAY_TEST(TstSha256)
#include "tst_sha256.moc"
