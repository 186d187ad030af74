#include "app/gui/pages/plan_form.h"

#include "app/gui/widgets/spec_form.h"

#include <QCoreApplication>
#include <algorithm>
#include <set>

namespace slipway::gui {
namespace {

QString title(const char* text) {
    return QCoreApplication::translate("PlanForm", text);
}

}  // namespace

void arrangePlanForm(SpecForm& form, const FieldInfos& fields) {
    struct Section {
        const char* id;
        const char* title;
        std::vector<std::string> compact, paths;
        bool folded = false;
    };
    const std::vector<Section> sections{
        {"model", QT_TRANSLATE_NOOP("PlanForm", "Model"), {}, {}},
        {"shape",
         QT_TRANSLATE_NOOP("PlanForm", "Model shape"),
         {},
         {"model.family", "model.num_layers", "model.hidden_size", "model.ffn_hidden_size", "model.num_heads",
          "model.num_kv_heads", "model.vocab_size", "model.max_seq_len", "model.tie_embeddings"},
         true},
        {"hardware",
         QT_TRANSLATE_NOOP("PlanForm", "Hardware"),
         {},
         {"cluster.num_nodes", "cluster.devices_per_node", "cluster.inter_node.bytes_per_second"}},
        {"batch",
         QT_TRANSLATE_NOOP("PlanForm", "Batch"),
         {},
         {"train.seq_len", "train.global_batch_size", "train.micro_batch_size"}},
        {"layout",
         QT_TRANSLATE_NOOP("PlanForm", "Parallel layout"),
         {"parallel.dp", "parallel.tp", "parallel.pp", "parallel.cp", "parallel.ep"},
         {"parallel.zero_stage", "parallel.schedule", "parallel.virtual_stages", "parallel.sequence_parallel"}},
        {"precision",
         QT_TRANSLATE_NOOP("PlanForm", "Precision and memory"),
         {},
         {"train.precision", "train.recompute.policy"}},
        {"cost", QT_TRANSLATE_NOOP("PlanForm", "Cost"), {}, {"cluster.device.price_per_hour", "train.num_steps"}},
        {"training",
         QT_TRANSLATE_NOOP("PlanForm", "Training"),
         {},
         {"name", "data.tokens", "optimizer.lr", "optimizer.weight_decay", "optimizer.clip_norm",
          "optimizer.schedule.kind", "optimizer.schedule.warmup_steps", "optimizer.schedule.decay_steps",
          "checkpoint.every_steps", "telemetry.spans_every_steps"},
         true},
    };
    std::set<std::string> placed{"schema", "train.device", "software"};  // in the rows Device and Software
    for (const Section& section : sections) {
        form.addSection(QString::fromLatin1(section.id), title(section.title), section.paths, section.compact,
                        section.folded);
        placed.insert(section.paths.begin(), section.paths.end());
        placed.insert(section.compact.begin(), section.compact.end());
    }
    std::vector<std::string> rest;
    for (const FieldInfo& info : fields)
        if (!placed.count(info.path)) rest.push_back(info.path);
    form.addSection(QStringLiteral("advanced"), title(QT_TRANSLATE_NOOP("PlanForm", "Advanced")), rest, {}, true);
    form.setFields(fields);
    form.setSectionResult(QStringLiteral("advanced"),
                          SpecForm::tr("%n field(s)", nullptr, static_cast<int>(rest.size())));
}

}  // namespace slipway::gui
