// Figure models: inputs are checked, defaults compute, ids and keys are told apart.
#include "core/playbook/duplicate_pairs.h"
#include "core/playbook/figure_model.h"
#include "core/playbook/near_duplicates.h"
#include "core/playbook/overlap.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <set>

namespace slipway::test {

class TstFigureModel : public QObject {
    Q_OBJECT

private slots:
    /// A metric may jump where the loss falls steadily.
    void exactMatchesOfRightTokens() {
        const auto out =
            computeFigure(*findFigureModel("exact_match"), {{"token_accuracy", 0.9}, {"answer_tokens", 10}});
        QVERIFY(out && std::fabs((*out)["exact_match_share"].get<double>() - 0.3486784401) < 1e-9);
        QVERIFY(std::fabs((*out)["token_loss"].get<double>() - 0.105360515657826) < 1e-12);
    }
    void defaultsCompute() {
        std::set<std::string_view> ids;
        for (const FigureModel& model : figureModels()) {
            QVERIFY2(ids.insert(model.id).second, std::string(model.id).c_str());
            const auto outputs = computeFigure(model, Json::object());
            QVERIFY2(outputs.has_value(), outputs ? "" : outputs.error().text().c_str());
            QCOMPARE(outputs->size(), model.outputs.size());
            for (const FigureOutput& output : model.outputs) {
                QVERIFY2(outputs->contains(output.key), std::string(output.key).c_str());
                QVERIFY2(!output.formula.empty(), std::string(output.key).c_str());
            }
        }
    }
    void listsEveryWrongInput() {
        const auto result = computeFigure(*findFigureModel("pipeline_bubble"),
                                          Json{{"p", 8}, {"micro_batches", 2.5}, {"schedule", "1f1"}, {"pp", 0}});
        QVERIFY(!result);
        QCOMPARE(QString::fromStdString(result.error().code), "bad_value");
        const QString text = QString::fromStdString(result.error().message);
        QVERIFY2(text.contains("has no input p") && text.contains("whole number") &&
                     text.contains("did you mean 1f1b") && text.contains("pp is 0"),
                 qPrintable(text));
    }
    void changesWithItsInputs() {
        const FigureModel& bubble = *findFigureModel("pipeline_bubble");
        const Json one = *computeFigure(bubble, Json{{"pp", 4}, {"micro_batches", 8}});
        QCOMPARE(one["bubble_share"].get<double>(), 3.0 / 11);
        QCOMPARE(one["in_flight"].get<int>(), 4);
        const Json all = *computeFigure(bubble, Json{{"pp", 4}, {"micro_batches", 8}, {"schedule", "afab"}});
        QCOMPARE(all["in_flight"].get<int>(), 8);
    }
    void shapesThatDoNotFitHaveNoProduct() {
        const FigureModel& game = *findFigureModel("matrix_game");
        const Json result = *computeFigure(game, Json{{"a", Json::parse("[[1, 2, 3]]")}});
        QVERIFY(result["product"].is_null());
    }
    void overlapCountsBytes() {
        QCOMPARE(std::round(dataParallelOverlapTokens(2, 1e9, 989e12, 50e9)), 19780.0);
        QCOMPARE(std::round(dataParallelOverlapTokens(2, 1e9, 989e12, 450e9)), 2198.0);
        QCOMPARE(dataParallelOverlapTokens(2, 1, 989e12, 50e9), 0.0);
    }
    void simulatedPairsFollowTheFormula() {
        for (const double similarity : {0.7, 0.8, 0.9}) {
            for (const MinHashShape& shape : {MinHashShape{9, 13, 13}, MinHashShape{14, 8, 5}}) {
                const double found = caughtShare({.similarity = similarity, .shape = shape, .pairs = 1500}, 7);
                QVERIFY2(std::fabs(found - caughtProbability(similarity, shape.bands, shape.rows)) < 0.05,
                         std::to_string(found).c_str());
            }
        }
    }
};

}  // namespace slipway::test

using slipway::test::TstFigureModel;
SLIPWAY_TEST(TstFigureModel)

#include "tst_figure_model.moc"
