// What command and window answer about cost, TPU pods and scripts.
#include "core/answers/cost_answer.h"
#include "core/answers/lint_answer.h"
#include "core/answers/tpu_answer.h"
#include "core/base/file.h"
#include "core/planner/presets.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

using namespace slipway;

class TstOtherAnswers : public QObject {
    Q_OBJECT

    static CostInput llama2() {
        CostInput input;
        input.parameters = 7e9;
        input.tokens = 2e12;
        input.devices = 256;
        input.mfu = 0.45;
        return input;
    }
    static const ClusterSpec& device(const char* name) { return *findDevicePreset(name); }

private slots:
    // 6 x 7e9 x 2e12 / (312e12 x 0.45 x 256) seconds, worked by hand.
    void costOfABudget() {
        const auto basis = costOfBudget(llama2(), device("NVIDIA A100 SXM 80 GB"));
        QVERIFY(basis.has_value());
        Json json;
        const AnswerView view = costAnswer(*basis, json);
        QVERIFY(std::fabs(json["busy_seconds"].get<double>() / 2337073 - 1) < 1e-6);
        QVERIFY(std::fabs(json["device_hours"].get<double>() / 166192 - 1) < 1e-5);
        for (const Json& offer : json["listed_prices"])
            QVERIFY(!offer["source"].get<std::string>().empty() && !offer["date"].get<std::string>().empty());
        for (const AnswerColumn& figure : view.figures)
            if (figure.key == "money") QVERIFY(!figure.formula.empty());
        CostInput bad = llama2();
        bad.mfu.reset();
        QCOMPARE(costOfBudget(bad, device("NVIDIA A100 SXM 80 GB")).error().where, std::string("mfu"));
        bad = llama2();
        bad.precision = Precision::Fp8;
        QCOMPARE(costOfBudget(bad, device("NVIDIA A100 SXM 80 GB")).error().code, std::string("peak_unknown"));
    }
    // Twice the rate is twice the money; the offers follow, hours do not.
    void moneyInAnotherCurrency() {
        CostInput input = llama2();
        input.currency = "KRW";
        QCOMPARE(costOfBudget(input, device("NVIDIA A100 SXM 80 GB")).error().where, std::string("rate"));
        Json dollars, won;
        input.currency.reset();
        input.purchasePrice = 15000;
        costAnswer(*costOfBudget(input, device("NVIDIA A100 SXM 80 GB")), dollars);
        input.currency = "KRW";
        input.exchangeRate = 1400;
        costAnswer(*costOfBudget(input, device("NVIDIA A100 SXM 80 GB")), won);
        QVERIFY(won["currency"] == Json("KRW"));
        QVERIFY(won["device_hours"] == dollars["device_hours"]);
        for (std::size_t i = 0; i < won["listed_prices"].size(); ++i) {
            const double before = dollars["listed_prices"][i]["money"].get<double>();
            QVERIFY(std::fabs(won["listed_prices"][i]["money"].get<double>() / before - 1400) < 1e-9);
        }
        if (!dollars["money"].is_null())
            QVERIFY(std::fabs(won["money"].get<double>() / dollars["money"].get<double>() - 1400) < 1e-9);
    }
    void buyOrRent() {
        CostInput input = llama2();
        input.pricePerHour = 2;
        Json json;
        QCOMPARE(buyOrRentAnswer(*costOfBudget(input, device("NVIDIA A100 SXM 80 GB")), json).error().where,
                 std::string("buy_price"));
        input.purchasePrice = 20000;
        QVERIFY(buyOrRentAnswer(*costOfBudget(input, device("NVIDIA A100 SXM 80 GB")), json).has_value());
        QCOMPARE(json["break_even_hours"].get<double>(), 10000.0);
        const Json& middle = json["rows"][json["rows"].size() / 2];
        QVERIFY(middle["rent"] == middle["buy"]);
    }
    void fieldsAreChecked() {
        const auto next = withCostField(llama2(), "mfu", "0.5");
        QVERIFY(next && *next->mfu == 0.5 && next->parameters == 7e9);
        QCOMPARE(withCostField(llama2(), "mfu", "1.5").error().code, std::string("bad_value"));
        QVERIFY(!withCostField(llama2(), "mfu", "")->mfu);
        for (const FieldInfo& info : costFields(llama2(), true))
            QCOMPARE(info.applies, !(info.path == "flops" || info.path == "params" || info.path == "tokens" ||
                                     info.path == "devices" || info.path == "mfu" || info.path == "precision"));
    }

    // The scaling book's exercise: 70B on a v5p pod, both editions (example row 003-P1).
    void bothEditions() {
        Json json;
        const auto view = tpuAnswer({}, device("Google TPU v5p"), json);
        QVERIFY(view.has_value());
        QCOMPARE(json["rows"].size(), std::size_t{2});
        QVERIFY(json["rows"][0]["mixed_token_limit"] == json["mixed_token_limit"]);
        QVERIFY(std::fabs(json["rows"][0]["mixed_token_limit"].get<double>() /
                              json["rows"][1]["mixed_token_limit"].get<double>() -
                          4) < 1e-9);
        QVERIFY(json["fsdp_bound"] == Json("communication"));
        TpuInput input;
        input.parameters = 70e9;
        QVERIFY(tpuAnswer(input, device("Google TPU v5p"), json).has_value());
        QCOMPARE(json["chips_to_hold"].get<double>(),
                 std::ceil(70e9 * 16 / device("Google TPU v5p").device.memoryBytes));
        input.axes = 3;
        QCOMPARE(tpuAnswer(input, device("Google TPU v5e"), json).error().where, std::string("axes"));
    }

    void lintsForeignFiles() {
        const std::string folder = std::string(SLIPWAY_TEST_DATA) + "/interop/sources/";
        const std::string text = *readFile(folder + "megatron.sh");
        const auto plain = lintText(text, "megatron.sh", {});
        QVERIFY(plain && plain->format == "torchrun" && plain->plan);
        ClusterSpec small;
        small.device.kind = DeviceKind::Gpu;
        small.device.memoryBytes = 16e9;
        small.devicesPerNode = 8;
        small.numNodes = 64;
        const auto judged = lintText(text, "megatron.sh", small);
        QVERIFY(judged.has_value());
        const auto found = std::find_if(judged->issues.begin(), judged->issues.end(),
                                        [](const Issue& issue) { return issue.code == "state_does_not_fit"; });
        QVERIFY(found != judged->issues.end());
        QVERIFY(std::none_of(plain->issues.begin(), plain->issues.end(),
                             [](const Issue& issue) { return issue.code == "state_does_not_fit"; }));
    }
    // One pasted line: its launcher has the ranks, and the sequence must fit the model.
    void lintsALaunchLine() {
        const std::string line =
            "torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 "
            "--seq-length 4096 --max-position-embeddings 2048 --micro-batch-size 2 --global-batch-size 100 "
            "--tensor-model-parallel-size 2 --lr 3e-4 --fp16 --train-iters 1000\n";
        const auto found = lintText(line, "line", {});
        QVERIFY(found && found->format == "torchrun" && found->plan);
        QCOMPARE(found->plan->parallel.dp, 8);
        const auto has = [&](const char* code) {
            return std::any_of(found->issues.begin(), found->issues.end(),
                               [&](const Issue& issue) { return issue.code == code; });
        };
        QVERIFY(has("sequence_too_long"));
        QVERIFY(has("batch_not_divisible"));
    }
    void placesAndRefusals() {
        const auto facts = lintText(R"({
  "num_steps": 477,
  "save_every": 1000
})",
                                    "facts.json", {});
        QVERIFY(facts && facts->format == "facts" && !facts->plan);
        QCOMPARE(facts->issues.size(), std::size_t{1});
        QCOMPARE(LintAnswer::lineOf("{\n  \"num_steps\": 477,\n  \"save_every\": 1000\n}", facts->issues[0]), 3);
        QCOMPARE(LintAnswer::lineOf("--train-iters 5\n --save-interval 9", facts->issues[0]), 2);
        QCOMPARE(LintAnswer::lineOf("nothing", facts->issues[0]), 0);
        const auto codes = [](const char* sweep) {
            const auto answer = lintText(sweep, "sweep.json", {});
            return answer && answer->format == "sweep" ? answer->issues.size() : 99;
        };
        QCOMPARE(codes(R"({"base": {}, "axes": [{"field": "parallel.tp", "values": [1, 2]}]})"), std::size_t{1});
        QCOMPARE(codes(R"({"base": {}, "axes": [{"field": "parallel.tp", "values": [1, 2]}, {"repeats": 3}]})"),
                 std::size_t{0});
        QCOMPARE(codes(R"({"axes": [{"list": [{"train.seed": 1}, {"train.seed": 2}]}]})"), std::size_t{1});
        QCOMPARE(codes(R"({"axes": [{"field": "train.seed", "values": [1, 2, 3]}]})"), std::size_t{0});
        QCOMPARE(codes(R"({"axes": [{"field": "optimizer.lr", "values": [1, 2]}], "search": {}})"), std::size_t{0});
        QVERIFY(!lintText("not a script {", "x", {}));
        QCOMPARE(lintText("{\"num_steps\": 4}", "x", ClusterSpec{}).error().where, std::string("cluster"));
    }
};

SLIPWAY_TEST(TstOtherAnswers)
#include "tst_other_answers.moc"
