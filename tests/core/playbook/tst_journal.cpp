// Guesses are appended, never overwritten, and survive what other programs do to the file.
#include "core/base/file.h"
#include "core/playbook/journal.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <nlohmann/json.hpp>

#include <thread>

namespace slipway::test {

class TstJournal : public QObject {
    Q_OBJECT

private slots:
    void theFirstGuessCounts() {
        const TempDir temp;
        const Home home{temp.path()};
        QVERIFY(guessesOf(home)->empty());
        QVERIFY(addGuess(home, {"pipelines", 15, 1000, "half"}).has_value());
        QVERIFY(addGuess(home, {"pipelines", 11, 2000, ""}).has_value());
        QVERIFY(addGuess(home, {"L6", 0.75, 3000, ""}).has_value());
        const auto guesses = guessesOf(home);
        QCOMPARE(guesses->size(), std::size_t(3));
        QCOMPARE(firstGuess(*guesses, "pipelines")->value, 15.0);
        QCOMPARE(firstGuess(*guesses, "pipelines")->note, std::string("half"));
        QVERIFY(firstGuess(*guesses, "L1") == nullptr);
    }
    void theNewestRemarkCounts() {
        const TempDir temp;
        const Home home{temp.path()};
        QVERIFY(remarksOf(home)->empty());
        QVERIFY(addRemark(home, {"L6", "loud fan", 1}).has_value());
        QVERIFY(addRemark(home, {"preflight/storage", "done", 2}).has_value());
        QVERIFY(addRemark(home, {"L6", "quiet fan", 3}).has_value());
        QCOMPARE(remarksOf(home)->at("L6"), std::string("quiet fan"));
        QVERIFY(addRemark(home, {"preflight/storage", "", 4}).has_value());
        QCOMPARE(remarksOf(home)->size(), std::size_t(1));
    }
    void leavesOutWhatIsNoGuess() {
        const TempDir temp;
        const Home home{temp.path()};
        QVERIFY(addGuess(home, {"L6", 1, 1, ""}).has_value());
        auto text = readFile(temp.path() / "playbook/guesses.jsonl");
        QVERIFY(writeFileAtomically(temp.path() / "playbook/guesses.jsonl",
                                    "{}\nnonsense\n" + *text + "{\"subject\": \"L6\", \"val")
                    .has_value());
        QCOMPARE(guessesOf(home)->size(), std::size_t(1));
        QVERIFY(addGuess(home, {"L7", 2, 2, ""}).has_value());  // behind the line that was cut off
        QCOMPARE(guessesOf(home)->size(), std::size_t(2));
    }
    void twoWritersLoseNothing() {
        const TempDir temp;
        const Home home{temp.path()};
        constexpr int kEach = 50;
        const auto write = [&](const char* subject) {
            for (int i = 0; i < kEach; ++i)
                (void)addGuess(home, {subject, static_cast<double>(i), i, std::string(500, 'x')});
        };
        std::thread other(write, "a");
        write("b");
        other.join();
        QCOMPARE(guessesOf(home)->size(), std::size_t(2 * kEach));
    }
    void scoresAgainstTheAnswer() {
        GuessQuestion question;
        question.tolerance = 0.1;
        QVERIFY(scoreOf(question, 105, 100)->isRight);
        QVERIFY(!scoreOf(question, 120, 100)->isRight);
        QCOMPARE(scoreOf(question, 126, 100)->relativeError, 0.26);
        QVERIFY(!scoreOf(question, 1, 0).has_value());
        question.answer = FigureCall{"pipeline_bubble", R"({"pp": 2, "micro_batches": 8})", "bubble_share"};
        question.scale = 100;
        QCOMPARE(*answerOf(question), 100.0 / 9);
    }
    void recordsAreKept() {
        const TempDir temp;
        const Home home{temp.path()};
        QVERIFY(addRecord(home, Json{{"experiment", "L1"}}).has_value());
        QVERIFY(addRecord(home, Json{{"experiment", "L3"}}).has_value());
        QCOMPARE(recordsOf(home)->size(), std::size_t(2));
        QCOMPARE(recordsOf(home)->back()["experiment"].get<std::string>(), std::string("L3"));
    }
};

}  // namespace slipway::test

using slipway::test::TstJournal;
SLIPWAY_TEST(TstJournal)

#include "tst_journal.moc"
