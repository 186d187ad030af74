// What the trainer executes otherwise than a person may expect: attention without a fused operator, weights that cannot
// be exported.
#include "core/spec/trainer_notes.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

using namespace slipway;

namespace {

RunConfig with(const QString& settings) {
    Json json = Json::object();
    for (const QString& item : settings.split(' ', Qt::SkipEmptyParts))
        if (const auto set = setField(json, item.section('=', 0, 0).toStdString(), item.section('=', 1).toStdString());
            !set)
            qFatal("%s", set.error().message.c_str());
    const auto config = parseRunConfig(json, "test");
    if (!config) qFatal("%s", config.error().message.c_str());
    return *config;
}

}  // namespace

class TstTrainerNotes : public QObject {
    Q_OBJECT
private slots:
    void notes_data() {
        QTest::addColumn<QString>("settings");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("words");
        const QString gpu =
            "train.device=gpu train.precision=bf16 train.seq_len=32768 model.max_seq_len=32768 model.num_heads=32 "
            "model.hidden_size=4096 parallel.cp=4 ";
        QTest::newRow("nothing") << ""
                                 << ""
                                 << "";
        QTest::newRow("a ring without a mask") << gpu << ""
                                               << "";
        // 3 x 4 bytes x 2 sequences x 32 heads x 4096 queries x 4096 keys.
        QTest::newRow("documents in a ring") << gpu + "data.document_end_id=1"
                                             << "plain_attention"
                                             << "data.document_end_id with parallel.cp_kind = ring|12.0";
        QTest::newRow("a window in a ring over tp") << gpu + "model.sliding_window=1024 parallel.tp=4"
                                                    << "plain_attention"
                                                    << "model.sliding_window|3.0";
        // Gathered: all keys of the sequence.
        QTest::newRow("documents over gathered keys") << gpu + "data.document_end_id=1 parallel.cp_kind=all_gather"
                                                      << "plain_attention"
                                                      << "all_gather|96.0";
        QTest::newRow("a window over gathered keys") << gpu + "model.sliding_window=1024 parallel.cp_kind=all_gather"
                                                     << ""
                                                     << "";
        QTest::newRow("Ulysses") << gpu + "data.document_end_id=1 parallel.cp_kind=ulysses"
                                 << ""
                                 << "";
        QTest::newRow("a CPU") << "data.document_end_id=1 parallel.cp=2"
                               << ""
                               << "";
        QTest::newRow("latent attention with the default norm_eps")
            << "model.mla.kv_lora_rank=32 model.mla.qk_nope_head_dim=32 model.mla.qk_rope_head_dim=16 model.mla.v_head_dim=32"
            << "not_exportable"
            << "slipway-trainer export|epsilon of 1e-6";
        QTest::newRow("and with the right one")
            << "model.mla.kv_lora_rank=32 model.mla.qk_nope_head_dim=32 model.mla.qk_rope_head_dim=16 model.mla.v_head_dim=32 model.norm_eps=1e-6"
            << ""
            << "";
    }
    void notes() {
        QFETCH(QString, settings);
        QFETCH(QString, code);
        QFETCH(QString, words);
        const Issues issues = trainerNotes(with(settings));
        QCOMPARE(issues.size(), std::size_t(code.isEmpty() ? 0 : 1));
        if (code.isEmpty()) return;
        QCOMPARE(QString::fromStdString(issues[0].code), code);
        QCOMPARE(issues[0].severity, Severity::Warning);
        for (const QString& word : words.split('|'))
            QVERIFY2(QString::fromStdString(issues[0].message).contains(word), issues[0].message.c_str());
        QCOMPARE(plainAttentionNote(with(settings)).has_value(), code == "plain_attention");
    }
};
SLIPWAY_TEST(TstTrainerNotes)
#include "tst_trainer_notes.moc"
