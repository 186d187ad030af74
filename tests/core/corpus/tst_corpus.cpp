#include "core/base/file.h"
#include "core/corpus/corpus.h"
#include "core/corpus/tokenizer.h"
#include "tests/core/corpus/text_fixture.h"
#include "tests/support/slipway_test.h"
#include "tests/support/temp_dir.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <set>

using namespace slipway;
using slipway::test::someText;
using slipway::test::TempDir;

namespace {

struct Fixture {
    TempDir dir;
    Home home{dir.path() / "home"};

    std::string source(const std::string& name, const std::string& text) {
        const std::filesystem::path path = dir.path() / name;
        std::ofstream(path, std::ios::binary) << text;
        return path.string();
    }
    CorpusSpec spec(const std::string& text = someText(60000)) {
        CorpusSpec out;
        out.name = "c";
        out.sources = {source("a.txt", text)};
        out.vocabSize = 512;
        return out;
    }
};

std::vector<std::uint32_t> tokensOf(const CorpusResult& corpus) {
    const TokenFile file = *TokenFile::open(corpus.tokenFile);
    std::vector<std::int64_t> wide(static_cast<std::size_t>(file.size()));
    if (!file.read(0, file.size(), wide.data())) qFatal("token file");
    return {wide.begin(), wide.end()};
}

std::string decoded(const CorpusResult& corpus) {
    return Tokenizer::load(*readFile(corpus.tokenizerFile))->decode(tokensOf(corpus));
}

}  // namespace

class TstCorpus : public QObject {
    Q_OBJECT

private slots:
    void fromTextToTokens() {
        Fixture f;
        const std::string text = someText(60000);
        const auto corpus = buildCorpus(f.spec(text), f.home);
        QVERIFY2(corpus, corpus ? "" : corpus.error().text().c_str());
        QCOMPARE(corpus->tokenFile, f.home.corpora() / "c.tok");
        QCOMPARE(corpus->numDocuments, 1);
        QCOMPARE(corpus->numTextBytes, static_cast<std::int64_t>(text.size()));
        QCOMPARE(corpus->header.vocabSize, 512);
        QVERIFY(!corpus->reused);
        const std::vector<std::uint32_t> tokens = tokensOf(*corpus);
        QCOMPARE(tokens.back(), Tokenizer::kSeparator);
        QVERIFY(decoded(*corpus) == text);
        // Entropy of the frequencies, computed here from scratch.
        std::map<std::uint32_t, double> counts;
        for (const std::uint32_t t : tokens) counts[t] += 1;
        double entropy = 0;
        for (const auto& [id, n] : counts)
            entropy -= n / static_cast<double>(tokens.size()) * std::log(n / static_cast<double>(tokens.size()));
        QVERIFY(std::fabs(entropy - corpus->header.unigramEntropy) < 1e-9);
    }

    void documentsAreSeparated() {
        Fixture f;
        CorpusSpec spec = f.spec();
        std::string lines;
        for (unsigned i = 0; i < 50; ++i) lines += Json{{"text", someText(2000, i)}}.dump() + "\n";
        spec.sources = {f.source("b.jsonl", lines), f.source("c.txt", "the end")};
        const auto corpus = buildCorpus(spec, f.home);
        QVERIFY(corpus);
        QCOMPARE(corpus->numDocuments, 51);
        const auto tokens = tokensOf(*corpus);
        QCOMPARE(std::count(tokens.begin(), tokens.end(), Tokenizer::kSeparator), 51);
    }

    void sameSourcesSameBytes() {
        Fixture f;
        Fixture g;
        const auto a = buildCorpus(f.spec(), f.home);
        const auto b = buildCorpus(g.spec(), g.home);
        QVERIFY(a && b);
        QVERIFY(*readFile(a->tokenFile) == *readFile(b->tokenFile));
        QVERIFY(*readFile(a->tokenizerFile) == *readFile(b->tokenizerFile));
    }

    void isReusedUntilSomethingChanges() {
        Fixture f;
        CorpusSpec spec = f.spec();
        const auto first = buildCorpus(spec, f.home);
        QVERIFY(first && !first->reused);
        std::set<std::string> phases;
        const auto second = buildCorpus(spec, f.home, [&](const CorpusProgress& p) {
            phases.insert(std::string(p.phase));
            return true;
        });
        QVERIFY(second && second->reused);
        QCOMPARE(phases, std::set<std::string>{"hash"});
        QCOMPARE(second->numTextBytes, first->numTextBytes);
        QCOMPARE(second->header.unigramEntropy, first->header.unigramEntropy);

        spec.vocabSize = 520;
        QVERIFY(buildCorpus(spec, f.home).value().reused == false);
        QCOMPARE(TokenFile::open(f.home.corpora() / "c.tok")->header().vocabSize, 520);
        spec.maxBytes = 30000;
        QVERIFY(buildCorpus(spec, f.home).value().reused == false);
        f.source("a.txt", someText(60001, 9));
        QVERIFY(buildCorpus(spec, f.home).value().reused == false);
        // A damaged product is made anew.
        std::ofstream(f.home.corpora() / "c.model", std::ios::app) << "x";
        QVERIFY(buildCorpus(spec, f.home).value().reused == false);
        std::filesystem::resize_file(f.home.corpora() / "c.tok", 200);
        QVERIFY(buildCorpus(spec, f.home).value().reused == false);
        QVERIFY(buildCorpus(spec, f.home).value().reused);
    }

    void takesAnEvenShare() {
        Fixture f;
        CorpusSpec spec = f.spec();
        std::string dictionary;
        for (unsigned i = 0; i < 300; ++i)
            dictionary += "entry" + std::to_string(i) + "\n    " + someText(180, i % 7) + "\n";
        spec.sources = {f.source("d.dict", dictionary)};
        spec.maxBytes = static_cast<std::int64_t>(dictionary.size()) / 3;
        auto corpus = buildCorpus(spec, f.home);
        QVERIFY(corpus);
        QVERIFY(corpus->numTextBytes <= spec.maxBytes);
        QVERIFY(corpus->numTextBytes > spec.maxBytes * 9 / 10);
        const std::string text = decoded(*corpus);
        std::set<int> tens;
        for (int i = 0; i < 300; ++i)
            if (text.find("entry" + std::to_string(i) + "\n") != std::string::npos) tens.insert(i / 10);
        QCOMPARE(tens.size(), std::size_t{30});  // from the whole range
        // Of one large document the beginning is taken.
        const std::string large = someText(200000);
        spec.sources = {f.source("large.txt", large)};
        spec.maxBytes = 50000;
        corpus = buildCorpus(spec, f.home);
        QVERIFY(corpus);
        QVERIFY(corpus->numTextBytes > 45000 && corpus->numTextBytes <= 50000);
        QVERIFY(large.starts_with(decoded(*corpus)));
    }

    void canBeCancelled_data() {
        QTest::addColumn<QString>("phase");
        for (const char* phase : {"hash", "read", "sample", "tokenizer", "encode", "write"})
            QTest::newRow(phase) << QString(phase);
    }

    void canBeCancelled() {
        QFETCH(QString, phase);
        Fixture f;
        const auto corpus = buildCorpus(
            f.spec(), f.home, [&](const CorpusProgress& p) { return std::string(p.phase) != phase.toStdString(); });
        QVERIFY(!corpus);
        QCOMPARE(corpus.error().code, std::string("cancelled"));
        QVERIFY(std::filesystem::is_empty(f.home.corpora()));
    }

    void progressRises() {
        Fixture f;
        CorpusSpec spec = f.spec(someText(1500000));
        spec.trainBytes = 50000;
        std::map<std::string, std::vector<double>> seen;
        QVERIFY(buildCorpus(spec, f.home, [&](const CorpusProgress& p) {
            seen[std::string(p.phase)].push_back(p.fraction);
            return true;
        }));
        QVERIFY(std::is_sorted(seen["encode"].begin(), seen["encode"].end()));
        QCOMPARE(seen["encode"].back(), 1.0);
    }

    void problems_data() {
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("what");
        QTest::newRow("name") << "corpus_bad_spec"
                              << "name";
        QTest::newRow("no sources") << "corpus_bad_spec"
                                    << "sources";
        QTest::newRow("vocabulary") << "corpus_bad_spec"
                                    << "vocab";
        QTest::newRow("missing") << "file_missing"
                                 << "missing";
        QTest::newRow("empty") << "corpus_too_small"
                               << "empty";
        QTest::newRow("small") << "corpus_too_small"
                               << "small";
    }

    void problems() {
        QFETCH(QString, code);
        QFETCH(QString, what);
        Fixture f;
        CorpusSpec spec = f.spec();
        if (what == "name") spec.name = "../x";
        if (what == "sources") spec.sources.clear();
        if (what == "vocab") spec.vocabSize = 100;
        if (what == "missing") spec.sources.push_back((f.dir.path() / "none.txt").string());
        if (what == "empty") spec.sources = {f.source("e.txt", "\n \n")};
        if (what == "small") spec.sources = {f.source("s.txt", "only a few words")};
        QCOMPARE(buildCorpus(spec, f.home).error().code, code.toStdString());
        QVERIFY(!std::filesystem::exists(f.home.corpora() / "c.tok"));
    }

    void specFromJson() {
        Issues issues;
        const CorpusSpec spec =
            corpusSpecFromJson(*parseJson(R"({"name":"q","sources":["a.txt"],"vocab_size":1024})", ""), issues);
        QVERIFY(issues.empty());
        QCOMPARE(spec.vocabSize, 1024);
        Issues back;
        QCOMPARE(toJson(corpusSpecFromJson(toJson(spec), back)).dump(), toJson(spec).dump());
        corpusSpecFromJson(*parseJson(R"({"name":"q","sorces":["a.txt"],"vocab_size":1.5})", ""), issues);
        QCOMPARE(issues.size(), std::size_t{2});
        QCOMPARE(issues[1].message, std::string("Unknown key corpus.sorces; did you mean corpus.sources?"));
    }
};

SLIPWAY_TEST(TstCorpus)
#include "tst_corpus.moc"
