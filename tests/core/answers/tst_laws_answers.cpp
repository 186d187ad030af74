// What command and window answer about scaling laws: documents, their formulas, and the shape of a model of a size.
#include "core/answers/laws_answers.h"
#include "core/planner/count/parameters.h"
#include "core/planner/laws/model_shape.h"
#include "core/planner/presets.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace slipway;

class TstLawsAnswers : public QObject {
    Q_OBJECT

private slots:
    // Llama 3 8B has the shape that its size gives; the larger ones are deeper and flatter by choice (arXiv 2407.21783, table 3).
    void publishedShapes() {
        for (const char* id : {"llama3-8b"}) {
            const ModelSpec& published = findModelPreset(id)->model;
            const auto shape = modelOfSize(countParameters(published).total);
            QVERIFY(shape.has_value());
            QCOMPARE(shape->hiddenSize, published.hiddenSize);
            QCOMPARE(shape->numLayers, published.numLayers);
            QCOMPARE(shape->numHeads, published.numHeads);
            QCOMPARE(shape->kvHeads(), published.kvHeads());
            QCOMPARE(shape->ffnHiddenSize, published.ffnHiddenSize);
        }
    }
    void everySizeHasAShape() {
        for (double size = kSmallestShape; size <= kLargestShape; size *= 1.31) {
            const auto shape = modelOfSize(size);
            QVERIFY(shape.has_value());
            const double counted = countParameters(*shape).total;
            QVERIFY2(std::fabs(counted / size - 1) < 0.03,
                     qPrintable(QStringLiteral("%1 for %2").arg(counted).arg(size)));
            QVERIFY(shape->numLayers % 2 == 0 && shape->numHeads % 8 == 0 && shape->ffnHiddenSize % 128 == 0);
            const double ratio = static_cast<double>(shape->hiddenSize) / static_cast<double>(shape->numLayers);
            QVERIFY2(ratio > 30 && ratio < 300, qPrintable(QString::number(ratio)));
        }
        for (const double size : {1e6, 1e14, std::nan("")})
            QCOMPARE(QString::fromStdString(modelOfSize(size).error().code), QStringLiteral("out_of_range"));
    }
    void aRunTakesItsTokens() {
        RunConfig base;
        base.train.seqLen = 4096;
        base.train.globalBatchSize = 256;
        const auto run = runOfSize(base, {8.03e9, 160e9});
        QVERIFY(run.has_value());
        QCOMPARE(run->train.numSteps, std::int64_t(152588));  // 160e9 / (256 * 4096), rounded up
        QCOMPARE(run->model.hiddenSize, std::int64_t(4096));
        QCOMPARE(QString::fromStdString(run->name), QStringLiteral("8.03B"));
        QVERIFY(!hasErrors(validate(*run)));
    }
    // Figures that are computed have their formula and source; those that were given have none.
    void formulasAndSources() {
        LawQuestion q;
        q.flops = 1e23;
        q.servedTokens = 2e12;
        Json json;
        const auto view = servingAnswer(q, json);
        QVERIFY(view.has_value());
        for (const AnswerColumn& column : view->figures) {
            const bool isGiven =
                column.key == "flops" || column.key == "served_tokens" || column.key == "law" || column.key == "loss";
            QCOMPARE(column.formula.empty(), isGiven);
        }
        QCOMPARE(json["rows"][5]["training_flops"].get<double>(), 1e23);
        QCOMPARE(json["rows"][5]["serving_flops"].get<double>(),
                 2 * json["rows"][5]["parameters"].get<double>() * 2e12);
        q.rule = OptimumRule::Kaplan;
        QCOMPARE(QString::fromStdString(servingAnswer(q, json).error().where), QStringLiteral("law"));
        QCOMPARE(
            QString::fromStdString(textOf(servingAnswer(q, json).error().source, Language::Korean)).contains("kaplan"),
            true);
    }
    void theChosenSize() {
        LawQuestion q;
        q.flops = 1e23;
        q.servedTokens = 2e12;
        const auto optimum = chosenSize(q, ChosenSize::Optimum), serving = chosenSize(q, ChosenSize::Serving);
        QVERIFY(optimum && serving && serving->parameters < optimum->parameters && serving->tokens > optimum->tokens);
        Json json;
        QVERIFY(servingAnswer(q, json).has_value());
        QCOMPARE(json["parameters"].get<double>(), serving->parameters);
    }
};

SLIPWAY_TEST(TstLawsAnswers)
#include "tst_laws_answers.moc"
